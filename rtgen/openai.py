"""OpenAI's form: a stream as `chat.completion.chunk` dicts, a message as a `chat.completion`.

Text is told as it comes, so that what a client puts together is the text of the message: white space at the ends of a
region, which the message does not have, is not told either. A call is told with its index, id and name first, then its
arguments as they come, where the format allows it (`rtgen.openai_plan`, and `rtgen show`): the pieces put together are
JSON that is equal to the arguments of the message. Nothing is ever taken back. With `repair`, and for tags with
`string_aware`, arguments come whole, since only the end tells what they are.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rtgen.compiler import compile
from rtgen.json_walk import JsonWalk
from rtgen.openai_plan import CALLS, TEXT_FIELDS, Plan, plan_calls, tag_program
from rtgen.runtime.pattern import SETTLED, Search
from rtgen.runtime.tools import cast_arguments, tool_parameters


def new_call_id() -> str:
    """An id for a call, as clients expect it."""
    return f"call_{uuid.uuid4().hex[:24]}"


def to_message(message: dict[str, Any], *, new_id: Callable[[], str] = new_call_id) -> dict[str, Any]:
    """A parsed message in OpenAI's form: `role`, `content`, perhaps `reasoning_content` and `tool_calls`.

    The arguments of calls become JSON text; `new_id` makes the ids of calls that have none.
    """
    made: dict[str, Any] = {"role": message.get("role", "assistant"), "content": None}
    for name, place in TEXT_FIELDS.items():
        text = message.get(name)
        if isinstance(text, list) and all(isinstance(part, str) for part in text):
            text = "".join(text)
        if isinstance(text, str) and made.get(place) is None:
            made[place] = text
    calls = [_call(value, new_id) for value in _calls(message.get(CALLS))]
    if calls:
        made["tool_calls"] = calls
    return made


def to_completion(
    message: dict[str, Any],
    *,
    model: str = "",
    finish_reason: str | None = None,
    truncated: bool = False,
    completion_id: str | None = None,
    created: int | None = None,
) -> dict[str, Any]:
    """A `chat.completion` with one choice, the parsed message.

    `finish_reason` is what the engine says; without it "length" for a `truncated` parse, else "tool_calls" or "stop".
    """
    made = to_message(message)
    choice = {
        "index": 0,
        "message": made,
        "finish_reason": finish_reason or _reason(truncated, bool(made.get("tool_calls"))),
        "logprobs": None,
    }
    return {**_head("chat.completion", model, completion_id, created), "choices": [choice]}


def _reason(truncated: bool, calls: bool) -> str:
    return "length" if truncated else "tool_calls" if calls else "stop"


def _head(kind: str, model: str, completion_id: str | None, created: int | None) -> dict[str, Any]:
    return {
        "id": completion_id or f"chatcmpl-{uuid.uuid4().hex}",
        "object": kind,
        "created": int(time.time()) if created is None else created,
        "model": model,
    }


def _calls(value: Any) -> Iterator[dict[str, Any]]:
    """The calls in the value of a message's field or of a region."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from _calls(item)
        elif isinstance(item, dict) and isinstance(item.get("function"), dict) and "name" in item["function"]:
            yield item


def _call(value: dict[str, Any], new_id: Callable[[], str]) -> dict[str, Any]:
    function = value["function"]
    arguments = json.dumps(function.get("arguments", {}), ensure_ascii=False)
    call_id = value.get("id")
    return {
        "id": call_id if isinstance(call_id, str) and call_id else new_id(),
        "type": "function",
        "function": {"name": str(function["name"]), "arguments": arguments},
    }


class _Text:
    """One text field: what of its regions' text is told."""

    def __init__(self, field: dict[str, Any], default: Any) -> None:
        arguments = field.get("content_args")
        self._strip = bool(arguments.get("strip", True)) if isinstance(arguments, dict) else True
        self._join = field.get("join")
        self._before = default if isinstance(default, str) and self._join is not None else ""
        self._regions = 1 if self._before else 0
        self._pending = ""
        self._begun = False

    def open(self) -> None:
        self._pending, self._begun = "", False

    def add(self, text: str) -> str:
        if not self._strip:
            return self._lead() + text
        text = self._pending + text
        if not self._begun:
            text = text.lstrip()
        told = text.rstrip()
        self._pending = text[len(told) :]
        return self._lead() + told if told else ""

    def close(self) -> str:
        return self._lead()

    def _lead(self) -> str:
        """What goes before the first text of a region."""
        if self._begun:
            return ""
        self._begun = True
        self._regions += 1
        before, self._before = self._before, ""
        return before + (str(self._join) if self._join is not None and self._regions > 1 else "")


class _JoinedText(_Text):
    """One text field whose regions `repair` joins: those of the implicit field go on, others begin lines."""

    def __init__(self, field: dict[str, Any]) -> None:
        super().__init__(field, None)
        self._goes_on = not {"open", "open_pattern"} & field.keys()
        self._told = False

    def open(self) -> None:
        if not self._goes_on:
            super().open()

    def _lead(self) -> str:
        before = "\n" if self._told and not self._begun and not self._goes_on else ""
        self._begun = self._told = True
        return before

    def close(self) -> str:
        return ""


class _Calls:
    """The region of a call that is open: what of it has been told."""

    def __init__(self, stream: Stream, field: dict[str, Any], plan: Plan, captures: dict[str, str]) -> None:
        self._stream, self._plan = stream, plan
        self._index = -1
        self._sent: list[str] = []
        self._waiting: list[str] = []  # arguments that wait for the name
        self._name = plan.name if plan.capture is None else captures.get(plan.capture)
        self._id = captures.get(plan.id_capture or "")
        self._walk: JsonWalk | None = None
        self._search: Search | None = None
        self._body, self._at = "", 0
        if plan.way == "json":
            self._walk = JsonWalk(plan.name_key, plan.arguments_key, self._is_held, self._write)
        elif plan.way == "tags":
            self._search = Search(tag_program(field))

    def open(self) -> list[dict[str, Any]]:
        return [self._begin(self._name)] if self._name is not None and self._plan.way != "whole" else []

    def _begin(self, name: str) -> dict[str, Any]:
        self._name = name
        self._index, call_id = self._stream.next_call(self._id)
        call = {
            "index": self._index,
            "id": call_id,
            "type": "function",
            "function": {"name": name, "arguments": ""},
        }
        return {"tool_calls": [call]}

    def _more(self, text: str) -> dict[str, Any]:
        self._sent.append(text)
        return {"tool_calls": [{"index": self._index, "function": {"arguments": text}}]}

    def _known_name(self) -> str:
        return self._name or (self._walk.name if self._walk is not None else None) or ""

    def _is_held(self, key: str) -> bool:
        """Whether the tool's schema may change this argument."""
        properties = self._stream.parameters.get(self._known_name()) if self._stream.parameters else None
        return key in properties if properties else False

    def _write(self, key: str, value: Any) -> str:
        call: Any = {"function": {"name": self._known_name(), "arguments": {key: value}}}
        if self._stream.parameters:
            cast_arguments(call, self._stream.parameters)
        return json.dumps(call["function"]["arguments"][key], ensure_ascii=False)

    def add(self, text: str) -> list[dict[str, Any]]:
        """What more can be told."""
        told: list[dict[str, Any]] = []
        if self._walk is not None:
            certain = self._walk.feed(text)
            if self._walk.late and self._stream.parameters:
                self._walk, self._waiting = None, []  # how arguments are cast depends on the name
                return told
            if certain:
                self._waiting.append(certain)
            if self._index < 0 and self._walk.name is not None:
                told.append(self._begin(self._walk.name))
            if self._index >= 0 and self._waiting:
                told.append(self._more("".join(self._waiting)))
                self._waiting = []
        elif self._search is not None:
            self._body += text
            told += self._tags(False)
        return told

    def _tags(self, final: bool) -> list[dict[str, Any]]:
        """The tags that are complete, and that nothing later can change."""
        told: list[dict[str, Any]] = []
        search = self._search
        while search is not None and search.find(self._body, self._at, final) == SETTLED and search.end > search.start:
            groups = search.groups()
            pair = f"{json.dumps(groups['key'], ensure_ascii=False)}: {self._write(groups['key'], groups['value'])}"
            told.append(self._more(("{" if not self._sent else ", ") + pair))
            self._at = search.end
        return told

    def close(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """The rest, now that the value is known; nothing more for a malformed region."""
        if event["type"] != "region_close":
            return []
        told: list[dict[str, Any]] = []
        for value in _calls(event["value"]):
            function = value["function"]
            if self._index < 0:
                if isinstance(value.get("id"), str):
                    self._id = value["id"] or None
                told.append(self._begin(str(function["name"])))
            whole = json.dumps(function.get("arguments", {}), ensure_ascii=False)
            if not self._sent:
                told.append(self._more(whole))
            elif self._search is not None:
                told += [*self._tags(True), self._more("}")]
            elif self._waiting:
                told.append(self._more("".join(self._waiting)))
            self._index, self._sent, self._waiting = -1, [], []
            self._name, self._id, self._walk, self._search = None, None, None, None
        return told


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
        self.parameters: Any = tool_parameters(tools) if tools else None
        self.message: dict[str, Any] | None = None
        self._head = _head("chat.completion.chunk", model, completion_id, created)
        self._new_id = new_id
        self._count = 0
        raw = compiled.template
        self._fields: dict[str, dict[str, Any]] = raw["fields"]
        defaults = raw.get("defaults") or {}
        self._texts = {
            name: (
                _JoinedText(field)
                if given.get("repair") and not field.get("repeats") and "join" not in field
                else _Text(field, defaults.get(name))
            )
            for name, field in self._fields.items()
            if name in TEXT_FIELDS and field.get("content", "text") == "text" and "transform" not in field
        }
        self._plan = plan_calls(self._fields[CALLS]) if CALLS in self._fields else Plan("whole")
        if given.get("repair") or (given.get("string_aware") and self._plan.way == "tags"):
            self._plan = Plan("whole", "only the end tells what the arguments are")
        self._open: _Calls | None = None

    def next_call(self, call_id: str | None) -> tuple[int, str]:
        """The index and the id of a call that is told now."""
        self._count += 1
        return self._count - 1, call_id or self._new_id()

    def start(self) -> list[dict[str, Any]]:
        """The first chunk, which tells the role, and what the prefix holds of the answer."""
        return [self._chunk({"role": "assistant", "content": ""}), *self._tell(self.parser.initial_events)]

    def feed(self, text: str) -> list[dict[str, Any]]:
        """The chunks that a piece of text brings."""
        return self._tell(self.parser.feed(text))

    def finish(self, finish_reason: str | None = None) -> list[dict[str, Any]]:
        """The last chunks. `finish_reason` is what the engine says, if it does; see `to_completion`."""
        self.message, events = self.parser.finalize()
        chunks = self._tell(events)
        last = self._chunk({})
        reason = finish_reason or _reason(self.parser.truncated, self._count > 0)
        last["choices"][0]["finish_reason"] = reason
        return [*chunks, last]

    def _chunk(self, delta: dict[str, Any]) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": None, "logprobs": None}
        return {**self._head, "choices": [choice]}

    def _tell(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        deltas: list[dict[str, Any]] = []
        for event in events:
            name = event["field"]
            if name in self._texts:
                told = self._tell_text(self._texts[name], event)
                if told:
                    deltas.append({TEXT_FIELDS[name]: told})
            elif name == CALLS:
                deltas += self._tell_calls(event)
        return [self._chunk(delta) for delta in deltas]

    @staticmethod
    def _tell_text(text: _Text, event: dict[str, Any]) -> str:
        kind = event["type"]
        if "no_delimiters" in event.get("repairs", ()):
            return str(event.get("value", ""))  # as it stands
        if kind == "region_open":
            text.open()
            return ""
        if kind == "region_chunk":
            return text.add(event["text"])
        return text.close() if kind == "region_close" else ""

    def _tell_calls(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        kind = event["type"]
        if kind == "region_open":
            self._open = _Calls(self, self._fields[CALLS], self._plan, event.get("captures", {}))
            return self._open.open()
        if self._open is None:
            return []
        if kind == "region_chunk":
            return self._open.add(event["text"])
        told = self._open.close(event)
        self._open = None
        return told
