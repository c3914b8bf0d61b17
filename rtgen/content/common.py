"""What the content parsers share: the shape of their result, and code that refuses damaged arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen.emit.source import WIDTH, Module, Writer, literal
from rtgen.emit.values import laid_out

LONGEST = 80
"""Characters of a fault or a docstring that quotes a template."""

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
    most = LONGEST
    while len(literal(shorten(fault, most))) > LONGEST + 10:
        most -= 1
    body.line(f"raise {error}({literal(shorten(fault, most))})")


def shorten(fault: str, most: int = 0) -> str:
    """`fault` cut to `most` characters, so that what a template holds cannot make an error message long."""
    most = most or LONGEST
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


SHORT = 40
"""Characters up to which a string stands where it is used, in code; a longer one becomes a constant."""

PIECE = 100
"""Columns of a piece of a string that goes over several lines."""


def string(out: Module, hint: str, text: str) -> str:
    """The expression of a string from a template in a line of code: a literal, or a constant's name if it is long."""
    expression = literal(text)
    return expression if len(expression) <= SHORT else _constant(out, hint, "", text)


def pattern_constant(out: Module, hint: str, module: str, pattern: str, flags: str = "") -> str:
    """The name of a constant that holds the compiled `pattern`; `module` is `re` or `regex`."""
    out.use(module)
    return _constant(out, hint, f"{module}.compile", pattern, flags)


def value_constant(out: Module, hint: str, value: Any) -> str:
    """The name of a constant of any JSON-like value, over several lines where one is too short."""
    return _write_constant(out, hint, lambda column: _cut(laid_out("x" * column, value), column))


def _cut(lines: list[str], column: int) -> list[str]:
    return [lines[0][column:], *lines[1:]]


def _constant(out: Module, hint: str, function: str, text: str, flags: str = "") -> str:
    """A constant that is a string, or a function of one; a long one goes over several lines."""

    def lines(column: int) -> list[str]:
        after = f", {flags}" if flags else ""
        line = f"{function}({literal(text)}{after})" if function else literal(text)
        if column + len(line) <= WIDTH:
            return [line]
        strings = [literal(text)] if 5 + len(literal(text)) <= WIDTH else list(map(literal, pieces(text)))
        if len(strings) > 1 and not flags and 4 + len(" ".join(strings)) <= WIDTH:
            strings = [" ".join(strings)]
        strings = ["    " + piece for piece in strings]
        if not flags:
            return [f"{function}(", *strings, ")"]
        if len(strings) > 1:
            strings = ["    " + piece for piece in ["(", *strings, ")"]]
        return [f"{function}(", *strings[:-1], strings[-1] + ",", f"    {flags},", ")"]

    return _write_constant(out, hint, lines)


def pieces(text: str) -> list[str]:
    """`text` in parts whose literals are at most `PIECE` columns wide, cut before a bracket or bar where possible."""
    parts = []
    while len(text) > PIECE or len(literal(text)) > PIECE:  # a literal is never shorter than its text
        most = PIECE
        while len(literal(text[:most])) > PIECE:
            most -= 1
        natural = max(text.rfind(mark, most // 2, most) for mark in "(|<")
        cut = natural if natural > 0 else most
        parts.append(text[:cut])
        text = text[cut:]
    return [*parts, text]


def _write_constant(out: Module, hint: str, lines: Callable[[int], list[str]]) -> str:
    """The name of a constant; `lines` gives those of its expression when it starts at a column."""
    key = "\n".join(lines(0))
    known = out._constants.get(key)
    if known is None:
        known = out._constants[key] = out.names.make("_" + hint.upper())
        first, *rest = lines(len(known) + 3)
        out.constants.line(f"{known} = {first}")
        for line in rest:
            out.constants.line(line)
    return known
