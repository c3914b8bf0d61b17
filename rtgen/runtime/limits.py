"""Limits: how much a response, and each part of it, may ask of the parser.

All are keyword arguments of `ResponseParser` and `parse_response`, and off unless given, but for `step_budget`:

    step_budget  steps that one search for a pattern of kind 4, or with a back-reference, may take on top of 8 for each
                 character searched; 1,000,000 where it is not given. Steps are counted, not timed, so that a slow
                 machine gives what a fast one gives
    max_input    characters of the text after the anchor
    max_region   characters of one region's text, the implicit region's too
    max_events   openings and closings of regions in the whole response, which bounds the entries of the message
    max_depth    levels of lists and objects in a region's value, as it stands in the message

Beyond a limit the parser raises `LimitError`, which names the limit and the field. Under `on_malformed` a region whose
value is nested too deeply, or whose `tag_pattern` takes too many steps, is malformed as others are, and the rest goes
on; the other limits end the parse under every policy, since they are there to end it. Whether a limit is exceeded
does not depend on the chunks. A parser without limits is not slowed: what follows are subclasses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen.runtime.budget import STEP_BUDGET
from rtgen.runtime.errors import LimitError
from rtgen.runtime.serving import Serving
from rtgen.runtime.stepping import ServingParser

LIMITS = frozenset({"step_budget", "max_input", "max_region", "max_events", "max_depth"})
"""The keyword arguments that are limits."""

_BOUNDARIES = ("region_open", "region_close", "region_malformed")


def positive(name: str, value: object) -> int | None:
    """The limit `name` as it was given. Raises TypeError or ValueError unless it is a positive int or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is an int or None, not {type(value).__name__}")
    if value < 1:
        raise ValueError(f"{name} is at least 1, not {value}")
    return value


class LimitedServing(Serving):
    """The options of a parser with limits."""

    __slots__ = ("_told", "_within", "max_depth", "max_events", "max_input", "max_region", "step_budget")

    def __init__(self, template: dict[str, Any], **options: Any) -> None:
        given = {name: positive(name, options.pop(name, None)) for name in LIMITS}
        self.step_budget = given["step_budget"]
        self.max_input, self.max_region = given["max_input"], given["max_region"]
        self.max_events, self.max_depth = given["max_events"], given["max_depth"]
        self._told = 0  # openings and closings so far
        self._within: str | None = None  # the field of the region that was opened last
        super().__init__(template, **options)

    def add_input(self, text: str) -> None:
        """See `Serving.add_input`. Raises LimitError."""
        super().add_input(text)
        if self.max_input is not None and self.total > self.max_input:
            raise LimitError("max_input", f"the text is longer than {self.max_input} characters", self._within)

    def close(self, parser: Any, name: str, store: Callable[..., Any], captured: bool, body: str) -> dict[str, Any]:
        """See `Serving.close`. Raises LimitError."""
        if self.max_region is not None and len(body) > self.max_region:
            raise self._too_long(name, parser._start)
        if self.max_depth is not None:
            store = self._shallow(name, store, self.max_depth)
        return super().close(parser, name, store, captured, body)

    def step(
        self, parser: Any, events: list[dict[str, Any]], after: int, ended: bool, out: list[dict[str, Any]]
    ) -> None:
        """See `Serving.step`. Raises LimitError."""
        for event in events:
            if event["type"] in _BOUNDARIES:
                self._told += 1
                self._within = event["field"] if event["type"] == "region_open" else None
                if self.max_events is not None and self._told > self.max_events:
                    fault = f"the text opens and closes regions more than {self.max_events} times"
                    raise LimitError("max_events", fault, event["field"], parser._start)
        super().step(parser, events, after, ended, out)
        if self.max_region is not None and self._within is not None and after - parser._start > self.max_region:
            raise self._too_long(self._within, parser._start)

    def _too_long(self, field: str, start: int) -> LimitError:
        return LimitError("max_region", f"the region is longer than {self.max_region} characters", field, start)

    def _shallow(self, name: str, store: Callable[..., Any], most: int) -> Callable[..., Any]:
        """`store`, but what is nested too deeply is taken out of the message again. It raises LimitError then."""

        def stored(message: dict[str, Any], body: str, start: int, *rest: Any) -> Any:
            present, old = name in message, message.get(name)
            length = len(old) if isinstance(old, list) else 0
            value = store(message, body, start, *rest)
            if deeper(value, most):
                if not present:
                    del message[name]
                elif isinstance(old, list) and message[name] is old:
                    del old[length:]
                else:
                    message[name] = old
                raise LimitError("max_depth", f"the value is nested more than {most} levels deep", name, start)
            return value

        return stored


def deeper(value: Any, most: int) -> bool:
    """Whether lists and dicts are nested more than `most` levels deep in `value`."""
    level = [value]
    for _ in range(most + 1):
        containers = [item for item in level if isinstance(item, (dict, list))]
        if not containers:
            return False
        level = [part for item in containers for part in (item.values() if isinstance(item, dict) else item)]
    return True


class LimitedParser(ServingParser):
    """The methods of a parser with limits: those of one with options, with its own budget of steps."""

    __slots__ = ()

    def feed(self: Any, text: str) -> list[dict[str, Any]]:
        """See `rtgen.runtime.parser.Parser.feed`."""
        token = STEP_BUDGET.set(self._serving.step_budget)
        try:
            events: list[dict[str, Any]] = ServingParser.feed(self, text)
            return events
        finally:
            STEP_BUDGET.reset(token)

    def finalize(self: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """See `rtgen.runtime.parser.Parser.finalize`."""
        token = STEP_BUDGET.set(self._serving.step_budget)
        try:
            result: tuple[dict[str, Any], list[dict[str, Any]]] = super().finalize()  # type: ignore[misc]
            return result
        finally:
            STEP_BUDGET.reset(token)

    def _cut(self: Any, prefix: str) -> str:
        """The part of the prefix after its last anchor."""
        token = STEP_BUDGET.set(self._serving.step_budget)
        try:
            rest: str = super()._cut(prefix)  # type: ignore[misc]
            return rest
        finally:
            STEP_BUDGET.reset(token)


_limited_classes: dict[type, type] = {}


def limited_class(plain: type) -> type:
    """The subclass of a generated class whose instances have limits."""
    found = _limited_classes.get(plain)
    if found is None:
        found = _limited_classes[plain] = type("LimitedResponseParser", (LimitedParser, plain), {"__slots__": ()})
    return found
