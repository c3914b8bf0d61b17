"""Delimiters in free text that are data, for `string_aware=True`, and text whose closer is missing, for `repair=True`.

A delimiter that stands alone in an inline code span (`` `</think>` ``) is quoted: it closes and opens nothing. A region
of text that is never closed, and in which a call stands, ends where the call begins (`missing_close`); to be able to,
the text from the opener of a call on is held back until the closer comes, or the end. An opener of more than
`LONGEST_OPENER` characters is not looked for.
"""

from __future__ import annotations

import re
from typing import Any

from rtgen.runtime.mask import Mask, looks_around, pattern_of
from rtgen.runtime.tags import tag_shape

LONGEST_OPENER = 256

_TICKS = re.compile(r"`+|\n")


class Prose(Mask):
    """The mask of text.

    `delimiters` are those that count in it, as a regex. `calls` are the fields whose regions may begin in it though it
    is not closed, perhaps behind what closes the text around it (`outside`, a regex); `quotes` says whether code spans
    quote.
    """

    def __init__(
        self, field: dict[str, Any], delimiters: str, calls: list[dict[str, Any]], quotes: bool, outside: str = ""
    ) -> None:
        import regex

        super().__init__(field)
        self._delimiter = regex.compile(delimiters, regex.DOTALL)
        self._calls = [_Call(call) for call in calls]
        outside = _without_blanks(outside) if calls else ""
        self._outside = regex.compile(outside or "(?!)", regex.DOTALL)
        starts = "|".join(f"(?:{start})" for start in [*(call.opens for call in self._calls), outside] if start)
        self._start = regex.compile(starts or "(?!)", regex.DOTALL)
        self._leads = _leads([*(call.opens for call in self._calls), outside])
        self._quotes = quotes
        self.restart("")

    def restart(self, done: str) -> None:
        """A new region begins behind `done`."""
        self.done = done
        self.ends = False  # the region ends with what is done, though it is not closed
        self._ahead = ""  # what is masked already, behind what is done
        self._odd = False  # in a code span
        self._held = False  # an opener of a call has been seen, and no closer
        self._searched = 0  # characters behind what is done in which there is none

    def extend(self, text: str, final: bool) -> str:
        base = len(self.done)
        seen = self._quoted(text, self.done + self._ahead, final) if self._quotes else text
        if not self._calls:
            self.done = seen
            return seen
        at = base + self._searched
        if not self._held:
            if self._leads and not any(lead in seen[base:] for lead in self._leads):
                return self._give(seen, len(seen))
            at = base
            found = self._opener_in(seen, at, final and len(seen) == len(text))
            end = len(seen) if found is None else _begin(found, seen)
            closer = self._closer.search(seen, at, end)
            if found is None or (closer is not None and closer.end() > closer.start()):
                return self._give(seen, len(seen))
            if found.partial:
                return self._give(seen, end)
            self._held, base, at = True, end, found.end()
        closer = self._closer.search(seen, at, partial=not final)
        if closer is not None and not closer.partial and closer.end() > closer.start():
            self._held = False
            return self._give(seen, len(seen))
        if final:
            start = self._call_in(seen, base)
            self.ends = start >= 0
            return self._give(seen, start if start >= 0 else len(seen))
        self._give(seen, base)
        self._searched = (len(seen) if closer is None else closer.start()) - base
        return self.done

    def _give(self, seen: str, end: int) -> str:
        self.done, self._ahead, self._searched = seen[:end], seen[end:], 0
        return self.done

    def _opener_in(self, text: str, at: int, final: bool) -> Any:
        """The first opener of a call, or what may become one at the end."""
        found = self._start.search(text, at)
        while found is not None and not 0 < found.end() - found.start() <= LONGEST_OPENER:
            found = self._start.search(text, found.start() + 1) if found.start() < len(text) else None
        if found is None and not final:
            found = self._start.search(text, max(at, len(text) - LONGEST_OPENER), partial=True)
            if found is not None and not found.partial:
                return None  # the end of an opener that is too long
        return found

    def _call_in(self, text: str, at: int) -> int:
        """Where the first whole call begins; -1 without one."""
        found = self._opener_in(text, at, True)
        while found is not None:
            start = _begin(found, text)
            closer = self._outside.match(text, start)
            behind = start if closer is None or not closer.end() > start else closer.end()
            behind = len(text) - len(text[behind:].lstrip())
            if any(call.begins(text, start) or call.begins(text, behind) for call in self._calls):
                return int(start)
            found = self._opener_in(text, found.end(), True)
        return -1

    def _quoted(self, text: str, done: str, final: bool) -> str:
        """`text` as far as it is understood, with the quoted delimiters masked; it begins with `done`."""
        parts, at = [done], len(done)
        if not self._odd and "`" not in text[at:]:
            return text
        look = at
        while (ticks := _TICKS.search(text, look)) is not None:
            start, look = ticks.span()
            if ticks[0] == "\n":
                self._odd = False
                continue
            if look == len(text) and not final:
                start = max(start, look - 2)  # that it is more than one stays known
                break
            if look - start > 1:
                continue
            if not self._odd:
                found = self._delimiter.match(text, look, partial=not final)
                if found is not None and found.end() > found.start():
                    end = look + len(found[0].rstrip())
                    if found.partial or (end == len(text) and not final):
                        break
                    if text.startswith("`", end):
                        parts += [text[at:look], "\0" * (end - look), "`"]
                        look = at = end + 1
                        continue
            self._odd = not self._odd
        else:
            start = len(text)
        parts.append(text[at:start])
        return "".join(parts)


def _begin(found: Any, text: str) -> int:
    """Where a match begins, white space left aside."""
    matched = text[found.start() : found.end()]
    return int(found.start()) + len(matched) - len(matched.lstrip())


def _leads(patterns: list[str]) -> tuple[str, ...]:
    """Characters of which one stands in whatever a pattern matches; none where that is not plain."""
    leads = set()
    for pattern in filter(None, patterns):
        lead = re.sub(r"^(?:\(\?:|\\s\*)+", "", pattern)[:1]
        needed = re.sub(r"\(\?P<\w+>", "(?:", pattern.replace("\\|", ""))
        needed = re.sub(r"(?:\(\?:[^()]*\)|[^\\])(?:[?*]|\{0)", "", needed)
        if not lead or lead in "\\[](){}*+?.^$|" or not all(lead in piece for piece in needed.split("|")):
            return ()
        leads.add(lead)
    return tuple(leads)


def _without_blanks(pattern: str) -> str:
    """The pattern without optional white space in front."""
    return re.sub(r"^\\s\*(?![+?])", "", pattern)


class _Call:
    """How a region of calls looks."""

    def __init__(self, field: dict[str, Any]) -> None:
        import regex

        pattern = pattern_of(field, "open") or "(?!)"
        self.opens = _without_blanks(pattern)
        self._opener = regex.compile(pattern, regex.DOTALL)
        self._closer = regex.compile(pattern_of(field, "close") or "(?!)", regex.DOTALL)
        self._kind = field.get("content", "text")
        self._shape = tag_shape(field) if self._kind == "xml-inline" else None

    def begins(self, text: str, at: int) -> bool:
        """Whether a whole region begins here, as far as one sees without reading it."""
        found = self._opener.match(text, at)
        if found is None or text[at - 1 : at] == "`":
            return False
        closer = self._closer.search(text, found.end())
        if closer is None or closer.end() == closer.start():
            return False
        body = text[found.end() : closer.start()]
        if self._kind == "xml-inline":
            return not body.strip() or self._shape is None or self._shape.tag.search(body) is not None
        return body.lstrip()[:1] in ("[", "{", "(") if self._kind != "text" else True


def call_fields(fields: dict[str, dict[str, Any]], but: str) -> list[dict[str, Any]]:
    """The fields whose regions hold calls, other than `but`."""
    kinds = ("json", "python-call-list", "xml-inline")
    found = [field for name, field in fields.items() if name != but and field.get("content") in kinds]
    good = []
    for field in found:
        opener = pattern_of(field, "open")
        if opener and pattern_of(field, "close") and not looks_around(opener):
            good.append(field)
    return good
