"""Many at once: 1,000 parsers fed in turn from one thread, as a server does, and a batch of 10,000 texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.engines import FLOOR, Engine, Parser
from benchmarks.rows import Row, Setting
from benchmarks.shapes import SHAPES
from benchmarks.timing import Sample, alternate, clock

TITLE = "Many at once"
UNIT = "µs a token or a text"
PARSERS = 1_000
TEXTS, QUICK_TEXTS = 10_000, 2_000
TOKENS, QUICK_TOKENS = 200, 40
"""What each parser is fed at most."""


def _in_turn(make: Callable[[], Parser], streams: Sequence[Sequence[str]]) -> Sample:
    """Seconds for one feed, each parser getting one chunk after the other parsers got theirs."""

    def run() -> float:
        feeds = [(make().feed, chunks) for chunks in streams]
        length = min(map(len, streams))
        start = clock()
        for at in range(length):
            for feed, chunks in feeds:
                feed(chunks[at])
        return (clock() - start) / (length * len(feeds))

    return run


def _whole(engine: Engine, loaded: object, texts: list[str]) -> Sample:
    """Seconds for one text of a batch."""

    def run() -> float:
        start = clock()
        engine.parse_all(loaded, texts, "")
        return (clock() - start) / len(texts)

    return run


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each kind of template and each of the two questions."""
    rows = []
    rounds = 3 if setting.quick else min(setting.rounds, 5)
    for shape in (SHAPES[2], SHAPES[3]) if setting.quick else SHAPES:
        loaded = {engine.name: engine.load(shape.template()) for engine in (*engines, FLOOR)}
        texts = [shape.text("prose" if seed % 2 else "code", 400, seed) for seed in range(50)]
        limit, count = (QUICK_TOKENS, QUICK_TEXTS) if setting.quick else (TOKENS, TEXTS)
        streams = [shape.chunks(text, "tokens")[:limit] for text in texts]
        feeds = {
            engine.name: _in_turn(
                partial(engine.parser, loaded[engine.name], "", None), streams * (PARSERS // len(streams))
            )
            for engine in (*engines, FLOOR)
        }
        label = f"{PARSERS:,} parsers in turn, one token"
        rows.append(Row(f"{label}, {shape.name}", label, alternate(feeds, rounds), "in turn"))
        batch = {engine.name: _whole(engine, loaded[engine.name], texts * (count // len(texts))) for engine in engines}
        label = f"batch of {count:,} texts, one text"
        rows.append(Row(f"{label}, {shape.name}", label, alternate(batch, rounds), "batch"))
    return rows
