"""The cases in `content/`: a folder for each parser, JSON files with lists of args, text, and value or error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rtgen import content
from tests.content_code import compile_parser, outcome, parse_content
from tests.oracle import reference, same

FOLDER = Path(__file__).with_name("content")
FILES = sorted(FOLDER.glob("*/*.json"))
CASES = [
    pytest.param(path.parent.name, case, id=f"{path.parent.name}-{path.stem}-{number}")
    for path in FILES
    for number, case in enumerate(json.loads(path.read_text(encoding="utf-8")))
]


def test_modules_fixtures_and_reference_are_the_same_lists() -> None:
    assert set(content.PARSERS) == {path.name for path in FOLDER.iterdir()}
    assert set(content.PARSERS) == set(reference.content_parsers.CONTENT_PARSERS)
    assert content.STREAMABLE == reference.content_parsers.STREAMABLE_PARSERS
    assert all(any(path.parent.name == name for path in FILES) for name in content.PARSERS)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_case(name: str, case: dict[str, Any]) -> None:
    parse = compile_parser(name, case["args"])
    for right in (lambda: parse_content(case["text"], name, case["args"]), lambda: parse(case["text"])):
        kind, result = outcome(right)
        if "error" in case:
            assert (kind, getattr(result, "__name__", result)) == ("error", case["error"])
        else:
            assert kind == "value" and same(result, case["value"]), result


@pytest.mark.parametrize("name", sorted(content.PARSERS))
def test_what_absent_says_is_what_none_raises(name: str) -> None:
    for args in (
        None,
        [],
        {},
        {"strip": False},
        {"tag_pattern": "(?P<key>a)"},
        {"tag_pattern": "("},
        {"string_delims": 1},
    ):
        kind, result = outcome(lambda args=args: parse_content(None, name, args))  # type: ignore[misc, arg-type]
        assert content.absent(name, args) == (result.__name__ if kind == "error" else None), args
