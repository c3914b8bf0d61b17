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
from dataclasses import dataclass, field
from typing import Any

from tests import strategies
from tests.comparison import Difference, check_run, compile_problem, is_corner
from tests.minimise import minimise
from tests.oracle import Compiled, Oracle, engine

TEMPLATES_LIVE = 4
"""Runs made with each random template."""


@dataclass
class Tally:
    """Counts of what the runs were."""

    runs: int = 0
    templates: int = 0
    kinds: Counter[int] = field(default_factory=Counter)
    refused: int = 0
    compiling: float = 0.0
    parsing: float = 0.0


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
