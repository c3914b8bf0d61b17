"""The exceptions of the package: what is wrong with a template, with an output, or with generated code."""

from __future__ import annotations

from rtgen.runtime.errors import (
    LimitError,
    ParseAttributeError,
    ParseError,
    ParseKeyError,
    ParseRecursionError,
    ParseTypeError,
)

__all__ = [
    "GateError",
    "LimitError",
    "ParseAttributeError",
    "ParseError",
    "ParseKeyError",
    "ParseRecursionError",
    "ParseTypeError",
    "TemplateError",
]


class TemplateError(ValueError):
    """A response template that is refused.

    `message` says what is wrong and what would be right; `path` is the JSON path of the faulty value in the template,
    such as `$.fields.content.open` (`$` is the template itself), or None where no single value is to blame.
    """

    def __init__(self, message: str, path: str | None = None) -> None:
        self.message, self.path = message, path
        super().__init__(message, path)

    def __str__(self) -> str:
        return self.message if self.path is None else f"at {self.path}: {self.message}"


class GateError(RuntimeError):
    """Source that is not executed, because it holds something that the emitter never writes.

    `name` is the module, `construct` what was found (a node type, a name, an attribute), `line` where (None: the
    whole module).
    """

    def __init__(self, name: str, construct: str, line: int | None = None) -> None:
        self.name, self.construct, self.line = name, construct, line
        super().__init__(name, construct, line)

    def __str__(self) -> str:
        where = "" if self.line is None else f", line {self.line}"
        return f"module {self.name!r}{where}: generated code never holds {self.construct}, so it is not executed"
