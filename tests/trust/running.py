"""Running hostile templates: compiled in each form, and held against the oracle."""

from __future__ import annotations

import builtins
from types import ModuleType
from typing import Any

from rtgen import compiler
from rtgen.emit.header import format_source
from rtgen.identity import template_hash
from tests.oracle import Compiled, Oracle, batch, contradiction, result_contradiction, stream
from tests.trust.hostile import Case


class Canary:
    """What hostile text would reach if it ran: `builtins.canary` is the list `sung`."""

    def __init__(self) -> None:
        self.sung: list[int] = []

    def __enter__(self) -> Canary:
        builtins.canary = self.sung  # type: ignore[attr-defined]
        return self

    def __exit__(self, *_: object) -> None:
        del builtins.canary  # type: ignore[attr-defined]


def plain(template: dict[str, Any]) -> Compiled:
    """The parser as `rtgen.compile` executes it: behind the gate. Raises TemplateError."""
    return compiler.execute(compiler.generate(template), None, template_hash(template))


def formatted(template: dict[str, Any]) -> Compiled:
    """The parser of the module as it is written to files. Raises TemplateError."""
    return compiler.execute(format_source(compiler.generate(template)), None, template_hash(template))


def standalone(template: dict[str, Any], *, format: bool = False) -> Compiled:
    """The parser of the module that needs no rtgen. Raises TemplateError."""
    source = compiler.generate(template, standalone=True)
    module = ModuleType("standalone")
    exec(compile(format_source(source) if format else source, "<standalone>", "exec"), module.__dict__)
    assert template == module.RESPONSE_TEMPLATE
    return module  # type: ignore[return-value]


def oracle(template: dict[str, Any]) -> Oracle | None:
    """The oracle of the template; None if it is refused."""
    try:
        return Oracle(template)
    except Exception:
        return None


def problem(compiled: Compiled, right: Oracle, case: Case) -> str | None:
    """Why `compiled` is wrong on a text of the case: in one go, in one chunk, character by character; None if right."""
    for prefix, text in case.runs:
        wanted = right.whole_text(text, prefix)
        found = (
            result_contradiction(wanted, batch(compiled, text, prefix))
            or contradiction(wanted, stream(compiled, [text], prefix))
            or contradiction(wanted, stream(compiled, list(text), prefix))
        )
        if found is not None:
            return f"{ascii((prefix, text))[:300]}: {found!a}"
    return None
