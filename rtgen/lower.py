"""From a template to a program: the states of the parser, what each watches, where each delimiter leads.

Theory of operation.  The parser is always in one region: an explicit one, between its opener and its closer, or
*outside*, where the implicit field (if there is one) takes what no delimiter claims.  Outside it watches every opener
and the implicit field's closer; in an explicit region its closer alone.  Of the delimiters found, the winner has the
smallest (start, -length, opener before closer, field name); `Watch.rank` is the order of the last two.

How a state searches (`State.strategy`) follows from the kinds of its delimiters:

    nothing     it watches none: everything up to the end of the text belongs to the region
    cores       every delimiter begins with literals (behind white space at most), and no two of them can compete for
                one place: one compiled alternation finds the next literal, and only there a pattern is tried
    searches    anything else: each delimiter is searched for itself, and the smallest wins
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from rtgen.delimiters.classify import Kind, behind_start, classify
from rtgen.template import Field, Template

Strategy = Literal["nothing", "cores", "searches"]
Role = Literal["open", "close"]


@dataclass(frozen=True, slots=True)
class Watch:
    """A delimiter that a state looks for: the opener of `field`, or its closer."""

    role: Role
    field: Field
    kind: Kind
    rank: int


@dataclass(frozen=True, slots=True)
class State:
    """One state. `field` is the region's field; None outside, where there is no implicit field.

    `watches` are in the order of their rank. `context` is how many characters left of a search the delimiters may look
    at (None: all of them).
    """

    field: Field | None
    outside: bool
    watches: tuple[Watch, ...]
    strategy: Strategy
    context: int | None

    @property
    def label(self) -> str:
        """How listings name the state."""
        if self.field is None:
            return "outside"
        return f"outside, in {self.field.name}" if self.outside else f"in {self.field.name}"


@dataclass(frozen=True, slots=True)
class Program:
    """The states of a template: `outside`, and one for each explicit field, in its order.

    `start` is `outside` at the start of the text, where alternatives with `^` can be met; it is `outside` itself where
    no delimiter has any.
    """

    template: Template
    anchor: Kind
    start: State
    outside: State
    regions: tuple[State, ...]

    @property
    def states(self) -> tuple[State, ...]:
        return (self.outside, *self.regions)


def lower(template: Template) -> Program:
    """The program of a valid template."""
    at_start: dict[tuple[Role, str], Kind] = {}
    behind: dict[tuple[Role, str], Kind | None] = {}
    for field in template.fields:
        for role, delimiter in (("open", field.open), ("close", field.close)):
            if delimiter is not None:
                key: tuple[Role, str] = (role, field.name)  # type: ignore[assignment]
                at_start[key] = classify(delimiter)
                outside = role == "open" or field is template.implicit
                behind[key] = behind_start(at_start[key]) if outside else at_start[key]
    context = _context([kind for kind in behind.values() if kind is not None])

    def state(
        field: Field | None, watched: list[tuple[Role, Field]], kinds: Mapping[tuple[Role, str], Kind | None]
    ) -> State:
        ranked = sorted(watched, key=lambda item: (item[0] == "close", item[1].name))
        watches = []
        for rank, (role, owner) in enumerate(ranked):
            kind = kinds[role, owner.name]
            if kind is not None:
                watches.append(Watch(role, owner, kind, rank))
        return State(field, field is template.implicit, tuple(watches), _strategy(tuple(watches), context), context)

    openers: list[tuple[Role, Field]] = [("open", field) for field in template.fields if field.open is not None]
    implicit = template.implicit
    ends: list[tuple[Role, Field]] = [("close", implicit)] if implicit is not None and implicit.close else []
    outside_state = state(implicit, [*openers, *ends], behind)
    start = outside_state
    if any(kind is not behind[key] for key, kind in at_start.items()):
        start = replace(state(implicit, [*openers, *ends], at_start), strategy="searches")
    regions = [state(field, [("close", field)] if field.close else [], behind) for _, field in openers]
    return Program(template, classify(template.anchor), start, outside_state, tuple(regions))


def _context(kinds: list[Kind]) -> int | None:
    """How much text before a search must stay at hand: in every state, since the next one may look back into it."""
    contexts = [kind.context for kind in kinds]
    return None if None in contexts else max((c for c in contexts if c is not None), default=0)


def _strategy(watches: tuple[Watch, ...], context: int | None) -> Strategy:
    if context != 0:
        return "searches"
    if not watches:
        return "nothing"
    if all(watch.kind.cores for watch in watches) and not _compete(watches) and core_order(watches) is not None:
        return "cores"
    return "searches"


def core_order(watches: tuple[Watch, ...]) -> tuple[Watch, ...] | None:
    """The watches in an order in which a core is tried before its own prefixes; None where there is no such order."""
    left, order = list(watches), []
    while left:
        ready = [watch for watch in left if not any(_continues(other, watch) for other in left if other is not watch)]
        if not ready:
            return None
        order.append(ready[0])
        left.remove(ready[0])
    return tuple(order)


def _continues(longer: Watch, shorter: Watch) -> bool:
    return any(a != b and a.startswith(b) for a in longer.kind.cores for b in shorter.kind.cores)


def _compete(watches: tuple[Watch, ...]) -> bool:
    """Whether more than a first look at the literals is needed to tell which delimiter wins at a place.

    Plain literals of which one continues the other are settled by trying the longer first; any other overlap is not.
    A literal that begins with white space may begin inside the white space before another.
    """
    blanks_before = any(watch.kind.blanks_before for watch in watches)
    for watch in watches:
        if blanks_before and any(core[0].isspace() for core in watch.kind.cores):
            return True
        for other in watches:
            if other.rank <= watch.rank:
                continue
            plain = all(w.kind.settled_by == "core" and not w.kind.blanks_before for w in (watch, other))
            for a in watch.kind.cores:
                for b in other.kind.cores:
                    if a == b or (not plain and (a.startswith(b) or b.startswith(a))):
                        return True
    return False
