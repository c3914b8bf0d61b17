"""What the matches of a pattern begin with: a literal, perhaps behind a run of a class, a class, a place in the text.

The matcher looks for its candidates by it (`rtgen.runtime.pattern`), and the streaming class tells by it the chunks in
which no delimiter begins (`rtgen.emit.cores`).
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from rtgen.pattern.facts import is_single, spell, walk
from rtgen.pattern.nodes import (
    EMPTY,
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

MOST_STEPS = 500
"""Parts of a pattern that are looked at before its matches count as beginning anywhere."""

PLACES = ("text_start", "line_start", "final_end", "text_end")
"""The assertions that few places meet."""


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Every match begins with one of `strings`, a character of one of `classes` or at one of `places`, or a run of one
    or more characters of `runs` comes first (a run of one of the classes, up to one of the former). Classes are regex
    sources, places kinds of `Assertion`.

    `behind`: those of the strings that begin a match only behind what a lookbehind demands, with its source. `waits`: a
    run at the edge of the text is undecided from its start on, whatever stands before it and however long it is.
    """

    strings: tuple[str, ...]
    classes: tuple[str, ...]
    places: tuple[str, ...]
    runs: tuple[str, ...]
    behind: tuple[tuple[str, str], ...]
    waits: bool


def beginnings(node: Node) -> Beginnings | None:
    """What the matches begin with, or more than that; None: any place will do."""
    found = _Found()
    if any(isinstance(part, Opaque) for part in walk(node)) or not found.collect([node], ""):
        return None
    return Beginnings(
        strings=tuple(found.strings),
        classes=tuple(found.classes),
        places=tuple(sorted(found.places)),
        runs=tuple(found.runs),
        behind=tuple((string, source) for string, source in found.strings.items() if source),
        waits=found.waits,
    )


def class_source(node: Node) -> str:
    """The regex source of a single character."""
    if isinstance(node, Literal):
        return str(regex.escape(node.text, special_only=True))
    assert isinstance(node, CharClass)
    return node.source


class _Found:
    """The beginnings found so far, in the order of the pattern."""

    def __init__(self, steps: int = 0, bare: bool = True, behind: str = "") -> None:
        self.strings: dict[str, str] = {}  # with the lookbehind that each needs
        self.classes: dict[str, None] = {}
        self.places: dict[str, None] = {}
        self.runs: dict[str, None] = {}
        self.waits = True
        self.steps = steps
        self.bare = bare  # no condition stands before what is collected
        self.behind = behind  # the lookbehinds that stand right before it

    def collect(self, items: list[Node], run: str) -> bool:
        """Add what a sequence begins with behind a run of the class ("": none); False if that can be anything."""
        self.steps += 1
        if not items or self.steps > MOST_STEPS:
            return False
        item, rest = items[0], items[1:]
        if isinstance(item, Literal):
            self._add_string(item.text, run)
        elif isinstance(item, CharClass):
            self._add(self.classes, item.source, run)
        elif isinstance(item, Sequence):
            return self.collect([*item.items, *rest], run)
        elif isinstance(item, (Group, Atomic)):
            return self.collect([item.item, *rest], run)
        elif isinstance(item, Alternation):
            return all(self.collect([branch, *rest], run) for branch in item.branches)
        elif isinstance(item, Conditional):
            return all(self._conditional(branch, rest, run) for branch in (item.yes, item.no))
        elif isinstance(item, Assertion):
            return self._assertion(item, rest, run)
        elif isinstance(item, Look):
            return self._look(item, rest, run)
        elif isinstance(item, Repeat):
            return self._repeat(item, rest, run)
        else:
            assert isinstance(item, BackReference)
            return False
        return True

    def _add(self, found: dict[str, None], what: str, run: str) -> None:
        found[what] = None
        if run:
            self.runs[run] = None

    def _add_string(self, string: str, run: str) -> None:
        behind = "" if run else self.behind
        self.strings[string] = behind if self.strings.get(string, behind) == behind else ""
        if run:
            self.runs[run] = None

    def _conditional(self, item: Node, rest: list[Node], run: str, behind: str = "") -> bool:
        """Behind a condition, of which a lookbehind is told by its source."""
        other = _Found(self.steps, bare=False, behind=self.behind + behind)
        collected = other.collect([item, *rest], run)
        self._take(other)
        return collected

    def _take(self, other: _Found) -> None:
        for string, behind in other.strings.items():
            self.strings[string] = behind if self.strings.get(string, behind) == behind else ""
        self.classes.update(other.classes)
        self.places.update(other.places)
        self.runs.update(other.runs)
        self.waits = self.waits and other.waits
        self.steps = other.steps

    def _assertion(self, item: Assertion, rest: list[Node], run: str) -> bool:
        if item.kind in PLACES:
            self._add(self.places, item.kind, run)
        elif item.kind == "line_end":
            self._add_string("\n", run)
            self._add(self.places, "text_end", run)
        else:
            return self._conditional(EMPTY, rest, run)
        return True

    def _look(self, item: Look, rest: list[Node], run: str) -> bool:
        """What is demanded ahead stands at the start as well as what follows: the one that says more will do."""
        if not item.ahead or item.negative:
            return self._conditional(EMPTY, rest, run, "" if item.ahead or run else item.source)
        others = []
        for sequence in (rest, [item.item]):
            other = _Found(self.steps, bare=False, behind=self.behind)
            if other.collect(sequence, run):
                others.append(other)
            self.steps = other.steps
        if not others:
            return False
        self._take(min(others, key=lambda other: (len(other.classes), len(other.runs))))
        return True

    def _repeat(self, item: Repeat, rest: list[Node], run: str) -> bool:
        if item.most == 0:
            return self.collect(rest, run)
        strings = spell(item)
        if strings is not None:
            for string in strings:
                if string:
                    self._add_string(string, run)
            return "" not in strings or self.collect(rest, run)
        if not is_single(item.item):
            return self.collect([item.item, *rest], run) and (item.least > 0 or self.collect(rest, run))
        source = class_source(item.item)
        other = _Found(self.steps)
        if other.collect(rest, source if run in ("", source) else f"(?:{run}|{source})") and not other.classes:
            other.waits = item.most is None and self.bare and not run and tuple(other.runs) == (source,)
            self._take(other)
            return True
        self.steps = other.steps
        self._add(self.classes, source, run)
        return item.least > 0 or self.collect(rest, run)
