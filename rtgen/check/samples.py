"""Texts that a delimiter matches, made from its tree: what the checks put into example outputs.

A sample is kept only where the pattern itself, asked of `regex`, matches it as a whole; each optional part is there in
one sample and missing in another.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from rtgen.delimiters.classify import Kind
from rtgen.pattern import facts
from rtgen.pattern.nodes import (
    Alternation,
    Atomic,
    BackReference,
    CharClass,
    Conditional,
    Group,
    Literal,
    Look,
    Node,
    Repeat,
    Sequence,
)

MOST = 40
"""Samples of one delimiter."""

MOST_CHARACTERS = 400
"""The length of the longest sample: counted repeats can be large."""

PROBED = "aX1 \n_-.:=,/\"'<>(){}[]|é"
"""The characters that are tried, in this order, for one that a class holds."""


@lru_cache(256)
def samples(kind: Kind) -> tuple[str, ...]:
    """Texts that the delimiter matches as a whole, the most usual one first; () where none was found."""
    candidates = list(kind.literals) if kind.literals and not kind.blanks_before else _texts(kind.whole)
    if kind.opaque:
        candidates = [kind.source]
    pattern = regex.compile(kind.source, regex.DOTALL)
    after = ["", "\n", "x", *_looked_at(kind.whole)]
    kept = [text for text in candidates if any(_is_whole(pattern, text, more) for more in after)]
    return tuple(dict.fromkeys(kept))[:MOST]


def text_of(node: Node) -> str:
    """One text that the node probably matches."""
    return _texts(node)[0]


def _is_whole(pattern: regex.Pattern[str], text: str, more: str) -> bool:
    try:
        match = pattern.match(text + more, timeout=0.1)
    except TimeoutError:
        return False
    return match is not None and match.end() == len(text)


def _looked_at(node: Node) -> list[str]:
    """What the lookaheads of the pattern want to see behind it."""
    looks = [part for part in facts.walk(node) if isinstance(part, Look) and part.ahead and not part.negative]
    return [text_of(look.item) for look in looks[:4]]


def _texts(node: Node) -> list[str]:
    groups = {part.index: part.item for part in facts.walk(node) if isinstance(part, Group)}
    return _Maker(groups).texts(node)


class _Maker:
    """Makes texts of one pattern; `groups` are what its references refer to."""

    def __init__(self, groups: dict[int, Node]) -> None:
        self._groups = groups

    def texts(self, node: Node) -> list[str]:
        """Texts of the node, at least one: the usual one, then those that differ from it in one place."""
        texts = self._of(node)
        return list(dict.fromkeys(text for text in texts if len(text) <= MOST_CHARACTERS))[:MOST] or [""]

    def _of(self, node: Node) -> list[str]:
        if isinstance(node, Literal):
            return [node.text]
        if isinstance(node, CharClass):
            return _characters(node)
        if isinstance(node, (Group, Atomic)):
            return self.texts(node.item)
        if isinstance(node, Alternation):
            return [text for branch in node.branches for text in self.texts(branch)]
        if isinstance(node, Conditional):
            return [*self.texts(node.yes), *self.texts(node.no)]
        if isinstance(node, Sequence):
            return _varied([self.texts(item) for item in node.items])
        if isinstance(node, Repeat):
            return self._repeated(node)
        if isinstance(node, BackReference):
            return self.texts(self._groups[node.index])[:1] if node.index in self._groups else [""]
        return [""]  # conditions on the place, and what cannot be made up

    def _repeated(self, node: Repeat) -> list[str]:
        """White space and other optional characters are usually missing, optional text is usually there."""
        least, most = node.least, node.least + 2 if node.most is None else node.most
        usual = least if least or facts.is_single(node.item) else min(1, most)
        counts = dict.fromkeys([usual, least, min(least + 1, most), min(least + 2, most)])
        texts = self.texts(node.item)
        return [text * count for count in counts for text in (texts if count else texts[:1])]


def _characters(node: CharClass) -> list[str]:
    """A character of the class, and white space where it holds some."""
    held = [char for char in PROBED if facts.matches(node.source, char)]
    blank = next((char for char in held if char.isspace()), None)
    return held[:1] + ([blank] if blank is not None and held[0] != blank else []) or ["?"]


def _varied(parts: list[list[str]]) -> list[str]:
    """The parts' usual texts in a row, then the same with another text in one of the places."""
    usual = [texts[0] for texts in parts]
    return ["".join(usual)] + [
        "".join([*usual[:place], other, *usual[place + 1 :]])
        for place, texts in enumerate(parts)
        for other in texts[1:]
    ]
