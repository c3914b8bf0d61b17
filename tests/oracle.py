"""The oracle: what is right, and how two results are compared.

The engine that defines the right answer is named on one line below (`reference`); another one with the same objects can
stand in its place. The right answer is the whole-text answer: the prefix is cut after its last anchor, what follows and
the generated text are read as one piece that has already ended, with plain searches.

The engine under test is `engine()`: rtgen, or what the environment variable RTGEN_TEST_ENGINE names.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import regex
import transformers.utils.chat_parsing as reference  # the one line that names the oracle

BUILTINS = (KeyError, TypeError, AttributeError, RecursionError, ValueError)
"""The builtin classes an error at parse time may have, the more special ones first."""

NO_PROGRESS = 9
"""Searches from one position after which the reference is taken to loop for ever (two per opening and closing)."""


class EndlessLoop(ValueError):
    """The reference opens and closes a region at one position again and again."""


class Guarded(reference.ResponseParser):
    """The reference, stopped where it would loop for ever."""

    _searched_at = -1
    _searches = 0

    def _process(self, events: list[dict[str, Any]], eos: bool) -> None:
        self._searched_at = -1
        super()._process(events, eos)

    def _scan(self, watch: Any, eos: bool) -> Any:
        self._searches = self._searches + 1 if self._pos == self._searched_at else 1
        self._searched_at = self._pos
        if self._searches > NO_PROGRESS:
            raise EndlessLoop("a region opens and closes at one position for ever")
        return super()._scan(watch, eos)


@dataclass(slots=True)
class Outcome:
    """What parsing gave: a message or the builtin class of the error, and the events delivered, joined."""

    message: dict[str, Any] | None = None
    error: type[Exception] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    reason: str = ""
    progress: list[int] = field(default_factory=list)
    """How many atoms (characters, openings, closings) had been delivered after the prefix and after each chunk."""
    failed_at: int | None = None
    """The number of the call that failed: -1 the constructor, then the chunks, then the end; None: none failed."""


def builtin_class(error: BaseException) -> type[Exception]:
    """The builtin class that the answer to `error` must have; a pattern that does not compile counts as ValueError."""
    if isinstance(error, regex.error):
        return ValueError
    for known in BUILTINS:
        if isinstance(error, known):
            return known
    return Exception


def cut_prefix(template: dict[str, Any], prefix: str) -> str:
    """What follows the last anchor in `prefix`: all of it where there is no anchor."""
    if "start_anchor" in template:
        literals = template["start_anchor"]
        literals = [literals] if isinstance(literals, str) else literals
        source = "|".join(regex.escape(literal) for literal in sorted(literals, key=len, reverse=True))
    else:
        source = template["start_anchor_pattern"]
    end = 0
    for match in regex.compile(source, regex.DOTALL).finditer(prefix):
        end = match.end()
    return prefix[end:]


class Oracle:
    """The reference, for one template that it accepts; as an engine under test it must be caught where it is wrong."""

    def __init__(self, template: dict[str, Any]) -> None:
        self.template = template
        self.loaded = reference.response_parser.load_response_template(template)
        Guarded(self.loaded, prefix="")

    def whole_text(self, text: str, prefix: str = "", tools: Any = None) -> Outcome:
        """The right answer: the message or the class of the error, and the joined events delivered up to it."""
        outcome = Outcome()
        events: list[dict[str, Any]] = []
        try:
            parser = Guarded(self.loaded, prefix="", tools=tools)
            parser._buffer = cut_prefix(self.template, prefix) + text
            parser._process(events, True)
            outcome.message, rest = parser.finalize()
            assert not rest, rest
        except Exception as error:
            outcome.error, outcome.reason = builtin_class(error), f"{type(error).__name__}: {error}"
        outcome.events = join(events)
        return outcome

    def parse_response(self, text: Any, *, prefix: Any = None, tools: Any = None) -> Any:
        parser = self.ResponseParser(prefix, tools=tools)
        parser.feed(text)
        return parser.finalize()[0]

    def ResponseParser(self, prefix: str | None = None, *, tools: Any = None) -> Any:
        return Guarded(self.loaded, prefix, tools=tools)


def whole_text(template: dict[str, Any], text: str, prefix: str = "", tools: Any = None) -> Outcome:
    """The right answer for a template that the reference accepts."""
    return Oracle(template).whole_text(text, prefix, tools)


def join(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events with neighbouring `region_chunk`s of one region joined."""
    joined: list[dict[str, Any]] = []
    for event in events:
        last = joined[-1] if joined else None
        if last is not None and event["type"] == last["type"] == "region_chunk" and _alike(event, last):
            last["text"] += event["text"]
        else:
            joined.append(dict(event))
    return joined


def _alike(event: dict[str, Any], other: dict[str, Any]) -> bool:
    keys = [key for key in event if key != "text"]
    return keys == [key for key in other if key != "text"] and all(same(event[key], other[key]) for key in keys)


def atoms(events: Iterable[dict[str, Any]]) -> int:
    """How much has been delivered: one for every opening, closing and character."""
    return sum(len(event["text"]) if event["type"] == "region_chunk" else 1 for event in events)


def same(left: Any, right: Any) -> bool:
    """Equality to the type, the order of keys, the sign of zero, and NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(
            same(mine, yours) for mine, yours in zip(left.values(), right.values(), strict=True)
        )
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(same(mine, yours) for mine, yours in zip(left, right, strict=True))
    if isinstance(left, float):
        return repr(left) == repr(right)
    return bool(left == right)


def begins(delivered: Sequence[dict[str, Any]], right: Sequence[dict[str, Any]]) -> bool:
    """Whether the joined events `delivered` are how the joined events `right` begin, to the character."""
    if not delivered:
        return True
    if len(delivered) > len(right):
        return False
    head, last = delivered[:-1], delivered[-1]
    if not all(same(mine, yours) for mine, yours in zip(head, right)):
        return False
    other = right[len(head)]
    if last["type"] == other["type"] == "region_chunk":
        return _alike(last, other) and other["text"].startswith(last["text"])
    return same(last, other)


class Compiled(Protocol):
    """What an engine under test makes of a template."""

    def parse_response(self, text: Any, *, prefix: Any = None, tools: Any = None) -> Any: ...

    def ResponseParser(self, prefix: str | None = None, *, tools: Any = None) -> Any: ...


class _Engine(Protocol):
    def compile(self, template: dict[str, Any]) -> Any: ...


class _ReferenceEngine:
    compile = Oracle


def engine(name: str | None = None) -> _Engine:
    """The engine under test: something with `compile(template)`.

    `name` is "rtgen", "transformers", or an importable module; without it RTGEN_TEST_ENGINE, and rtgen without that.
    """
    name = name or os.environ.get("RTGEN_TEST_ENGINE") or "rtgen"
    if name == "transformers":
        return _ReferenceEngine()
    module: _Engine = importlib.import_module(name)  # type: ignore[assignment]
    return module


def stream(
    compiled: Compiled, chunks: Sequence[str], prefix: str = "", tools: Any = None, *, progress: bool = False
) -> Outcome:
    """What a parser of `compiled` gives for `chunks`; with `progress`, how much it had delivered after each."""
    outcome = Outcome()
    events: list[dict[str, Any]] = []
    outcome.failed_at = -1
    count = 0
    try:
        parser = compiled.ResponseParser(prefix, tools=tools)
        events += parser.initial_events
        if progress:
            count = atoms(events)
            outcome.progress.append(count)
        feed = parser.feed
        for number, chunk in enumerate(chunks):
            outcome.failed_at = number
            new = feed(chunk)
            if progress:
                count += atoms(new)
                outcome.progress.append(count)
            events += new
        outcome.failed_at = len(chunks)
        outcome.message, last = parser.finalize()
        events += last
        outcome.failed_at = None
    except Exception as error:
        outcome.error, outcome.reason = builtin_class(error), f"{type(error).__name__}: {error}"
    outcome.events = join(events)
    return outcome


def batch(compiled: Compiled, text: str, prefix: str = "", tools: Any = None) -> Outcome:
    """What `parse_response` of `compiled` gives for the whole text."""
    outcome = Outcome()
    try:
        outcome.message = compiled.parse_response(text, prefix=prefix, tools=tools)
    except Exception as error:
        outcome.error, outcome.reason = builtin_class(error), f"{type(error).__name__}: {error}"
    return outcome


def contradiction(right: Outcome, got: Outcome) -> str | None:
    """Why `got` (of a stream) is not the right outcome; None where it is."""
    problem = result_contradiction(right, got)
    if problem is not None:
        return problem
    if got.error is not None:
        if not begins(got.events, right.events):
            return f"events delivered before the error are {show(got.events)}, not a beginning of {show(right.events)}"
    elif not same(got.events, right.events):
        return f"events are {show(got.events)}, not {show(right.events)}"
    return None


def result_contradiction(right: Outcome, got: Outcome) -> str | None:
    """Why the message or the error of `got` is not the right one; None where it is."""
    if right.error is not got.error:
        return f"gives {_result(got)}, not {_result(right)}"
    if right.error is None and not same(right.message, got.message):
        return f"message is {show(got.message)}, not {show(right.message)}"
    return None


def _result(outcome: Outcome) -> str:
    return outcome.reason[:300] if outcome.error is not None else f"the message {show(outcome.message)}"


def show(value: Any) -> str:
    """`value` as JSON where it is JSON, for messages."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)


def two_way_splits(text: str) -> Iterator[list[str]]:
    """Every way of cutting `text` into two non-empty chunks."""
    for at in range(1, len(text)):
        yield [text[:at], text[at:]]
