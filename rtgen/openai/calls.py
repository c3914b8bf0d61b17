"""One region of calls: what of its calls is told, from its opening to its closing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rtgen.openai.call_list_walker import CallListWalker
from rtgen.openai.casts import Casts, Parameters
from rtgen.openai.completion import missing_text
from rtgen.openai.json_text import write_json
from rtgen.openai.json_walker import JsonWalker
from rtgen.openai.message import arguments_of, calls_in, id_of, name_of
from rtgen.openai.plan import Plan
from rtgen.openai.tags_walker import TagsWalker
from rtgen.openai.walker import Unclear, Walker

NewCall = Callable[[str | None], tuple[int, str]]
"""Gives the index and the id of the next call to be told, from the id that the model gave it."""

Delta = dict[str, Any]


@dataclass(slots=True)
class _Told:
    """A call that has been told: its index, its name, and its arguments so far."""

    index: int
    name: str
    parts: list[str] = field(default_factory=list)
    ended: bool = False


class Calls:
    """The calls of a region that is open; a Listener for the walker that reads it.

    `captures` are those of its opener; `repair` says that the parser repairs what is malformed: then the brackets that
    end a call's arguments are told when the region has closed, since a repair may find more behind them. Each method
    that returns deltas returns those that have become certain.
    """

    def __init__(
        self, plan: Plan, captures: dict[str, str], parameters: Parameters, new_call: NewCall, repair: bool
    ) -> None:
        self._new_call = new_call
        self._repair = repair
        self._id = captures.get(plan.id_capture) if plan.id_capture is not None else plan.call_id
        self._told: list[_Told] = []
        self._waiting: list[str] = []  # arguments of a call whose name is not known yet
        self._fresh: list[str] = []  # arguments that are told with the next delta
        self._deltas: list[Delta] = []
        name = plan.name if plan.capture is None else captures.get(plan.capture)
        self._walker = self._walk(plan, name, parameters, repair)
        self._expected: str | None = None  # the captured name of a call that a repair may still name otherwise
        if self._walker is not None and name is not None and not plan.listed:
            if repair and plan.capture is not None and plan.way == "json":
                self._expected = name
            else:
                self.begin(name)

    def _walk(self, plan: Plan, name: str | None, parameters: Parameters, repair: bool) -> Walker | None:
        """The walker of the region; None where it is told when it has closed."""
        if plan.way == "json":
            return JsonWalker(plan, name, parameters, self, repair)
        if plan.way == "call list":
            return CallListWalker(parameters, self, repair)
        if plan.way == "tags" and plan.tags is not None and name is not None:
            return TagsWalker(plan.tags, plan.read, Casts(name, parameters), self)
        return None

    def open(self) -> list[Delta]:
        """The region has opened."""
        return self._take()

    def add(self, text: str) -> list[Delta]:
        """More of the region's text."""
        if self._expected is not None and not text.isspace():
            if text.lstrip().startswith("{"):
                self.begin(self._expected)
            else:
                self._walker = None
            self._expected = None
        if self._walker is not None:
            try:
                self._walker.feed(text)
            except Unclear:
                self._walker = None
        return self._take()

    def close(self, event: dict[str, Any]) -> list[Delta]:
        """The region has closed with this event: the rest of its calls; nothing more of those of a malformed region."""
        self._walker = None
        if event["type"] != "region_close":
            return []
        if self._repair:
            self._fresh = []  # the value says how the last call ends
        told = len(self._told)
        for place, call in enumerate(calls_in(event["value"])):
            if place >= told or self._told[place].name != name_of(call):
                self._waiting = []
                self._id = id_of(call)
                self.begin(name_of(call))
                self.write(write_json(arguments_of(call)))
            elif self._repair or not self._told[place].ended:
                self._complete(self._told[place], call)
        return self._take()

    def _complete(self, told: _Told, call: dict[str, Any]) -> None:
        """Tell what is missing from a call. What contradicts what has been told stays untold: the client then sees
        arguments that are no JSON, never others than the message has."""
        missing = missing_text("".join(told.parts), arguments_of(call))
        if missing:
            self._deltas.append(_more(told.index, missing))

    # What the walker says.

    def begin(self, name: str) -> None:
        """See Listener."""
        self._flush()
        index, call_id = self._new_call(self._id)
        self._told.append(_Told(index, name))
        function = {"name": name, "arguments": ""}
        self._deltas.append({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]})
        self._fresh, self._waiting = self._waiting, []

    def write(self, text: str) -> None:
        """See Listener."""
        begun = self._told and not self._told[-1].ended
        (self._fresh if begun else self._waiting).append(text)

    def end(self) -> None:
        """See Listener."""
        self._flush()
        self._fresh = []  # what a repair may contradict
        self._told[-1].ended = True

    def _flush(self) -> None:
        text, self._fresh = "".join(self._fresh), []
        if self._repair and self._walker is not None:
            told = text.rstrip("}")
            self._fresh = [text[len(told) :]]
            text = told
        if text:
            self._told[-1].parts.append(text)
            self._deltas.append(_more(self._told[-1].index, text))

    def _take(self) -> list[Delta]:
        self._flush()
        deltas, self._deltas = self._deltas, []
        return deltas


def _more(index: int, text: str) -> Delta:
    return {"tool_calls": [{"index": index, "function": {"arguments": text}}]}
