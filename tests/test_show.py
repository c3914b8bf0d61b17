"""`rtgen show`: the golden programs, and that text and diagrams come from the same states."""

from __future__ import annotations

import difflib
import random
import re
from typing import Any

import pytest

from rtgen import library
from rtgen.compiler import program
from rtgen.errors import TemplateError
from rtgen.listing import listing
from rtgen.show import FORMATS, render
from tests import golden, strategies

TEMPLATE: dict[str, Any] = {
    "start_anchor": "<a>",
    "fields": {
        "x": {"open_pattern": r"<x>(?=y)", "close_pattern": r"</x>|$", "optional": False},
        "calls": {"open_pattern": r"\s*<c (?P<name>\w+)>", "close_pattern": r"a{2,3}", "transform": "{name}"},
        "odd": {"open_pattern": r"<o>\K", "content": "json", "content_args": {"unquoted_keys": True}, "repeats": True},
        '"]\n-->': {"open": ["<q>", "<q>q"], "close_pattern": r"(?=[\s\S]*z)"},
    },
}

SHOWN = list(golden.shown())


def test_golden_files_are_those_of_the_list() -> None:
    kept = {f"show/{path.name}" for path in (golden.FOLDER / "show").iterdir()}
    assert kept == {file for file, _ in SHOWN}


@pytest.mark.parametrize("file, text", SHOWN, ids=[file for file, _ in SHOWN])
def test_golden(file: str, text: str) -> None:
    kept = (golden.FOLDER / file).read_text(encoding="utf-8")
    diff = "".join(difflib.unified_diff(kept.splitlines(True), text.splitlines(True), "kept", "now"))
    assert not diff, f"{diff}\nif that is right, run: {golden.COMMAND}"


@pytest.mark.parametrize("name", library.available())
def test_the_listing_comes_first(name: str) -> None:
    template = library.template(name)
    lines = listing(program(template))
    assert render(template).splitlines()[: len(lines)] == lines


def test_what_is_held_back() -> None:
    text = render(TEMPLATE)
    blocks = re.findall(r"^    .* ((?:opens|closes) .*)\n.*\n        holds back at most (.*); (.*)$", text, re.M)
    held = {what: (holds, acts) for what, holds, acts in blocks}
    waits = "acts as soon as no later text can change that it matches"
    assert held == {
        "opens x": ("3 characters and what its lookaround needs", waits),
        "closes x": ("3 characters", "acts as soon as it is complete"),
        "opens calls": ("white space of any length and a beginning of any length, until it matches or cannot", waits),
        "closes calls": ("2 characters", waits),
        "opens odd": ("everything, until the end of the text", "acts at the end of the text"),
        'opens "]\\n-->': ("3 characters", waits),
        'closes "]\\n-->': ("everything from its place on, until its lookahead is decided", waits),
    }
    assert "outside: a search for each delimiter" in text
    assert "x: read as text; the last region counts; required" in text
    assert 'odd: read as json {"unquoted_keys": true}; one item of a list for each region' in text


@pytest.mark.parametrize("form", ["mermaid", "dot"])
def test_diagrams_have_the_programs_edges(form: str) -> None:
    rng = random.Random(5)
    for _ in range(60):
        template = strategies.template(rng).template
        states = program(template).states
        arrow = " --> s" if form == "mermaid" else " -> s"
        lines = render(template, form).splitlines()
        edges = sum(re.match(rf"    s\d+{arrow}\d+", line) is not None for line in lines)
        assert edges == sum(len(state.watches) for state in states)
        assert all(re.match(r"( {4}|stateDiagram|digraph|\}$)", line) for line in lines)


def test_hostile_names_stay_text() -> None:
    mermaid = render(TEMPLATE, "mermaid")
    assert sum(" --> " in line for line in mermaid.splitlines()) == 1 + 7 + 5
    dot = render(TEMPLATE, "dot")
    assert all(len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0 for line in dot.splitlines())


def test_every_format_is_known() -> None:
    assert list(FORMATS) == list(golden.SUFFIXES)
    with pytest.raises(ValueError, match="there is no format 'svg'; there are text, mermaid, dot"):
        render(TEMPLATE, "svg")
    with pytest.raises(TemplateError):
        render({"fields": {}})


def test_random_templates_are_shown() -> None:
    rng = random.Random(6)
    for _ in range(100):
        template = strategies.template(rng).template
        text = render(template)
        assert text == render(template) and text.isascii()
