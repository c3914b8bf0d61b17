"""Values of a template as Python expressions: defaults, and transforms with their placeholders filled in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen.emit.source import DEEPEST_DISPLAY, WIDTH, Module, Writer, literal


def display(out: Module, value: Any, parameters: str = "", leaf: Callable[[Any], str] = literal) -> str:
    """The expression of a JSON-like value, strings and other leaves written by `leaf`.

    What is nested deeper than CPython's parser takes is moved into functions of its own, called with `parameters`.
    """
    return _display(out, value, parameters, leaf, 0)


def _display(out: Module, value: Any, parameters: str, leaf: Callable[[Any], str], depth: int) -> str:
    if not isinstance(value, (dict, list)) or not value:
        return leaf(value)
    if depth and depth % DEEPEST_DISPLAY == 0:
        body = Writer()
        body.doc("A part of a value nested too deeply for one expression.")
        body.line(f"return {_display(out, value, parameters, leaf, 0)}")
        return f"{out.function('nested', parameters, body)}({parameters})"
    if isinstance(value, list):
        return "[" + ", ".join(_display(out, item, parameters, leaf, depth + 1) for item in value) + "]"
    pairs = (f"{literal(key)}: {_display(out, item, parameters, leaf, depth + 1)}" for key, item in value.items())
    return "{" + ", ".join(pairs) + "}"


def laid_out(opening: str, value: Any) -> list[str]:
    """The lines of `opening` followed by a value: one line, or as many as black would make of it."""
    return _laid_out(opening, value, "", 0)


def _laid_out(opening: str, value: Any, closing: str, indent: int) -> list[str]:
    pad = " " * indent
    line = f"{pad}{opening}{literal(value)}{closing}"
    if len(line) <= WIDTH or not isinstance(value, (dict, list, tuple)) or not value:
        return [line]
    brackets = {dict: "{}", list: "[]", tuple: "()"}[type(value)]
    lines = [f"{pad}{opening}{brackets[0]}"]
    if isinstance(value, dict):
        for key, item in value.items():
            lines += _laid_out(f"{literal(key)}: ", item, ",", indent + 4)
    else:
        for item in value:
            lines += _laid_out("", item, ",", indent + 4)
    return [*lines, f"{pad}{brackets[1]}{closing}"]
