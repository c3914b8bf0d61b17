"""What becomes of a region where a parser has options (`rtgen.runtime.serving`): told, repaired, malformed, or text.

Only what can fail is tried before it is told: the regions of the content parsers that read text alone never wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen.runtime.errors import FAULTS

POLICIES = ("raise", "event", "content")
"""What `on_malformed` may be."""

_NEVER_FAILS = ("text",)


class Regions:
    """The options of one parser, and what it has to remember for them.

    `template` is the response template. `on_malformed` is one of `POLICIES`; `malformed` a list to which the events of
    malformed regions are appended. Raises ValueError for another policy, TypeError for an option that does not exist.
    """

    __slots__ = (
        "_also",
        "_around",
        "_aware",
        "_closed",
        "_deferred",
        "_failed",
        "_fields",
        "_lost",
        "_menders",
        "_opened",
        "_opener",
        "_policy",
        "_queue",
        "_raw",
        "_rest",
        "_spans",
        "_trial",
        "final",
        "implicit",
        "malformed",
        "malformed_fields",
        "parts",
        "position",
        "prefix_end",
        "repair",
        "stepped",
        "string_aware",
        "total",
        "truncated",
    )

    def __init__(
        self,
        template: dict[str, Any],
        on_malformed: str = "raise",
        malformed: list[dict[str, Any]] | None = None,
        spans: bool = False,
        string_aware: bool = False,
        repair: bool = False,
    ) -> None:
        if on_malformed not in POLICIES:
            raise ValueError(f"on_malformed is one of {', '.join(POLICIES)}, not {on_malformed!r}")
        self._fields: dict[str, dict[str, Any]] = template["fields"]
        names = [name for name, field in self._fields.items() if not ({"open", "open_pattern"} & field.keys())]
        self.implicit = names[0] if names else None
        if on_malformed == "content" and (self.implicit is None or not self._never_fails(self.implicit)):
            on_malformed = "event"  # there is no text field that could take it
        self._policy = on_malformed
        self._spans = spans
        self.string_aware, self.repair = string_aware, repair
        self.malformed: list[dict[str, Any]] = [] if malformed is None else malformed
        self.malformed_fields: set[str] = set()
        self.truncated = False
        self.parts: list[str] | None = [] if spans else None  # all text after the anchor
        self.total = 0  # its length
        self.position = 0  # where undecided text begins in it
        self.prefix_end = 0  # where the prefix ends in it
        self.stepped = False
        self._queue: list[dict[str, Any]] = []  # events that must not be told yet
        # The opening of the present step, and where its opener begins; the closing, and where its body ends.
        self._opened: tuple[dict[str, Any], int] | None = None
        self._closed: tuple[dict[str, Any], int] | None = None
        self._aware: Any = None  # the scan of the open region, if it is aware of strings
        self._around: Any = None  # the scan of the implicit region, if it is aware of quotes
        self._menders: dict[str, Any] = {}
        self._also: list[dict[str, Any]] = []  # what a repair left malformed in the present step
        self._lost: Any = _lenient().LostTexts(self._fields, self.implicit) if repair else None
        self.final = False  # no more text will come
        self._rest = ""  # text that a repair left over, for the implicit region
        self._trial = False  # the open region may turn out to be text
        self._opener = 0  # where the opener of that region begins
        self._raw: list[str] = []  # the text from there on
        self._failed = False  # it has turned out to be text
        # A closing before it: how to store it.
        self._deferred: tuple[dict[str, Any], Callable[[str], Any], str, int] | None = None

    def _never_fails(self, name: str) -> bool:
        field = self._fields[name]
        plain = "transform" not in field and isinstance(field.get("content_args", {}), dict)
        return plain and field.get("content", "text") in _NEVER_FAILS

    def add_input(self, text: str) -> None:
        """Count text that is given to the parser, and keep it where it may be needed again."""
        self.total += len(text)
        if self.parts is not None:
            self.parts.append(text)
        if self._trial:
            self._raw.append(text)
        if self._lost is not None and self._lost.unopened is not None:
            self._lost.unopened.append(text)

    # Where regions open and close.

    def open(self, parser: Any, event: dict[str, Any], text: str, base: int) -> None:
        """An explicit region has opened; `text` is what the scan function sees, `base` where that begins."""
        start: int = parser._start
        self._opened = (event, start)
        if self._spans:
            event["start"] = start
            event["captures"] = dict(parser._captures)
        if self._policy == "content" and not self._never_fails(event["field"]):
            self._trial, self._opener, self._failed = True, start, False
            self._raw = [text[start - base :]]
        if self._lost is not None:
            self._lost.unopened = None
        if self.string_aware or self.repair:
            lenient = _lenient()
            mask = lenient.mask_for(self._fields, event["field"], self.string_aware, self.repair)
            stray = lenient.stray_opener(self._fields, event["field"]) if self.repair else None
            self._aware = None if mask is None and stray is None else lenient.scan_aware(parser, mask, stray)

    def begin(self, parser: Any) -> None:
        """The parser has entered its first state."""
        if self.repair and parser._tools:
            parser._tools = _lenient().exact_tools(parser._tools)
        self._enter_implicit(parser, None)

    def _enter_implicit(self, parser: Any, behind: str | None) -> None:
        """The parser is outside of explicit regions, `behind` one of this field or at the beginning."""
        if self.implicit is None or not (self.string_aware or self.repair):
            return
        lenient = _lenient()
        stray = lenient.stray_closer(self._fields, behind, self.implicit) if self.repair and behind else None
        mask = lenient.implicit_mask(self._fields, self.implicit) if self.string_aware else None
        self._around = None if stray is None and mask is None else lenient.scan_aware(parser, mask, stray, False)

    def close(self, parser: Any, name: str, store: Callable[..., Any], captured: bool, body: str) -> dict[str, Any]:
        """A region has closed; returns its event. Raises what `store` raises where that is the policy."""
        if name != self.implicit:
            names: list[str] = []
            if self._aware is not None:
                names = self._aware.names
                if self._aware.mask is not None:
                    body = self._aware.body(body)
                self._aware = None
            self._enter_implicit(parser, name)
        elif self._around is not None and self._around.mask is not None:
            body = self._around.body(body)
        start = parser._start
        parser._start = start + len(body)
        captures, parser._captures = parser._captures, {}
        message, tools = parser._message, parser._tools
        event: dict[str, Any] = {"type": "region_close", "field": name}
        self._closed = (event, parser._start)
        if name != self.implicit and names:
            event["repairs"] = names

        def put(text: str, own: dict[str, str] | None = None) -> Any:
            given = (captures if own is None else own,) if captured else ()
            return store(message, text, start, tools, *given)

        if name == self.implicit:
            if self._policy == "content":
                self._deferred = (event, put, body, start)
                return event
        elif self._trial:
            before = self._commit(message)
            self._store(message, event, put, body, tools, captures)
            if event["type"] == "region_malformed":
                self._failed = True
                _undo(message, before)
            else:
                self._trial, self._raw, self._deferred = False, [], None
            return event
        self._store(message, event, put, body, tools, captures)
        return event

    def _store(
        self,
        message: dict[str, Any],
        event: dict[str, Any],
        put: Callable[..., Any],
        body: str,
        tools: Any = None,
        captures: Any = None,
    ) -> None:
        """Complete the event of a closing with its value, or with the fault."""
        name = event["field"]
        try:
            if self.string_aware or self.repair:
                self._mend(message, event, put, body, tools, captures or {})
            else:
                event["value"] = put(body)
        except FAULTS as error:
            if self._policy == "raise":
                raise
            event.update(type="region_malformed", text=body, error=error)
            self.malformed.append(event)
            self.malformed_fields.add(name)

    def _mend(
        self,
        message: dict[str, Any],
        event: dict[str, Any],
        put: Callable[..., Any],
        body: str,
        tools: Any,
        captures: Any,
    ) -> None:
        """Complete the event of a closing with its value, repaired as the options say. Raises what `put` does."""
        name = event["field"]
        field = self._fields[name]
        if self.repair and self._never_fails(name) and not (field.get("repeats") or "join" in field):
            self._lost.store(event, put, body)
            return
        mender = self._menders.get(name)
        if mender is None:
            takes_rest = self.implicit is not None and self._never_fails(self.implicit)
            mender = _lenient().Mender(field, self.string_aware, self.repair, takes_rest)
            self._menders[name] = mender
        before = _held(message, name)
        cut_off = self.final and self._closed is not None and self._closed[1] == self.total
        stored = mender.store(put, body, tools, captures, cut_off, lambda: _undo(message, before))
        if stored.broken and (self._policy == "raise" or self._trial):
            _undo(message, before)
            raise stored.error
        event["value"], self._rest = stored.value, stored.rest
        if self.repair and field.get("transform_each") and not field.get("repeats"):
            self._lost.keep_calls(event, stored.value)
        if stored.repairs:
            event["repairs"] = [*event.get("repairs", ()), *stored.repairs]
        if stored.broken:
            broken = {"type": "region_malformed", "field": name, "text": stored.broken, "error": stored.error}
            self._also.append(broken)
            self.malformed.append(broken)

    def left_malformed(self) -> list[dict[str, Any]]:
        """The events of what the repair of the region that has just closed left malformed."""
        return self._also

    def finish(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """The text has ended: put into the message what the template would lose (`repair`); returns its events."""
        return self._lost.finish(message, self.total if self._spans else None) if self._lost is not None else []

    def _commit(self, message: dict[str, Any]) -> tuple[str, bool, Any, int]:
        """Store the implicit region whose closing was deferred; returns what the message held under its name before."""
        before = _held(message, self.implicit or "")
        if self._deferred is not None:
            event, put, body, _ = self._deferred
            self._store(message, event, put, body)
        return before


_LENIENT: list[Any] = []


def _lenient() -> Any:
    """What `string_aware` and `repair` take, loaded when it is asked for first."""
    if not _LENIENT:
        _LENIENT.append(_load_lenient())
    return _LENIENT[0]


def _load_lenient() -> Any:
    from rtgen.runtime import lenient

    return lenient


def _held(message: dict[str, Any], name: str) -> tuple[str, bool, Any, int]:
    """What a message holds under a name, for `_undo`."""
    old = message.get(name)
    return name, name in message, old, len(old) if isinstance(old, list) else 0


def _undo(message: dict[str, Any], before: tuple[str, bool, Any, int]) -> None:
    """Take back what `_commit` stored."""
    name, present, old, length = before
    if not present:
        message.pop(name, None)
    elif isinstance(old, list) and message[name] is old:
        del old[length:]
    else:
        message[name] = old
