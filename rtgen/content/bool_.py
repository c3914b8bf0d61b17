"""`bool`: true for `true` and `1` in any case, false for every other text."""

from __future__ import annotations

from typing import Any

from rtgen.content.common import Expr, no_args
from rtgen.content.text import strip_expression
from rtgen.emit.source import Module

NAME = "bool"


def emit(out: Module, args: Any) -> Expr:
    """Write what reading a boolean takes; see `rtgen.content.emit`."""
    if not isinstance(args, dict):
        return no_args(out, args)
    strip = strip_expression(args)
    return lambda text: f'{strip(text)}.lower() in ("true", "1")'


def absent(args: Any) -> str | None:
    """See `rtgen.content.absent`."""
    return "AttributeError"
