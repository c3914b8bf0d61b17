"""The parser of the values inside a parsed region: `value_parser`, an object with `name` and `args`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from rtgen import content
from rtgen.content.common import Expr, kind, refuse
from rtgen.emit.source import Module

DEFAULT = "text"
"""The parser of a `value_parser` without a name."""


def emit(out: Module, value_parser: Any) -> Expr:
    """Write the parser that `value_parser` describes (None: the values stay as they are)."""
    if value_parser is None:
        return lambda text: text
    if not isinstance(value_parser, dict):
        return refuse(out, "AttributeError", f"value_parser is {kind(value_parser)}, it must be an object")
    name = value_parser.get("name", DEFAULT)
    if not isinstance(name, Hashable):
        return refuse(out, "TypeError", f"the name in value_parser is {kind(name)}, it must be a string")
    if name not in content.PARSERS:
        return refuse(out, "KeyError", f"value_parser names the unknown parser {name!r}")
    return content.emit(out, name, value_parser.get("args", {}))


def absent(value_parser: Any) -> str | None:
    """The builtin error class that reading a value which is not there raises; None: the value is then None."""
    if value_parser is None:
        return None
    if not isinstance(value_parser, dict):
        return "AttributeError"
    name = value_parser.get("name", DEFAULT)
    if not isinstance(name, Hashable):
        return "TypeError"
    if name not in content.PARSERS:
        return "KeyError"
    return content.absent(name, value_parser.get("args", {}))
