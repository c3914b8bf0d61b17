"""What the content parsers share: the shape of their result, and code that refuses damaged arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen.emit.source import Module, Writer, literal

Expr = Callable[[str], str]
"""Given the name of a local variable that holds a region's text, the Python expression of the parsed value."""


def call(function: str) -> Expr:
    """The call of an emitted function of one parameter."""
    return lambda text: f"{function}({text})"


def refuse(out: Module, error: str, fault: str) -> Expr:
    """An emitted function that raises the builtin class named `error` for every text.

    The arguments of a content parser are not checked when a template is read; what is wrong with them shows when a
    region is parsed, and so does the code written here.
    """
    body = Writer()
    body.doc(f"Read no text: {shorten(fault)}.")
    raise_(body, error, fault)
    return call(out.function("refuse", "text", body))


def raise_(body: Writer, error: str, fault: str) -> None:
    """Write `raise error(fault)`; `error` is the name of a builtin class."""
    body.line(f"raise {error}({literal(shorten(fault))})")


def shorten(fault: str, most: int = 80) -> str:
    """`fault` cut to `most` characters, so that what a template holds cannot make an error message long."""
    return fault if len(fault) <= most else fault[: most - 3] + "..."


def no_args(out: Module, args: Any) -> Expr:
    """Code for content arguments that are not an object."""
    return refuse(out, "AttributeError", f"content_args is {kind(args)}, it must be an object")


def kind(value: Any) -> str:
    """The JSON type of `value`, with its article."""
    if value is None:
        return "null"
    for types, word in (
        (bool, "a boolean"),
        ((int, float), "a number"),
        (str, "a string"),
        ((list, tuple), "a list"),
        (dict, "an object"),
    ):
        if isinstance(value, types):
            return word
    return f"a value of type {type(value).__name__}"


def stripped(args: dict[str, Any]) -> bool:
    """Whether these arguments ask for a text without the white space around it, as is the default."""
    return bool(args.get("strip", True))
