"""The round trip of each bundled family, run once for all tests."""

from __future__ import annotations

from functools import cache

from rtgen.roundtrip import Pair, Report, find, prove
from rtgen.roundtrip.report import Prepared, prepare


@cache
def pair_of(name: str) -> Pair:
    """The family's templates."""
    return find(name)


@cache
def prepared(name: str) -> Prepared:
    """The family's battery, rendered."""
    pair = pair_of(name)
    return prepare(pair.writer, pair.parser, pair.end_tokens)


@cache
def proof(name: str) -> Report:
    """The verdicts on the family."""
    return prove(pair_of(name), prepared(name))
