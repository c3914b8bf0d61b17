"""The syntax tree of a regular expression, as the stages that analyse delimiters see it.

A pattern is read under the rules that transformers compiles it with: the `regex` module, version-0 behaviour,
`DOTALL`, Unicode, no `MULTILINE`.  What a single character may be is kept as *regex source* (`CharClass.source`), never
as a set of code points: its meaning is asked of the installed `regex` when it is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf


@dataclass(frozen=True, slots=True)
class Literal:
    """Exactly this string, case-sensitive, at least one character."""

    text: str


@dataclass(frozen=True, slots=True)
class CharClass:
    """One character that matches `source`, a self-contained regex such as `\\s`, `[^>\\n]`, `(?i:x)` or `(?s:.)`."""

    source: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """The items one after the other; no items: the empty string."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """The first branch that leads to a match."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`item` at least `least` and at most `most` times (None: without limit)."""

    item: Node
    least: int
    most: int | None
    mode: OneOf["greedy", "lazy", "possessive"]


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group. Groups of one name share one `index`, as in `regex`."""

    item: Node
    index: int
    name: str | None


@dataclass(frozen=True, slots=True)
class Atomic:
    """`(?>…)`: the first way in which `item` matches, without a second try."""

    item: Node


@dataclass(frozen=True, slots=True)
class Look:
    """A lookahead or lookbehind. `source` is its regex source, flags included."""

    item: Node
    ahead: bool
    negative: bool
    source: str


@dataclass(frozen=True, slots=True)
class Assertion:
    """A zero-width condition on the place: at most one character on either side decides it, or the text's ends."""

    kind: OneOf[
        "text_start",  # ^ and \A
        "text_end",  # \Z
        "final_end",  # $: the end, or before a newline that ends the text
        "line_start",  # (?m)^
        "line_end",  # (?m)$
        "boundary",  # \b
        "not_boundary",  # \B
        "word_start",  # \m
        "word_end",  # \M
    ]


@dataclass(frozen=True, slots=True)
class BackReference:
    """What the group with this index matched last."""

    index: int


@dataclass(frozen=True, slots=True)
class Conditional:
    """`(?(group)yes|no)`."""

    index: int
    yes: Node
    no: Node


@dataclass(frozen=True, slots=True)
class Opaque:
    """A construct outside the promise (`\\K`, fuzzy matching, recursion, …). `what` names it for a person."""

    source: str
    what: str


Node = (
    Literal
    | CharClass
    | Sequence
    | Alternation
    | Repeat
    | Group
    | Atomic
    | Look
    | Assertion
    | BackReference
    | Conditional
    | Opaque
)

EMPTY = Sequence(())
ANY = CharClass("(?s:.)")
