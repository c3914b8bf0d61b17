r"""Closers that are data, for `string_aware=True`: a second way of scanning a region, which knows its strings.

In `json` and `python-call-list` a closer inside a string literal is data, in `xml-inline` a closer of the tag or of the
region inside a tag's value.  The region's own scan function finds the closer, in a text in which such data is masked;
`Mask` says how far the text is understood, and carries its state from chunk to chunk.

A closer inside a string is held back until the string ends as strings do (before `,`, `:`, a bracket or the end of the
text), or a value as values do (its tag's closer, then another tag or the region's closer). Where it does not, the
closer is one after all, and what follows it in the region is not masked any more: text that is broken costs no more
than its own region.
"""

from __future__ import annotations

import re
from typing import Any

from rtgen.runtime.parser import Parser

KINDS = ("json", "python-call-list", "xml-inline")
"""The content parsers whose regions can be scanned so."""

_AFTER_STRING = re.compile(r"\s*([^\s])")
_ESCAPED = {quote: re.compile(rf"(?:[^{quote}\\]+|\\.)*+", re.DOTALL) for quote in "\"'"}
_TAG = re.compile(
    r"(.*?)\(\?P<key>((?:\[\^?[^\]]*\]|\\[wSd])[+*]\??|\.[+*]\?)\)(.*?)\(\?P<value>\.\*\?\)(.*)", re.DOTALL
)
_CHAINED = re.compile(
    r"\(\?:(?P<lead>[^()|]*)\)\?\(\?P<key>(\[\^?[^\]]*\][+*])\)(?P<middle>.*?)\(\?P<value>\.\*\?\)(?:\(\?:)?(?:\\n\?)?"
    r"(?P<close>[^()|]*?)\\s\*\(\?:(?P=lead)\|\$\).*",
    re.DOTALL,
)  # each match takes the lead of the next tag with it
_META = re.compile(r"(?<!\\)(?:\\\\)*[\[\](){}*+?.^$|]|\\[a-zA-Z]")


def _pattern(field: dict[str, Any], role: str) -> str | None:
    """The regex of a field's opener or closer."""
    import regex

    if role in field:
        literals = [field[role]] if isinstance(field[role], str) else field[role]
        return "|".join(regex.escape(text) for text in sorted(literals, key=len, reverse=True))
    found: str | None = field.get(f"{role}_pattern")
    return found


class Mask:
    """What a region's text looks like to the scan function, as far as it is understood.

    `extend(text, final)` gives the beginning of `text` that is understood, masked; each text continues the one before,
    from where `cut` left it.
    """

    def __init__(self, field: dict[str, Any]) -> None:
        import regex

        self.done = ""
        self.broken = False
        self._closer = regex.compile(_pattern(field, "close") or "(?!)", regex.DOTALL)
        opener = _pattern(field, "open")
        self._opener = regex.compile(opener, regex.DOTALL) if opener else None

    def cut(self, length: int) -> None:
        """Forget all but the last `length` characters."""
        self.done = self.done[len(self.done) - length :] if length else ""

    def extend(self, text: str, final: bool) -> str:
        raise NotImplementedError

    def _candidate(self, text: str, at: int, end: int, edge: bool) -> int:
        """Where a closer begins in `text[at:end]`, or (`edge`) may begin at its end; `end` where none does."""
        found = self._closer.search(text, at, end, partial=edge)
        while found is not None and found.start() == found.end() < end and not found.partial:
            found = self._closer.search(text, found.end() + 1, end, partial=edge)
        return end if found is None else int(found.start())


class Strings(Mask):
    """The mask of JSON and of call lists."""

    def __init__(self, field: dict[str, Any]) -> None:
        super().__init__(field)
        pairs = [('"', '"')]
        if field.get("content") == "python-call-list":
            pairs.append(("'", "'"))
        arguments = field.get("content_args")
        delims = arguments.get("string_delims") if isinstance(arguments, dict) else None
        for pair in delims if isinstance(delims, list) and field.get("content") == "json" else []:
            if isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) and part for part in pair):
                pairs.insert(0, (pair[0], pair[1]))
        self._closes = dict(pairs)
        self._escapes = {'"', "'"} if field.get("content") == "python-call-list" else {'"'}
        self._escapes -= {opener for opener, _ in pairs if opener in ("'",) and field.get("content") == "json"}
        self._starts = re.compile("|".join(re.escape(opener) for opener, _ in pairs))
        self._longest = max(len(opener) for opener, _ in pairs)
        self._inside: str | None = None  # the delimiter that ends the string
        self._ahead = 0  # characters behind what is done in which the string certainly does not end

    def extend(self, text: str, final: bool) -> str:
        done, at = [self.done], len(self.done)
        while at < len(text):
            if self.broken:
                done.append(text[at:])
                break
            then = self._outside(text, at, final, done) if self._inside is None else self._string(text, at, final, done)
            if then < 0:
                break
            at = then
        self.done = "".join(done)
        return self.done

    def _outside(self, text: str, at: int, final: bool, done: list[str]) -> int:
        """Up to the next string; -1 when there is none."""
        found = self._starts.search(text, at)
        if found is not None:
            done.append(text[at : found.end()])
            self._inside, self._ahead = self._closes[found[0]], 0
            return found.end()
        stop = len(text)
        if not final:
            for length in range(min(self._longest - 1, len(text) - at), 0, -1):
                if any(opener.startswith(text[-length:]) for opener in self._closes):
                    stop -= length
                    break
        done.append(text[at:stop])
        return -1

    def _string(self, text: str, at: int, final: bool, done: list[str]) -> int:
        """Up to the end of the string; -1 when more has to be known."""
        end = self._end(text, at, final)
        inside = self._inside or ""
        ended = end >= 0
        stop = end if ended else at + self._ahead
        candidate = self._candidate(text, at, stop, not ended and not final)
        if candidate == stop and (ended or not final):
            done.append("\0" * (stop - at))
            self._ahead = 0
            if not ended:
                return -1
            done.append(inside)
            self._inside = None
            return end + len(inside)
        done.append("\0" * (candidate - at))
        self._ahead = max(0, stop - candidate)
        if ended:
            proper = self._is_proper(text, end + len(inside), final)
            if proper is None:
                return -1
            if proper:
                done.append("\0" * (end - candidate) + inside)
                self._inside = None
                return end + len(inside)
            self.broken = True
            return candidate
        self.broken = final
        return candidate if final else -1

    def _is_proper(self, text: str, at: int, final: bool) -> bool | None:
        """Whether a string that ends at `at` is followed by what follows strings; None: that is not known yet."""
        after = _AFTER_STRING.match(text, at)
        if after is None:
            return True if final else None
        if after[1] in ",:}])":
            return True
        unknown = False
        for place in {at, after.start(1)}:
            found = self._closer.match(text, place, partial=not final)
            if found is not None and not found.partial:
                return True
            unknown = unknown or found is not None
        return None if unknown else False

    def _end(self, text: str, at: int, final: bool) -> int:
        """Where the string ends, or -1; `_ahead` is then what can be passed over."""
        inside = self._inside or ""
        if inside in self._escapes:
            run = _ESCAPED[inside].match(text, at + self._ahead)
            end = at if run is None else run.end()
            self._ahead = end - at
            return end if text.startswith(inside, end) else -1
        end = text.find(inside, max(at, at + self._ahead - len(inside) + 1))
        if end < 0:
            self._ahead = len(text) - at
            if not final:
                for length in range(min(len(inside) - 1, self._ahead), 0, -1):
                    if inside.startswith(text[-length:]):
                        self._ahead -= length
                        break
        return end


class Tags(Mask):
    """The mask of `xml-inline`, for a `tag_pattern` that is literals around a key and a value."""

    def __init__(self, field: dict[str, Any], lead: Any, close: str) -> None:
        super().__init__(field)
        self.lead, self.close = lead, close
        self.rereads = True
        self._inside = False
        self._ahead = 0

    def extend(self, text: str, final: bool) -> str:
        done, at = [self.done], len(self.done)
        while at < len(text):
            if self.broken:
                done.append(text[at:])
                break
            then = self._outside(text, at, final, done) if not self._inside else self._value(text, at, final, done)
            if then < 0:
                break
            at = then
        self.done = "".join(done)
        return self.done

    def _outside(self, text: str, at: int, final: bool, done: list[str]) -> int:
        found = self.lead.search(text, at, partial=not final)
        if found is None or found.partial:
            done.append(text[at : len(text) if found is None else found.start()])
            return -1
        closer = self._closer.search(text, at, found.start())
        if closer is not None and closer.end() > closer.start():
            done.append(text[at:])  # the region ends before the tag begins
            return -1
        done.append(text[at : found.end()])
        self._inside, self._ahead = True, 0
        return int(found.end())

    def _value(self, text: str, at: int, final: bool, done: list[str]) -> int:
        """Up to the end of the value; -1 when more has to be known."""
        look = at + self._ahead
        follows: bool | None = False
        end = text.find(self.close, look)
        while end >= 0:
            follows = self._follows(text, end + len(self.close), final)
            if follows is not False:
                break
            look = end + len(self.close)
            end = text.find(self.close, look)
        stop = end if end >= 0 else len(text) if final else max(at, len(text) - len(self.close) + 1)
        candidate = self._candidate(text, at, stop, end < 0 and not final)
        if candidate < stop and end >= 0 and self._opener is not None:
            again = self._opener.search(text, candidate, stop)
            if again is not None and again.end() > again.start():
                follows, end = False, -1  # another region begins before the value ends
                self.broken = True
        if self.broken or (end < 0 and final):
            done.append("\0" * (candidate - at))
            self.broken = True
            return candidate
        if end < 0 or follows is None:
            done.append("\0" * (candidate - at))
            self._ahead = max(0, min(look, stop) - candidate)
            return -1
        done.append("\0" * (end - at) + self.close)
        self._inside = False
        return end + len(self.close)

    def _follows(self, text: str, at: int, final: bool) -> bool | None:
        """Whether what follows a tag's closer is another tag or the region's closer; None: that is not known yet."""
        unknown = False
        blanks = re.compile(r"\s*").match(text, at)
        places = {at, blanks.end() if blanks is not None else at}
        for place in places:
            if place == len(text):
                if final:
                    return True
                unknown = True
                continue
            for pattern in (self.lead, self._closer):
                found = pattern.match(text, place, partial=not final)
                if found is not None and not found.partial and found.end() > found.start():
                    return True
                unknown = unknown or (found is not None and found.partial)
        return None if unknown else False

    def reread(self, body: str) -> tuple[str, str, list[str]]:
        """A body whose values hold tag closers, with a stand-in for them: the text, the stand-in ("": none was needed)
        and the names of the repairs, which close a last tag that was not closed."""
        standin = "\ue000"
        while standin in body:
            standin += "\ue001"
        pieces, at, used = [], 0, False
        names: list[str] = []
        while (found := self.lead.search(body, at)) is not None:
            look = found.end()
            end = body.find(self.close, look)
            while end >= 0 and not self._ends(body, end + len(self.close)):
                end = body.find(self.close, end + len(self.close))
            if end < 0:
                end = len(body)
                last = body.rfind(self.close, look)
                if last < 0:
                    names.append("missing_tag_close")
                    pieces += [body[at:], self.close]
                    at = len(body)
                break
            value = body[look:end].replace(self.close, standin)
            used = used or standin in value
            pieces += [body[at:look], value, self.close]
            at = end + len(self.close)
        pieces.append(body[at:])
        return "".join(pieces), standin if used else "", names

    def _ends(self, body: str, at: int) -> bool:
        rest = body[at:].lstrip()
        return not rest or self.lead.match(rest) is not None


def restore(value: Any, standin: str, close: str) -> Any:
    """A value with the tag closers in the places of their stand-ins; lists and dicts are changed in place."""
    if isinstance(value, str):
        return value.replace(standin, close)
    if isinstance(value, dict):
        for key in value:
            value[key] = restore(value[key], standin, close)
    elif isinstance(value, list):
        value[:] = [restore(item, standin, close) for item in value]
    return value


def mask_for(field: dict[str, Any]) -> Mask | None:
    """The mask of an explicit field's regions; None where they are scanned as ever."""
    import regex

    kind = field.get("content", "text")
    if kind not in KINDS:
        return None
    if kind != "xml-inline":
        return Strings(field)
    arguments = field.get("content_args")
    pattern = arguments.get("tag_pattern") if isinstance(arguments, dict) else None
    if not isinstance(pattern, str):
        return None
    chained = _CHAINED.fullmatch(pattern)
    parts = chained or _TAG.fullmatch(pattern)
    if parts is None:
        return None
    lead, key, middle, close = (parts[name] for name in (("lead", 2, "middle", "close") if chained else (1, 2, 3, 4)))
    close = re.sub(r"^(?:\\s\*|\\n\?|\n\?)", "", close)
    if not lead or not close or _META.search(close) or _META.search(lead):
        return None
    try:
        tag = regex.compile(f"{lead}{key}{middle}", regex.DOTALL)
    except regex.error:
        return None
    mask = Tags(field, tag, re.sub(r"\\(.)", r"\1", close))
    mask.rereads = chained is None  # a pattern that looks at what follows a tag needs no help
    return mask


class Aware:
    """The scan function of one region, around the region's own.

    `start` is where the region's text begins, in the text that `scan` sees first.
    """

    def __init__(self, mask: Mask, inner: Any) -> None:
        self.mask, self.inner = mask, inner
        self.begun = False
        self.told: list[str] = []  # the region's text that has been added
        self.text, self.at = "", 0

    def body(self, masked: str) -> str:
        """The text of the region that the scan function has just closed, which it saw as `masked`."""
        before = "".join(self.told)
        return before + self.text[self.at : self.at + len(masked) - len(before)]

    def scan(self, parser: Any, text: str, at: int, events: list[dict[str, Any]], final: bool) -> int:
        """scan: a region whose closers may be data."""
        if not self.begun:
            self.begun = True
            self.mask.done = text[:at]
        self.text, self.at = text, at
        seen = self.mask.extend(text, final)
        first = len(events)
        then: int = self.inner(parser, seen, at, events, final)
        for event in events[first : first + 1]:
            if event["type"] == "region_chunk":
                event["text"] = text[at : at + len(event["text"])]
                self.told.append(event["text"])
        if then < 0 and not final:
            kept = len(parser._held)
            parser._held = text[len(seen) - kept :]
            if parser._scan is self.own:
                self.mask.cut(kept)
                parser._quick = Parser._resume
        return then

    own: Any = None
    """The function that the parser holds for this scan."""


def scan_aware(parser: Any, mask: Mask) -> Aware:
    """Let the parser, which has just entered a region, scan it through the mask."""
    aware = Aware(mask, parser._scan)

    def own(parser: Any, text: str, at: int, events: list[dict[str, Any]], final: bool) -> int:
        return aware.scan(parser, text, at, events, final)

    aware.own = own
    parser._scan, parser._quick, parser._state = own, Parser._resume, 0
    return aware
