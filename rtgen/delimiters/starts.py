"""How the matches of a pattern begin: with literals, behind white space, with a character of some class, anyhow."""

from __future__ import annotations

from dataclasses import replace

from rtgen.pattern import facts
from rtgen.pattern.beginnings import Beginnings, beginnings
from rtgen.pattern.nodes import (
    EMPTY,
    Alternation,
    Assertion,
    Atomic,
    CharClass,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
)

BLANKS = r"\s"
"""The class that may stand, as `\\s*`, before or after the literals of kind 2."""

MOST_CORES = 64
"""Literals that one delimiter may start with before it counts as starting anywhere."""


ENOUGH_CORES = 4
"""Literals that a pattern may start with before it is taken for a longer beginning that they are told apart further."""


def starts_of(node: Node) -> Beginnings | None:
    """What the matches of a pattern begin with, other than at the start of the text; None: any place will do."""
    return beginnings(without_text_start(node) or node)


def without_text_start(node: Node) -> Node | None:
    """The pattern where text has come before, so that `^` is never met; None if it then matches nothing."""
    if node == Assertion("text_start"):
        return None
    if isinstance(node, Sequence):
        parts = [without_text_start(item) for item in node.items]
        kept = tuple(part for part in parts if part is not None)
        return Sequence(kept) if len(kept) == len(parts) else None
    if isinstance(node, Alternation):
        branches = tuple(rest for rest in map(without_text_start, node.branches) if rest is not None)
        if not branches:
            return None
        return branches[0] if len(branches) == 1 else Alternation(branches)
    if isinstance(node, (Group, Atomic, Repeat)):
        rest = without_text_start(node.item)
        if rest is None:
            return EMPTY if isinstance(node, Repeat) and node.least == 0 else None
        return replace(node, item=rest)
    return node


def items(node: Node) -> tuple[Node, ...]:
    """The items of a sequence, with groups that nothing refers to opened up."""
    if isinstance(node, Group) and node.name is None:
        return items(node.item)
    if isinstance(node, Sequence):
        return tuple(part for item in node.items for part in items(item))
    return (node,)


def without_final_end(node: Node) -> tuple[bool, Node]:
    """Whether a top-level alternative is `$` alone, and the pattern without it."""
    parts = items(node)
    if len(parts) != 1 or not isinstance(parts[0], Alternation):
        return False, node
    branches = parts[0].branches
    others = tuple(branch for branch in branches if items(branch) != (Assertion("final_end"),))
    if len(others) in (0, len(branches)):
        return False, node
    return True, others[0] if len(others) == 1 else Alternation(others)


def is_blanks(node: Node) -> bool:
    """Whether it is `\\s*`, as greedy as can be."""
    return (
        isinstance(node, Repeat)
        and node.item == CharClass(BLANKS)
        and (node.least, node.most) == (0, None)
        and node.mode != "lazy"
    )


def leading_literals(parts: list[Node]) -> tuple[str, ...]:
    """Literals one of which every match of the sequence begins with; () where there are none or too many.

    They are shortened to none being the prefix of another, so that one place holds at most one of them.
    """
    spelled: tuple[str, ...] = ("",)
    for item in parts:
        heads = facts.spell(_bare(item), MOST_CORES)
        if heads is None:
            if isinstance(item, Alternation) and spelled == ("",):
                branches = [leading_literals(list(items(branch))) for branch in item.branches]
                if all(branches):
                    spelled = tuple(dict.fromkeys(head for branch in branches for head in branch))
            elif isinstance(item, Group):
                inner = leading_literals(list(items(item.item)))
                spelled = tuple(dict.fromkeys(a + b for a in spelled for b in inner)) if inner else spelled
            break
        longer = tuple(dict.fromkeys(a + b for a in spelled for b in heads))
        if len(longer) > MOST_CORES or (len(longer) > max(len(spelled), ENOUGH_CORES) and "" not in spelled):
            break
        spelled = longer
    short = shortest(spelled)
    return () if "" in short or len(short) > MOST_CORES else short


def shortest(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Those of which no other is a prefix."""
    return tuple(text for text in texts if not any(text != other and text.startswith(other) for other in texts))


def _bare(item: Node) -> Node:
    """The item as far as the characters at its beginning go: groups opened, zero-width conditions left out."""
    if isinstance(item, Group):
        return _bare(item.item)
    if isinstance(item, (Assertion, Look)):
        return EMPTY
    return item
