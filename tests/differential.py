"""Random runs of the engine under test against the oracle: `python -m tests.differential --runs N --seed S`.

Each run is a random template with a prefix, a text and tools, parsed whole and in several chunkings. Checked are: the
batch answer, the message or the class of the error and the joined events of every chunking, that the events of a failed
parse begin the right ones, and that nothing is delivered later than the reference delivers it on the same chunks,
unless some continuation of the text contradicts what the reference had delivered. A difference is made small by greedy
deletion and printed as a ready-made case for tests/cases. Exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    engine,
    join,
    result_contradiction,
    show,
    stream,
)
from tests.samples import sample

TIME_PER_RUN = 2.0
"""Seconds after which the remaining chunkings of a run are left out."""

TEMPLATES_LIVE = 4
"""Runs made with each random template."""

ENDINGS = ("", "a", "b", " ", "\n", "<", ">", "\n\n", " a", "\na", "<a", "1", "_", "\x00", "\u00e9", "\U0001f600")


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
            return f"after {what} {mine} atoms are delivered, where the reference had delivered {theirs}: {show(joined)[-300:]}"
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
    pieces = [run.text[at : at + size] for size in (1, 2, 3, 5, 9) for at in range(0, len(run.text))]
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
                words |= dict.fromkeys(sample(keys[f"{slot}_pattern"], rng) for _ in range(6))
    return [word for word in words if word]


CORNER = regex.compile(r"\\[bBZAmM]|\(\?<?[=!]|[$^]")
"""Assertions, of which it takes a theorem prover to see in each case that they can no longer hold, or must."""


def is_corner(template: dict[str, Any]) -> bool:
    """Whether the reference may deliver early here by luck, so that being later is no fault that matters.

    It is lucky with assertions, with delimiters that match nothing at all, and where no implicit field shows from
    which place on a field is open.
    """
    fields = template["fields"].values()
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


# Making a difference small


def minimise(found: Difference, compile_one: Callable[[dict[str, Any]], Compiled], seconds: float = 8.0) -> Difference:
    """A smaller run with a difference of the same check, by deleting greedily for at most `seconds`."""
    until = time.perf_counter() + seconds
    best, is_compile = found, found.check == "compile"
    last: list[Any] = [None, None, None]

    def still(run: strategies.Run, chunks: list[str] | None) -> Difference | None:
        if run.template != last[0] or last[1] is None:
            try:
                last[:] = run.template, Oracle(run.template), None
            except Exception:
                last[:] = None, None, None
                return None
        try:
            last[2] = compiled = last[2] or compile_one(run.template)
        except Exception as error:
            same_class = found.problem.startswith(type(error).__name__)
            return Difference("compile", compile_problem(error), run, None) if is_compile and same_class else None
        if is_compile:
            return None
        try:
            several = [] if chunks is None else [chunks]
            again = check_run(compiled, last[1], run, several, prompt=found.check == "promptness")
        except Exception:
            return None
        return again if again is not None and again.check == found.check else None

    for _ in range(2):
        for candidates in (smaller_texts, smaller_templates_of):
            changed = True
            while changed and time.perf_counter() < until:
                changed = False
                for run, chunks in candidates(best):
                    if time.perf_counter() > until:
                        break
                    again = still(run, chunks)
                    if again is not None:
                        best, changed = again, True
                        break
    return best


def smaller_templates_of(found: Difference) -> Iterator[tuple[strategies.Run, list[str] | None]]:
    for template in smaller_templates(found.run.template):
        yield replace(found.run, template=template), found.chunks


def smaller_texts(found: Difference) -> Iterator[tuple[strategies.Run, list[str] | None]]:
    """Runs with a piece of the prefix, the text or the tools taken away, or chunks joined, the greater pieces first."""
    run, chunks = found.run, found.chunks
    if run.tools is not None:
        yield replace(run, tools=None), chunks
    if run.prefix:
        yield replace(run, prefix=""), chunks
        for size in sizes(len(run.prefix)):
            for at in range(0, len(run.prefix), size):
                yield replace(run, prefix=run.prefix[:at] + run.prefix[at + size :]), chunks
    if chunks is None:
        for size in sizes(len(run.text)):
            for at in range(0, len(run.text), size):
                yield replace(run, text=run.text[:at] + run.text[at + size :]), None
        return
    for size in sizes(len(chunks)):
        for at in range(0, len(chunks), size):
            rest = chunks[:at] + chunks[at + size :]
            yield replace(run, text="".join(rest)), rest
            if size > 1:
                yield run, [*chunks[:at], "".join(chunks[at : at + size]), *chunks[at + size :]]
    for at in range(len(chunks) - 1):
        yield run, chunks[:at] + [chunks[at] + chunks[at + 1]] + chunks[at + 2 :]
    for at, chunk in enumerate(chunks):
        for size in sizes(len(chunk)):
            for begin in range(0, len(chunk), size):
                rest = [*chunks[:at], chunk[:begin] + chunk[begin + size :], *chunks[at + 1 :]]
                yield replace(run, text="".join(rest)), rest


def sizes(length: int) -> Iterator[int]:
    size = length // 2
    while size > 1:
        yield size
        size //= 2
    if length:
        yield 1


def smaller_templates(template: dict[str, Any]) -> Iterator[dict[str, Any]]:
    fields = template["fields"]
    for name in fields:
        if len(fields) > 1:
            yield template | {"fields": {other: fields[other] for other in fields if other != name}}
    if template.get("defaults"):
        yield {key: value for key, value in template.items() if key != "defaults"}
    if template.get("start_anchor") != "<|im|>":
        plain = {key: value for key, value in template.items() if not key.startswith("start_anchor")}
        yield {"start_anchor": "<|im|>"} | plain
    for name, keys in fields.items():
        for key, value in keys.items():
            for change in smaller_values(key, value):
                changed = {other: keys[other] for other in keys if other != key} | change
                yield template | {"fields": fields | {name: changed}}


def smaller_values(key: str, value: Any) -> Iterator[dict[str, Any]]:
    if key not in ("open", "open_pattern"):
        yield {}
    if key in ("open", "close"):
        if isinstance(value, list):
            for at in range(len(value)):
                if len(value) > 1:
                    yield {key: value[:at] + value[at + 1 :]}
            value = value[0]
        if value != "<":
            yield {key: "<"}
        if isinstance(value, str):
            yield from ({key: value[:at] + value[at + 1 :]} for at in range(len(value)))
    elif key.endswith("_pattern"):
        for size in sizes(len(value)):
            for at in range(0, len(value), size):
                yield {key: value[:at] + value[at + size :]}


# The command


@dataclass
class Tally:
    """Counts of what the runs were."""

    runs: int = 0
    templates: int = 0
    kinds: Counter[int] = None  # type: ignore[assignment]
    outcomes: Counter[str] = None  # type: ignore[assignment]
    refused: int = 0
    compiling: float = 0.0
    parsing: float = 0.0

    def __post_init__(self) -> None:
        self.kinds, self.outcomes = Counter(), Counter()


def run_many(
    runs: int,
    seed: int,
    *,
    kind: int | None = None,
    compile_one: Callable[[dict[str, Any]], Compiled],
    prompt: bool = True,
    tally: Tally | None = None,
) -> Iterator[Difference]:
    """The differences found in `runs` random runs from `seed` on (one at most for each template)."""
    tally = tally if tally is not None else Tally()
    number = 0
    while tally.runs < runs:
        rng = random.Random(f"{seed}/{number}")
        number += 1
        made = strategies.template(rng, kind)
        oracle = Oracle(made.template)
        started = time.perf_counter()
        try:
            compiled = compile_one(made.template)
        except Exception as error:
            if type(error).__name__ == "Opaque":
                tally.refused += 1
                continue
            tally.runs += 1
            empty = strategies.Run(made.template, "", "")
            yield Difference("compile", compile_problem(error), empty, None)
            continue
        tally.templates += 1
        compiled_at = time.perf_counter()
        tally.compiling += compiled_at - started
        found = None
        for _ in range(TEMPLATES_LIVE):
            run = strategies.run(rng, made)
            tally.runs += 1
            tally.kinds.update(made.kinds)
            found = check_run(compiled, oracle, run, strategies.chunkings(rng, run.text), prompt=prompt, rng=rng)
            if found is not None:
                break
        tally.parsing += time.perf_counter() - compiled_at
        if found is not None:
            yield found


def main(arguments: Sequence[str] | None = None) -> int:
    with tempfile.TemporaryDirectory() as cache:
        before = os.environ.get("RTGEN_CACHE_DIR")
        os.environ["RTGEN_CACHE_DIR"] = cache  # thousands of parsers that nobody needs again
        try:
            return compare(arguments)
        finally:
            if before is None:
                del os.environ["RTGEN_CACHE_DIR"]
            else:
                os.environ["RTGEN_CACHE_DIR"] = before


def compare(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", type=int, choices=(1, 2, 3, 4), help="make most delimiters of this kind")
    parser.add_argument("--engine", help="rtgen (default), transformers, or a module with compile(template)")
    parser.add_argument("--no-promptness", action="store_true")
    parser.add_argument("--most", type=int, default=10, help="stop after so many differences")
    parser.add_argument("--as-found", action="store_true", help="do not make the differences smaller")
    parser.add_argument("--strict", action="store_true", help="corners of promptness are differences too")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    compile_one = engine(options.engine).compile
    tally, differences, known, corners = Tally(), Counter[str](), set[str](), 0
    for found in run_many(
        options.runs,
        options.seed,
        kind=options.kind,
        compile_one=compile_one,
        prompt=not options.no_promptness,
        tally=tally,
    ):
        if found.check == "promptness" and is_corner(found.run.template) and not options.strict:
            corners += 1
            continue
        differences[found.check] += 1
        if found.check == "compile":
            if found.problem in known:
                continue
            known.add(found.problem)
        if not options.as_found:
            found = minimise(found, compile_one)
        print(f"--- {found.check}: {found.problem}", file=sys.stderr)
        print(json.dumps(found.as_case(), ensure_ascii=False))
        if len(known) + differences.total() - differences["compile"] >= options.most:
            break
    rate = tally.runs / tally.parsing if tally.parsing else 0.0
    kinds = ", ".join(f"kind {kind} in {tally.kinds[kind] / max(1, tally.runs):.0%}" for kind in (1, 2, 3, 4))
    print(
        f"{tally.runs} runs of {tally.templates} templates ({kinds}): {differences.total()} differences "
        f"{dict(differences)}; {rate:.0f} runs a second, compiling {tally.compiling:.1f} s",
        file=sys.stderr,
    )
    if corners:
        print(f"{corners} times later than the reference where that was lucky (--strict shows them)", file=sys.stderr)
    if tally.refused:
        print(f"{tally.refused} templates are outside of what the engine can do", file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
