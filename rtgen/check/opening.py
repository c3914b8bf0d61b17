"""Errors: fields that never open, because wherever their opener is found another delimiter wins.

Each is shown by example outputs: the opener is found in them, as its field alone would be, and the parser opens
something else. Where no example could be made, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import regex

from rtgen.check.findings import Finding, quote
from rtgen.check.samples import PROBED, samples
from rtgen.check.subject import WORDS, Subject, bodies
from rtgen.delimiters.classify import Kind
from rtgen.pattern import facts
from rtgen.pattern.nodes import CharClass
from rtgen.template import Delimiter, Field

BEFORE = ("", WORDS[0], f"{WORDS[0]}\n", " ")
"""What stands before an opener in the example outputs."""

AFTER = ("", " ", "\n", "x", WORDS[1])
"""What is tried behind it, besides a region's body and closer."""

LONGEST_ALTERED = 60
"""Characters of a sample that are altered, at most."""

RULE = (
    "of delimiters found at one place the longest wins, of equally long ones openers before closers, then the field "
    "whose name comes first in the alphabet"
)


def opening(subject: Subject) -> Iterator[Finding]:
    """The fields, and the literals of openers, that never open anything."""
    for field in subject.template.fields:
        if field.open is None:
            continue
        kind = subject.kinds[field.name, "open"]
        if kind.opaque:
            continue
        shown = {text: _taken(subject, field, field.open, text) for text in samples(kind)}
        where = subject.delimiter_path(field, "open")
        taken = [example for example in shown.values() if example is not None]
        if taken and len(taken) == len(shown):
            if any(_taken(subject, field, field.open, text) is None for text in _altered(kind)):
                continue
            yield Finding(
                "error",
                where,
                "never-opens",
                f"{field.name!r} never opens, since another delimiter wins wherever this one is found: {taken[0]}; "
                f"{RULE}; write an opener that the others do not match, or join the fields",
            )
        elif taken and kind.listed:
            for text, example in shown.items():
                if example is not None:
                    yield Finding(
                        "warning",
                        where,
                        "literal-never-opens",
                        f"{quote(text)} never opens {field.name!r}, since another delimiter wins there: {example}; "
                        f"{RULE}; leave it out",
                    )


def _altered(kind: Kind) -> Iterator[str]:
    """Other texts that the opener matches, where it has classes of characters: the samples with one of them changed."""
    if not any(isinstance(part, CharClass) for part in facts.walk(kind.whole)):
        return
    pattern = regex.compile(kind.source, regex.DOTALL)
    for text in samples(kind):
        for at in range(min(len(text), LONGEST_ALTERED)):
            for char in PROBED:
                other = text[:at] + char + text[at + 1 :]
                try:
                    if other != text and pattern.fullmatch(other, timeout=0.1):
                        yield other
                except TimeoutError:
                    return


def _taken(subject: Subject, field: Field, opener: Delimiter, text: str) -> str | None:
    """What an output with this text of the opener opens instead, in words; None where the field opens, or may."""
    pattern = regex.compile(opener.source, regex.DOTALL)
    end = subject.sample(field, "close") or ""
    example = None
    for before in BEFORE:
        for after in (bodies(field, WORDS[0])[0] + end, *AFTER):
            output = before + text + after
            if not _finds(pattern, output, len(before)):
                continue
            events = subject.events(output)
            if events is None or any(_opens(event, field.name) for event in events):
                return None
            example = example or _said(subject, output, events)
    return example


def _finds(pattern: regex.Pattern[str], output: str, at: int) -> bool:
    """Whether a search finds the opener where its text was put."""
    try:
        match = pattern.search(output, timeout=0.1)
    except TimeoutError:
        return False
    return match is not None and match.start() <= at < match.end()


def _opens(event: dict[str, Any], name: str) -> bool:
    return bool(event["type"] == "region_open" and event["field"] == name)


def _said(subject: Subject, output: str, events: list[dict[str, Any]]) -> str:
    implicit = subject.template.implicit
    own = None if implicit is None else implicit.name
    opened = [event["field"] for event in events if event["type"] == "region_open" and event["field"] != own]
    return f"{quote(output)} {f'opens {opened[0]!r}' if opened else 'opens nothing'}"
