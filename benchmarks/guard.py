"""The few numbers that keep speed from rotting: `python -m benchmarks.guard` prints them.

They are compared within one run, so a slow machine changes little, and the limits leave room: what is beyond one of
them is another kind of algorithm or a lost fast path, not noise.
"""

from __future__ import annotations

import sys
from functools import partial
from statistics import median

from benchmarks.engines import FLOOR, rtgen_engine, transformers_engine
from benchmarks.groups.growth import INPUTS, growth
from benchmarks.shapes import SHAPES
from benchmarks.timing import alternate, empty_cache, geometric_mean, ratio, repeated, stream, windows

MOST_FLOORS = 4.0
"""What one token of prose may cost, in floors, for any kind of template."""
LEAST_BATCH = 3.0
"""How many times faster than transformers a compiled parser reads whole texts, in the mean over the kinds."""
MOST_GROWTH = 3.0
"""How much a character may cost at 400 kB, in costs at 20 kB; quadratic work gives up to 20."""
SMALL, LARGE = 20_000, 400_000
ROUNDS = 5


def stream_floors() -> dict[str, float]:
    """For each kind of template, the cost of a token of prose in floors."""
    rtgen, found = rtgen_engine(), {}
    for shape in SHAPES:
        loaded = rtgen.load(shape.template())
        plan = windows(shape.chunks(shape.text("prose", 18_000), "tokens"), 10_000)
        runs = {
            "rtgen": stream(partial(rtgen.parser, loaded, shape.prompt(), None), plan),
            "floor": stream(partial(FLOOR.parser, None, "", None), plan),
        }
        found[shape.name] = ratio(alternate(runs, ROUNDS), "rtgen", "floor") or 0.0
    return found


def batch_times_faster() -> dict[str, float]:
    """For each kind of template, how many times faster than transformers a text of 4,000 characters is parsed.

    Raises ImportError where transformers is not installed.
    """
    rtgen, transformers = rtgen_engine(), transformers_engine()
    found = {}
    for shape in SHAPES:
        text, template = shape.text("prose", 4_000), shape.template()
        runs = {
            engine.name: repeated(partial(engine.parse, engine.load(template), text, shape.prompt()))
            for engine in (rtgen, transformers)
        }
        found[shape.name] = ratio(alternate(runs, ROUNDS), "transformers", "rtgen") or 0.0
    return found


def growths(way: str) -> dict[str, float]:
    """For each input of the growth group, the growth of the cost of a character; `way` is `batch` or `stream`."""
    rtgen = rtgen_engine()
    return {given.name: median(growth(rtgen, given, way, SMALL, LARGE, 2)[0]) for given in INPUTS}


def main() -> int:
    """Print the numbers beside their limits; 0."""
    with empty_cache():
        _print()
    return 0


def _print() -> None:
    for name, value in stream_floors().items():
        print(f"a token of prose, {name}: {value:.2f} floors (at most {MOST_FLOORS})")
    faster = batch_times_faster()
    mean = geometric_mean(faster.values())
    print(f"batch: {mean:.1f} times faster than transformers in the mean (at least {LEAST_BATCH})")
    for way in ("batch", "stream"):
        for name, value in growths(way).items():
            print(f"growth, {name}, {way}: {value:.2f} (at most {MOST_GROWTH})")


if __name__ == "__main__":
    sys.exit(main())
