"""Random texts that a pattern matches, more or less, made from the pattern's source."""

from __future__ import annotations

import random
import re
import warnings
from functools import cache
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST = 2
"""Repetitions above the least that a loop is given."""

CATEGORIES = {
    ops.CATEGORY_DIGIT: "07",
    ops.CATEGORY_SPACE: " \n\t",
    ops.CATEGORY_WORD: "ab_1",
    ops.CATEGORY_NOT_DIGIT: "a <",
    ops.CATEGORY_NOT_SPACE: "a<",
    ops.CATEGORY_NOT_WORD: " <>",
}


@cache
def _parsed(source: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parser.parse(source, re.DOTALL)
    except Exception:  # what only `regex` knows
        return None


def sample(source: str, rng: random.Random) -> str:
    """A text that `source` probably matches; "" for patterns that the standard library does not read."""
    parsed = _parsed(source)
    return "" if parsed is None else _sequence(parsed, rng, {})


def _sequence(items: Any, rng: random.Random, groups: dict[int, str]) -> str:
    return "".join(_one(operation, argument, rng, groups) for operation, argument in items)


def _one(operation: Any, argument: Any, rng: random.Random, groups: dict[int, str]) -> str:
    if operation is ops.LITERAL:
        return chr(argument)
    if operation in (ops.NOT_LITERAL, ops.ANY):
        return rng.choice("ab <>\n")
    if operation is ops.IN:
        return _class(argument, rng)
    if operation is ops.BRANCH:
        return _sequence(rng.choice(argument[1]), rng, groups)
    if operation is ops.SUBPATTERN:
        text = _sequence(argument[3], rng, groups)
        groups[argument[0]] = text
        return text
    if operation is ops.ATOMIC_GROUP:
        return _sequence(argument, rng, groups)
    if operation in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        least, most, items = argument
        times = rng.randint(least, min(int(most), least + MOST))
        return "".join(_sequence(items, rng, groups) for _ in range(times))
    if operation is ops.GROUPREF:
        return groups.get(argument, "")
    if operation is ops.ASSERT:
        return _sequence(argument[1], rng, groups) if argument[0] > 0 else ""
    return ""


def _class(items: Any, rng: random.Random) -> str:
    if items[0][0] is ops.NEGATE:
        refused = {chr(value) for kind, value in items if kind is ops.LITERAL}
        return rng.choice([char for char in "abx1 <>" if char not in refused])
    kind, value = rng.choice(items)
    if kind is ops.LITERAL:
        return chr(value)
    if kind is ops.RANGE:
        return chr(rng.choice((value[0], value[1], rng.randint(*value))))
    return rng.choice(CATEGORIES[value])
