"""The compiled regexes by which a state looks for the first literals ("cores") of all its delimiters at once.

Two for each such state, with the same groups, each of which belongs to one delimiter.  `last` is for the end of the
text; where no group took part it has found the newline of an alternative `$`.  `next` is for text that goes on; where
no group took part it has found a core that the edge cuts off, or a newline that may turn out to be the final one.

Cores are arranged by their first character, because `re` skips quickly to a place where one of a few characters stands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rtgen.emit.source import Module, literal
from rtgen.lower import State, Watch, core_order


@dataclass(frozen=True, slots=True)
class CoreSearch:
    """Names of the compiled regexes, and the delimiter of each of their groups (the first group is number 1).

    `probe` is a third one, which is cheap and finds wherever the beginning of a core may stand.
    `order` is the order in which the delimiters are tried. `newline` is the delimiter that an alternative `$` belongs to, `blanks` the cores that white space may precede.
    """

    next: str
    last: str
    probe: str
    order: tuple[Watch, ...]
    groups: tuple[Watch, ...]
    newline: Watch | None
    blanks: tuple[str, ...]

    def numbers(self, watch: Watch) -> tuple[int, ...]:
        """The numbers of the delimiter's groups."""
        return tuple(number for number, owner in enumerate(self.groups, 1) if owner is watch)

    def test(self, watch: Watch) -> str:
        """The condition, on the number `which` of the group that took part, that it is this delimiter."""
        numbers = self.numbers(watch)
        return f"which == {numbers[0]}" if len(numbers) == 1 else f"which in {literal(numbers)}"


def emit_core_search(out: Module, state: State, stem: str) -> CoreSearch:
    """Write the two regexes of a state with the strategy "cores"."""
    order = core_order(state.watches)
    assert order is not None, "the strategy needs an order"
    newline = next((watch for watch in state.watches if watch.kind.final_newline), None)
    groups: list[Watch] = []
    following, last, probe = [], [], []
    for first in dict.fromkeys(core[0] for watch in order for core in watch.kind.cores):
        tails = [(watch, [core[1:] for core in watch.kind.cores if core[0] == first]) for watch in order]
        tails = [(watch, texts) for watch, texts in tails if texts]
        groups += [watch for watch, _ in tails]
        whole = "|".join(f"({'|'.join(map(re.escape, texts))})" for _, texts in tails)
        last.append(f"{re.escape(first)}(?:{whole})")
        seconds = {text[:1] for _, texts in tails for text in texts}
        probe.append(re.escape(first) + ("" if "" in seconds else f"(?![^{re.escape(''.join(sorted(seconds)))}])"))
        following.append(re.escape(first) + _with_edge(whole, {text for _, texts in tails for text in texts}))
    if newline is not None:
        following.append(r"\n\Z")
        last.append(r"\n\Z")
    out.use("re")
    return CoreSearch(
        next=out.constant(f"{stem}_next", f"re.compile({literal('|'.join(following))})"),
        last=out.constant(f"{stem}_last", f"re.compile({literal('|'.join(last))})"),
        order=order,
        probe=out.constant(f"{stem}_probe", f"re.compile({literal('|'.join(probe))})"),
        groups=tuple(groups),
        newline=newline,
        blanks=tuple(core for watch in order if watch.kind.blanks_before for core in watch.kind.cores),
    )


def emit_starts(out: Module, watches: tuple[Watch, ...]) -> str | None:
    """The name of a regex that finds a place where one of the delimiters may begin, or be cut off by the edge.

    It is for text behind the start. "" when none can begin anywhere; None when one may begin at any place.
    """
    sources: dict[str, None] = {}
    literals: set[str] = set()
    for watch in watches:
        starts = watch.kind.starts
        if starts.classes is None:
            return None
        literals.update(starts.literals)
        sources.update(dict.fromkeys(starts.classes))
        if starts.blanks:
            sources[r"\s\Z"] = None
        if starts.newline:
            sources[r"\n\Z"] = None
    for first in sorted({text[0] for text in literals}):
        tails = {text[1:] for text in literals if text[0] == first}
        whole = "|".join(map(re.escape, sorted(tails)))
        sources[re.escape(first) + _with_edge(whole, tails)] = None
    if not sources:
        return ""
    out.use("regex")
    return out.constant("starts", f"regex.compile({literal('|'.join(sources))}, regex.DOTALL)")


def _with_edge(whole: str, tails: set[str]) -> str:
    """What may follow the first character: `whole`, or a proper prefix of the tails at the end of the text.

    A tail that is complete may be the beginning of a longer one: where that can be, the edge comes first.
    """
    if tails == {""}:
        return f"(?:{whole})"
    cut = f"{_prefixes(tails)}\\Z"
    if any(a != b and a.startswith(b) for a in tails for b in tails):
        return f"(?:(?!{cut})(?:{whole})|{cut})"
    return f"(?:{whole}|{cut})"


def _prefixes(texts: set[str]) -> str:
    """A regex for the proper prefixes of the texts (the empty one too), the longest first."""
    heads: dict[str, set[str]] = {}
    for text in texts:
        if len(text) > 1:
            heads.setdefault(text[0], set()).add(text[1:])
    longer = "|".join(re.escape(head) + _prefixes(heads[head]) for head in sorted(heads))
    return f"(?:{longer})?" if longer else ""
