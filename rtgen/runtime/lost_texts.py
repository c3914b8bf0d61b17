"""Texts and calls that a template loses without an error, for `repair=True`.

joined_texts   a region of text that would replace an earlier one of its field (no `repeats`, no `join`): the message
               has all of them, those of the implicit field as they stand, others in lines of their own
joined_calls   a list of calls that would replace an earlier one: the message has the calls of all
no_delimiters  a text without any delimiter, of a template without an implicit field: it becomes the content
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class LostTexts:
    """What of one parser's text would be lost. `unopened` is the text as long as nothing opens, where that matters."""

    def __init__(self, fields: dict[str, dict[str, Any]], implicit: str | None) -> None:
        self._fields, self._implicit = fields, implicit
        self._said: dict[str, list[str]] = {}
        self._calls: dict[str, list[list[Any]]] = {}
        self.unopened: list[str] | None = [] if implicit is None else None

    def store(self, event: dict[str, Any], put: Callable[..., Any], body: str) -> None:
        """Store a region of a text field without `repeats` and `join`; `event` is that of its closing."""
        event["value"] = put(body)
        said = self._said.setdefault(event["field"], [])
        if "".join(said).strip():
            event["repairs"] = [*event.get("repairs", ()), "joined_texts"]
        said.append(body)

    def keep_calls(self, event: dict[str, Any], value: Any) -> None:
        """A region of a field that holds one list of calls has been stored."""
        if isinstance(value, list):
            calls = self._calls.setdefault(event["field"], [])
            if calls:
                event["repairs"] = [*event.get("repairs", ()), "joined_calls"]
            calls.append(value)

    def finish(self, message: dict[str, Any], total: int | None) -> list[dict[str, Any]]:
        """The text has ended: complete the message; returns the events of the content that nothing opened. `total` is
        the length of the text, where events have spans."""
        for name, said in self._said.items():
            if "".join(said[:-1]).strip():
                message[name] = self._joined(name, said)
        for name, calls in self._calls.items():
            if len(calls) > 1:
                message[name] = [call for several in calls for call in several]
        text = "".join(self.unopened or ())
        content = self._fields.get("content", {"transform": None})
        if not text.strip() or content.get("content", "text") != "text" or "transform" in content:
            return []
        message["content"] = text
        opened: dict[str, Any] = {"type": "region_open", "field": "content"}
        closed: dict[str, Any] = {"type": "region_close", "field": "content", "value": text}
        if total is not None:
            opened.update(start=0, end=0)
            closed.update(start=total, end=total)
        told = {"type": "region_chunk", "field": "content", "text": text, "dirty": False}
        return [{**event, "repairs": ["no_delimiters"]} for event in (opened, told, closed)]

    def _joined(self, name: str, said: list[str]) -> str:
        arguments = self._fields[name].get("content_args")
        strip = arguments.get("strip", True) if isinstance(arguments, dict) else True
        if name == self._implicit:
            return "".join(said).strip() if strip else "".join(said)
        texts = [text.strip() if strip else text for text in said]
        return "\n".join(text for text in texts if text)
