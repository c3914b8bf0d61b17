"""What a parser does besides for servers: regions that cannot be parsed as events or as text, and spans.

All of it is asked for by keyword arguments of `ResponseParser` and `parse_response`; a parser without them has no
`Serving` and takes no step of what follows. One with them is an instance of a subclass of the generated class
(`rtgen.runtime.stepping`), whose `feed` goes through the scan functions step by step:

    open_region, close_region   what the generated functions call where a region opens or closes
    Serving.step                what one call of a scan function gave: spans are filled in, events are held back until
                                the delimiter's end is known, or (`on_malformed="content"`) until the region is parsed

Only what can fail is tried before it is told: the regions of the content parsers that read text alone never wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen.runtime.errors import FAULTS

POLICIES = ("raise", "event", "content")
"""What `on_malformed` may be."""

_NEVER_FAILS = ("text",)
_UNSETTLED = ("_scan_skip", "_scan_settle")  # the states in which the end of a delimiter is not known yet


class Serving:
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
        "_menders",
        "_opened",
        "_opener",
        "_policy",
        "_queue",
        "_raw",
        "_rest",
        "_said",
        "_spans",
        "_trial",
        "_unopened",
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
        self._opened: tuple[dict[str, Any], int] | None = (
            None  # the opening of the present step, and where its opener begins
        )
        self._closed: tuple[dict[str, Any], int] | None = (
            None  # the closing of the present step, and where its body ends
        )
        self._aware: Any = None  # the scan of the open region, if it is aware of strings
        self._around: Any = None  # the scan of the implicit region, if it is aware of quotes
        self._menders: dict[str, Any] = {}
        self._also: list[dict[str, Any]] = []  # what a repair left malformed in the present step
        self._said: dict[str, list[str]] = {}  # the texts of fields that keep the last one alone
        self._unopened: list[str] | None = [] if repair and self.implicit is None else None  # while nothing opens
        self.final = False  # no more text will come
        self._rest = ""  # text that a repair left over, for the implicit region
        self._trial = False  # the open region may turn out to be text
        self._opener = 0  # where the opener of that region begins
        self._raw: list[str] = []  # the text from there on
        self._failed = False  # it has turned out to be text
        self._deferred: tuple[dict[str, Any], Callable[[str], Any], str, int] | None = (
            None  # a closing before it: how to store it
        )

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
        if self._unopened is not None:
            self._unopened.append(text)

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
        self._unopened = None
        if self.string_aware or self.repair:
            lenient = _lenient()
            mask = lenient.mask_for(self._fields, event["field"], self.string_aware, self.repair)
            self._aware = None if mask is None else lenient.scan_aware(parser, mask)

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
        self._around = None if stray is None and mask is None else lenient.scan_aware(parser, mask, stray)

    def close(self, parser: Any, name: str, store: Callable[..., Any], captured: bool, body: str) -> dict[str, Any]:
        """A region has closed; returns its event. Raises what `store` raises where that is the policy."""
        if name != self.implicit:
            if self._aware is not None:
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
        """Complete the event of a closing with its value, repaired as far as the options say. Raises what `put` does."""
        name = event["field"]
        field = self._fields[name]
        if self.repair and self._never_fails(name) and not (field.get("repeats") or "join" in field):
            self._say(event, put, body)
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
        if stored.repairs:
            event["repairs"] = stored.repairs
        if stored.broken:
            broken = {"type": "region_malformed", "field": name, "text": stored.broken, "error": stored.error}
            self._also.append(broken)
            self.malformed.append(broken)

    def _say(self, event: dict[str, Any], put: Callable[..., Any], body: str) -> None:
        """Store a text that would replace an earlier one of its field: see `joined_texts`."""
        event["value"] = put(body)
        said = self._said.setdefault(event["field"], [])
        if said and "".join(said).strip():
            event["repairs"] = ["joined_texts"]
        said.append(body)

    def left_malformed(self) -> list[dict[str, Any]]:
        """The events of what the repair of the region that has just closed left malformed."""
        return self._also

    def joined_texts(self) -> dict[str, str]:
        """The texts of fields that keep the last one alone, where there were several: those of the implicit field as
        they stand, regions of another field in lines of their own."""
        joined = {}
        for name, said in self._said.items():
            if len(said) > 1:
                arguments = self._fields[name].get("content_args")
                strip = arguments.get("strip", True) if isinstance(arguments, dict) else True
                if name != self.implicit:
                    said = [text.strip() if strip else text for text in said]
                    joined[name] = "\n".join(text for text in said if text)
                else:
                    joined[name] = "".join(said).strip() if strip else "".join(said)
        return joined

    def left_out(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """The events of a text in which no delimiter was seen, of a template without an implicit field: it becomes the
        content as it stands (`no_delimiters`)."""
        text = "".join(self._unopened or ())
        if not text.strip() or "content" not in self._fields or not self._never_fails("content"):
            return []
        message["content"] = text
        shown: dict[str, Any] = {"start": 0, "end": 0} if self._spans else {}
        ends = {"start": self.total, "end": self.total} if self._spans else {}
        event = {"type": "region_close", "field": "content", "value": text, "repairs": ["no_delimiters"], **ends}
        return [
            {"type": "region_open", "field": "content", **shown},
            {"type": "region_chunk", "field": "content", "text": text, "dirty": False},
            event,
        ]

    def _commit(self, message: dict[str, Any]) -> tuple[str, bool, Any, int]:
        """Store the implicit region whose closing was deferred; returns what the message held under its name before."""
        before = _held(message, self.implicit or "")
        if self._deferred is not None:
            event, put, body, _ = self._deferred
            self._store(message, event, put, body)
        return before

    # One step of scanning.

    def step(
        self, parser: Any, events: list[dict[str, Any]], after: int, ended: bool, out: list[dict[str, Any]]
    ) -> None:
        """Put the events of one step into `out`, or hold them back.

        The step went from `position` to `after`; `ended` says that it found the end of the text.
        """
        before, self.position = self.position, after
        queue = self._queue
        leading = not queue
        for event in events:
            kind = event["type"]
            if kind == "region_chunk":
                if self._spans and before < self.prefix_end:
                    event["text"] = event["text"][self.prefix_end - before :]
                    if not event["text"]:
                        continue
            elif kind == "region_open" and event["field"] == self.implicit:
                if self._spans:
                    event["start"] = event["end"] = before
            elif kind == "region_close" and self._spans and self._closed is None:  # of a stray closer
                event["start"], event["end"] = before, after
            else:
                leading = False
            (out if leading else queue).append(event)
        if ended and self._closed is not None:
            self._cut_off(self._closed[0])
        if (self._spans or self._trial) and not ended and parser._scan.__name__ in _UNSETTLED:
            return
        if self._spans:
            self._fill_in(parser, after, ended)
        if self._failed:
            self._turn_into_text(parser, after)
        elif not self._trial and self._deferred is not None:
            self._commit(parser._message)
            self._deferred = None
        if self._rest:
            self._leave_over(parser, after, queue)
        self._opened = self._closed = None
        self._also = []
        if not self._trial and queue:
            out += queue
            queue.clear()

    def _cut_off(self, event: dict[str, Any]) -> None:
        """The end of the text has closed a region."""
        field = self._fields[event["field"]]
        if event["field"] != self.implicit and ("close" in field or "close_pattern" in field):
            self.truncated = True
            if self._spans:
                event["closed"] = False

    def _fill_in(self, parser: Any, after: int, ended: bool) -> None:
        """Complete the spans of the step: the delimiter ends at `after`."""
        if self._opened is not None:
            event, start = self._opened
            event["end"] = after
            if parser._captures:
                event["captures"] = dict(parser._captures)
            if self._closed is not None:
                self._closed[0].update(start=start, end=start)
        elif self._closed is not None:
            event, start = self._closed
            for each in (event, *self._also):
                each.update(start=after if ended else start, end=after)

    def _leave_over(self, parser: Any, after: int, queue: list[dict[str, Any]]) -> None:
        """Text that a repair left over begins the implicit region behind the one that was repaired."""
        rest, self._rest = self._rest, ""
        event: dict[str, Any] = {"type": "region_open", "field": self.implicit}
        if self._spans:
            event["start"] = event["end"] = after
        queue += (event, {"type": "region_chunk", "field": self.implicit, "text": rest, "dirty": False})
        parser._parts, parser._opened, parser._start = [rest], True, after - len(rest)
        self._tell_around(parser)

    def _tell_around(self, parser: Any) -> None:
        """The implicit region has begun with text that its scan has not seen."""
        if self._around is not None:
            self._around.told = list(parser._parts)

    def _turn_into_text(self, parser: Any, after: int) -> None:
        """The region on trial cannot be parsed: its text, delimiters included, goes on the implicit region."""
        raw = "".join(self._raw)[: after - self._opener]
        told: list[dict[str, Any]] = []
        parser._parts, parser._start = [raw], self._opener
        if self._deferred is not None:
            _, _, body, parser._start = self._deferred
            parser._parts = [body, raw]
        else:
            event: dict[str, Any] = {"type": "region_open", "field": self.implicit}
            if self._spans:
                event["start"] = event["end"] = self._opener
            told.append(event)
        parser._opened = True
        self._tell_around(parser)
        shown = raw[max(0, self.prefix_end - self._opener) :] if self._spans else raw
        if shown:
            told.append({"type": "region_chunk", "field": self.implicit, "text": shown, "dirty": False})
        self._queue[:] = told
        self._trial = self._failed = False
        self._raw, self._deferred = [], None


def _lenient() -> Any:
    """What `string_aware` and `repair` take, loaded when it is asked for first."""
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


def open_region(parser: Any, events: list[dict[str, Any]]) -> None:
    """What a generated class calls when an explicit region of a parser with options has opened."""
    parser._serving.open(parser, events[-1], parser._seen, parser._serving.total - len(parser._seen))


def close_region(
    parser: Any, events: list[dict[str, Any]], name: str, store: Callable[..., Any], captured: bool, body: str
) -> None:
    """What a generated class calls when a region of a parser with options has closed.

    `store` is the function that stores its text `body`; `captured` says that it takes the captures.
    """
    serving = parser._serving
    events.append(serving.close(parser, name, store, captured, body))
    events += serving.left_malformed()


def parse_serving(
    make: Callable[..., Any], texts: list[tuple[str, str]], tools: Any, options: dict[str, Any]
) -> list[dict[str, Any]]:
    """The messages of whole texts, each with its prefix, parsed with options by the parsers that `make` makes.

    `options` are the keyword arguments of `Serving`; what is malformed is appended to the list under `malformed`,
    where there are several texts with the text's `index`.
    """
    messages = []
    malformed = options.get("malformed")
    for index, (text, prefix) in enumerate(texts):
        given = {**options, "malformed": []}
        parser = make(prefix, tools=tools, **given)
        parser.feed(text)
        messages.append(parser.finalize()[0])
        if malformed is not None:
            found = parser.malformed
            malformed += [{"index": index, **event} for event in found] if len(texts) > 1 else found
    return messages
