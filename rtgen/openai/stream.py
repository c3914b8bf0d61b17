"""A streaming parser that speaks in `chat.completion.chunk` dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rtgen.compiler import compile
from rtgen.openai.calls import Calls
from rtgen.openai.finish import finish, was_cut_off
from rtgen.openai.message import head, new_call_id
from rtgen.openai.plan import CALLS, TEXT_FIELDS, Plan, plan_calls
from rtgen.openai.text import JoinedText, Text
from rtgen.runtime.tools import tool_parameters


class Stream:
    """A streaming parser that speaks in `chat.completion.chunk` dicts.

    `template`, `prefix`, `tools` and the options are those of `rtgen.ResponseParser`; malformed regions are dropped
    from what is told (`parser.malformed` has them), or told as content with `on_malformed="content"`. Call `start()`
    once, `feed(text)` for each piece, `finish()` at the end; `message` is then the parsed message.
    """

    def __init__(
        self,
        template: Any,
        prefix: str | None = None,
        *,
        tools: Iterable[Any] | None = None,
        model: str = "",
        completion_id: str | None = None,
        created: int | None = None,
        new_id: Callable[[], str] = new_call_id,
        **options: Any,
    ) -> None:
        tools = list(tools) if tools else None
        given = {"on_malformed": "event", **options, "spans": True}
        compiled = compile(template)
        self.parser = compiled.ResponseParser(prefix, tools=tools, **given)
        self.message: dict[str, Any] | None = None
        self._head = head("chat.completion.chunk", model, completion_id, created)
        self._new_id = new_id
        self._count = 0
        self._parameters = tool_parameters(tools)
        self._repair = bool(given.get("repair"))
        self._template = compiled.template
        fields: dict[str, dict[str, Any]] = self._template["fields"]
        defaults = self._template.get("defaults") or {}
        self._texts = {
            name: JoinedText(field) if self._joins(field) else Text(field, defaults.get(name))
            for name, field in fields.items()
            if name in TEXT_FIELDS and field.get("content", "text") == "text" and "transform" not in field
        }
        aware = bool(given.get("string_aware"))
        self._plan = plan_calls(fields[CALLS], string_aware=aware) if CALLS in fields else Plan("whole")
        self._calls: Calls | None = None
        self._prefix_end = 0  # where the prefix ends in the text after the anchor
        self._place = 0  # where the next chunk of the open region begins in it

    def _joins(self, field: dict[str, Any]) -> bool:
        """Whether `repair` joins the regions of a text field, of which the last one would count alone."""
        return self._repair and not field.get("repeats") and "join" not in field

    def _next_call(self, call_id: str | None) -> tuple[int, str]:
        """The index and the id of a call that is told now."""
        self._count += 1
        return self._count - 1, call_id or self._new_id()

    def start(self) -> list[dict[str, Any]]:
        """The first chunk, which tells the role, and what the prefix holds of the answer."""
        chunks = [self._chunk({"role": "assistant", "content": ""}), *self._tell(self.parser.initial_events)]
        self._prefix_end = len(self.parser.input_text)
        return chunks

    def feed(self, text: str) -> list[dict[str, Any]]:
        """The chunks that a piece of text brings."""
        return self._tell(self.parser.feed(text))

    def finish(self, finish_reason: str | None = None) -> list[dict[str, Any]]:
        """The last chunks. `finish_reason` is what the engine says, if it does; see `to_completion`."""
        self.message, events = self.parser.finalize()
        chunks = self._tell(events)
        last = self._chunk({})
        cut_off = was_cut_off(events, self._template)
        last["choices"][0]["finish_reason"] = finish(finish_reason, cut_off, self._count > 0)
        return [*chunks, last]

    def _chunk(self, delta: dict[str, Any]) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": None, "logprobs": None}
        return {**self._head, "choices": [choice]}

    def _tell(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        deltas: list[dict[str, Any]] = []
        for event in events:
            name, kind = event["field"], event["type"]
            if kind == "region_open":
                self._place = event["end"]
                text = ""
            else:
                text = self._text(event)
            if name in self._texts:
                if "no_delimiters" in event.get("repairs", ()):
                    told = str(event.get("value", ""))  # the whole text, as it stands
                else:
                    told = self._tell_text(self._texts[name], kind, text)
                if told:
                    deltas.append({TEXT_FIELDS[name]: told})
            elif name == CALLS:
                deltas += self._tell_calls(event, text)
        return [self._chunk(delta) for delta in deltas]

    def _text(self, event: dict[str, Any]) -> str:
        """The text of a region that an event brings. Text of the prefix that the parser had to wait with is in no
        event of spans, but the message has it."""
        text: str = event["text"] if event["type"] == "region_chunk" else ""
        if self._place < self._prefix_end:
            end = self._prefix_end if text else min(self._prefix_end, event["start"])
            text = self.parser.input_text[self._place : end] + text
        self._place += len(text)
        return text

    @staticmethod
    def _tell_text(field: Text, kind: str, text: str) -> str:
        if kind == "region_open":
            return field.open()
        told = field.add(text) if text else ""
        return told + field.close() if kind == "region_close" else told

    def _tell_calls(self, event: dict[str, Any], text: str) -> list[dict[str, Any]]:
        if event["type"] == "region_open":
            captures = event.get("captures", {})
            self._calls = Calls(self._plan, captures, self._parameters, self._next_call, self._repair)
            return self._calls.open()
        if self._calls is None:
            return []
        told = self._calls.add(text) if text else []
        if event["type"] != "region_chunk":
            told += self._calls.close(event)
            self._calls = None
        return told
