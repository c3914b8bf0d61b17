"""The compiled regexes by which a state looks for the first literals ("cores") of all its delimiters at once.

Two for each such state.  `last` is for the end of the text: one group a delimiter, in the order in which literals that
continue each other must be tried, and one more for an alternative `$`.  `next` is for text that goes on: its last
group finds a core that the edge cuts off, or a newline that may turn out to be the final one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rtgen.emit.source import Module, literal
from rtgen.lower import State, Watch, core_order


@dataclass(frozen=True, slots=True)
class CoreSearch:
    """Names of the compiled regexes, and what their groups mean: group 1 + i is `order[i]`, the next one the edge.

    `newline` is the delimiter that an alternative `$` belongs to, `blanks` the cores that white space may precede.
    """

    next: str
    last: str
    order: tuple[Watch, ...]
    newline: Watch | None
    blanks: tuple[str, ...]

    @property
    def edge(self) -> int:
        """The number of the last group."""
        return len(self.order) + 1


def emit_core_search(out: Module, state: State, stem: str) -> CoreSearch:
    """Write the two regexes of a state with the strategy "cores"."""
    order = core_order(state.watches)
    assert order is not None, "the strategy needs an order"
    newline = next((watch for watch in state.watches if watch.kind.final_newline), None)
    groups = "|".join(f"({_alternatives(watch.kind.cores)})" for watch in order)
    cut = _cut({core for watch in order for core in watch.kind.cores})
    edge = "|".join(part for part in (cut, "\\n" if newline else "") if part)
    out.use("re")
    last = groups + (r"|(\n)\Z" if newline else "")
    following = f"({edge})\\Z" if edge else "(?!)"
    # A core that is complete may be the beginning of a longer one, so the edge comes first where that can be.
    continues = any(a != b and a.startswith(b) for a in _all(order) for b in _all(order))
    next_source = _edge_first(groups, following, len(order)) if continues else f"{groups}|{following}"
    return CoreSearch(
        next=out.constant(f"{stem}_next", f"re.compile({literal(next_source)})"),
        last=out.constant(f"{stem}_last", f"re.compile({literal(last)})"),
        order=order,
        newline=newline,
        blanks=tuple(core for watch in order if watch.kind.blanks_before for core in watch.kind.cores),
    )


def _all(order: tuple[Watch, ...]) -> list[str]:
    return [core for watch in order for core in watch.kind.cores]


def _edge_first(groups: str, following: str, count: int) -> str:
    """Groups that fit only where the edge does not cut a longer core off, so that the numbers stay as they are."""
    bare = following.replace("(", "(?:", 1)
    return f"(?!{bare})(?:{groups})|{following}"


def _alternatives(cores: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, cores))


def _cut(cores: set[str]) -> str:
    """A regex for the proper prefixes of the cores, the longest first; "" when all are single characters."""
    heads: dict[str, set[str]] = {}
    for core in cores:
        if len(core) > 1:
            heads.setdefault(core[0], set()).add(core[1:])
    parts = []
    for head in sorted(heads):
        more = _cut(heads[head])
        parts.append(re.escape(head) + (f"(?:{more})?" if more else ""))
    return "|".join(parts)


def first_characters(state: State) -> str:
    """The characters that a core of the state can begin with, sorted."""
    return "".join(sorted({core[0] for watch in state.watches for core in watch.kind.cores}))
