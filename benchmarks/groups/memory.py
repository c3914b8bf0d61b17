"""Memory: the peak while a long stream of small regions is fed; it must not grow with the text already done.

The template overwrites its fields, so that the message itself stays small. transformers, which slows down with the
length, is given 1 MB in large pieces only.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.engines import FLOOR, Engine
from benchmarks.rows import Row, Setting
from benchmarks.shapes import template
from benchmarks.texts import code, pieces

TITLE = "Peak memory of a stream"
UNIT = "kB"


def _stream(length: int, chunk: int) -> Iterator[str]:
    """Regions of about 1 kB, made while they are fed."""
    region = pieces(f"<thinking>{code(500)}</thinking>\n<answer>\n{code(500)}\n</answer>", chunk)
    for _ in range(length // sum(map(len, region))):
        for piece in region:
            yield piece[:1] + piece[1:]  # a new string each time, as a socket would bring


def _peak(engine: Engine, loaded: Any, length: int, chunk: int) -> float:
    """kB allocated at most while the stream is fed."""
    parser = engine.parser(loaded, "", None)
    feed = parser.feed
    tracemalloc.start()
    try:
        for piece in _stream(length, chunk):
            feed(piece)
        parser.finalize()
        return tracemalloc.get_traced_memory()[1] / 1000
    finally:
        tracemalloc.stop()


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each length; the numbers are kB."""
    rows = []
    given = template("small_regions")
    for megabytes, chunk in ((1, 1024), (1, 16), (2 if setting.quick else 10, 16)):
        samples = {}
        for engine in (*engines, FLOOR):
            if engine.name != "transformers" or chunk > 16:
                samples[engine.name] = [_peak(engine, engine.load(given), megabytes * 1_000_000, chunk)]
        case = f"{megabytes} MB in chunks of {chunk} characters"
        rows.append(Row(case, case, samples))
    return rows
