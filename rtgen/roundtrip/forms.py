"""The forms in which chat templates expect calls: with ids of some kind, arguments as JSON text, content beside them.

A template that was written for one form refuses the others, or drops what they say. What is proved does not depend on
the form, so the battery takes the first one that a template carries there and back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Ids = str
"""How the calls of an example are called: "none", "nine" (letters and digits, as Mistral asks for), "functions"."""

ID_SCHEMES: tuple[Ids, ...] = ("none", "nine", "functions")


@dataclass(frozen=True, slots=True)
class Form:
    """`ids` of calls; `content`: a message without content has an empty one; `text`: arguments are JSON text."""

    ids: Ids = "none"
    content: bool = False
    text: bool = False

    def shape(self, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The messages of a conversation in this form: calls and the tool results that answer them."""
        return [self._calls(message) for message in self.named(messages)]

    def notes(self) -> Iterator[str]:
        """What people have to know of the form."""
        if self.ids != "none":
            yield f"ids of calls: {self.ids}"
        if self.content:
            yield "messages without content are given an empty one"
        if self.text:
            yield "arguments are given as JSON text"

    def _calls(self, message: dict[str, Any]) -> dict[str, Any]:
        if message["role"] != "assistant":
            return message
        if self.content:
            message = {"content": "", **message}
        if self.text and message.get("tool_calls"):
            message = {**message, "tool_calls": [_with_text(call) for call in message["tool_calls"]]}
        return message

    def named(self, messages: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The messages with ids of calls, where they have none of their own, and of the tool results."""
        count = 0
        waiting: list[str] = []
        for message in messages:
            if self.ids != "none" and message.get("tool_calls"):
                waiting, named = [], []
                for each in message["tool_calls"]:
                    name = each["function"]["name"]
                    identity = f"call{count:05}" if self.ids == "nine" else f"functions.{name}:{count}"
                    named.append({"id": identity, **each})
                    waiting.append(identity)
                    count += 1
                message = {**message, "tool_calls": named}
            elif self.ids != "none" and message["role"] == "tool" and waiting:
                message = {**message, "tool_call_id": waiting.pop(0)}
            yield message


def _with_text(call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return {**call, "function": {**function, "arguments": json.dumps(function["arguments"], ensure_ascii=False)}}


PLAIN = Form()

FORMS = tuple(Form(ids, content, text) for text in (False, True) for content in (False, True) for ids in ID_SCHEMES)
"""All forms, the plainest first."""
