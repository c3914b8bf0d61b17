"""Running what a content parser emits, beside transformers' own parser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen import content
from rtgen.emit.source import Module
from tests.oracle import builtin_class, reference

parse_content = reference.content_parsers.parse_content
"""The oracle: the value of a text, for a parser's name and arguments."""


def source_of(name: str, args: Any) -> str:
    """A module whose `parse` is the content parser `name` with these arguments."""
    out = Module(reserved=["parse"])
    expression = content.emit(out, name, args)("text")
    imports = "".join(f"import {module}\n" for module in sorted(out.imports)) + "from typing import Any\n"
    runtime = ""
    for part, names in sorted(out.runtime.items()):
        runtime += f"from rtgen.runtime.{part} import {', '.join(sorted(names))}\n"
    parts = "\n".join(filter(None, [imports, runtime, out.constants.text()]))
    functions = f"\n\ndef parse(text: str) -> Any:\n    return {expression}\n"
    return (parts + out.functions.text() + functions).lstrip("\n")


def compile_parser(name: str, args: Any) -> Callable[[Any], Any]:
    """The emitted parser as a function from a region's text to its value."""
    scope: dict[str, Any] = {}
    exec(compile(source_of(name, args), f"<{name}>", "exec"), scope)
    parse: Callable[[Any], Any] = scope["parse"]
    return parse


def outcome(parse: Callable[[], Any]) -> tuple[str, Any]:
    """`("value", v)`, or `("error", builtin class)` with the builtin class as `tests.oracle` has it."""
    try:
        return "value", parse()
    except Exception as error:
        return "error", builtin_class(error)
