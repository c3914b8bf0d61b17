"""Content parsers: how the text of a region becomes a value, one compile-time module per parser.

A parser module has `NAME`; `emit(out, args)`, which writes what these arguments need into a generated module and
returns the expression of the value; and `absent(args)`, which says what reading None raises. Whatever is wrong with
`args` becomes code that raises at parse time, since that is when transformers finds it; nothing here raises.
"""

from __future__ import annotations

from typing import Any, Protocol

from rtgen.content import bool_, float_, int_, json_dialect, kv_lines, python_call_list, text, xml_inline
from rtgen.content.common import Expr
from rtgen.emit.source import Module

__all__ = ["PARSERS", "STREAMABLE", "ContentParser", "Expr", "absent", "emit"]


class ContentParser(Protocol):
    """A parser module."""

    NAME: str

    def emit(self, out: Module, args: Any) -> Expr: ...

    def absent(self, args: Any) -> str | None: ...


PARSERS: dict[str, ContentParser] = {
    parser.NAME: parser for parser in (text, int_, float_, bool_, json_dialect, xml_inline, kv_lines, python_call_list)
}
"""The parsers by the name that a template's `content` gives."""

STREAMABLE = frozenset({"text", "int", "float", "bool"})
"""Parsers whose regions stream as text that is part of the value; the others' chunks are raw."""


def emit(out: Module, name: str, args: Any) -> Expr:
    """Write the parser `name` for the content arguments `args` (any JSON value) into `out`.

    Returns a function that makes the expression of the value from the name of the variable with the region's text.
    Raises KeyError for an unknown name.
    """
    return PARSERS[name].emit(out, args)


def absent(name: str, args: Any) -> str | None:
    """The name of the builtin error class that reading None instead of a text raises; None: the value is then None."""
    return PARSERS[name].absent(args)
