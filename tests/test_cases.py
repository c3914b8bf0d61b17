"""Cases as data: each is run whole, character by character, at two-way splits, and at seeded random splits.

A case is a JSON file in `tests/cases/<template or _language>/` or in `templates/<name>/cases/`: `template` (a bundled
name or the template itself; a family's case leaves it out), `prefix`, `text`, perhaps `tools`, `message` or `error`
(the name of a builtin class), perhaps the joined `events` (of a failed parse: those up to the failure), perhaps
`chunks` (one more way of cutting it). `why` says what it shows.

What a case states is held against the oracle too, so that neither can be wrong alone.
"""

from __future__ import annotations

import builtins
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rtgen
from tests.comparison import check_promptness
from tests.conftest import HERE, ROOT, load_json
from tests.oracle import (
    Oracle,
    Outcome,
    atoms,
    batch,
    begins,
    contradiction,
    engine,
    result_contradiction,
    same,
    stream,
)
from tests.strategies import Run, random_chunks, token_chunks

SHORT = 60
"""Texts up to this long are cut at every place, longer ones at some."""

LANGUAGE = sorted(HERE.glob("cases/*/*.json"))
FAMILIES = sorted(ROOT.glob("templates/*/cases/*.json"))
WITH_PREFIX = [path for path in LANGUAGE if (case := load_json(path))["prefix"] and "message" in case]
INVALID = sorted(HERE.glob("cases_invalid/*.json"))


def case_id(path: Path) -> str:
    family = path.parent.parent.name if path.parent.name == "cases" else path.parent.name
    return f"{family}/{path.stem}"


@cache
def template_named(name: str) -> dict[str, Any]:
    found: dict[str, Any] = load_json(ROOT / "templates" / name / "response_template.json")
    return found


def template_of(path: Path, case: dict[str, Any]) -> dict[str, Any]:
    template = case.get("template", path.parent.parent.name)
    return template_named(template) if isinstance(template, str) else template


def chunkings(case: dict[str, Any]) -> Iterator[list[str]]:
    text = case["text"]
    yield list(text)
    yield [text]
    yield token_chunks(text)
    if "chunks" in case:
        yield case["chunks"]
    places = range(1, len(text)) if len(text) <= SHORT else random.Random(text).sample(range(1, len(text)), 40)
    for at in places:
        yield [text[:at], text[at:]]
    rng = random.Random(text)
    for most in (2, 3, 5, 8, 13, 40):
        yield random_chunks(rng, text, most)


def stated(case: dict[str, Any], right: Outcome) -> Outcome:
    """What the case itself says; its events are the oracle's where it is silent."""
    error = getattr(builtins, case["error"]) if "error" in case else None
    return Outcome(message=case.get("message"), error=error, events=case.get("events", right.events))


def test_there_are_cases() -> None:
    assert len(LANGUAGE) >= 60
    assert len(WITH_PREFIX) >= 10
    assert len(INVALID) >= 20
    assert {path.parent.name for path in FAMILIES} <= {"cases"}
    for folder in ROOT.glob("templates/*/response_template.json"):
        assert list(folder.parent.glob("cases/*.json")), f"{folder.parent.name} has no cases"


@pytest.mark.parametrize("path", [*LANGUAGE, *FAMILIES], ids=case_id)
def test_case(path: Path) -> None:
    case = load_json(path)
    template = template_of(path, case)
    prefix, tools = case["prefix"], case.get("tools")
    oracle = Oracle(template)
    right = oracle.whole_text(case["text"], prefix, tools)
    expected = stated(case, right)
    assert contradiction(expected, right) is None and same(expected.events, right.events), "the oracle says otherwise"

    compiled = engine().compile(template)
    assert result_contradiction(expected, batch(compiled, case["text"], prefix, tools)) is None
    run = Run(template, prefix, case["text"], tools)
    for number, chunks in enumerate(chunkings(case)):
        got = stream(compiled, chunks, prefix, tools, progress=True)
        problem = contradiction(expected, got)
        assert problem is None, f"chunks {chunks}: {problem}"
        if number < 8:
            late = check_promptness(compiled, oracle, run, chunks, right, got, random.Random(0))
            assert late is None, f"chunks {chunks}: {late}"


@pytest.mark.parametrize("path", WITH_PREFIX, ids=case_id)
def test_initial_events_are_those_of_the_prefix(path: Path) -> None:
    """What the constructor delivers begins the right events, and is not less than the reference delivers."""
    case = load_json(path)
    template = template_of(path, case)
    right = Oracle(template).whole_text(case["text"], case["prefix"], case.get("tools"))
    alone = Oracle(template).whole_text("", case["prefix"], case.get("tools"))
    events = engine().compile(template).ResponseParser(case["prefix"], tools=case.get("tools")).initial_events
    assert isinstance(events, list)
    assert begins(stream(engine().compile(template), [], case["prefix"]).events, alone.events)
    assert begins(events, right.events)
    theirs = Oracle(template).ResponseParser(case["prefix"]).initial_events
    if begins(theirs, right.events):
        assert atoms(events) >= atoms(theirs)


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid_template(path: Path) -> None:
    """A refused template: where the fault is, and the whole sentence; the reference refuses it too."""
    case = load_json(path)
    with pytest.raises((ValueError, TypeError)):
        Oracle(case["template"])
    for attempt in (
        lambda: rtgen.compile(case["template"]),
        lambda: rtgen.parse_response("", case["template"]),
        lambda: rtgen.ResponseParser(case["template"]),
    ):
        with pytest.raises(rtgen.TemplateError) as caught:
            attempt()
        assert (caught.value.path, caught.value.message) == (case["path"], case["message"])


@pytest.mark.parametrize("wrong", [[], 5, None, 1.5, b"{}", {1: 2}, "[]", "null", "5"], ids=repr)
def test_what_is_no_template_at_all(wrong: Any) -> None:
    for attempt in (lambda: rtgen.compile(wrong), lambda: rtgen.parse_response("", wrong, prefix="")):
        with pytest.raises(rtgen.TemplateError):
            attempt()
