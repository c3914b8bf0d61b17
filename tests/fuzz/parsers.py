"""What one input of the fuzzer means for emitted parsers: a template of a fixed set, a text, chunks and options.

Without options the message, the class of the error and the events are those of the reference, whole and in chunks.
With options the chunks make no difference. Nothing but a ParseError comes out.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import rtgen
from tests import strategies
from tests.comparison import delimiter_samples
from tests.fuzz.tape import Tape
from tests.oracle import Oracle, batch, contradiction, join, result_contradiction, same, show, stream
from tests.serving import stream as serve

RANDOM_TEMPLATES = 67
"""Random templates beside the bundled ones, each from its own seed."""

LONGEST = 120
"""Pieces of a text at most."""

POLICIES = ("raise", "event", "content")
instrument: list[Callable[[Any], Any]] = []
"""What the fuzzer wants done to each function of a compiled template."""


class Subject:
    """A template with the parser under test, the reference, and the words that its texts are made of."""

    def __init__(self, template: dict[str, Any], words: list[str], anchors: list[str]) -> None:
        self.oracle = Oracle(template)
        self.compiled = rtgen.compile(template)
        self.template = template
        self.words = list(dict.fromkeys(word for word in words if word))[:120]
        self.anchors = anchors
        for each in instrument:
            each(self.compiled)


@cache
def names() -> tuple[str, ...]:
    """The bundled templates, in their order; a new one changes what inputs with a later number mean."""
    return tuple(rtgen.available())


@cache
def subject(number: int) -> Subject:
    """The subject of this number, the bundled ones first."""
    if number < len(names()):
        return _bundled(names()[number])
    rng = random.Random(f"fuzz/{number - len(names())}")
    made = strategies.template(rng)
    samplers = [d.sample for d in (*made.opens.values(), *made.closes.values()) for _ in range(4)]
    samplers += [body for body in made.bodies.values() for _ in range(12)]
    return Subject(made.template, [each(rng) for each in samplers], [made.anchor(rng) for _ in range(4)])


def _bundled(name: str) -> Subject:
    template = rtgen.load(name).template
    words = delimiter_samples(template, random.Random(name))[:60]
    anchors = [""]
    folder = Path(import_module("rtgen.templates").__path__[0]) / name / "cases"
    for file in sorted(folder.glob("*.json")):
        cases = json.loads(file.read_text(encoding="utf-8"))
        for case in cases if isinstance(cases, list) else cases.get("cases", [cases]):
            words += strategies.TOKEN.findall(str(case.get("text", "")))
            anchors.append(str(case.get("prefix", ""))[-200:])
    return Subject(template, words, list(dict.fromkeys(anchors))[:8])


def check(data: bytes) -> None:
    """Raises AssertionError, or whatever should not have come out, if the input shows a fault."""
    tape = Tape(data)
    chosen = subject(tape.randrange(len(names()) + RANDOM_TEMPLATES))
    switches, most = tape.byte(), 1 + tape.byte() % 9
    tools = None if tape.byte() % 4 else strategies.TOOLS
    prefix = tape.choice(["", *chosen.anchors])
    pieces: list[str] = []
    while not tape.used_up and len(pieces) < LONGEST:
        byte = tape.byte()
        pieces.append(chosen.words[byte % len(chosen.words)] if byte < 0xA0 and chosen.words else tape.text(byte % 8))
    text = "".join(pieces)
    chunks = strategies.random_chunks(random.Random(len(data) * 256 + switches), text, most)
    check_default(chosen, text, chunks, prefix, tools)
    check_options(chosen, text, chunks, prefix, tools, options_of(switches))


def options_of(switches: int) -> dict[str, Any]:
    """The options that the bits of a byte stand for."""
    return {
        "on_malformed": POLICIES[switches % 3],
        "spans": bool(switches // 3 & 1),
        "string_aware": bool(switches // 3 & 2),
        "repair": bool(switches // 3 & 4),
    }


def check_default(chosen: Subject, text: str, chunks: list[str], prefix: str, tools: Any) -> None:
    right = chosen.oracle.whole_text(text, prefix, tools)
    whole, streamed = batch(chosen.compiled, text, prefix, tools), stream(chosen.compiled, chunks, prefix, tools)
    where = f"{show(chosen.template)}\nprefix {prefix!r}\ntext {text!r}\ntools {tools is not None}"
    assert (problem := result_contradiction(right, whole)) is None, f"batch {problem}\n{where}"
    assert (problem := contradiction(right, streamed)) is None, f"chunks {chunks} {problem}\n{where}"
    if right.error is not None:
        try:
            chosen.compiled.parse_response(text, prefix=prefix, tools=tools)
        except rtgen.ParseError:
            return
        raise AssertionError(f"no ParseError: {where}")


def check_options(
    chosen: Subject, text: str, chunks: list[str], prefix: str, tools: Any, options: dict[str, Any]
) -> None:
    whole, events, _ = serve(chosen.compiled, [text], prefix, tools, **options)
    message, others, _ = serve(chosen.compiled, chunks, prefix, tools, **options)
    where = f"{options}\n{show(chosen.template)}\nprefix {prefix!r}\ntext {text!r}\ntools {tools is not None}"
    for found in (whole, message):
        assert not isinstance(found, type) or issubclass(found, rtgen.ParseError), f"{found}: {where}"
    assert same(whole, message), f"chunks {chunks} give {show(message)}, whole gives {show(whole)}\n{where}"
    if isinstance(whole, type):
        return
    left, right = join(marked(events)), join(marked(others))
    assert same(left, right), f"chunks {chunks} give {show(right)}, whole gives {show(left)}\n{where}"
    given = {key: value for key, value in options.items() if key != "spans"}
    at_once = chosen.compiled.parse_response(text, prefix=prefix, tools=tools, **given)
    assert same(at_once, whole), f"the batch gives {show(at_once)}, the stream {show(whole)}\n{where}"


def marked(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events with the class of an error in place of the error."""
    return [event | {"error": type(event["error"]).__name__} if "error" in event else event for event in events]
