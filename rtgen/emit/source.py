"""Writing Python: lines and blocks, literals, identifiers, and the module that collects them.

Every string that comes from a template enters generated source through `literal`, every identifier made from one
through `Names`.  Nothing else in the emitter may put template text into code.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

WIDTH = 120
"""Columns of a generated line; `header.format_source` hands the same number to black."""

DEEPEST_DISPLAY = 40
"""Nesting up to which a value is written as one display; CPython refuses about 100 levels of brackets."""


def literal(value: Any) -> str:
    """The Python expression of a JSON-like value (None, bool, int, float, str, list, tuple, dict with str keys).

    Strings are written in ASCII with double quotes wherever black would put them, so that formatting does not change
    the text. Raises TypeError for any other type.
    """
    if value is None or value is True or value is False:
        return repr(value)
    if type(value) is str:
        return _string(value)
    if type(value) is int:
        return str(value)
    if type(value) is float:
        if value != value:
            return 'float("nan")'
        if value in (float("inf"), float("-inf")):
            return 'float("inf")' if value > 0 else 'float("-inf")'
        return repr(value)
    if type(value) is list:
        return "[" + ", ".join(map(literal, value)) + "]"
    if type(value) is tuple:
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if type(value) is dict:
        return "{" + ", ".join(f"{_key(k)}: {literal(v)}" for k, v in value.items()) + "}"
    raise TypeError(f"no Python literal for a value of type {type(value).__name__}")


def _key(key: Any) -> str:
    if type(key) is not str:
        raise TypeError(f"no Python literal for a dict key of type {type(key).__name__}")
    return _string(key)


def _string(text: str) -> str:
    """A string literal in ASCII, in the quotes that black prefers: double ones, unless they need more backslashes."""
    shown = ascii(text)
    body = shown[1:-1].replace("\\'", "'") if shown[0] == "'" else shown[1:-1]  # where quotes carry no backslash yet
    if body.count('"') > body.count("'"):
        return "'" + body.replace("'", "\\'") + "'"
    return '"' + body.replace('"', '\\"') + '"'


TYPES = {
    "at": "int",
    "before": "str",
    "body": "str",
    "captures": "dict[str, str]",
    "content": "Any",
    "depth": "int",
    "events": "list[dict[str, Any]]",
    "final": "bool",
    "found": "Any",
    "item": "dict[str, Any]",
    "items": "Any",
    "message": "dict[str, Any]",
    "prefix": "str",
    "start": "int",
    "text": "str",
    "tools": "Any",
}
"""What the parameters of emitted functions are, by their names: the same everywhere."""


def signature(name: str, parameters: str, result: str = "Any") -> str:
    """The `def` line of an emitted function, with the types of its parameters ("text, at", or "")."""
    names = [part.strip() for part in parameters.split(",")] if parameters else []
    typed = [part if part == "self" else f"{part}: {TYPES[part]}" for part in names]
    return f"def {name}({', '.join(typed)}) -> {result}:"


class Names:
    """Makes identifiers: readable, ASCII, unlike each other, never a keyword, a dunder or a reserved name."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken: set[str] = set(reserved)

    def reserve(self, name: str) -> str:
        """Take `name` itself, which the emitter wrote; raises ValueError when it is taken."""
        if name in self._taken:
            raise ValueError(f"the name {name} is taken")
        self._taken.add(name)
        return name

    def make(self, hint: str) -> str:
        """An identifier that resembles `hint`, which may be any text; the same hint twice gives two names."""
        stem = re.sub(r"[^A-Za-z0-9_]+", "_", hint)[:40].rstrip("_") or "x"
        if stem.startswith("__"):
            stem = "_" + stem.lstrip("_")
        if stem[0].isdigit() or keyword.iskeyword(stem) or keyword.issoftkeyword(stem) or stem == "_":
            stem = "x_" + stem.lstrip("_")
        name, count = stem, 1
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name


class Writer:
    """Lines of source with their indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._indent = 0

    def line(self, text: str = "") -> None:
        """Write one line (it may not hold a newline); the empty line carries no indentation."""
        if "\n" in text or "\r" in text:
            raise ValueError("a line of source holds a line break")
        self.lines.append("    " * self._indent + text if text else "")

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        """`header` (with its colon), then what is written inside, indented."""
        self.line(header)
        with self.indented():
            yield

    @contextmanager
    def indented(self) -> Iterator[None]:
        self._indent += 1
        yield
        self._indent -= 1

    def doc(self, text: str) -> None:
        """A docstring; `text` may come from a template: it is written so that it can end neither string nor line."""
        shown = ascii(text)
        safe = shown[1:-1].replace("\\'", "'") if shown[0] == "'" else shown[1:-1]
        safe = safe.replace("\\\\", "\\").replace('"', "'").rstrip()
        if "\\" in safe:  # raw, so that a regex reads as it is
            self.line(f'r"""{safe}{" " if safe.endswith(chr(92)) else ""}"""')
        else:
            self.line(f'"""{safe}"""')

    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)


class Module:
    """A generated module being collected: imports, constants and functions, each written once.

    `names` holds the module's own identifiers. Constants are shared: the same expression gives the same name.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self.names = Names(reserved)
        self.imports: set[str] = set()
        self.runtime: dict[str, set[str]] = {}
        self._constants: dict[str, str] = {}
        self._functions: dict[tuple[str, ...], str] = {}
        self.constants = Writer()
        self.functions = Writer()

    def use(self, module: str) -> None:
        """Import a module of the standard library, or `regex`, by its name."""
        if module not in self.imports:
            self.imports.add(module)
            self.names._taken.add(module)

    def use_runtime(self, part: str, *names: str) -> None:
        """Import names from a part of `rtgen.runtime` (`"errors"`, `"pattern"`, …)."""
        known = self.runtime.setdefault(part, set())
        for name in names:
            if name not in known:
                known.add(name)
                self.names._taken.add(name)

    def constant(self, hint: str, expression: str) -> str:
        """The name of a module-level constant of this value, written where it is new; `hint` in capitals."""
        known = self._constants.get(expression)
        if known is None:
            known = self._constants[expression] = self.names.make("_" + hint.upper())
            self.constants.line(f"{known} = {expression}")
        return known

    def function(self, hint: str, parameters: str, body: Writer) -> str:
        """The name of a function with this body (without its `def` line), written where it is new."""
        key = (hint, parameters, *body.lines)
        known = self._functions.get(key)
        if known is None:
            known = self._functions[key] = self.names.make("_" + hint)
            self.functions.line()
            self.functions.line()
            with self.functions.block(signature(known, parameters)):
                for line in body.lines:
                    self.functions.line(line)
        return known
