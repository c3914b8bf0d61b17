"""Growth: the cost of one character in a long text over that in a short one, 1.0 where the work is linear.

rtgen is measured at 50 kB and 800 kB. transformers cannot be, on most of these inputs: it climbs from 800 characters by
doubling until a run would take too long. The chart shows the exponents of both (1: linear, 2: quadratic).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from benchmarks.engines import Engine
from benchmarks.rows import Row, Setting
from benchmarks.shapes import template
from benchmarks.texts import pieces, prose
from benchmarks.timing import Sample, alternate, clock, repeated, stream

TITLE = "Growth of the cost of a character, 50 kB to 800 kB"
UNIT = "times"
SMALL, LARGE = 50_000, 800_000
CHUNK = 4
"""Characters in one feed."""
BUDGET = 0.5
"""Seconds that one run of the climbing engine may take (quick: half of it)."""


@dataclass(frozen=True, slots=True)
class Input:
    """A text that grows: what it is, the template's file, and the text of about `n` characters."""

    name: str
    file: str
    text: Callable[[int], str]


def _calls(written: str) -> Callable[[int], str]:
    return lambda n: written * (n // len(written))


_JSON_CALL = (
    '<call>{"name": "look_up", "arguments": {"place": "Paris, the north of it", "number": 17, "exact": false}}</call>'
)
_SPACED_CALL = _JSON_CALL + "\n\n"
_DIALECT_CALL = (
    '<|call|>call:look_up{place:<|"|>Paris, the north of it<|"|>,number:17,exact:false,more:[1,2,3,4,5]}<call|>'
)
_XML_CALL = "\n<call>\n<function=look_up>\n<parameter=place>\nParis\n</parameter>\n</function>\n</call>"
_HARMONY_CALL = '<|channel|>commentary to=functions.look_up <|constrain|>json<|message|>{"place": "Paris"}<|call|>'

INPUTS = (
    Input("prose", "space_both", prose),
    Input("a run of blanks", "space_before", lambda n: "Hello." + " \n" * (n // 2) + "Done."),
    Input("a run of blanks, both sides", "space_both", lambda n: "Hello." + " \n" * (n // 2) + "Done."),
    Input("an opener without end", "harmony", lambda n: "<|channel|>commentary to=functions.f " + prose(n)),
    Input("openers without end", "harmony", _calls("<|channel|>commentary to=functions.f ")),
    Input("dense with <", "literal", _calls("a<b <t <call <thin </call> <|tur ")),
    Input("dense with <, spaces", "xml_parameters", _calls("a <b  <t <call <thin </call> <call> <|tur ")),
    Input(
        "unclosed tags in a region",
        "xml_parameters",
        lambda n: "<call>\n<function=f>\n" + "<parameter=k>\nv\n" * (n // 16) + "</function>\n</call>",
    ),
    Input("a huge argument", "literal", lambda n: f'<call>{{"name": "f", "arguments": {{"a": "{"x" * n}"}}}}</call>'),
    Input("a huge argument, dialect", "json_dialect", lambda n: f'<|call|>call:f{{a:<|"|>{"x" * n}<|"|>}}<call|>'),
    Input("8,000 small calls", "literal", _calls(_JSON_CALL)),
    Input("8,000 small calls, spaces", "space_both", _calls(_SPACED_CALL)),
    Input("8,000 small calls, dialect", "json_dialect", _calls(_DIALECT_CALL)),
    Input("9,000 small calls, XML", "xml_parameters", _calls(_XML_CALL)),
    Input("7,000 small calls, harmony", "harmony", _calls(_HARMONY_CALL)),
)


def growth(engine: Engine, given: Input, way: str, small: int, large: int, rounds: int) -> tuple[list[float], float]:
    """The growths of the cost of a character (one for each round), and the seconds for one at the larger length."""
    loaded = engine.load(template(given.file))
    runs = {str(size): _sample(engine, loaded, way, given.text(size)) for size in (small, large)}
    taken = alternate(runs, rounds)
    return [b / a for a, b in zip(*taken.values(), strict=True)], median(taken[str(large)])


def _sample(engine: Engine, loaded: Any, way: str, text: str) -> Sample:
    """Seconds for a character."""
    if way == "batch":
        whole = repeated(partial(engine.parse, loaded, text, ""), 0.02)
        return lambda: whole() / len(text)
    chunks = pieces(text, CHUNK)
    fed = stream(partial(engine.parser, loaded, "", None), [([], chunks)])
    return lambda: fed() * len(chunks) / len(text)


def bars(rows: Sequence[Row]) -> tuple[str, str, list[tuple[str, dict[str, float]]]]:
    """Title, unit and bars of the chart: the exponents."""
    found = []
    for row in rows:
        exponents = {}
        if taken := row.samples.get("rtgen"):
            exponents["rtgen"] = 1 + math.log(median(taken), LARGE / SMALL)
        if "transformers exponent" in row.facts:
            exponents["transformers"] = row.facts["transformers exponent"]
        found.append((row.label, {name: value for name, value in exponents.items() if value > 0}))
    return "Growth of the time with the length of the text", "exponent; 1: linear, 2: quadratic", found


def _climb(engine: Engine, loaded: Any, given: Input, way: str, budget: float) -> dict[str, float]:
    """How far the budget reaches: characters, their seconds, and the exponent over the last factor of four."""
    times: list[tuple[int, float]] = []
    size = SMALL // 64
    while size <= LARGE:
        text = given.text(size)
        start = clock()
        if way == "batch":
            engine.parse(loaded, text, "")
        else:
            parser = engine.parser(loaded, "", None)
            for chunk in pieces(text, CHUNK):
                parser.feed(chunk)
            parser.finalize()
        times.append((size, clock() - start))
        if times[-1][1] * 4 > budget:
            break
        size *= 2
    size, seconds = times[-1]
    earlier, fewer = times[max(0, len(times) - 3)]
    exponent = math.log(seconds / fewer) / math.log(size / earlier) if size > earlier else math.nan
    return {"characters reached": size, "seconds there": seconds, "exponent": exponent}


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each input and way; an engine's samples are growths, not seconds."""
    rows = []
    budget = BUDGET / 2 if setting.quick else BUDGET
    for given in INPUTS:
        for way in ("batch", "stream"):
            samples: dict[str, list[float]] = {}
            facts: dict[str, float] = {}
            notes = []
            for engine in engines:
                if engine.name == "rtgen":
                    taken, seconds = growth(engine, given, way, SMALL, LARGE, 2 if setting.quick else 5)
                    samples[engine.name] = taken
                    facts["rtgen seconds at 800 kB"] = seconds * LARGE
                    notes.append(f"rtgen: {seconds * LARGE:.3f} s at 800 kB")
                else:
                    climbed = _climb(engine, engine.load(template(given.file)), given, way, budget)
                    facts |= {f"{engine.name} {name}": value for name, value in climbed.items()}
                    notes.append(
                        f"{engine.name}: n^{climbed['exponent']:.1f}, {climbed['seconds there']:.2f} s"
                        f" at {climbed['characters reached'] / 1000:.0f} kB"
                    )
            rows.append(Row(f"{given.name}, {way}", f"{given.name}, {way}", samples, way, "; ".join(notes), facts))
    return rows
