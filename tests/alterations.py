"""Every delimiter of a response template, each altered by one character."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rtgen.roundtrip.literals import runs

LETTERLESS = "<>/`:=\"'"
"""Characters that a run without letters may be altered at: none of them means anything in a pattern."""


@dataclass(frozen=True)
class Alteration:
    """A template in which one delimiter, or one alternative of a pattern, was altered. `where` is a JSON path."""

    where: str
    delimiter: str
    template: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.where} ({self.delimiter!r})"


def altered_text(text: str) -> str:
    """The text with its middle letter (or other character, if it has none) replaced."""
    letters = [at for at, character in enumerate(text) if character.isalnum()] or list(range(len(text)))
    at = letters[len(letters) // 2]
    return text[:at] + ("q" if text[at] != "q" else "z") + text[at + 1 :]


def alterations(template: dict[str, Any]) -> Iterator[Alteration]:
    """Each string of each list of delimiters, each pattern as a whole (it asks for two letters more in front), and each
    run of plain characters in it: one at a time.
    """
    for holder, key, where in _places(template):
        value = holder(template)[key]
        for at, text in enumerate(value if isinstance(value, list) else [value]):
            path = f"{where}[{at}]" if isinstance(value, list) else where
            if "pattern" not in where:
                yield _with(template, holder, key, at, altered_text(text), path, text)
                continue
            yield _with(template, holder, key, at, f"zq(?:{text})", path, text)
            for run in runs(text):
                changed = text[: run.start] + _altered_source(text[run.start : run.end]) + text[run.end :]
                yield _with(template, holder, key, at, changed, path, run.text)


def _altered_source(source: str) -> str:
    """A run of a pattern's source altered; what is escaped stays escaped."""
    letters = [at for at, c in enumerate(source) if c.isalnum() and (at == 0 or source[at - 1] != "\\")]
    letters = letters or [at for at, c in enumerate(source) if c in LETTERLESS and (at == 0 or source[at - 1] != "\\")]
    at = letters[len(letters) // 2]
    return source[:at] + ("q" if source[at] != "q" else "z") + source[at + 1 :]


Holder = Callable[[dict[str, Any]], Any]


def _places(template: dict[str, Any]) -> Iterator[tuple[Holder, Any, str]]:
    for key in ("start_anchor", "start_anchor_pattern"):
        if key in template:
            yield (lambda t: t), key, f"$.{key}"
    for name, field in template["fields"].items():
        for key in ("open", "close", "open_pattern", "close_pattern"):
            if key in field:
                yield (lambda t, name=name: t["fields"][name]), key, f"$.fields.{name}.{key}"
        arguments = field.get("content_args") or {}
        if "tag_pattern" in arguments:
            where = f"$.fields.{name}.content_args.tag_pattern"
            yield (lambda t, name=name: t["fields"][name]["content_args"]), "tag_pattern", where
        for at in range(len(arguments.get("string_delims", ()))):
            where = f"$.fields.{name}.content_args.string_delims[{at}]"
            yield (lambda t, name=name: t["fields"][name]["content_args"]["string_delims"]), at, where


def _with(
    template: dict[str, Any], holder: Holder, key: Any, at: int, text: str, where: str, delimiter: str
) -> Alteration:
    altered = copy.deepcopy(template)
    value = holder(altered)[key]
    if isinstance(value, list):
        value[at] = text
    else:
        holder(altered)[key] = text
    return Alteration(where, delimiter, altered)
