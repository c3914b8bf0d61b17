"""`float`: a number, as Python's `float` reads it (`inf`, `nan` and underscores included)."""

from __future__ import annotations

from typing import Any

from rtgen.content.common import Expr
from rtgen.content.number import absent_number, emit_number
from rtgen.emit.source import Module

NAME = "float"


def emit(out: Module, args: Any) -> Expr:
    """Write the reader; see `rtgen.content.emit`."""
    return emit_number(out, args, "float", "a number")


def absent(args: Any) -> str | None:
    """See `rtgen.content.absent`."""
    return absent_number(args)
