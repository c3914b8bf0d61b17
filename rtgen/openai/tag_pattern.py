r"""What a `tag_pattern` tells of a tag that is not complete yet.

Most patterns are a head with the key, a value `.*?`, and a tail. Such a value ends where the tail first matches behind
the head, so all before a place from which the tail cannot match, whatever follows, is certain to be the value's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rtgen.pattern import facts
from rtgen.pattern.nodes import ANY, Assertion, Conditional, Group, Node, Repeat, Sequence
from rtgen.pattern.parse import parse
from rtgen.pattern.program import Program, compile_program


@dataclass(frozen=True, slots=True)
class TagPattern:
    """Programs for `rtgen.runtime.pattern.Search`: of the head and the tail, or of the whole tag where it has none.

    `context` is the number of characters that have to stand before the place of a search.
    """

    whole: Program
    head: Program | None
    tail: Program | None
    context: int


@lru_cache(256)
def read_tag_pattern(pattern: str) -> TagPattern | None:
    """The programs of a pattern; None for one that tells nothing before the region has closed."""
    try:
        node = parse(pattern)
        if facts.is_opaque(node) or facts.has_backreference(node) or facts.width(node)[0] == 0:
            return None
        context = facts.left_context(node)
        if context is None or any(
            isinstance(part, Assertion) and part.kind == "text_start" for part in facts.walk(node)
        ):
            return None
        if any(not facts.always_participates(node, name) for name in ("key", "value")):
            return None
        head, tail = _split(_flat(node))
        if head is None or tail is None:
            return TagPattern(compile_program(node), None, None, context)
        context = max(context, facts.left_context(tail) or 0)
        return TagPattern(compile_program(node), compile_program(head), compile_program(tail), context)
    except Exception:  # whatever is wrong with it shows when a region is parsed
        return None


def _split(items: list[Node]) -> tuple[Node | None, Node | None]:
    """The head and the tail around the value, None for patterns of another shape."""
    named = [item.name if isinstance(item, Group) else None for item in items]
    parts = [part for item in items for part in facts.walk(item)]
    groups = [part.name for part in parts if isinstance(part, Group)]
    if groups.count("key") != 1 or groups.count("value") != 1 or "value" not in named:
        return None, None
    if any(isinstance(part, Conditional) for part in parts):
        return None, None  # the tail may ask about the head
    place = named.index("value")
    value = items[place]
    head, tail = Sequence(tuple(items[:place])), Sequence(tuple(items[place + 1 :]))
    if not isinstance(value, Group) or value.item != Repeat(ANY, 0, None, "lazy") or not tail.items:
        return None, None
    if not facts.always_participates(head, "key") or facts.width(head)[0] == 0:
        return None, None
    return head, tail


def _flat(node: Any) -> list[Node]:
    """The items of a sequence, with the sequences among them opened."""
    if isinstance(node, Sequence):
        return [part for item in node.items for part in _flat(item)]
    return [node]
