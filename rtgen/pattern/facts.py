"""Facts about a pattern's tree: pure functions from nodes to values, which set no flags and know no delimiters.

A fact about characters that goes into generated code is stated for ASCII alone: what a class means beyond it depends on
the Unicode tables of the `regex` that is installed where the code runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import regex

from rtgen.pattern.nodes import (
    Alternation,
    Assertion,
    Atomic,
    BackReference,
    CharClass,
    Conditional,
    Group,
    Literal,
    Look,
    Node,
    Opaque,
    Repeat,
    Sequence,
)


@dataclass(frozen=True, slots=True)
class First:
    """What a match can start with: one of `chars`, a character of one of `classes` (regex sources), or nothing."""

    chars: tuple[str, ...]
    classes: tuple[str, ...]
    nullable: bool


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    if isinstance(node, Sequence):
        return node.items
    if isinstance(node, Alternation):
        return node.branches
    if isinstance(node, (Repeat, Group, Atomic, Look)):
        return (node.item,)
    if isinstance(node, Conditional):
        return (node.yes, node.no)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the source."""
    yield node
    for child in children(node):
        yield from walk(child)


def width(node: Node) -> tuple[int, int | None]:
    """The least and the most characters that a match takes; None: no limit."""
    if isinstance(node, Literal):
        return len(node.text), len(node.text)
    if isinstance(node, CharClass):
        return 1, 1
    if isinstance(node, (Look, Assertion)):
        return 0, 0
    if isinstance(node, (BackReference, Opaque)):
        return 0, None
    if isinstance(node, Repeat):
        least, most = width(node.item)
        if node.most == 0 or most == 0:
            return 0, 0
        return least * node.least, None if most is None or node.most is None else most * node.most
    widths = [width(child) for child in children(node)]
    leasts = [least for least, _ in widths]
    mosts = [most for _, most in widths if most is not None]
    bounded = len(mosts) == len(widths)
    if isinstance(node, (Alternation, Conditional)):
        return min(leasts), max(mosts) if bounded else None
    return sum(leasts), sum(mosts) if bounded else None


def first(node: Node) -> First:
    """What can stand at the start of a match; more may be named than can (assertions are not taken into account)."""
    chars, classes, nullable = _first(node)
    return First(tuple(dict.fromkeys(chars)), tuple(dict.fromkeys(classes)), nullable)


def _first(node: Node) -> tuple[list[str], list[str], bool]:
    if isinstance(node, Literal):
        return [node.text[0]], [], False
    if isinstance(node, CharClass):
        return [], [node.source], False
    if isinstance(node, (Look, Assertion)):
        return [], [], True
    if isinstance(node, (BackReference, Opaque)):
        return [], ["(?s:.)"], True
    chars: list[str] = []
    classes: list[str] = []
    if isinstance(node, (Alternation, Conditional)):
        nullable = False
        for child in children(node):
            found = _first(child)
            chars += found[0]
            classes += found[1]
            nullable = nullable or found[2]
        return chars, classes, nullable
    if isinstance(node, Repeat) and node.most == 0:
        return [], [], True
    for child in children(node):
        found = _first(child)
        chars += found[0]
        classes += found[1]
        if not found[2]:
            return chars, classes, isinstance(node, Repeat) and node.least == 0
    return chars, classes, True


def spell(node: Node, limit: int = 64) -> tuple[str, ...] | None:
    """All strings that the node matches, the one that is tried first first, if they are at most `limit` literals.

    None where a class, an assertion or anything else decides. Captures are passed over.
    """
    if isinstance(node, Literal):
        return (node.text,)
    if isinstance(node, Group):
        return spell(node.item, limit)
    if isinstance(node, Sequence):
        strings: tuple[str, ...] | None = ("",)
        for item in node.items:
            strings = _joined(strings, spell(item, limit), limit)
        return strings
    if isinstance(node, Alternation):
        found: list[str] = []
        for branch in node.branches:
            one = spell(branch, limit)
            if one is None:
                return None
            found += one
        return _distinct(found, limit)
    if isinstance(node, Repeat) and node.most is not None and node.most <= limit and node.mode != "possessive":
        one = spell(node.item, limit)
        if one is None or ("" in one and node.least != node.most):
            return None
        return _repeated(one, node, limit)
    return None


def _repeated(one: tuple[str, ...], node: Repeat, limit: int) -> tuple[str, ...] | None:
    assert node.most is not None
    rest: tuple[str, ...] | None = ("",)  # what comes behind the iterations that are certain
    for _ in range(node.most - node.least):
        more = _joined(one, rest, limit)
        if more is None:
            return None
        rest = _distinct([*more, ""] if node.mode == "greedy" else ["", *more], limit)
    for _ in range(node.least):
        rest = _joined(one, rest, limit)
    return rest


def _joined(left: tuple[str, ...] | None, right: tuple[str, ...] | None, limit: int) -> tuple[str, ...] | None:
    if left is None or right is None or len(left) * len(right) > limit * limit:
        return None
    return _distinct([a + b for a in left for b in right], limit)


def _distinct(strings: list[str], limit: int) -> tuple[str, ...] | None:
    found = tuple(dict.fromkeys(strings))
    return found if len(found) <= limit else None


def is_opaque(node: Node) -> bool:
    """Whether only `regex` itself can decide about the pattern."""
    return any(isinstance(part, Opaque) for part in walk(node))


def opaque_reasons(node: Node) -> tuple[str, ...]:
    """What makes it opaque, named for a person."""
    return tuple(dict.fromkeys(part.what for part in walk(node) if isinstance(part, Opaque)))


def has_lookaround(node: Node) -> bool:
    """Whether there is a lookahead or lookbehind."""
    return any(isinstance(part, Look) for part in walk(node))


def has_backreference(node: Node) -> bool:
    """Whether a match depends on what a group has matched: a back-reference or a conditional."""
    return any(isinstance(part, (BackReference, Conditional)) for part in walk(node))


MOST_COUNTED = 100
"""Turns of counted loops up to which a search is linear in fact: the matcher remembers failures for each turn."""


def counted(node: Node) -> int:
    """How many turns the counted loops take at most, one inside the other; loops over single characters aside."""
    below = max(map(counted, children(node)), default=1)
    if not isinstance(node, Repeat) or is_single(node.item):
        return below
    return below * max(1, node.least if node.most is None else node.most)


def needs_budget(node: Node) -> bool:
    """Whether no bound that a text's length sets makes a search end soon: a back-reference, or too many turns."""
    return has_backreference(node) or counted(node) > MOST_COUNTED


def has_atomic(node: Node) -> bool:
    """Whether there is an atomic group, or a possessive repeat of more than single characters."""
    return any(
        isinstance(part, Atomic)
        or (isinstance(part, Repeat) and part.mode == "possessive" and not is_single(part.item))
        for part in walk(node)
    )


def is_single(node: Node) -> bool:
    """Whether it is one character of a fixed class."""
    return isinstance(node, CharClass) or (isinstance(node, Literal) and len(node.text) == 1)


def left_context(node: Node) -> int | None:
    """How many characters to the left of its start a match attempt may look at; None: any number.

    `^` counts as nothing: whether a place is the start of the text is for the caller to keep visible.
    """
    return _left(node, 0)


def _left(node: Node, consumed: int) -> int | None:
    """The same behind `consumed` characters that the attempt has taken at least."""
    if isinstance(node, Assertion):
        looks = node.kind not in ("text_start", "text_end", "final_end", "line_end")
        return 1 if looks and consumed < 1 else 0
    if isinstance(node, Look):
        inner = _left(node.item, consumed if node.ahead else 0)
        most = 0 if node.ahead else width(node.item)[1]
        if inner is None or most is None:
            return None
        return inner if node.ahead else max(0, most + inner - consumed)
    if isinstance(node, Opaque):
        return None
    needs = []
    for child in children(node):
        needs.append(_left(child, consumed))
        if isinstance(node, Sequence):
            consumed += width(child)[0]
    return None if None in needs else max((need for need in needs if need is not None), default=0)


def named_groups(node: Node) -> dict[str, int]:
    """The index of each named group, in the order of the source."""
    return {part.name: part.index for part in walk(node) if isinstance(part, Group) and part.name is not None}


def always_participates(node: Node, name: str) -> bool:
    """Whether the named group is certain to have a value in every match."""
    index = named_groups(node).get(name)
    return index is not None and _participates(node, index)


def _participates(node: Node, index: int) -> bool:
    if isinstance(node, Group):
        return node.index == index or _participates(node.item, index)
    if isinstance(node, Sequence):
        return any(_participates(item, index) for item in node.items)
    if isinstance(node, (Alternation, Conditional)):
        return all(_participates(branch, index) for branch in children(node))
    if isinstance(node, Repeat):
        return node.least > 0 and _participates(node.item, index)
    if isinstance(node, Look):
        return node.ahead and not node.negative and _participates(node.item, index)
    return isinstance(node, Atomic) and _participates(node.item, index)


@lru_cache(4096)
def matches(source: str, char: str) -> bool:
    """Whether the class holds the character, asked of the installed `regex`."""
    return regex.fullmatch(source, char, regex.DOTALL) is not None


def excludes(node: Node, char: str) -> bool:
    """Whether the single-character node certainly does not match this character; only of ASCII is anything certain."""
    if not char.isascii():
        return isinstance(node, Literal) and node.text != char
    if isinstance(node, Literal):
        return node.text != char
    return isinstance(node, CharClass) and not matches(node.source, char)


def linear_in_regex(node: Node) -> bool:
    """Whether `regex` itself finds all matches, and fails, in time linear in the text. False where that is not certain.

    True for a chain: a literal (or one of several), then literals, single classes, and loops over a class that cannot
    start what follows and that lacks a character of the leading literal; at the end possibly an optional chain.  An
    attempt then never goes over the same characters twice, and only a bounded number of attempts can overlap.
    """
    items = _flat(node)
    leads = spell(items[0]) if items else None
    if not leads or "" in leads:
        return False
    return _is_chain(items[1:], leads)


def _flat(node: Node) -> list[Node]:
    if isinstance(node, Group):
        return _flat(node.item)
    if isinstance(node, Sequence):
        return [part for item in node.items for part in _flat(item)]
    return [node]


def _is_chain(items: list[Node], leads: tuple[str, ...]) -> bool:
    for place, item in enumerate(items):
        rest = items[place + 1 :]
        if isinstance(item, CharClass):
            continue
        strings = spell(item)
        if strings is not None:
            if "" in strings and rest:
                return False
            continue
        if not isinstance(item, Repeat):
            return False
        if is_single(item.item):
            if not all(any(excludes(item.item, char) for char in lead) for lead in leads):
                return False
            if rest and not _cannot_start(item.item, rest[0]):
                return False
        elif (item.least, item.most) != (0, 1) or rest or not _is_chain(_flat(item.item), leads):
            return False
    return True


def _cannot_start(looped: Node, follower: Node) -> bool:
    """Whether no character of the loop can be the first of the follower, which takes at least one."""
    found = first(follower)
    return not found.classes and not found.nullable and all(excludes(looped, char) for char in found.chars)
