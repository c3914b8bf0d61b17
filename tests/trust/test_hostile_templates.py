"""Hostile strings in every place of a template: refused with a sentence, or compiled to something that is right."""

from __future__ import annotations

import builtins
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

import rtgen
from rtgen.template import FIELD_KEYS, TEMPLATE_KEYS
from tests.oracle import batch, result_contradiction, stream
from tests.trust.hostile import RUN, SLOTS, STRINGS, Case
from tests.trust.running import Canary, formatted, oracle, plain, problem, standalone

PAIRS = [
    (slot, name)
    for number, slot in enumerate(SLOTS)
    for name in (list(STRINGS)[(7 * number + turn) % len(STRINGS)] for turn in range(2))
]
"""Each place with two strings, and each string with about two places: for the forms that take long to make."""


@pytest.fixture(autouse=True)
def canary() -> Iterator[None]:
    with Canary() as canary:
        yield
        assert not canary.sung, "text of a template has run"


def test_the_canary_sings() -> None:
    exec(RUN)
    assert builtins.canary == [1]  # type: ignore[attr-defined]
    builtins.canary.clear()  # type: ignore[attr-defined]


def test_there_is_a_case_for_every_key() -> None:
    """Whatever key a template may have stands in some slot."""

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value) | {key for item in value.values() for key in keys(item)}
        return {key for item in value for key in keys(item)} if isinstance(value, list) else set()

    used = {key for make in SLOTS.values() for key in keys(make("x").template)}
    arguments = {
        *("string_delims", "unquoted_keys", "allow_non_json", "line_sep", "kv_sep", "strip", "tag_pattern"),
        *("value_parser", "merge_duplicates"),
    }
    assert used >= {*TEMPLATE_KEYS, *FIELD_KEYS, *arguments} - {"version"}


@pytest.mark.parametrize("slot", SLOTS)
def test_accepted_as_the_reference_does_and_right(slot: str) -> None:
    """In the module as it is executed, behind the gate."""
    accepted = 0
    for name, string in STRINGS.items():
        case = SLOTS[slot](string)
        right = oracle(case.template)
        try:
            compiled = plain(case.template)
        except rtgen.TemplateError as error:
            assert right is None, f"{name}: the reference accepts it, but {error!a}"
            assert error.path is not None and error.message
            continue
        assert right is not None, f"{name}: the reference refuses it"
        found = problem(compiled, right, case)
        assert found is None, f"{name}: {found}"
        assert compiled.template == case.template  # type: ignore[attr-defined]
        accepted += 1
    assert accepted or slot in ("content", "field key", "template key")


@pytest.mark.parametrize(("slot", "name"), PAIRS)
def test_other_forms_of_the_module(slot: str, name: str) -> None:
    """Formatted, and without rtgen."""
    case = SLOTS[slot](STRINGS[name])
    right = oracle(case.template)
    if right is None:
        for form in (formatted, standalone):
            with pytest.raises(rtgen.TemplateError):
                form(case.template)
        return
    for form in (formatted, standalone):
        found = problem(form(case.template), right, case)
        assert found is None, f"{form.__name__}: {found}"


def test_formatted_and_without_rtgen() -> None:
    string = STRINGS["triple double quotes"] + STRINGS["single quotes after a backslash"]
    case = SLOTS["three openers"](string)
    right = oracle(case.template)
    assert right is not None
    assert problem(standalone(case.template, format=True), right, case) is None


ALIKE = [
    "a-b",
    "a_b",
    "a b",
    "a_b_2",
    "a__b",
    "A_b",
    "\u00e9",
    "e\u0301",
    "\u00c9",
    "_parse",
    "__parse",
    "self",
    "text",
]
ALIKE += ["", "_", "__", "-", "1", "x_1", "class", "x_class", "None", "feed", "finalize", "_scan_a_b", "_quick_a_b"]
ALIKE += [
    "store_a_b",
    "_store_a_b",
    "Parser",
    "regex",
    "Any",
    "RESPONSE_TEMPLATE",
    "located",
    "body",
    "\ud83d",
    "\ude00",
]


def test_names_that_become_one_identifier() -> None:
    """In one template: fields, groups, keys."""
    fields: dict[str, Any] = {}
    text = ""
    for number, name in enumerate(ALIKE):
        pattern = f"<{number}(?P<n>!)?>"
        fields[name] = {"open_pattern": pattern, "close": "</>", "transform": dict.fromkeys(ALIKE, "{content}")}
        text += f"<{number}{'!' * (number % 2)}>t{number}</>"
    case = Case({"start_anchor": "A", "fields": fields, "defaults": {n: n for n in ALIKE[::2]}}, [("A", text)])
    right = oracle(case.template)
    assert right is not None
    for form in (plain, formatted, standalone):
        assert problem(form(case.template), right, case) is None


def test_a_thousand_fields() -> None:
    fields: dict[str, Any] = {f"f{i}\"'\\": {"open": f"<{i}'\">", "close": f"</{i}>"} for i in range(1000)}
    case = Case({"start_anchor": "A", "fields": {**fields, "c": {}}}, [("A", "x<17'\">y</17>z<999'\">"), ("A", "<1")])
    right = oracle(case.template)
    assert right is not None
    began = time.perf_counter()
    compiled = plain(case.template)
    assert time.perf_counter() - began < 60
    for prefix, text in case.runs:
        assert compiled.parse_response(text, prefix=prefix) == right.whole_text(text, prefix).message


def nested(levels: int, leaf: Any) -> Any:
    value = leaf
    for level in range(levels):
        value = {"\"'\\": value} if level % 2 else [value]
    return value


@pytest.mark.parametrize("levels", [50, 150, 190])
def test_nesting_that_is_compiled(levels: int) -> None:
    field = {"open": "<", "close": ">", "transform": nested(levels, "{content}")}
    case = Case({"start_anchor": "A", "fields": {"a": field}, "defaults": {"d": nested(levels, "\"'")}}, [("A", "<x>")])
    right = oracle(case.template)
    assert right is not None
    for form in (plain, formatted, standalone) if levels == 50 else (plain, standalone):
        assert problem(form(case.template), right, case) is None


@pytest.mark.parametrize("levels", [300, 3000, 100_000])
@pytest.mark.parametrize("place", ["transform", "content_args", "defaults", "open"])
def test_nesting_that_is_refused(place: str, levels: int) -> None:
    value = nested(levels, "x")
    template: dict[str, Any] = {"start_anchor": "A", "fields": {"a": {"open": "<", place: value}}}
    if place == "defaults":
        template = {"start_anchor": "A", "fields": {"a": {}}, "defaults": {"d": value}}
    with pytest.raises(rtgen.TemplateError, match="nested more than 200 levels"):
        rtgen.compile(template)
    while value != "x":  # taken apart here, since freeing it at once would be as deep
        value = value[0] if isinstance(value, list) else next(iter(value.values()))


LONG = "x\"'\\\n"


@pytest.mark.parametrize("slot", ["name", "anchor", "open", "close", "join", "transform value", "defaults", "kv lines"])
def test_long_strings(slot: str) -> None:
    """Compiled in memory that goes with their length, and right."""

    def peak(length: int) -> int:
        case = SLOTS[slot]((LONG * length)[:length])
        tracemalloc.start()
        try:
            plain(case.template)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)
    assert peak(1 << 16) < 6 * peak(1 << 14)
    case = SLOTS[slot]((LONG * 2000)[:6000])
    right = oracle(case.template)
    assert right is not None
    compiled = plain(case.template)
    for prefix, text in case.runs:
        assert result_contradiction(right.whole_text(text, prefix), batch(compiled, text, prefix)) is None


@pytest.mark.parametrize("slot", ["name", "open", "close", "join", "transform value", "defaults"])
def test_a_megabyte(slot: str) -> None:
    case = SLOTS[slot]((LONG * 210_000)[: 1 << 20])
    began = time.process_time()
    compiled = plain(case.template)
    assert time.process_time() - began < 60
    for prefix, text in case.runs:
        message = compiled.parse_response(text, prefix=prefix)
        assert message == stream(compiled, [text[:3], text[3:]], prefix).message


@pytest.mark.parametrize("slot", ["content", "field key", "template key", "group name", "anchor pattern"])
def test_a_megabyte_is_refused(slot: str) -> None:
    with pytest.raises(rtgen.TemplateError):
        plain(SLOTS[slot]("(" + LONG * 210_000).template)


def test_halves_of_a_character_are_not_put_together() -> None:
    """Two surrogates side by side are not the character that JSON's escapes would make of them."""
    apart, whole = "\ud83d\ude00", "\U0001f600"
    first, second = ({"start_anchor": "A", "fields": {"c": {"open": string}}} for string in (apart, whole))
    one, other = rtgen.compile(first), rtgen.compile(second)
    assert one.template_hash != other.template_hash
    assert one.template == first and other.template == second
    assert one.parse_response(f"{apart}x", prefix="") == {"c": "x"} == other.parse_response(f"{whole}x", prefix="")
    assert one.parse_response(f"{whole}x", prefix="") == {} == other.parse_response(f"{apart}x", prefix="")
