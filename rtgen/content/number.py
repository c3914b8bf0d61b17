"""What `int` and `float` have in common: Python's own reading of the text, and one sentence when it fails."""

from __future__ import annotations

from typing import Any

from rtgen.content.common import Expr, call, no_args, stripped
from rtgen.content.text import strip_expression
from rtgen.emit.source import Module, Writer


def emit_number(out: Module, args: Any, python_type: str, article: str) -> Expr:
    """Write a reader that calls `python_type`; `article` says what it reads, such as `an integer`.

    `strip` is carried out before, since `int` itself keeps U+001C to U+001F, which `str.strip` removes.
    """
    if not isinstance(args, dict):
        return no_args(out, args)
    body = Writer()
    body.doc(f"Read {article}.")
    with body.block("try:"):
        body.line(f"return {python_type}({strip_expression(args)('text')})")
    with body.block("except ValueError:"):
        body.line(f'raise ValueError("the text is not {article}") from None')
    return call(out.function(python_type, "text", body))


def absent_number(args: Any) -> str:
    """The error class of reading None, for `rtgen.content.absent`."""
    return "TypeError" if isinstance(args, dict) and not stripped(args) else "AttributeError"
