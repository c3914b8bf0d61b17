"""White space as `regex` means it by `\\s`, which is not quite what `str.isspace` means."""

from __future__ import annotations

from typing import Any

import regex

BLANKS = "".join(regex.findall(r"\s", "".join(map(chr, range(0x3001)))))
"""Every white-space character; the last one of Unicode is U+3000. Asked of the installed `regex`."""

if not all(map(str.isspace, BLANKS)):  # generated code asks `str.rstrip` first whether a chunk ends with white space
    raise ImportError("the installed regex counts characters as white space that this Python does not")

BLANK_SET = frozenset(BLANKS)
"""The same, to be asked for one character."""

LONG_RUN = 64
"""Characters of white space at the edge from which on the run is not gone over again with every chunk."""

_BLANK_RUN = regex.compile(r"\s*+")


def after_blanks(text: str, at: int) -> int:
    """The index of the first character from `at` on that is no white space."""
    found = _BLANK_RUN.match(text, at)
    return at if found is None else found.end()


def before_blanks(text: str, start: int, at: int) -> int:
    """The index, not below `start`, at which the white space that ends at `at` begins."""
    blanks = BLANK_SET
    while at > start and text[at - 1] in blanks:
        at -= 1
    return at


def hold_blanks(parser: Any) -> None:
    """Let the parser, which holds back a long run of white space alone, first see that it ends."""
    parser._after = (parser._state, parser._quick, parser._scan)
    parser._state = 0
    parser._quick = hold_quick


def hold_quick(parser: Any, text: str) -> list[dict[str, Any]]:
    """quick: a long run of white space which may belong to the next delimiter."""
    if not text.strip(BLANKS):
        held = parser._held
        parser._held = ""
        held += text
        parser._held = held
        return []
    parser._state, parser._quick, parser._scan = parser._after
    events: list[dict[str, Any]] = parser._resume(text)
    return events


def skip_blanks_later(parser: Any) -> None:
    """Let the parser, which has acted on a delimiter, first pass over the white space that still belongs to it."""
    parser._forget()
    parser._after = (parser._state, parser._quick, parser._scan)
    parser._state = 0
    parser._quick = _skip
    parser._scan = _scan_skip


def _skip(parser: Any, text: str) -> list[dict[str, Any]]:
    """quick: the white space that belongs to a delimiter."""
    at = after_blanks(text, 0)
    if at == len(text):
        parser._start += at
        return []
    events: list[dict[str, Any]] = parser._advance(text, 0, False)
    return events


def _scan_skip(parser: Any, text: str, at: int, events: list[dict[str, Any]], final: bool) -> int:
    """scan: the white space that belongs to a delimiter."""
    end = after_blanks(text, at)
    parser._start += end - at
    parser._held, parser._at, parser._look = "", 0, -1
    if end == len(text) and not final:
        return -1
    parser._state, parser._quick, parser._scan = parser._after
    return end
