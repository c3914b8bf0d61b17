"""What a delimiter is: its kind, what it starts with, what it can hold back, and how it may be found.

    1  literals                    str.find, or one compiled alternation of literals
    2  literals between blanks     find the literal, then walk over the white space on either side
    3  a regular pattern           found by its first literals, then settled by the matcher, in linear time; no loop
                                   over more than a character is counted beyond `facts.MOST_COUNTED` turns
    4  anything else               the same with a budget of steps; or, outside the promise, at the end of the text

The facts are found by looking at the delimiter alone; `strategy` in `lower` decides from them how a state searches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import regex

from rtgen.delimiters.starts import (
    BLANKS,
    MOST_CORES,
    is_blanks,
    items,
    leading_literals,
    shortest,
    starts_of,
    without_final_end,
    without_text_start,
)
from rtgen.pattern import facts
from rtgen.pattern.beginnings import Beginnings
from rtgen.pattern.nodes import Alternation, Assertion, CharClass, Literal, Node, Repeat, Sequence
from rtgen.pattern.parse import parse
from rtgen.template import Delimiter


@dataclass(frozen=True, slots=True)
class Kind:
    """The facts about one delimiter.

    `number` is the kind, 1 to 4. `cores`: the literals one of which every match holds first, after `blanks_before` (if
    set, any white space) — the first that fits wins; empty: a match may start anywhere. `settled_by`: what follows the
    core, "core" nothing, "blanks" any white space, "pattern" what only the matcher can tell. `final_newline`: the
    delimiter is also found, empty, before a newline that ends the text (an alternative `$`). `context`: characters left
    of a match that it may look at (None: all). `holds`: the longest text that can be held back while the delimiter is
    undecided (None: without limit). `groups`: its named groups. `linear`: the backtracking engine of `regex` is certain
    to need linear time. `starts`: what a match can begin with behind the start of the text (None: anything). `whole` is
    the pattern's tree, `node` the part of it that begins with a core. `literals`: all that kinds 1 and 2 can hold but
    white space, the one that is tried first first; `blanks_after`: white space may follow them. `listed`: it is given
    as a list of literals, not as a pattern.
    """

    number: int
    source: str
    cores: tuple[str, ...]
    blanks_before: bool
    settled_by: str
    final_newline: bool
    context: int | None
    holds: int | None
    groups: tuple[str, ...]
    opaque: bool
    linear: bool
    node: Node
    whole: Node
    starts: Beginnings | None
    literals: tuple[str, ...] = ()
    blanks_after: bool = False
    listed: bool = False

    @property
    def may_be_empty(self) -> bool:
        """Whether a match may hold no character."""
        return self.final_newline or facts.width(self.whole)[0] == 0


def classify(delimiter: Delimiter) -> Kind:
    """The facts about a delimiter that `template.validate` has accepted."""
    if delimiter.pattern is None:
        cores = tuple(sorted(delimiter.literals, key=len, reverse=True))
        return replace(_of_cores(cores, False, False, False, delimiter.source), listed=True)
    return _of_tree(parse(delimiter.pattern), delimiter.source)


def behind_start(kind: Kind) -> Kind | None:
    """The same delimiter where text has come before: without the alternatives that only the start of the text meets.

    None if nothing is left of it; the kind itself if there are none.
    """
    if kind.opaque or not any(part == Assertion("text_start") for part in facts.walk(kind.whole)):
        return kind
    rest = without_text_start(kind.whole)
    return None if rest is None else _of_tree(rest, kind.source)


def _of_tree(node: Node, source: str) -> Kind:
    opaque = facts.is_opaque(node)
    groups = tuple(regex.compile(source, regex.DOTALL).groupindex if opaque else facts.named_groups(node))
    if not groups and not opaque:
        simple = _simple(node, source)
        if simple is not None:
            return simple
    return _of_pattern(node, groups, source)


def _of_cores(cores: tuple[str, ...], before: bool, after: bool, newline: bool, source: str) -> Kind:
    """Kinds 1 and 2, and either of them with an alternative `$` (then it is a regular pattern: kind 3)."""
    node = _cores_node(cores, before, after)
    whole = Alternation((node, Assertion("final_end"))) if newline else node
    first = shortest(cores)
    # Of literals that continue each other, the short one makes sure that the delimiter is there, and only what follows
    # tells how long it is: that is for the matcher, so that its events need not wait.
    settled = "pattern" if len(first) < len(cores) else "blanks" if after else "core"
    return Kind(
        number=3 if newline else 2 if before or after else 1,
        source=source,
        cores=first,
        blanks_before=before,
        settled_by=settled,
        final_newline=newline,
        context=0,
        holds=None if before else max(max(map(len, cores)) - 1, int(newline)),
        groups=(),
        opaque=False,
        linear=True,
        node=_cores_node(cores, False, after),
        whole=whole,
        starts=starts_of(whole),
        literals=cores,
        blanks_after=after,
    )


def _cores_node(cores: tuple[str, ...], before: bool, after: bool) -> Node:
    blanks = Repeat(CharClass(BLANKS), 0, None, "greedy")
    core: Node = Literal(cores[0]) if len(cores) == 1 else Alternation(tuple(map(Literal, cores)))
    return Sequence((*([blanks] if before else []), core, *([blanks] if after else [])))


def _simple(node: Node, source: str) -> Kind | None:
    """The delimiter as literals between blanks, where it is no more than that."""
    newline, node = without_final_end(node)
    parts = list(items(node))
    before = bool(parts) and is_blanks(parts[0])
    if before:
        parts.pop(0)
    after = bool(parts) and is_blanks(parts[-1])
    if after:
        parts.pop()
    cores = _reachable(facts.spell(Sequence(tuple(parts)), MOST_CORES) or ())
    if not cores or "" in cores:
        return None
    if (before or newline) and any(_starts_blank(core) for core in cores):
        return None
    return _of_cores(cores, before, after, newline, source)


def _of_pattern(node: Node, groups: tuple[str, ...], source: str) -> Kind:
    opaque = facts.is_opaque(node)
    regular = not (opaque or facts.has_lookaround(node) or facts.needs_budget(node) or facts.has_atomic(node))
    newline, rest = (False, node) if opaque or groups else without_final_end(node)
    parts = list(items(rest))
    before = bool(parts) and is_blanks(parts[0])
    cores = () if opaque else leading_literals(parts[1:] if before else parts)
    context = facts.left_context(node)
    if context is not None and any(part == Assertion("text_start") for part in facts.walk(node)):
        context += 1  # so that a place where text was cut is not taken for the start
    if ((before or newline) and any(_starts_blank(core) for core in cores)) or context != 0:
        cores = ()
    if not cores:
        newline, before, rest = False, False, node
    most = facts.width(node)[1]
    return Kind(
        number=3 if regular else 4,
        source=source,
        cores=cores,
        blanks_before=before,
        settled_by="pattern",
        final_newline=newline,
        context=context,
        holds=most if regular and not before else None,
        groups=groups,
        opaque=opaque,
        linear=regular and facts.linear_in_regex(node),
        node=Sequence(tuple(parts[1:])) if before else rest,
        whole=node,
        starts=starts_of(node),
    )


def _starts_blank(core: str) -> bool:
    return core[0].isspace()


def _reachable(spelled: tuple[str, ...]) -> tuple[str, ...]:
    """The literals that can win: one behind its own prefix never does, nor one that stands there already."""
    kept: list[str] = []
    for text in spelled:
        if not any(text.startswith(earlier) for earlier in kept):
            kept.append(text)
    return tuple(kept)
