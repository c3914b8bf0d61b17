"""One random run held against the oracle: what is wrong with it, and whether anything is delivered late."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from tests import strategies
from tests.oracle import (
    Compiled,
    Oracle,
    Outcome,
    atoms,
    batch,
    begins,
    contradiction,
    join,
    result_contradiction,
    show,
    stream,
)
from tests.samples import sample

TIME_PER_RUN = 2.0
"""Seconds after which the remaining chunkings of a run are left out."""

ENDINGS = ("", "a", "b", " ", "\n", "<", ">", "\n\n", " a", "\na", "<a", "1", "_", "\x00", "\u00e9", "\U0001f600")
"""Short continuations of any text."""


@dataclass(frozen=True)
class Difference:
    """One wrong answer: which check found it, what is wrong, and the run and the chunks (None: batch)."""

    check: str
    problem: str
    run: strategies.Run
    chunks: list[str] | None

    def as_case(self) -> dict[str, Any]:
        """The run as the JSON of a case, with the right answer as what is expected."""
        run = self.run
        case: dict[str, Any] = {"why": self.check, "template": run.template, "prefix": run.prefix, "text": run.text}
        if run.tools is not None:
            case["tools"] = [tool if isinstance(tool, dict | str) else "function" for tool in run.tools]
        right = Oracle(run.template).whole_text(run.text, run.prefix, run.tools)
        if right.error is None:
            case["message"] = right.message
        else:
            case["error"] = right.error.__name__
        case["events"] = right.events
        if self.chunks is not None:
            case["chunks"] = self.chunks
        return case


def check_run(
    compiled: Compiled,
    oracle: Oracle,
    run: strategies.Run,
    chunkings: Sequence[list[str]],
    *,
    prompt: bool = True,
    rng: random.Random | None = None,
) -> Difference | None:
    """The first difference of `run` in any of `chunkings`, or None."""
    right = oracle.whole_text(run.text, run.prefix, run.tools)
    problem = result_contradiction(right, batch(compiled, run.text, run.prefix, run.tools))
    if problem is not None:
        return Difference("batch", problem, run, None)
    until = time.perf_counter() + TIME_PER_RUN
    for number, chunks in enumerate(chunkings):
        got = stream(compiled, chunks, run.prefix, run.tools, progress=prompt)
        problem = contradiction(right, got)
        if problem is not None:
            return Difference("stream", problem, run, chunks)
        if prompt and number < 3:
            late = check_promptness(compiled, oracle, run, chunks, right, got, rng or random.Random(0))
            if late is not None:
                return Difference("promptness", late, run, chunks)
        if time.perf_counter() > until:
            break
    return None


def reference_deliveries(oracle: Oracle, run: strategies.Run, chunks: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    """All that the reference has delivered after the prefix and after each of `chunks`, until it fails."""
    try:
        parser = oracle.ResponseParser(run.prefix, tools=run.tools)
        delivered = list(parser.initial_events)
        yield delivered
        for chunk in chunks:
            delivered += parser.feed(chunk)
            yield delivered
    except Exception:
        return


def check_promptness(
    compiled: Compiled,
    oracle: Oracle,
    run: strategies.Run,
    chunks: Sequence[str],
    right: Outcome,
    got: Outcome,
    rng: random.Random,
) -> str | None:
    """Where `got` had delivered less than the reference, which no continuation contradicts; None if nowhere."""
    excused = 0
    for number, (delivered, mine) in enumerate(zip(reference_deliveries(oracle, run, chunks), got.progress)):
        theirs = atoms(delivered)
        if theirs <= mine:
            continue
        joined = join(delivered)
        if not begins(joined, right.events):
            return None
        seen = "".join(chunks[:number])
        if contradicting(oracle, run, seen, joined, rng) is None:
            what = "the prefix" if number == 0 else f"chunk {number}"
            return f"after {what} {mine} atoms are delivered, {theirs} by the reference: {show(joined)[-300:]}"
        excused += 1
        if excused == 3:
            return None
    return None


def contradicting(
    oracle: Oracle, run: strategies.Run, seen: str, delivered: list[dict[str, Any]], rng: random.Random
) -> str | None:
    """A continuation of `seen` after which `delivered` is not how the right events begin, if one is found."""
    for ending in continuations(run, rng):
        right = oracle.whole_text(seen + ending, run.prefix, run.tools)
        if not begins(delivered, right.events):
            return ending
    return None


def continuations(run: strategies.Run, rng: random.Random) -> Iterator[str]:
    """Texts that might follow: short endings, pieces of the run's own text, and what its delimiters are made of."""
    yield from ENDINGS
    if not run.text and not run.template:
        return
    pieces = [run.text[at : at + size] for size in (1, 2, 3, 5, 9) for at in range(len(run.text))]
    rng.shuffle(pieces)
    yield from pieces[:60]
    words = delimiter_samples(run.template, rng)
    yield from words
    tails = [word[at:] for word in words for at in range(1, len(word))]
    for tail in tails:
        yield tail
        yield tail + "x"
        yield tail + rng.choice(ENDINGS)
    parts = [*words, *ENDINGS, *pieces[:20], *tails]
    for _ in range(150):
        yield "".join(rng.choice(parts) for _ in range(rng.randint(2, 4)))


def delimiter_samples(template: dict[str, Any], rng: random.Random) -> list[str]:
    """What the delimiters match: every literal, and some texts for each pattern."""
    words: dict[str, None] = {}
    for keys in template["fields"].values():
        for slot in ("open", "close"):
            literals = keys.get(slot, [])
            words |= dict.fromkeys([literals] if isinstance(literals, str) else literals)
            if f"{slot}_pattern" in keys:
                words |= dict.fromkeys(sample(keys[f"{slot}_pattern"], rng) for _ in range(24))
    return [word for word in words if word]


CORNER = regex.compile(r"\\[bBZAmM]|\(\?<?[=!]|[$^]")
"""Assertions, of which it takes a theorem prover to see in each case that they can no longer hold, or must."""


def is_corner(template: dict[str, Any]) -> bool:
    """Whether the reference may deliver early here by luck, so that being later is no fault that matters.

    It is lucky with assertions, with delimiters that match nothing at all, where no implicit field shows from which
    place on a field is open, and where literals of two delimiters that are watched together begin alike.
    """
    fields = template["fields"].values()
    watched = [
        keys["open"] if "open" in keys else keys.get("close", []) for keys in fields if "open_pattern" not in keys
    ]
    literals = [[one] if isinstance(one, str) else one for one in watched]
    for number, some in enumerate(literals):
        others = [other for more in literals[:number] + literals[number + 1 :] for other in more]
        if any(other.startswith(one) for one in some for other in others):
            return True
    if all("open" in keys or "open_pattern" in keys for keys in fields):
        return True
    for keys in fields:
        for slot in ("open_pattern", "close_pattern"):
            source = keys.get(slot)
            if source is not None and (CORNER.search(source) or regex.search(source, "", regex.DOTALL)):
                return True
    return False


def compile_problem(error: Exception) -> str:
    """What went wrong with compiling, without what differs from template to template."""
    return regex.sub(r"'rtgen_parser_\w+', line \d+", "…", f"{type(error).__name__}: {error}")
