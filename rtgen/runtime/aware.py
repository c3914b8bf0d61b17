r"""Closers that are data, for `string_aware=True`: a second way of scanning a region, which knows its strings.

In `json` and `python-call-list` a closer inside a string literal is data, in `xml-inline` a closer of the tag or of the
region inside a tag's value, in text a delimiter that is quoted alone in backticks. The region's own scan function
finds the closer, in a text in which such data is masked; `rtgen.runtime.mask.Mask` says how far the text is
understood, and carries its state from chunk to chunk.

A closer inside a string is held back until the string ends as strings do (before `,`, `:`, a bracket or the end of the
text), or a value as values do (its tag's closer, then another tag or the region's closer). Where it does not, the
closer is one after all, and what follows it in the region is not masked any more: text that is broken costs no more
than its own region.
"""

from __future__ import annotations

from typing import Any

from rtgen.runtime.blanks import hold_quick
from rtgen.runtime.mask import Mask, asks_for_the_end, looks_around, pattern_of
from rtgen.runtime.parser import Parser
from rtgen.runtime.prose import Prose, call_fields
from rtgen.runtime.strings import Strings
from rtgen.runtime.tags import Tags, tag_shape


def mask_for(fields: dict[str, dict[str, Any]], name: str, string_aware: bool, repair: bool) -> Mask | None:
    """The mask of an explicit field's regions; None where they are scanned as ever.

    So are those with a closer that looks around itself for the end of the text: a chunk's end would pass for that.
    """
    field = fields[name]
    kind = field.get("content", "text")
    if asks_for_the_end(pattern_of(field, "close") or ""):
        return None
    if kind in ("json", "python-call-list"):
        return Strings(field) if string_aware else None
    if kind == "xml-inline":
        shape = tag_shape(field) if string_aware else None
        return None if shape is None else Tags(field, shape)
    closer = pattern_of(field, "close")
    if kind != "text" or closer is None or looks_around(closer):
        return None
    calls = call_fields(fields, name) if repair else []
    outside = next((pattern_of(other, "close") for other in fields.values() if pattern_of(other, "open") is None), None)
    outside = "" if outside is None or looks_around(outside) else outside
    return Prose(field, closer, calls, string_aware, outside) if calls or string_aware else None


def implicit_mask(fields: dict[str, dict[str, Any]], name: str) -> Mask | None:
    """The mask of text outside of explicit regions; None where nothing can open."""
    openers = [pattern_of(field, "open") for field in fields.values()]
    delimiters = "|".join(f"(?:{opener})" for opener in openers if opener and not looks_around(opener))
    if fields[name].get("content", "text") != "text" or not delimiters:
        return None
    return Prose(fields[name], delimiters, [], True)


def stray_closer(fields: dict[str, dict[str, Any]], name: str, implicit: str) -> Any:
    """The literal closers of a field, as a regex, which mean nothing where its region has just closed; None where they
    do not look like tags, or another delimiter may begin there."""
    import regex

    close = fields[name].get("close")
    literals = [close] if isinstance(close, str) else close or []
    patterns = [pattern_of(field, "open") for field in fields.values()]
    patterns.append(pattern_of(fields[implicit], "close"))
    watched = regex.compile("|".join(f"(?:{pattern})" for pattern in patterns if pattern) or "(?!)", regex.DOTALL)
    return _tags_apart(literals, watched)


def stray_opener(fields: dict[str, dict[str, Any]], name: str) -> Any:
    """The literal openers of a text field, as a regex, which mean nothing where its region has just opened; None where
    they do not look like tags, or a closer may begin there."""
    import regex

    field = fields[name]
    opener, closer = field.get("open"), pattern_of(field, "close")
    if field.get("content", "text") != "text" or "transform" in field or opener is None or closer is None:
        return None
    return _tags_apart([opener] if isinstance(opener, str) else opener, regex.compile(closer, regex.DOTALL))


def _tags_apart(literals: list[str], watched: Any) -> Any:
    """Those literals that look like tags and in which nothing that is `watched` may begin, as a regex; None: none.

    One that begins with another is left out: which of them stands in the text would hang on how it was cut.
    """
    import regex

    literals = [
        text
        for text in literals
        if len(text) > 3 and text[0] in "<[" and text[-1] in ">]" and not watched.search(f"\n {text}\n")
    ]
    first = [text for text in literals if not any(text != other and text.startswith(other) for other in literals)]
    return regex.compile(r"\s*(?:" + "|".join(map(regex.escape, first)) + ")") if first else None


class Aware:
    """The scan function of one region, around the region's own; for the implicit field, of one after the other.

    `stray` is a delimiter, as a regex, that is dropped where it begins the region: a closer that comes twice, or an
    opener.
    """

    def __init__(self, mask: Mask | None, inner: Any, stray: Any = None, explicit: bool = True) -> None:
        self.mask, self.inner, self.stray, self.explicit = mask, inner, stray, explicit
        self.names: list[str] = []  # repairs, to be told where the region closes
        self.begun = False
        self.closed = False
        self.told: list[str] = []  # the region's text that has been added
        self.seen = self.text = ""  # what the scan function sees, and what it is
        self.at = 0

    def body(self, masked: str) -> str:
        """The text of the region that the scan function has just closed, which it saw as `masked`."""
        before = "".join(self.told)
        self.told, self.closed = [], True
        return before + self._unmasked(masked[len(before) :])

    def _unmasked(self, part: str) -> str:
        """What the scan function saw as `part`."""
        if "\0" not in part:
            return part
        start = self.seen.find(part, self.at)
        return self.text[start : start + len(part)]

    def scan(self, parser: Any, text: str, at: int, events: list[dict[str, Any]], final: bool) -> int:
        """scan: a region whose closers may be data."""
        if self.stray is not None:
            found = self.stray.match(text, at, partial=not final)
            if found is not None and found.partial:
                parser._held, parser._at, parser._look = text, at, -1
                parser._quick, parser._state = Parser._resume, 0
                return -1
            self.stray = None
            if found is not None:
                parser._start += found.end() - at
                if self.explicit:
                    self.names.append("stray_opener")
                    return int(found.end())
                name = parser._serving.implicit
                events.append({"type": "region_open", "field": name})
                events.append({"type": "region_close", "field": name, "value": "", "repairs": ["stray_closer"]})
                return int(found.end())
        mask = self.mask
        if mask is None:
            parser._scan = self.inner
            return int(self.inner(parser, text, at, events, final))
        if not self.begun:
            self.begun = True
            mask.restart(text[:at])
        seen = mask.extend(text, final)
        if len(seen) <= at and not final:
            parser._held, parser._at, parser._look = text, at, -1
            parser._quick, parser._state = Parser._resume, 0
            return -1
        self.seen, self.text, self.at, self.closed = seen, text, at, False
        first = len(events)
        then: int = self.inner(parser, seen, at, events, final)
        for event in events[first : first + 2]:
            if event["type"] == "region_chunk":
                event["text"] = self._unmasked(event["text"])
                if not self.closed:
                    self.told.append(event["text"])
                break
        if self._left_the_start(parser, events, first):
            self.inner = parser._scan
            parser._scan, parser._quick, parser._state = self.own, Parser._resume, 0
            return then
        if then < 0 and not final:
            kept = len(parser._held)
            parser._held = text[len(seen) - kept :]
            if parser._scan is self.own:
                mask.cut(kept)
                if parser._quick is hold_quick and len(seen) == len(text):
                    parser._after = (0, Parser._resume, self.own)
                else:
                    parser._quick, parser._state = Parser._resume, 0
        elif then >= 0:
            self.begun = False
        elif mask.ends:
            parser._forget()
            events[-1]["repairs"] = [*events[-1].get("repairs", ()), "missing_close"]
            return len(seen)
        return then

    def _left_the_start(self, parser: Any, events: list[dict[str, Any]], first: int) -> bool:
        """Whether the scan function, that of the start of the text, has handed over to that outside of regions."""
        if self.inner.__name__ != "_scan_the_start" or parser._scan in (self.own, Parser._ended_scan):
            return False
        implicit = parser._serving.implicit
        return all(event["type"] != "region_open" or event["field"] == implicit for event in events[first:])

    own: Any = None
    """The function that the parser holds for this scan."""


def scan_aware(parser: Any, mask: Mask | None, stray: Any = None, explicit: bool = True) -> Aware:
    """Let the parser, which has just entered a region, scan it through the mask."""
    aware = Aware(mask, parser._scan, stray, explicit)

    def own(parser: Any, text: str, at: int, events: list[dict[str, Any]], final: bool) -> int:
        return aware.scan(parser, text, at, events, final)

    aware.own = own
    parser._scan, parser._quick, parser._state = own, Parser._resume, 0
    return aware
