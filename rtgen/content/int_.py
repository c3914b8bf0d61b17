"""`int`: an integer, as Python's `int` reads it (underscores, any script's digits, at most 4,300 of them)."""

from __future__ import annotations

from typing import Any

from rtgen.content.common import Expr
from rtgen.content.number import absent_number, emit_number
from rtgen.emit.source import Module

NAME = "int"


def emit(out: Module, args: Any) -> Expr:
    """Write the reader; see `rtgen.content.emit`."""
    return emit_number(out, args, "int", "an integer")


def absent(args: Any) -> str | None:
    """See `rtgen.content.absent`."""
    return absent_number(args)
