"""Speed does not rot: a few ratios within one run, with limits that only another kind of algorithm reaches.

What is measured, and why the limits are what they are, stands in `benchmarks/guard.py`.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmark
from benchmarks import guard
from benchmarks.timing import empty_cache, geometric_mean

ATTEMPTS = 3
"""A machine may be busy; code that has become slow is slow every time."""


@pytest.fixture(autouse=True)
def _own_cache() -> Iterator[None]:
    with empty_cache():
        yield


def _beyond(measure: Callable[[], dict[str, float]], limit: float) -> dict[str, float]:
    """What is beyond the limit in every one of the attempts; the numbers of the last."""
    beyond: dict[str, float] = {}
    for _ in range(ATTEMPTS):
        beyond = {name: round(value, 2) for name, value in measure().items() if value > limit}
        if not beyond:
            break
    return beyond


def test_a_token_of_prose_costs_a_few_floors() -> None:
    assert _beyond(guard.stream_floors, guard.MOST_FLOORS) == {}


def test_batch_is_faster_than_transformers() -> None:
    pytest.importorskip("transformers")
    means = []
    for _ in range(ATTEMPTS):
        means.append(geometric_mean(guard.batch_times_faster().values()))
        if means[-1] >= guard.LEAST_BATCH:
            break
    assert max(means) >= guard.LEAST_BATCH


@pytest.mark.parametrize("way", ["batch", "stream"])
def test_the_cost_of_a_character_does_not_grow(way: str) -> None:
    assert _beyond(lambda: guard.growths(way), guard.MOST_GROWTH) == {}


def test_the_benchmark_writes_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "--quick",
        "--rounds",
        "1",
        "--only",
        "short",
        "--json",
        str(tmp_path / "b.json"),
        "--svg",
        str(tmp_path),
    ]
    assert benchmark.main(arguments) == 0
    assert "Short requests" in capsys.readouterr().out
    rows = json.loads((tmp_path / "b.json").read_text("utf-8"))["groups"]["short"]["rows"]
    assert all(row["median"]["rtgen"] > 0 for row in rows)
    assert xml.fromstring((tmp_path / "short.svg").read_text("utf-8")).tag.endswith("svg")
