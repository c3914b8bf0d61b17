"""Literals at the edge of a text that goes on."""

from __future__ import annotations


def cut_literal(text: str, literal: str, at: int) -> int:
    """Where in `text[at:]` the literal may have begun and be cut off by the end: the start of the longest suffix that
    is a proper prefix of it, or the end of the text."""
    here = text.find(literal[0], max(at, len(text) - len(literal) + 1))
    while here >= 0:
        if literal.startswith(text[here:]):
            return here
        here = text.find(literal[0], here + 1)
    return len(text)


def cut_literals(text: str, literals: tuple[str, ...], at: int) -> int:
    """The same for several literals: the start of the longest suffix that is a proper prefix of one of them."""
    end = len(text)
    heads = {literal[0] for literal in literals}
    for here in range(max(at, end - max(map(len, literals)) + 1), end):
        if text[here] in heads:
            cut = text[here:]
            for literal in literals:
                if len(literal) > end - here and literal.startswith(cut):
                    return here
    return end


WINDOWS = (1 << 12, 1 << 16)
"""Characters from the end that are searched before all of a long text is."""


def last_end(text: str, literals: tuple[str, ...]) -> int:
    """Where the last occurrence of one of the literals ends, -1 without one.

    They must be so that no two occurrences overlap, other than by beginning at the same place; of those that do, the
    first that fits counts.
    """
    for window in WINDOWS:
        start = max(text.rfind(literal, -window) for literal in literals)
        if start >= 0:
            break
    else:
        start = max(map(text.rfind, literals))
    if start < 0:
        return -1
    return next(start + len(literal) for literal in literals if text.startswith(literal, start))
