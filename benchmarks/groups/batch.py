"""Whole texts: by a template dict, as the first call of a program would, and by a compiled parser."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.engines import Engine
from benchmarks.groups.agree import same_message
from benchmarks.rows import Row, Setting
from benchmarks.shapes import SHAPES
from benchmarks.texts import TEXTS
from benchmarks.timing import alternate, repeated

TITLE = "Batch: one text"
UNIT = "µs a text"
SIZES = (300, 1_200, 4_000, 12_000)
QUICK_SIZES = (300, 12_000)


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each kind of template, way of giving the template, kind of text and length."""
    rows = []
    for shape in SHAPES:
        template = shape.template()
        loaded = {engine.name: engine.load(template) for engine in engines}
        for kind in ("prose",) if setting.quick else TEXTS:
            for size in QUICK_SIZES if setting.quick else SIZES:
                text = shape.text(kind, size)
                note = same_message(engines, loaded, text, shape.prompt())
                for way in ("by template", "by compiled parser"):
                    given = loaded if way == "by compiled parser" else {engine.name: template for engine in engines}
                    runs = {
                        engine.name: repeated(partial(engine.parse, given[engine.name], text, shape.prompt()))
                        for engine in engines
                    }
                    case = f"{way}, {shape.name}, {kind}, {size:,} characters"
                    rows.append(Row(case, f"{shape.name}, {way}", alternate(runs, setting.rounds), way, note))
    return rows
