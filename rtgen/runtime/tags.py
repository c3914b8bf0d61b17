"""Closers inside the values of `xml-inline`, for `string_aware=True`."""

from __future__ import annotations

import re
from typing import Any

from rtgen.runtime.mask import Mask, pattern_of

_TAG = re.compile(
    r"(.*?)\(\?P<key>((?:\[\^?[^\]]*\]|\\[wSd])[+*]\??|\.[+*]\?)\)(.*?)\(\?P<value>\.\*\?\)(.*)", re.DOTALL
)
_CHAINED = re.compile(
    r"\(\?:(?P<lead>[^()|]*)\)\?\(\?P<key>(\[\^?[^\]]*\][+*])\)(?P<middle>.*?)\(\?P<value>\.\*\?\)(?:\(\?:)?(?:\\n\?)?"
    r"(?P<close>[^()|]*?)\\s\*\(\?:(?P=lead)\|\$\).*",
    re.DOTALL,
)  # each match takes the lead of the next tag with it
_WORD_GROUP = re.compile(r"\(\?P<(\w+)>([\w ]+)\)")
_META = re.compile(r"(?<!\\)(?:\\\\)*[\[\](){}*+?.^$|]|\\[a-zA-Z]")


class TagShape:
    """The parts of a `tag_pattern`: literals around a key and a value.

    `tag` is the regex of an opening up to its value, `lead` and `close` the literals at its ends; `inner` and `value`
    are the two literals between key and value where white space may stand between them, else "". `chained`: the
    pattern looks at what follows a tag itself. `half` is the regex of the first tag of a region's closer (`ends`) that
    is more than one, `other_half` that of the others, and `captured` what the groups capture that stand for one word.
    """

    def __init__(self, lead: str, key: str, middle: str, close: str, chained: bool, ends: str) -> None:
        import regex

        self.lead, self.close, self.chained = _literal(lead), _literal(close), chained
        first = _literal(middle)[:1]
        if key.startswith(".") and first and middle[0] != "\\":
            key = f"[^{re.escape(first)}]{key[1:]}"  # a key does not hold what closes it
        self.key = key
        self.tag = regex.compile(f"{lead}(?P<key>{key}){middle}", regex.DOTALL)
        half, more, other_half = _WORD_GROUP.sub(r"\2", ends).partition(r"\s*")
        two = bool(more and half and not _META.search(half))
        self.half = regex.compile(half if two else "(?!)", regex.DOTALL)
        self.other_half = regex.compile(other_half if two else "(?!)", regex.DOTALL)
        self.captured: dict[str, str] = dict(_WORD_GROUP.findall(ends))
        parts = middle.split(r"\s*")
        two = len(parts) == 2 and all(parts) and not any(map(_META.search, parts))
        self.inner, self.value = map(_literal, parts) if two else ("", "")


def _literal(pattern: str) -> str:
    return re.sub(r"\\(.)", r"\1", pattern)


def tag_shape(field: dict[str, Any]) -> TagShape | None:
    """The parts of a field's `tag_pattern`; None where it has another form."""
    import regex

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
        return TagShape(lead, key, middle, close, chained is not None, pattern_of(field, "close") or "")
    except regex.error:
        return None


class Tags(Mask):
    """The mask of `xml-inline`, for a `tag_pattern` that is literals around a key and a value."""

    def __init__(self, field: dict[str, Any], shape: TagShape) -> None:
        super().__init__(field)
        self.lead, self.close, self._half = shape.tag, shape.close, shape.half
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
        end = int(found.start()) + len(found[0].rstrip())  # white space behind a tag may be still to come
        done.append(text[at:end])
        self._inside, self._ahead = True, 0
        return end

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
        """Whether what follows a tag's closer is another tag, the region's closer or the first tag of that; None: that
        is not known yet."""
        unknown = False
        blanks = re.compile(r"\s*").match(text, at)
        places = {at, blanks.end() if blanks is not None else at}
        for place in places:
            if place == len(text):
                if final:
                    return True
                unknown = True
                continue
            for pattern in (self.lead, self._closer, self._half):
                found = pattern.match(text, place, partial=not final)
                if found is not None and not found.partial and found.end() > found.start():
                    return True
                unknown = unknown or (found is not None and found.partial)
        return None if unknown else False
