"""What a check finds: its level, its place, the rule behind it, and a sentence for the template's author."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]

LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""The levels, the gravest first: an error loses text or never parses, a warning is fragile, a note is good to know."""

MOST_QUOTED = 120
"""Characters of an example output that a message quotes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: `where` is the JSON path in the template, `rule` names what was checked (names stay as they are)."""

    level: Level
    where: str
    rule: str
    message: str


def in_order(findings: list[Finding]) -> list[Finding]:
    """The findings by level, each level in the order in which they were found, and none twice."""
    return sorted(dict.fromkeys(findings), key=lambda finding: LEVELS.index(finding.level))


def quote(text: str) -> str:
    """A text as a message shows it: a JSON string, shortened in its middle."""
    import json

    if len(text) > MOST_QUOTED:
        half = MOST_QUOTED // 2
        text = f"{text[:half]}...{text[-half:]}"
    return json.dumps(text, ensure_ascii=False)


def quote_value(value: object) -> str:
    """A value as JSON, shortened at its end; what JSON cannot say is called "the value"."""
    import json

    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "the value"
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}..."
