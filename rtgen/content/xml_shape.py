r"""The usual shape of a `tag_pattern`, which plain string searches read: `LEAD key MIDDLE value CLOSE`.

    <parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>
    <arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>

- LEAD is a literal.
- The key is a run of one class that lacks the first character of MIDDLE, so only the longest run can go on; or `.*?`,
  which ends at the first MIDDLE.
- MIDDLE is a literal, then perhaps `\s*` and a literal that holds something else. Where it begins settles where it
  ends.
- The value is `.*?`. Before it there may be a gap, `\s*` or one optional character; after it the same, then CLOSE.
- CLOSE is a literal, or starts with one and has a bounded width. Its first character is none of the gap's, so a gap
  that gives characters back finds no CLOSE that it did not find before.

Hence a match exists from a LEAD with its key and MIDDLE if any CLOSE follows; where none does, none follows a later
LEAD, and the search is over. A LEAD whose run of the key's class ends badly spoils every LEAD within the run, for their
runs end at the same place. With both, no character is looked at more than a few times.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from rtgen.pattern import facts
from rtgen.pattern.nodes import (
    ANY,
    Alternation,
    Assertion,
    CharClass,
    Group,
    Literal,
    Look,
    Node,
    Repeat,
    Sequence,
)

BLANK = CharClass(r"\s")


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern of the usual shape.

    `run` is the regex source of the key's run with its quantifier, None for `.*?`; `middle` is a literal, or two with
    `\\s*` between them; `close` is a literal (str) or a pattern (Node). `gap` and `trail` say what may stand before and
    after the value: `""` nothing, `"\\s"` any white space, another string that string or nothing.
    """

    lead: str
    run: str | None
    middle: tuple[str, ...]
    gap: str
    trail: str
    close: str | Node


def recognise(node: Node) -> Shape | None:
    """The shape of a tag pattern's tree, None if it is another one."""
    items = _flat(node)
    names = [item.name if isinstance(item, Group) else None for item in items]
    if names.count("key") != 1 or names.count("value") != 1 or not isinstance(items[0], Literal):
        return None
    key, value = names.index("key"), names.index("value")
    if key != 1 or value < 3 or value + 1 >= len(items) or len(facts.named_groups(node)) != 2:
        return None
    key_item, value_item = _inside(items[key]), _inside(items[value])
    if value_item != Repeat(ANY, 0, None, "lazy"):
        return None
    before, gap = _split_gap(items[2:value], last=True)
    after, trail = _split_gap(items[value + 1 :], last=False)
    middle, close = _middle(before), _close(after, trail)
    if gap is None or trail is None or middle is None or close is None:
        return None
    if not all(_excludes(side, _first_char(close)) for side in (gap, trail)):
        return None
    run = None
    if key_item != Repeat(ANY, 0, None, "lazy"):
        if not isinstance(key_item, Repeat) or not isinstance(key_item.item, CharClass):
            return None
        if key_item.least > 1 or key_item.most is not None:
            return None
        if not middle[0][0].isascii() or not facts.excludes(key_item.item, middle[0][0]):
            return None
        run = f"{key_item.item.source}{'+' if key_item.least else '*'}+"
    return Shape(items[0].text, run, middle, gap, trail, close)


def _flat(node: Node) -> list[Node]:
    """The items of a sequence, with unnamed groups opened."""
    if isinstance(node, Sequence):
        return [part for item in node.items for part in _flat(item)]
    if isinstance(node, Group) and node.name is None:
        return _flat(node.item)
    return [node]


def _inside(node: Node) -> Node:
    return node.item if isinstance(node, Group) else node


def _split_gap(items: list[Node], last: bool) -> tuple[list[Node], str | None]:
    """The items without the gap at their end (or beginning), and the gap; None for one that is not understood."""
    if not items or not isinstance(items[-1 if last else 0], Repeat):
        return items, ""
    gap = items[-1 if last else 0]
    rest = items[:-1] if last else items[1:]
    if gap in (Repeat(BLANK, 0, None, "greedy"), Repeat(BLANK, 0, None, "possessive")):
        return rest, r"\s"
    one = gap.item if isinstance(gap, Repeat) and (gap.least, gap.most) == (0, 1) and gap.mode != "lazy" else None
    if isinstance(one, Literal) and len(one.text) == 1 and one.text.isascii():
        return rest, one.text
    return rest, None


def _excludes(gap: str, char: str) -> bool:
    """Whether this character is certainly none of the gap's."""
    if gap == "":
        return True
    return char.isascii() and (facts.excludes(BLANK, char) if gap == r"\s" else gap != char)


def _middle(items: list[Node]) -> tuple[str, ...] | None:
    """A literal, or two with white space between, the second with something else in it; None for anything else."""
    if not items or not isinstance(items[0], Literal):
        return None
    if len(items) == 1:
        return (items[0].text,)
    last = items[-1]
    if len(items) != 3 or items[1] != Repeat(BLANK, 0, None, "greedy") or not isinstance(last, Literal):
        return None
    solid = last.text.lstrip(" \t\n\r")
    return (items[0].text, last.text) if solid and _excludes(r"\s", solid[0]) else None


def _close(items: list[Node], trail: str | None) -> str | Node | None:
    """A literal, or (after no trail) a pattern of bounded width that starts with one; None for anything else."""
    if not items or not isinstance(items[0], Literal):
        return None
    if len(items) == 1:
        return items[0].text
    node = Sequence(tuple(items))
    if trail or not all(_plain(part) for part in facts.walk(node)) or facts.width(node)[1] is None:
        return None
    return node


def _plain(node: Node) -> bool:
    """Whether `source` can write this node and its match looks a bounded way ahead and not back."""
    if isinstance(node, Look):
        return node.ahead and facts.width(node.item)[1] is not None
    if isinstance(node, Assertion):
        return node.kind == "text_end"
    return isinstance(node, (Literal, CharClass, Sequence, Alternation, Repeat))


def _first_char(part: str | Node) -> str:
    if isinstance(part, str):
        return part[0]
    assert isinstance(part, Sequence) and isinstance(part.items[0], Literal)
    return part.items[0].text[0]


def source(node: str | Node) -> str:
    """Regex source of a node that `_plain` accepts."""
    if isinstance(node, str):
        return str(regex.escape(node)).replace("\\\n", r"\n").replace("\\\t", r"\t").replace("\\\r", r"\r")
    if isinstance(node, Literal):
        return source(node.text)
    if isinstance(node, (CharClass, Look)):
        return node.source
    if isinstance(node, Sequence):
        return "".join(map(source, node.items))
    if isinstance(node, Alternation):
        return f"(?:{'|'.join(map(source, node.branches))})"
    if isinstance(node, Assertion):
        return r"\Z"
    assert isinstance(node, Repeat)
    item = source(node.item)
    if not facts.is_single(node.item):
        item = f"(?:{item})"
    most = "" if node.most is None else str(node.most)
    counts = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    count = counts.get((node.least, node.most), f"{{{node.least},{most}}}")
    return item + count + {"greedy": "", "lazy": "?", "possessive": "+"}[node.mode]
