"""Random patterns and texts: the pattern engine beside `regex`.

    python -m tests.fuzz_pattern --runs 20000 --seed 1

For each pattern and text, `check` compares the search over the whole text, every answer along a random chunking (with
what `regex` finds after several continuations), and `finditer`. A difference is printed and ends the run with code 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import Any

import regex

from rtgen.pattern.beginnings import beginnings
from rtgen.pattern.facts import (
    always_participates,
    is_opaque,
    left_context,
    linear_in_regex,
    named_groups,
    spell,
    width,
)
from rtgen.pattern.nodes import Node
from rtgen.pattern.parse import parse
from rtgen.pattern.program import compile_program
from rtgen.runtime.pattern import CERTAIN, NOTHING, PENDING, SETTLED, Search

ALPHABET = "aab<> \n1_é"
CONTINUATIONS = ("", "a", "b", "<", ">", " ", "\n", "1", "ab", "aab", "<a>", "> ", "\n\n", " b", "a>", "bb<")
CLASSES = (
    ".", r"\s", r"\w", r"\d", r"\S", r"\W", "[ab]", "[^>]", "[^<\\n]", "[a-c<]", "[^a]", "[]>]", r"[\w.-]", "(?-s:.)",
    r"[[:alpha:]]", r"\p{L}", r"\h", r"[\s\S]", "(?i:A)", "(?i:[^B])",
)  # fmt: skip
LITERALS = ("a", "b", "<", ">", "ab", "<a>", "</a>", " ", r"\n", "aa", "é", r"\x61", "(?i:aB)", "ba", "{", "a{,", "1}")
QUANTIFIERS = (
    "?",
    "*",
    "+",
    "??",
    "*?",
    "+?",
    "{2}",
    "{1,2}",
    "{,2}",
    "{2,}",
    "{0,3}?",
    "{1,}?",
    "?+",
    "*+",
    "++",
    "{1,2}+",
)
ASSERTIONS = ("^", "$", r"\b", r"\B", r"\A", r"\Z", "(?m:^)", "(?m:$)", r"\m", r"\M")
REGULAR = ("literal", "class", "sequence", "alternation", "repeat", "group", "assertion")
EVERYTHING = (*REGULAR, "ahead", "behind", "atomic", "reference", "conditional", "flags", "empty")


class Maker:
    """Random pattern sources over the kinds of node allowed."""

    def __init__(self, rng: random.Random, kinds: tuple[str, ...]) -> None:
        self.rng, self.kinds, self.groups, self.names = rng, kinds, 0, 0

    def pattern(self, depth: int) -> str:
        rng = self.rng
        kind = (
            rng.choice(self.kinds) if depth > 0 else rng.choice(("literal", "class", "literal", "class", "assertion"))
        )
        if kind == "class":
            return rng.choice(CLASSES)
        if kind == "sequence":
            return "".join(self.pattern(depth - 1) for _ in range(rng.randint(2, 4)))
        if kind == "alternation":
            return "(?:" + "|".join(self.pattern(depth - 1) for _ in range(rng.randint(2, 3))) + ")"
        if kind == "repeat":
            item = self.pattern(depth - 1)
            quantifier = rng.choice(QUANTIFIERS)
            return (item if item in CLASSES or len(item) == 1 else f"(?:{item})") + quantifier
        if kind == "group":
            self.groups += 1
            if rng.random() < 0.6:
                self.names += 1
                return f"(?P<g{self.names}>{self.pattern(depth - 1)})"
            return f"({self.pattern(depth - 1)})"
        if kind == "assertion":
            return rng.choice(ASSERTIONS) if rng.random() < 0.4 else rng.choice(LITERALS)
        if kind == "ahead":
            return f"(?{rng.choice('=!')}{self.pattern(depth - 1)})"
        if kind == "behind":
            return f"(?<{rng.choice('=!')}{rng.choice((*LITERALS, *CLASSES))}{rng.choice(('', 'a', ' *', '^'))})"
        if kind == "atomic":
            return f"(?>{self.pattern(depth - 1)})"
        if kind == "reference":
            return rf"\{rng.randint(1, self.groups)}" if self.groups else "a"
        if kind == "conditional" and self.groups:
            return f"(?({rng.randint(1, self.groups)}){self.pattern(depth - 1)}|{self.pattern(depth - 1)})"
        if kind == "flags":
            return rng.choice(("(?i)", "(?-s)", "(?m)", "(?#c)", "(?x: a b )", "(?|a(b)|(a))"))
        if kind == "empty":
            return rng.choice(("", "()", "(?:)", "(?:|a)", "(?:a|)"))
        return rng.choice(LITERALS)


def text_of(rng: random.Random, most: int = 14) -> str:
    """A random text over an alphabet that the patterns are about."""
    return "".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, most)))


def reference(compiled: Any, text: str, at: int = 0) -> tuple[int, int, dict[str, str]] | None:
    """What `regex` finds, but for a match at the very end."""
    match = compiled.search(text, at)
    if match is None or match.start() >= len(text):
        return None
    return match.start(), match.end(), {name: value for name, value in match.groupdict().items() if value is not None}


def settled(search: Search) -> tuple[int, int, dict[str, str]]:
    return search.start, search.end, search.groups()


def check(pattern: str, text: str, rng: random.Random, node: Node, program: tuple[Any, ...]) -> str | None:
    """What is wrong with the engine on this pattern and text, or None."""
    compiled = regex.compile(pattern, regex.DOTALL)
    wanted = reference(compiled, text)
    search = Search(program)
    answer = search.find(text, 0, True)
    got = settled(search) if answer == SETTLED else None
    if got != wanted or answer not in (NOTHING, SETTLED):
        return f"whole: {got} instead of {wanted}"
    found = [(m.start(), m.end(), m.groupdict()) for m in Search(program).finditer(text)]
    expected = [(m.start(), m.end(), m.groupdict()) for m in compiled.finditer(text)]
    if found != expected:
        return f"finditer: {found} instead of {expected}"
    return (
        check_facts(node, compiled, text, expected)
        or check_beginnings(node, text, expected)
        or check_edge_runs(node, text, Search(program))
        or check_chunks(compiled, text, rng, Search(program))
    )


def check_facts(node: Node, compiled: Any, text: str, matches: list[Any]) -> str | None:
    """Whether what `facts` says is true of these matches."""
    least, most = width(node)
    strings = spell(node)
    for start, end, groups in matches:
        if end - start < least or (most is not None and end - start > most):
            return f"width: {end - start} not in {least}..{most}"
        if strings is not None and text[start:end] not in strings:
            return f"spell: {text[start:end]!r} is not one of {strings}"
        for name in named_groups(node):
            if groups[name] is None and always_participates(node, name):
                return f"always_participates: {name} did not"
    context = left_context(node)
    if context is not None and matches:
        start = matches[0][0]
        keep = max(context, 1)
        if start > keep and (cut := compiled.match(text[start - keep :], keep)) is not None:
            if cut.end() - keep != matches[0][1] - start:
                return f"left_context: {context} is too little"
        elif start > keep and cut is None:
            return f"left_context: {context} is too little"
    return None


PLACES = {"text_start": r"\A", "line_start": "(?m:^)", "final_end": "$", "text_end": r"\Z"}


def check_beginnings(node: Node, text: str, matches: list[Any]) -> str | None:
    """Whether these matches begin with what `beginnings` says, and behind it."""
    found = beginnings(node)
    if found is None:
        return None
    behind = dict(found.behind)
    others = [f"(?={source})" for source in found.classes] + [PLACES[place] for place in found.places]
    at_once = [f"(?:{behind.get(s, '')}{regex.escape(s)})" for s in found.strings] + others
    after = [regex.escape(s) for s in found.strings] + others
    ways = [*at_once, *(f"(?:{run})+(?:{'|'.join(after)})" for run in found.runs if after)]
    begins = regex.compile("|".join(ways) or "(?!)", regex.DOTALL)
    for start, _, _ in matches:
        if start < len(text) and begins.match(text, start) is None:
            return f"beginnings: the match at {start} has none of {found}"
    return None


def check_edge_runs(node: Node, text: str, search: Search) -> str | None:
    """Whether a run at the edge is undecided from its start on where `beginnings` says that it waits."""
    found = beginnings(node)
    if found is None or not found.waits:
        return None
    for run in found.runs:
        start = regex.compile(f"(?r)(?:{run})*+", regex.DOTALL).match(text).start()
        search.reset()
        if start < len(text) and search.match(text, start, False) == NOTHING:
            return f"beginnings: nothing waits at {start}, where a run of {run} begins"
    return None


def check_chunks(compiled: Any, text: str, rng: random.Random, search: Search) -> str | None:
    """Whether every answer on the way through a chunking is true of the continuations of the text so far."""
    size, at, was_certain = 0, 0, -1
    while size < len(text):
        size = min(len(text), size + rng.choice((1, 1, 2, 3)))
        part = text[:size]
        answer = search.find(part, at, False)
        where = f"at {at} of {part!r}: answer {answer}, start {search.start}"
        if was_certain >= 0 and not (answer in (CERTAIN, SETTLED) and search.start == was_certain):
            return f"{where}: no longer certain at {was_certain}"
        was_certain = search.start if answer == CERTAIN else -1
        rest = text[size:]
        start, end = search.start, search.end
        for more in (rest, *CONTINUATIONS):
            wanted = reference(compiled, part + more, at)
            if answer == SETTLED and wanted != settled(search):
                return f"{where}: {settled(search)}, but {wanted} with {more!r}"
            if answer == NOTHING and wanted is not None and wanted[0] < size:
                return f"{where}: {wanted} with {more!r}"
            if answer == CERTAIN and (wanted is None or wanted[0] != search.start):
                return f"{where}: {wanted} with {more!r}"
            if answer == PENDING and wanted is not None and wanted[0] < search.start:
                return f"{where}: {wanted} with {more!r}"
        if at < size and rng.random() < 0.15:
            fault = check_match(compiled, part, rng.randrange(at, size), rest, search)
            if fault:
                return fault
            was_certain = -1
        elif answer in (PENDING, CERTAIN) and rng.random() < 0.1:
            at, was_certain = search.start + 1, -1  # as if another pattern had matched over it
        if answer == SETTLED:
            at = max(at, end, start + 1) if rng.random() < 0.8 else max(at, start + 1)
            if at > size:
                break
    wanted = reference(compiled, text, at)
    answer = search.find(text, at, True)
    got = settled(search) if answer == SETTLED else None
    if got != wanted or answer not in (NOTHING, SETTLED):
        return f"final from {at}: {got} instead of {wanted}"
    return None


def check_match(compiled: Any, part: str, at: int, rest: str, search: Search) -> str | None:
    """Whether the anchored question at `at` is answered truly for the continuations of `part`."""
    answer = search.match(part, at, False)
    found = settled(search) if answer == SETTLED else None
    for more in (rest, *CONTINUATIONS):
        match = compiled.match(part + more, at)
        wanted = match and (
            at,
            match.end(),
            {name: value for name, value in match.groupdict().items() if value is not None},
        )
        right = {NOTHING: wanted is None, PENDING: True, CERTAIN: wanted is not None, SETTLED: wanted == found}
        if not right[answer]:
            return f"match at {at} of {part!r}: answer {answer}, {found}, but {wanted} with {more!r}"
    return None


def run(runs: int, seed: int, kinds: tuple[str, ...] = EVERYTHING, texts: int = 6) -> tuple[int, list[str]]:
    """How many patterns were tried (opaque and refused ones apart), and what was wrong."""
    rng = random.Random(seed)
    tried, faults = 0, []
    for _ in range(runs):
        pattern = Maker(rng, kinds).pattern(rng.randint(1, 4))
        try:
            regex.compile(pattern, regex.DOTALL)
        except regex.error:
            continue
        node = parse(pattern)
        if is_opaque(node):
            continue
        program = compile_program(node)
        linear_in_regex(node)
        tried += 1
        for _ in range(texts):
            text = text_of(rng)
            fault = check(pattern, text, rng, node, program)
            if fault:
                faults.append(f"{pattern!r} on {text!r}: {fault}")
                break
    return tried, faults


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=5000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--regular", action="store_true", help="without lookaround, references and atomic groups")
    given = arguments.parse_args()
    tried, faults = run(given.runs, given.seed, REGULAR if given.regular else EVERYTHING)
    print(f"{tried} patterns, {len(faults)} faults")
    for fault in faults[:40]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
