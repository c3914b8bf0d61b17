"""Random templates, texts, chunks and options by Hypothesis: `python -m tests.options --examples 20000 [--seed N]`.

What is compared, and what may come out, is said in `tests.fuzz.parsers`; a failing example is made small and printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz import parsers


def examples(count: int) -> Callable[[], None]:
    """A function that tries this many examples, and raises AssertionError for one that fails."""

    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(min_size=6, max_size=240))
    def check(data: bytes) -> None:
        parsers.check(data)

    return check


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--examples", type=int, default=20_000, help="inputs to try")
    arguments.add_argument("--seed", type=int, default=1, help="of Hypothesis's choices")
    given_ = arguments.parse_args()
    seed(given_.seed)(examples(given_.examples))()
    print(f"{given_.examples} examples, seed {given_.seed}: no fault")
