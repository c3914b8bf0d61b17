"""What one input of the fuzzer means for the compiler: a damaged template, or text that should be one.

Either a TemplateError refuses it, or the emitted module passes the gate, runs, and parses with nothing but a
ParseError.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import rtgen
from rtgen import compiler, gate
from rtgen.identity import template_hash
from tests import strategies
from tests.fuzz.tape import Tape
from tests.test_damaged_templates import damage, places

instrument: list[Callable[[Any], Any]] = []


@cache
def bundled() -> tuple[dict[str, Any], ...]:
    return tuple(rtgen.load(name).template for name in rtgen.available())


def check(data: bytes) -> None:
    """Raises whatever should not have come out, if the input shows a fault."""
    tape = Tape(data)
    how = tape.byte() % 4
    if how == 0:
        raw: Any = data[1:].decode("utf-8", "surrogateescape")
        if raw.lstrip()[:1] not in ("{", "["):
            return  # the name of a file
    else:
        raw = strategies.template(tape).template if how == 1 else copy.deepcopy(tape.choice(bundled()))
        if how == 3:
            replace_strings(tape, raw)
        raw = damage(tape, raw)
    check_template(raw, tape.text(40))


def check_template(raw: Any, text: str) -> None:
    """Compile the template (or the text of it), run the module and parse `text` with it."""
    try:
        if isinstance(raw, str):
            compiled = rtgen.compile(raw)
            raw = compiled.template
        source = compiler.generate(raw)
    except rtgen.TemplateError:
        return
    tree = gate.check(source, name="fuzzed")
    compiled = compiler.execute(source, None, template_hash(raw), tree)
    parser = None
    try:
        parser = compiled.ResponseParser("")
        for character in text:
            parser.feed(character)
        parser.finalize()
    except rtgen.ParseError:
        pass
    assert compiled.template == raw or "NaN" in repr(raw).replace("nan", "NaN")


def replace_strings(tape: Tape, template: Any) -> None:
    """Put strings from the tape in the place of some keys and values."""
    for _ in range(1 + tape.byte() % 3):
        place = tape.choice(places(template))
        if isinstance(place, dict) and place:
            key = tape.choice(list(place))
            if tape.byte() % 3 == 0:
                place[tape.text(20)] = place.pop(key)
            else:
                place[key] = tape.text(30)
        elif isinstance(place, list):
            place.append(tape.text(20))
