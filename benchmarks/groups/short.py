"""Short requests: construct a parser with 50 tools, feed ten tokens, finalize."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.engines import Engine
from benchmarks.rows import Row, Setting
from benchmarks.shapes import SHAPES
from benchmarks.timing import Sample, alternate, repeated

TITLE = "Short requests: 50 tools, ten tokens"
UNIT = "µs a request"
TOKENS = ["It", " is", " sunny", " in", " Paris", ",", " 22", " °C", " now", "."]


def tools(count: int) -> list[dict[str, Any]]:
    """`count` tools in the form of OpenAI's API, with five parameters each."""
    kinds = ("string", "integer", "number", "boolean", "array")
    return [
        {
            "type": "function",
            "function": {
                "name": f"tool_{number}",
                "description": f"The tool with the number {number}.",
                "parameters": {
                    "type": "object",
                    "properties": {f"{kind}_value": {"type": kind, "description": f"A {kind}."} for kind in kinds},
                    "required": ["string_value"],
                },
            },
        }
        for number in range(count)
    ]


def _request(engine: Engine, given: Any, prefix: str, known: list[Any]) -> Sample:
    def work() -> None:
        parser = engine.parser(given, prefix, known)
        for token in TOKENS:
            parser.feed(token)
        parser.finalize()

    return repeated(work)


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each kind of template and way of giving it."""
    rows = []
    known = tools(50)
    for shape in SHAPES:
        template = shape.template()
        for way in ("from a dict", "from a loaded template"):
            runs = {
                engine.name: _request(
                    engine, template if way == "from a dict" else engine.load(template), shape.prompt(), known
                )
                for engine in engines
            }
            rows.append(Row(f"{way}, {shape.name}", f"{shape.name}, {way}", alternate(runs, setting.rounds), way))
    return rows
