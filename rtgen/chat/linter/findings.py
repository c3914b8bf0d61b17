"""What the lint finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rtgen.chat.linter.rules import Effect

Level = Literal["error", "warning", "note"]

LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""The gravest first: some engine refuses the template, its text is another, that depends on the values."""


@dataclass(frozen=True, slots=True, eq=True)
class Finding:
    """One place that is not portable.

    `rule` is the id of its rule, `line` and `column` count from 1, in characters of the template's source. `effects`
    is what becomes of it by engine; `instead` is what to write, or empty. `fixable`: `rtgen chat lint --fix` writes it.
    """

    rule: str
    level: Level
    line: int
    column: int
    message: str
    effects: dict[str, Effect]
    instead: str
    fixable: bool = False

    @property
    def engines(self) -> list[str]:
        """The engines that break, or may."""
        return list(self.effects)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "rule": self.rule,
            "level": self.level,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "engines": dict(self.effects),
            "instead": self.instead,
            "fixable": self.fixable,
        }


def level_of(effects: dict[str, Effect]) -> Level:
    """The level of what has these effects."""
    if "error" in effects.values():
        return "error"
    return "warning" if "differs" in effects.values() else "note"
