"""Streams: seven kinds of template, three kinds of text, token-sized and one-character chunks, 1 kB to 1 MB."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.engines import FLOOR, Engine
from benchmarks.groups.agree import same_message
from benchmarks.rows import Row, Setting
from benchmarks.shapes import SHAPES
from benchmarks.texts import TEXTS
from benchmarks.timing import alternate, stream, windows

TITLE = "Streams: one feed"
UNIT = "µs a feed"
SIZES = (1_000, 18_000, 150_000, 1_000_000)
QUICK_SIZES = (18_000,)
TIMED_FEEDS = 20_000
"""Feeds that are timed in one sample; beyond 100 kB, where transformers is slow, a tenth of them."""


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each kind of template, kind of text, chunks and size."""
    rows = []
    for shape in SHAPES:
        template = shape.template()
        loaded = {engine.name: engine.load(template) for engine in (*engines, FLOOR)}
        for size in QUICK_SIZES if setting.quick else SIZES:
            for kind in TEXTS:
                text = shape.text(kind, size)
                for chunks in ("tokens", "characters"):
                    plan = windows(shape.chunks(text, chunks), TIMED_FEEDS if size < 100_000 else TIMED_FEEDS // 10)
                    runs = {
                        engine.name: stream(partial(engine.parser, loaded[engine.name], shape.prompt(), None), plan)
                        for engine in (*engines, FLOOR)
                    }
                    note = same_message(engines, loaded, text, shape.prompt()) if size < 100_000 else ""
                    case = f"{shape.name}, {kind}, {chunks}, {size // 1000} kB"
                    label = f"{shape.name}, {chunks}"
                    rows.append(Row(case, label, alternate(runs, setting.rounds), note=note))
    return rows
