"""Closers that are data: what a region's text looks like to its scan function (`rtgen.runtime.aware`)."""

from __future__ import annotations

import re
from typing import Any

_CLASSES = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_LOOKS = re.compile(r"\(\?<?[=!]|\(\?>|(?<!\\)[$^]|\\[bBAZGK]")
_LOOKAROUNDS = re.compile(r"\(\?<?[=!]")
_EDGES = re.compile(r"(?<!\\)\$|\\[bBZ]")


def pattern_of(field: dict[str, Any], role: str) -> str | None:
    """The regex of a field's opener or closer."""
    import regex

    if role in field:
        literals = [field[role]] if isinstance(field[role], str) else field[role]
        return "|".join(regex.escape(text) for text in sorted(literals, key=len, reverse=True))
    found: str | None = field.get(f"{role}_pattern")
    return found


def looks_around(pattern: str) -> bool:
    """Whether a regex may look at what stands around its match: in pieces of a text such are not found safely."""
    return _LOOKS.search(_CLASSES.sub("", pattern)) is not None


def asks_for_the_end(pattern: str) -> bool:
    """Whether a regex may look around its match for the end of the text, which the end of a chunk would pass for."""
    bare = _CLASSES.sub("", pattern)
    return _LOOKAROUNDS.search(bare) is not None and _EDGES.search(bare) is not None


class Mask:
    """What a region's text looks like to the scan function, as far as it is understood.

    `extend(text, final)` gives the beginning of `text` that is understood, masked; each text continues the one before,
    from where `cut` left it.
    """

    def __init__(self, field: dict[str, Any]) -> None:
        import regex

        self.done = ""
        self.broken = False
        self.ends = False
        self._closer = regex.compile(pattern_of(field, "close") or "(?!)", regex.DOTALL)
        opener = pattern_of(field, "open")
        self._opener = regex.compile(opener, regex.DOTALL) if opener else None

    def restart(self, done: str) -> None:
        """The region begins behind `done`."""
        self.done = done

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
