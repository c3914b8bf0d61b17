"""`text`: the region as it stands, without the white space around it unless `strip` is false."""

from __future__ import annotations

from typing import Any

from rtgen.content.common import Expr, no_args, stripped
from rtgen.emit.source import Module

NAME = "text"


def emit(out: Module, args: Any) -> Expr:
    """Write what reading a text takes; see `rtgen.content.emit`."""
    if not isinstance(args, dict):
        return no_args(out, args)
    return strip_expression(args)


def strip_expression(args: dict[str, Any]) -> Expr:
    """The expression of a text with `strip` carried out."""
    return (lambda text: f"{text}.strip()") if stripped(args) else (lambda text: text)


def absent(args: Any) -> str | None:
    """See `rtgen.content.absent`."""
    return None if isinstance(args, dict) and not stripped(args) else "AttributeError"
