"""The JSON Schema of templates and `rtgen.template.validate`, held together over damaged templates."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rtgen import library
from rtgen.check.refused import SCHEMA_FILE, schema, validator
from rtgen.errors import TemplateError
from rtgen.template import CONTENT_PARSERS, FIELD_KEYS, TEMPLATE_KEYS, validate
from tests import strategies
from tests.conftest import HERE, ROOT, load_json
from tests.test_damaged_templates import damage

MUTATIONS = 6000

BEYOND = (
    "not a valid regular expression",
    "would reach nothing",  # a named group without a transform
    "only one field may be without",
    "nested more than",
    "cannot be written as JSON",
)
"""What no JSON Schema can say, by the words of the refusal."""

INVALID = sorted((HERE / "cases_invalid").glob("*.json"))


def refusal(template: Any) -> str | None:
    try:
        validate(template)
    except TemplateError as error:
        return error.message
    return None


def agree(template: Any) -> str:
    """Fail where the two disagree; returns how they agree."""
    words, accepted = refusal(template), validator().is_valid(template)
    if words is None:
        faults = [fault.message for fault in validator().iter_errors(template)]
        assert accepted, f"the schema refuses what is accepted: {faults}\n{json.dumps(template)}"
        return "accepted"
    if accepted:
        beyond = next((known for known in BEYOND if known in words), None)
        assert beyond is not None, f"the schema accepts what is refused: {words}\n{json.dumps(template)}"
        return beyond
    return "refused"


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())
    text = (ROOT / "rtgen" / SCHEMA_FILE).read_text(encoding="utf-8")
    assert text == json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def test_the_schema_names_the_same_keys() -> None:
    assert set(schema()["properties"]) == set(TEMPLATE_KEYS)
    field = schema()["$defs"]["field"]["properties"]
    assert tuple(field) == FIELD_KEYS
    assert tuple(field["content"]["enum"]) == CONTENT_PARSERS


def test_everything_is_described() -> None:
    definitions = schema()["$defs"]
    for key, value in [*schema()["properties"].items(), *definitions["field"]["properties"].items()]:
        referred = definitions[value["$ref"].rpartition("/")[2]] if "$ref" in value else {}
        assert "description" in value or "description" in referred, key


def test_random_damage() -> None:
    rng = random.Random(7)
    bases = [library.template(name) for name in library.available()]
    bases += [strategies.template(rng).template for _ in range(60)]
    seen = Counter(agree(damage(rng, rng.choice(bases))) for _ in range(MUTATIONS))
    assert seen["accepted"] > MUTATIONS / 10 and seen["refused"] > MUTATIONS / 4, seen


def test_bundled_templates_are_accepted() -> None:
    for name in library.available():
        assert agree(library.template(name)) == "accepted"


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid_cases(path: Path) -> None:
    assert agree(load_json(path)["template"]) != "accepted"


DEEP: Any = "x"
for _ in range(250):
    DEEP = [DEEP]

FIELD: dict[str, Any] = {"open": "<"}


@pytest.mark.parametrize(
    "field, how",
    [
        ({"open_pattern": "("}, BEYOND[0]),
        ({"open_pattern": "(?P<n>a)"}, BEYOND[1]),
        ({"open": "<", "content_args": DEEP}, BEYOND[3]),
        ({"open": "<", "content_args": 10**5000}, BEYOND[4]),
        ({"open": "<", "join": None}, "accepted"),
        ({"open": "<", "join": "", "repeats": 0.0}, "refused"),
        ({"open": "<", "join": "", "repeats": [0]}, "accepted"),
        ({"open": "<", "join": "", "repeats": "no"}, "accepted"),
        ({"open": "<", "transform_each": True, "transform": None}, "refused"),
        ({"open": "<", "transform_each": True, "transform": 0}, "accepted"),
        ({"open": "<", "transform_each": False}, "accepted"),
        ({"open": "<", "transform_each": 1, "transform": "{content}"}, "refused"),
        ({"open": "<", "transform": {"a": ["{content}x"]}}, "refused"),
        ({"open": "<", "transform": "{content}\n"}, "refused"),
        ({"open": "<", "transform": {"{x} y": "{content} {"}}, "refused"),
        ({"open": "<", "transform": {"{x} y": "{a.b}", "b": "{", "c": "{a-b}", "d": "{}"}}, "accepted"),
        ({"open": ["<", "<"], "close": []}, "refused"),
        ({"open": "<", "optional": "no", "repeats": None}, "accepted"),
    ],
)
def test_corners(field: Any, how: str) -> None:
    assert agree({"start_anchor": "a", "fields": {"x": field}}) == how


@pytest.mark.parametrize("version, how", [(1, "accepted"), (1.0, "accepted"), (True, "accepted"), (None, "refused")])
def test_versions(version: Any, how: str) -> None:
    assert agree({"version": version, "start_anchor": "a", "fields": {"x": FIELD}}) == how


def test_two_implicit_fields() -> None:
    assert agree({"start_anchor": "a", "fields": {"x": {}, "y": {}}}) == BEYOND[2]


def test_validating_changes_nothing() -> None:
    template = {"start_anchor": "a", "fields": {"x": {"open": "<", "transform": {"a": ["{content}"]}}}}
    before = copy.deepcopy(template)
    agree(template)
    assert template == before
