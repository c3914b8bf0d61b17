"""The bundled families: each whole, each checked, their limits shown, their table in the README current."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rtgen
from rtgen import library
from rtgen.check import check
from rtgen.errors import ParseError
from tests import families_table
from tests.command import run
from tests.conftest import ROOT, load_json

TEMPLATES = ROOT / "templates"
NAMES = library.available()
LIMITS = sorted(TEMPLATES.glob("*/cases/limits/*.json"))

NOT_POSSIBLE = library.not_possible()

PARTLY = sorted({path.parent.parent.parent.name for path in LIMITS})
"""Families of which the language cannot say a documented part."""

META = {"models", "reasoning", "tools", "limits", "end_tokens", "known_by"}


def limit_id(path: Path) -> str:
    return f"{path.parent.parent.parent.name}/{path.stem}"


def test_every_family_is_there() -> None:
    """None is lost: each folder is a family, and there are as many as there were; more need no change here."""
    folders = [path.name for path in TEMPLATES.iterdir() if path.is_dir() and any(path.glob("[!_]*"))]
    assert sorted(folders) == NAMES
    assert len(NAMES) >= 60 and len(NOT_POSSIBLE) >= 3 and len(PARTLY) >= 20
    assert not set(NOT_POSSIBLE) & set(NAMES)
    for found in NOT_POSSIBLE.values():
        assert found["models"] and found["reason"]


@pytest.mark.parametrize("name", NAMES)
def test_a_family_is_whole(name: str) -> None:
    folder = TEMPLATES / name
    meta = library.meta(name)
    assert set(meta) - {"explained", "roundtrip"} == META
    assert meta["end_tokens"] and all(isinstance(token, str) for token in meta["end_tokens"])
    assert library.notes(name).startswith("# ")
    assert (folder / "chat_template.jinja").read_text(encoding="utf-8").startswith("{#- ")
    assert len(list((folder / "cases").glob("*.json"))) >= 2
    assert rtgen.load(name).parse_response("", prefix="")["role"] == "assistant"


@pytest.mark.parametrize("name", NAMES)
def test_the_checks_find_nothing_that_is_not_explained(name: str) -> None:
    explained = library.meta(name).get("explained", {})
    findings = check(library.template(name))
    assert [f for f in findings if f.level == "error"] == []
    assert [f for f in findings if f.level == "warning" and f.rule not in explained] == []
    assert set(explained) <= {f.rule for f in findings if f.level == "warning"}, "an explanation is not needed any more"


def test_what_is_partly_possible_has_its_limits_shown() -> None:
    for name in PARTLY:
        assert "imits" in library.notes(name)


@pytest.mark.parametrize("path", LIMITS, ids=limit_id)
def test_a_limit(path: Path, request: pytest.FixtureRequest) -> None:
    """What a limit's case asks for is not what comes out; when it does, the case moves to the others."""
    case = load_json(path)
    request.applymarker(pytest.mark.xfail(strict=True, reason=case["limit"]))
    parsed: Any
    try:
        parsed = rtgen.load(path.parent.parent.parent.name).parse_response(
            case["text"], prefix=case["prefix"], tools=case["tools"]
        )
    except ParseError as error:
        parsed = error
    assert parsed == case["message"]


def test_rtgen_templates_lists_them_all() -> None:
    listed = run("templates").out
    for name in (*NAMES, *NOT_POSSIBLE):
        assert f"\n{name} " in f"\n{listed}"
    assert listed.count("not possible: ") == len(NOT_POSSIBLE)
    refused = run("templates", "apertus")
    assert refused.code == 2 and "the name is a key" in refused.err


def test_the_table_in_the_readme_is_current() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    if families_table.START not in text:
        pytest.skip("README.md has no place for the table")
    assert families_table.inserted(text) == text, f"run: {families_table.COMMAND}"
