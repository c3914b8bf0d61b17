"""Timing: engines take turns in short rounds, and what is reported is the median.

The clock is the processor time of this process, so that other load on the machine hardly enters; garbage collection is
off while a sample is taken. Ratios are medians over the rounds' own ratios: what slows a whole round slows both sides.
"""

from __future__ import annotations

import gc
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import median
from time import process_time

from benchmarks.engines import Parser

clock = process_time

Sample = Callable[[], float]
"""One measurement: runs the work once and returns seconds for each unit of it."""

Samples = dict[str, list[float]]
"""By engine, one number for each round."""


def alternate(runs: Mapping[str, Sample], rounds: int) -> Samples:
    """Every run once in each round, each round beginning with another one; one round before them is thrown away."""
    names = list(runs)
    samples: Samples = {name: [] for name in names}
    was_on = gc.isenabled()
    try:
        for round_ in range(-1, rounds):
            for shift in range(len(names)):
                name = names[(round_ + shift) % len(names)]
                gc.enable()
                gc.collect(0)
                gc.disable()
                seconds = runs[name]()
                if round_ >= 0:
                    samples[name].append(seconds)
    finally:
        if was_on:
            gc.enable()
    return samples


@contextmanager
def empty_cache() -> Iterator[None]:
    """An empty cache of rtgen: what is measured is what the code at hand writes, not what was cached some time ago."""
    before = os.environ.get("RTGEN_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RTGEN_CACHE_DIR"] = os.path.join(folder, "cache")
        try:
            yield
        finally:
            del os.environ["RTGEN_CACHE_DIR"]
            if before is not None:
                os.environ["RTGEN_CACHE_DIR"] = before


@contextmanager
def settled_memory() -> Iterator[None]:
    """What is imported by now is out of the collector's sight; collections between samples become cheap."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def ratio(samples: Samples, over: str, under: str) -> float | None:
    """How many times `under` the engine `over` costs; None where either was not measured."""
    if not samples.get(over) or not samples.get(under):
        return None
    if len(samples[over]) != len(samples[under]):
        return median(samples[over]) / median(samples[under])
    return median(a / b for a, b in zip(samples[over], samples[under], strict=True))


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))


def repeated(work: Callable[[], object], target: float = 0.004) -> Sample:
    """A sample that calls `work` often enough to take about `target` seconds, and returns seconds for one call."""
    work()
    start = clock()
    work()
    once = max(clock() - start, 1e-7)
    turns = range(max(1, min(10_000, round(target / once))))

    def run() -> float:
        start = clock()
        for _ in turns:
            work()
        return (clock() - start) / len(turns)

    return run


WINDOWS = 8
"""Into how many stretches the timed feeds of a long stream are spread."""


def windows(chunks: Sequence[str], timed: int) -> list[tuple[list[str], list[str]]]:
    """Cut a stream into pairs of what is fed untimed, in large pieces, and what is fed timed, as it is.

    At most about `timed` chunks are timed, in `WINDOWS` stretches spread evenly; a stream that is not longer than
    `timed` is timed whole. So a stream of 1 MB costs seconds also on an engine that is slow there.
    """
    if len(chunks) <= timed:
        return [([], list(chunks))]
    length, stretch = len(chunks) // WINDOWS, timed // WINDOWS
    plan = []
    for number in range(WINDOWS):
        start, end = number * length, (number + 1) * length if number < WINDOWS - 1 else len(chunks)
        lead = "".join(chunks[start : end - stretch])
        plan.append(([lead[at : at + 4096] for at in range(0, len(lead), 4096)], list(chunks[end - stretch : end])))
    return plan


def stream(make: Callable[[], Parser], plan: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Sample:
    """A sample that feeds a new parser as `windows` planned; seconds for one feed.

    The end of the stream is timed with it, unless only windows are: there it would weigh too much.
    """
    feeds = sum(len(timed) for _, timed in plan)
    whole = len(plan) == 1
    turns = range(max(1, 2000 // max(1, feeds)))

    def run() -> float:
        total = 0.0
        for _ in turns:
            parser = make()
            feed = parser.feed
            for lead, timed in plan:
                for piece in lead:
                    feed(piece)
                start = clock()
                for chunk in timed:
                    feed(chunk)
                total += clock() - start
            start = clock()
            parser.finalize()
            total += clock() - start if whole else 0.0
        return total / (feeds * len(turns))

    return run
