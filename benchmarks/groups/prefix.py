"""A long prompt in front: construct a parser whose prefix is 500 kB of conversation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.engines import Engine
from benchmarks.rows import Row, Setting
from benchmarks.shapes import SHAPES
from benchmarks.texts import code, prose
from benchmarks.timing import alternate, repeated

TITLE = "A prefix of 500 kB"
UNIT = "µs a parser"
LENGTH = 500_000


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each kind of template, with a prompt of one turn and one of many."""
    rows = []
    for shape in SHAPES:
        loaded = {engine.name: engine.load(shape.template()) for engine in engines}
        turn = f"{prose(1_200)}{shape.anchor}{code(1_200)}"
        prompts = {
            "one turn": prose(LENGTH) + shape.anchor,
            "200 turns": (turn * (LENGTH // len(turn) + 1))[:LENGTH] + shape.anchor,
        }
        for name, prompt in prompts.items():
            runs = {
                engine.name: repeated(partial(engine.parser, loaded[engine.name], prompt, None)) for engine in engines
            }
            rows.append(Row(f"{shape.name}, {name}", name, alternate(runs, setting.rounds)))
    return rows
