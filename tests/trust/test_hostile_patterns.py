"""Patterns that make backtracking engines run for ever: linear, or ended by the budget with the field's name."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import pytest

import rtgen
from rtgen import compiler
from tests.oracle import batch, engine, result_contradiction, whole_text

LINEAR = [
    (r"(a|aa)+$", "a"),
    (r"(?:(?:a|b|ab)+c|.*d)", "ab"),
    (r"(?:a*)*b", "a"),
    (r"(?:(?:a+)+)+b", "a"),
    (r"a*a*a*a*b", "a"),
    (r"(?:a|a)*b", "a"),
    (r"(?:a?){20}a{20}b", "a"),
    (r"(?:[ab]+,?)+;", "ab"),
    (r"(?:\s*x?\s*)+y", " "),
    (r"(?:a+b?){2,}c", "a"),
    (r"(?:.*,){3}x", "a,"),
    (r"<(?:a|b|ab)*>", "<ab"),
    (r"(?:(?:a|aa)+\b)+c", "a "),
    (r"x*?x*?x*?y", "x"),
    # of kind 4, but remembered as well
    (r"(?=(?:a+)+b)a", "a"),
    (r"(?<!(?:a|aa)b)a+c", "a"),
    (r"(?:a+)+(?!b)c", "a"),
    (r"(?>a+)+b", "a"),
]
"""Patterns and what is repeated to make a text on which `regex` takes exponential or polynomial time."""

BUDGETED = [
    (r"(a+)+\1b", "a"),
    (r"(a*)*\1b", "a"),
    (r"(?:(a|aa)+\1?)+c", "a"),
    (r"(?:ab?){5000}!", "a"),
    (r"(?:(?:(?:ab?){50}){50}){50}", "a"),
]
"""Those that only the budget ends."""

OPAQUE = [(r"(?V1)(a|aa)+\1b", "a"), (r"(?:a|aa)+\Kb", "a"), (r"(?:(?:a|aa)+\X)+c", "a")]
"""Those that only `regex` decides, which counts no steps: ended by the time that the budget stands for."""

PLACES = ("open", "close", "anchor", "tag")


def template_of(pattern: str, place: str) -> dict[str, Any]:
    """The pattern in a place; in an anchor it is alone."""
    if place == "anchor":
        return {"start_anchor_pattern": pattern, "fields": {"c": {}}}
    fields: dict[str, Any] = {
        "open": {"open_pattern": pattern, "close": "</f>"},
        "close": {"open": "<f>", "close_pattern": pattern},
        "tag": {
            "open": "<f>",
            "close": "</f>",
            "content": "xml-inline",
            "content_args": {"tag_pattern": "(?P<key>" + pattern.replace("\\1", "\\2") + ")"},
        },
    }
    return {"start_anchor": "A:", "fields": {"f": fields[place], "c": {}}}


def run_of(place: str, body: str) -> tuple[str, str]:
    """The prefix and the text that put `body` before the pattern of the place."""
    return {
        "open": ("A:", body),
        "close": ("A:", "<f>" + body),
        "anchor": (body, "x"),
        "tag": ("A:", f"<f>{body}</f>"),
    }[place]


def seconds(parse: Any) -> float:
    began = time.process_time()
    parse()
    return time.process_time() - began


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("pattern", "unit"), LINEAR)
def test_linear(pattern: str, unit: str, place: str) -> None:
    """Four times the text takes about four times as long, whole and in chunks."""
    compiled = rtgen.compile(template_of(pattern, place))

    def whole(length: int) -> None:
        prefix, text = run_of(place, (unit * length)[:length] + "Z")
        compiled.parse_response(text, prefix=prefix)

    def chunks(length: int) -> None:
        prefix, text = run_of(place, (unit * length)[:length] + "Z")
        parser = compiled.ResponseParser(prefix)
        for at in range(0, len(text), 5):
            parser.feed(text[at : at + 5])
        parser.finalize()

    for run in (whole,) if place == "anchor" else (whole, chunks):
        small = min(seconds(partial(run, 1000)) for _ in range(3))
        large = min(seconds(partial(run, 4000)) for _ in range(2))
        assert large < 9 * small + 0.03, (small, large)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("pattern", "unit"), LINEAR)
def test_right_on_short_texts(pattern: str, unit: str, place: str) -> None:
    template = template_of(pattern, place)
    compiled = engine().compile(template)
    for length in range(9):
        for end in ("", "Z", "b", "c", "d;,xy>"):
            prefix, text = run_of(place, (unit * length)[:length] + end)
            found = result_contradiction(whole_text(template, text, prefix), batch(compiled, text, prefix))
            assert found is None, (text, found)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("pattern", "unit"), BUDGETED)
def test_budgeted(pattern: str, unit: str, place: str) -> None:
    """The error names the field; it is the same in every run, whatever the clock says."""
    template = template_of(pattern, place)
    if place in ("open", "close"):
        assert compiler.kinds(template)["f", place] == 4
    name = "start_anchor_pattern" if place == "anchor" else "f"
    prefix, text = run_of(place, unit * 3000 + "Zbc!")
    errors = set()
    for _ in range(2):
        with pytest.raises(rtgen.ParseError) as caught:
            rtgen.parse_response(text, template, prefix=prefix, step_budget=50_000)
        assert caught.value.field == name and caught.value.limit == "step_budget"  # type: ignore[attr-defined]
        errors.add(str(caught.value))
    assert len(errors) == 1 and f"field {name!r} at position" in errors.pop()
    with pytest.raises(rtgen.ParseError, match="more than 1000000 steps"):
        rtgen.parse_response(text, template, prefix=prefix)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("pattern", "unit"), OPAQUE)
def test_budgeted_by_time(pattern: str, unit: str, place: str) -> None:
    template = template_of(pattern, place)
    prefix, text = run_of(place, unit * 60 + "Z")
    began = time.monotonic()
    with pytest.raises(rtgen.LimitError, match=r"took more than 0\.2 seconds \(step_budget\)") as caught:
        rtgen.parse_response(text, template, prefix=prefix, step_budget=20_000)
    assert caught.value.field == ("start_anchor_pattern" if place == "anchor" else "f")
    with pytest.raises(rtgen.LimitError):
        parser = rtgen.ResponseParser(template, prefix, step_budget=20_000)
        for char in text:
            parser.feed(char)
        parser.finalize()
    assert time.monotonic() - began < 20
    engine_text = run_of(place, unit * 9 + "Zbc")
    right, found = whole_text(template, engine_text[1], engine_text[0]), batch(
        rtgen.compile(template), *engine_text[::-1]
    )
    assert result_contradiction(right, found) is None


def test_a_loop_of_no_width() -> None:
    """A region that opens and closes at one place for ever."""
    template = {"start_anchor": "A", "fields": {"f": {"open_pattern": "(?=a)", "close_pattern": "(?=a|b)"}, "c": {}}}
    with pytest.raises(rtgen.ParseError, match="without consuming text"):
        rtgen.parse_response("xa", template, prefix="")
    parser = rtgen.ResponseParser(template, "")
    with pytest.raises(rtgen.ParseError, match="without consuming text"):
        for char in "xab":
            parser.feed(char)


LARGE = [
    "(?:a{1000}){1000}",
    "(?:(?:a{1,100}){1,100}){1,100}",
    "a{1000000}",
    "a{0,4000000000}",
    "(?:a|b){100000}",
    "(?:a(?=b)){3000}",
    "(?:(?:(?:ab?){50}){50}){50}",
    "|".join(f"w{i}x" for i in range(1500)),
    "[" + "".join(chr(0x4E00 + 2 * i) for i in range(5000)) + "]",
    "(" * 60 + "a" + ")*" * 60,
    "(?:" * 500 + "a" + ")" * 500,
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("pattern", LARGE, ids=lambda pattern: pattern[:30])
def test_large_patterns_compile_or_are_refused(pattern: str, place: str) -> None:
    """In bounded time, and to a source that goes with the pattern as it is written, not as it counts."""
    template = template_of(pattern, place)
    began = time.process_time()
    try:
        source = rtgen.compile(template).source
    except rtgen.TemplateError as error:
        assert "not a valid regular expression" in error.message
        return
    assert time.process_time() - began < 20
    assert len(source) < 30_000 + 100 * len(pattern)
    try:
        rtgen.parse_response("<f>" + "a" * 200 + "</f>", template, prefix="A:")
    except rtgen.ParseError as error:
        assert error.field == "f"
