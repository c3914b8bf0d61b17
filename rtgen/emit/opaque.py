"""The patterns that are outside the promise: only `regex` itself decides them, at the end of the text."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any, cast

from rtgen.content.xml_inline import pattern_fault
from rtgen.identity import step
from rtgen.lower import Program
from rtgen.pattern import facts
from rtgen.pattern.parse import parse
from rtgen.template import Field

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def warn(program: Program) -> None:
    """Warn (UserWarning) of each such pattern of the program's template, as a fault of whoever called the package."""
    for path, reasons in patterns(program):
        warnings.warn(
            f"the pattern at {path} is outside the promise: only `regex` can read it ({', '.join(reasons)}), so it is "
            "decided when its text is complete, and nothing is streamed before; write it without that",
            stacklevel=_outside(),
        )


def patterns(program: Program) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The JSON path of each such pattern, and what makes it one."""
    if program.anchor.opaque:
        yield "$.start_anchor_pattern", facts.opaque_reasons(program.anchor.whole)
    for field in program.template.fields:
        path = step("$.fields", field.name)
        for role in ("open", "close"):
            for watch in (watch for state in (program.start, *program.regions) for watch in state.watches):
                if watch.field is field and watch.role == role and watch.kind.opaque:
                    yield step(path, f"{role}_pattern"), facts.opaque_reasons(watch.kind.whole)
        yield from tag_patterns(field)


def tag_patterns(field: Field) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The same for the `tag_pattern`s of a field: its own, and those of the parsers of values inside it."""
    path, name, args = step("$.fields", field.name), cast(Any, field.content), field.content_args
    keys = ["content_args"]
    while isinstance(args, dict):
        pattern = args.get("tag_pattern")
        if name == "xml-inline" and isinstance(pattern, str) and pattern_fault(pattern) is None:
            reasons = facts.opaque_reasons(parse(pattern))
            if reasons:
                where = path
                for key in (*keys, "tag_pattern"):
                    where = step(where, key)
                yield where, reasons
        inner = args.get("value_parser")
        if not isinstance(inner, dict):
            return
        name, args = inner.get("name"), inner.get("args")
        keys += ["value_parser", "args"]


def _outside() -> int:
    """The `stacklevel` that makes a warning of `warn` one of the first caller outside the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(PACKAGE + os.sep):
        frame, level = frame.f_back, level + 1
    return level
