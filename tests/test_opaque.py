"""Patterns that only `regex` itself can decide: right at the end of the text, whatever the chunks."""

from __future__ import annotations

import pytest

from tests.oracle import Oracle, engine


@pytest.mark.parametrize("pattern", [r"(?P<n>b)\R?", r"(?P<n>b)\X?", r"(?V1)(?P<n>b)", r"(?w)(?P<n>b)\b"])
def test_named_groups_reach_the_transform(pattern: str) -> None:
    field = {"open": "<", "close_pattern": pattern, "transform": {"n": "{n}", "c": "{content}"}}
    template = {"start_anchor": "A:", "fields": {"a": field}}
    right = Oracle(template).whole_text("< b>", "", None)
    assert right.message == {"a": {"n": "b", "c": ""}}
    compiled = engine().compile(template)
    assert compiled.parse_response("< b>", prefix="") == right.message
    parser = compiled.ResponseParser("")
    for char in "< b>":
        parser.feed(char)
    assert parser.finalize()[0] == right.message
