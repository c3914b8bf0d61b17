"""The plain text in the delimiters of a response template."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SHORTEST = 3
"""Runs of fewer characters say little; they are part of a pattern rather than a delimiter."""

_META = frozenset(".^$|()[]{}*+?")
_OPTIONAL = frozenset("*?{")
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True, slots=True)
class Run:
    """Characters that stand for themselves: `start` to `end` in the pattern's source, and what they match."""

    start: int
    end: int
    text: str


def runs(pattern: str) -> list[Run]:
    """The runs of at least SHORTEST characters in the source of a regular expression.

    An optional character belongs to no run; sets, groups' names and classes such as `\\s` neither.
    """
    found: list[Run] = []
    units: list[tuple[int, int, str]] = []

    def flush() -> None:
        if len(units) >= SHORTEST:
            found.append(Run(units[0][0], units[-1][1], "".join(unit[2] for unit in units)))
        units.clear()

    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\" and at + 1 < len(pattern):
            escaped = pattern[at + 1]
            if escaped.isalnum() and escaped not in _CHARACTERS:
                flush()
            else:
                units.append((at, at + 2, _CHARACTERS.get(escaped, escaped)))
            at += 2
        elif character in _META:
            if character in _OPTIONAL and units:
                units.pop()
            flush()
            at = _past(pattern, at)
        else:
            units.append((at, at + 1, character))
            at += 1
    flush()
    return found


def _past(pattern: str, at: int) -> int:
    """The place behind the construct that begins at `at`: a set, a repetition, the head of a group, one character."""
    if pattern[at] == "[":
        end = pattern.find("]", at + 2)
        while end > 0 and pattern[end - 1] == "\\":
            end = pattern.find("]", end + 1)
        return len(pattern) if end < 0 else end + 1
    if pattern[at] == "{":
        end = pattern.find("}", at)
        return len(pattern) if end < 0 else end + 1
    if pattern.startswith(("(?P<", "(?<"), at) and pattern[at + 3 : at + 4] not in ("=", "!"):
        return pattern.find(">", at) + 1
    if pattern.startswith(("(?<=", "(?<!"), at):
        return at + 4
    if pattern.startswith("(?", at):
        return at + 3
    return at + 1


def literals(template: dict[str, Any]) -> list[str]:
    """The plain texts of the fields' delimiters and patterns, each once, in their order."""
    found: dict[str, None] = {}
    for field in template.get("fields", {}).values():
        for text in _texts(field):
            found[text] = None
    return list(found)


def _texts(field: dict[str, Any]) -> Iterator[str]:
    for key in ("open", "close"):
        value = field.get(key)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip():
                yield text
    patterns = [field.get("open_pattern"), field.get("close_pattern")]
    arguments = field.get("content_args")
    if isinstance(arguments, dict):
        patterns.append(arguments.get("tag_pattern"))
        for pair in arguments.get("string_delims") or ():
            yield from pair
    for pattern in patterns:
        if isinstance(pattern, str):
            yield from (run.text for run in runs(pattern))
