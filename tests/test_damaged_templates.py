"""Templates damaged at random: accepted exactly where the reference accepts them, and then read alike."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from typing import Any

import pytest

import rtgen
from rtgen.template import validate
from tests import strategies
from tests.comparison import check_run
from tests.oracle import Oracle

DAMAGED = 2400
COMPILED = 160
"""Of the accepted ones, those that are compiled and run too (compiling takes most of the time)."""

PATH = re.compile(r"\$(?:\.\w+|\[\d+\]|\[\"(?:[^\"\\]|\\.)*\"\])*")

VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        1.0,
        2,
        -1,
        1.5,
        "",
        "a",
        "<",
        "(",
        "[",
        "*",
        "\\",
        "{content}",
        "x {content}",
        "{",
        "text",
    ),
    *(
        "json",
        "yaml",
        "(?P<n>a)",
        "(?P<n>",
        "a|$",
        "^",
        "\\1",
        "(?<=a*)",
        "a{2,1}",
        "\\p{Foo}",
        "(?#",
        "[[:alpha:]]",
        "{n}",
    ),
    *([], ["a"], ["a", ""], ["a", 1], [["a"]], [None], {}, {"a": 1}, {"open": "<"}, {"name": "json"}, ["{content}x"]),
]
KEYS = [
    *("open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats", "join", "optional"),
    *("transform", "transform_each", "version", "defaults", "fields", "start_anchor", "start_anchor_pattern"),
    *("opens", "", "a b", "name", "Open", "__class__", "$schema"),
]


def places(value: Any) -> list[Any]:
    """Every object and list within a template, itself included."""
    found = [value]
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            found += places(item)
    return found


def damage(rng: random.Random, template: dict[str, Any]) -> Any:
    """A copy with one to three keys or items deleted, replaced, moved or inserted."""
    damaged: Any = copy.deepcopy(template)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        all_places = places(damaged)
        near = [place for place in all_places if place is damaged or any(place is f for f in fields_of(damaged))]
        place = rng.choice(near if near and rng.random() < 0.7 else all_places)
        how = rng.random()
        if isinstance(place, dict):
            key = rng.choice(list(place)) if place and how < 0.7 else rng.choice(KEYS)
            if how < 0.25:
                place.pop(key, None)
            elif how < 0.3:
                place[rng.choice(KEYS)] = place.pop(key, None)
            elif how < 0.35 and isinstance(place.get(key), str):
                place[key] = strategies.near_miss(rng, place[key])
            else:
                place[key] = copy.deepcopy(rng.choice(VALUES))
        elif place and how < 0.4:
            del place[rng.randrange(len(place))]
        else:
            place.insert(rng.randint(0, len(place)), copy.deepcopy(rng.choice(VALUES)))
    return damaged


def fields_of(template: Any) -> list[Any]:
    fields = template.get("fields") if isinstance(template, dict) else None
    return list(fields.values()) if isinstance(fields, dict) else []


def reference_refuses(template: Any) -> str | None:
    try:
        Oracle(template)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def points_into(path: str, template: Any) -> bool:
    """Whether the path leads to a value of the template, or to a key that is missing from one of its objects."""
    value = template
    steps = re.findall(r"\.(\w+)|\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]", path)
    for number, (name, index, quoted) in enumerate(steps):
        if index:
            if not isinstance(value, list) or int(index) >= len(value):
                return False
            value = value[int(index)]
        else:
            key = name or json.loads(quoted)
            if not isinstance(value, dict):
                return False
            if key not in value:
                return number == len(steps) - 1
            value = value[key]
    return True


def test_accepted_exactly_where_the_reference_accepts() -> None:
    seen: Counter[str] = Counter()
    for seed in range(DAMAGED):
        rng = random.Random(f"damage {seed}")
        template = damage(rng, strategies.template(rng).template)
        before = json.dumps(template)
        theirs = reference_refuses(template)
        try:
            validate(template)
        except rtgen.TemplateError as error:
            assert theirs is not None, f"{before}: the reference accepts it, but {error}"
            assert error.path is not None and PATH.fullmatch(error.path), error.path
            assert points_into(error.path, template), (error.path, before)
            assert str(error) == f"at {error.path}: {error.message}" and error.message
            seen["refused"] += 1
            seen[re.sub(r"'.*?'", "", error.message)[:20]] += 1
        else:
            assert theirs is None, f"{before}: the reference refuses it: {theirs}"
            seen["accepted"] += 1
        assert json.dumps(template) == before
    assert seen["refused"] > DAMAGED / 4 and seen["accepted"] > DAMAGED / 4, seen
    assert len(seen) > 15, seen


def test_accepted_ones_are_read_alike(compile_one: Any) -> None:
    done = 0
    for seed in range(DAMAGED):
        rng = random.Random(f"damage {seed}")
        made = strategies.template(rng)
        template = damage(rng, made.template)
        if template == made.template or reference_refuses(template) is not None:
            continue
        compiled, oracle = compile_one(template), Oracle(template)
        for _ in range(3):
            run = strategies.run(rng, made)
            run.template = template
            found = check_run(compiled, oracle, run, strategies.chunkings(rng, run.text), prompt=False)
            assert found is None, f"{found.check}: {found.problem}\n{json.dumps(found.as_case())}"
        done += 1
        if done == COMPILED:
            break
    assert done == COMPILED


@pytest.mark.parametrize(
    "change",
    [
        {"version": True},
        {"version": 1.0},
        {"defaults": {"fields": [None, {"a": float("inf")}]}},
        {"fields": {"a": {"content_args": None}}},
        {"fields": {"a": {"content_args": "x"}}},
        {"fields": {"a": {"content_args": {"strip": []}}}},
        {"fields": {"a": {"optional": None}}},
        {"fields": {"a": {"optional": "no"}}},
        {"fields": {"a": {"repeats": {"x": 1}, "join": "-"}}},
        {"fields": {"a": {"join": None}}},
        {"fields": {"a": {"transform": None, "transform_each": False}}},
        {"fields": {"a": {"transform": 5}}},
        {"fields": {"a": {"transform": False}}},
        {"fields": {"a": {"transform": ["{a b}", "{}", "{a.}", "{{a}"]}}},
        {"fields": {"a": {"close_pattern": ""}}},
        {"fields": {"": {"open": "x"}}},
    ],
    ids=repr,
)
def test_what_the_reference_lets_pass(change: dict[str, Any], compile_one: Any) -> None:
    template = {"start_anchor": "A:", "fields": {"a": {}}} | change
    theirs = reference_refuses(template)
    if theirs is not None:
        with pytest.raises(rtgen.TemplateError):
            compile_one(template)
        return
    run = strategies.Run(template, "", "a<b> {x}")
    found = check_run(compile_one(template), Oracle(template), run, [[run.text], list(run.text)], prompt=False)
    assert found is None, found.problem
