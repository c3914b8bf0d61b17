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

from rtgen.runtime.regions import Regions

_UNSETTLED = ("_scan_skip", "_scan_settle")  # the states in which the end of a delimiter is not known yet


class Serving(Regions):
    """The options of one parser, and its steps."""

    __slots__ = ()

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
