"""The compiled regex by which a state looks for the first literals ("cores") of all its delimiters at once.

Each group of it belongs to one delimiter.  A core that the edge of the text cuts off is found by `cut_literals`.

Cores are arranged by their first character, because `re` skips quickly to a place where one of a few characters is.
"""

from __future__ import annotations

import re

from rtgen.delimiters.starts import BLANKS
from rtgen.emit.source import Module, literal
from rtgen.lower import State, Watch, core_order


class CoreSearch:
    """The search for the cores of a state; regexes and constants are written when they are first asked for.

    `order` is the order in which the delimiters are tried, `newline` the delimiter that an alternative `$` belongs to,
    `blanks` the cores that white space may precede. `nested`: a core stands inside another, so that one that is found
    near the edge may be no more than a part of that.
    """

    def __init__(self, out: Module, state: State, stem: str) -> None:
        order = core_order(state.watches)
        assert order is not None, "the strategy needs an order"
        self._out, self._stem = out, stem
        self.order = order
        self.newline = next((watch for watch in state.watches if watch.kind.final_newline), None)
        self.blanks = tuple(core for watch in order if watch.kind.blanks_before for core in watch.kind.cores)
        self._cores = tuple(dict.fromkeys(core for watch in order for core in watch.kind.cores))
        self.nested = any(b in a[:-1] for a in self._cores for b in self._cores)
        self._owners: list[Watch] = []
        self._parts: list[str] = []
        self._probe: list[str] = []
        for first in dict.fromkeys(core[0] for core in self._cores):
            self._add(first)

    def _add(self, first: str) -> None:
        """The branches of the regexes for cores that begin with this character."""
        escaped = re.escape(first)
        tails = [(watch, [core[1:] for core in watch.kind.cores if core[0] == first]) for watch in self.order]
        tails = [(watch, texts) for watch, texts in tails if texts]
        self._owners += [watch for watch, _ in tails]
        self._parts.append(f"{escaped}(?:{'|'.join(_group(texts) for _, texts in tails)})")
        seconds = sorted({text[:1] for _, texts in tails for text in texts})
        self._probe.append(escaped + ("" if "" in seconds else f"(?![^{re.escape(''.join(seconds))}])"))

    def _constant(self, hint: str, parts: list[str]) -> str:
        self._out.use("re")
        return self._out.constant(f"{self._stem}_{hint}", f"re.compile({literal('|'.join(parts))})")

    @property
    def regex(self) -> str:
        """The name of the regex that finds the next core."""
        return self._constant("starts", self._parts)

    @property
    def literals(self) -> str:
        """The name of the tuple of all cores."""
        return self._out.constant(f"{self._stem}_literals", literal(self._cores))

    @property
    def behind_blanks(self) -> str:
        """The name of the tuple of the cores that white space may precede."""
        if self.blanks == self._cores:
            return self.literals
        return self._out.constant(f"{self._stem}_behind_blanks", literal(self.blanks))

    @property
    def probe(self) -> str:
        """The name of a cheap regex that finds wherever the beginning of a core may stand."""
        return self._constant("probe", self._probe)

    def test(self, watch: Watch) -> str:
        """The condition, on the number `which` of the group that took part, that it is this delimiter."""
        numbers = tuple(number for number, owner in enumerate(self._owners, 1) if owner is watch)
        return f"which == {numbers[0]}" if len(numbers) == 1 else f"which in {literal(numbers)}"


def _group(texts: list[str]) -> str:
    return f"({'|'.join(map(re.escape, texts))})"


LONGEST_START = 100
"""Characters by which a literal's beginning is recognised: a regex for its prefixes nests one group for each."""


PLACE_SOURCES = {"line_start": "(?m:^)(?s:.)", "final_end": r"\n\Z"}
"""How a place is found at which a delimiter may begin, behind the start of the text and before its end."""


def holds_blanks(watches: tuple[Watch, ...]) -> bool:
    """Whether white space at the edge is held back for one of the delimiters, and no other run for any of them."""
    starts = [watch.kind.starts for watch in watches]
    runs = [each for each in starts if each is not None and each.runs]
    return any(each.waits for each in runs) and all(each.runs == (BLANKS,) for each in runs)


def emit_starts(out: Module, watches: tuple[Watch, ...]) -> str | None:
    """The name of a regex that finds a place where one of the delimiters may begin, or be cut off by the edge.

    It is for text behind the start; of long literals the beginning will do. White space at the edge is left to who
    `holds_blanks`. "" when none can begin anywhere; None when one may begin at any place.
    """
    sources: dict[str, None] = {}
    literals: dict[str, set[str]] = {}  # by the lookbehind before them
    for watch in watches:
        starts = watch.kind.starts
        if starts is None:
            return None
        behind = dict(starts.behind)
        for text in starts.strings:
            literals.setdefault(behind.get(text, ""), set()).add(text[:LONGEST_START])
        # As lookaheads, since `regex` misreads alternatives between negated classes.
        sources.update((f"(?={source})" if "^" in source else source, None) for source in starts.classes)
        if not holds_blanks(watches):
            sources.update((f"(?:{source})\\Z", None) for source in starts.runs)
        sources.update((PLACE_SOURCES[place], None) for place in starts.places if place in PLACE_SOURCES)
    for before in sorted(literals):
        for first in sorted({text[0] for text in literals[before]}):
            tails = {text[1:] for text in literals[before] if text[0] == first}
            whole = "|".join(map(re.escape, sorted(tails)))
            sources[before + re.escape(first) + _with_edge(whole, tails)] = None
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
