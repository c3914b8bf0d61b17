"""What `parse_response` and `ResponseParser` say to arguments that they cannot take, one text or several."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import pytest

import rtgen

LITERAL = {"start_anchor": "A:", "fields": {"content": {}}}
PATTERN = {"start_anchor_pattern": r"A\d*:", "fields": {"content": {}}}


@pytest.fixture(params=[LITERAL, PATTERN], ids=["literal", "pattern"])
def compiled(request: pytest.FixtureRequest) -> rtgen.CompiledTemplate:
    return rtgen.compile(request.param)


@pytest.mark.parametrize("serving", [{}, {"spans": True}], ids=["default", "options"])
@pytest.mark.parametrize("prefix", [b"A:", 3, [], ["A:"], ["A:", "A:"], ("A:",), {"A:": 1}])
def test_one_text_takes_one_prefix(compiled: rtgen.CompiledTemplate, prefix: Any, serving: dict[str, Any]) -> None:
    name = type(prefix).__name__
    with pytest.raises(TypeError, match=f"a prefix is a str, not {name}"):
        compiled.parse_response("x", prefix=prefix, **serving)
    with pytest.raises(TypeError, match=f"a prefix is a str, not {name}"):
        compiled.ResponseParser(prefix, **serving)


def test_without_a_prefix(compiled: rtgen.CompiledTemplate) -> None:
    for call in (
        lambda: compiled.parse_response("x"),
        lambda: compiled.parse_response(["x"]),
        lambda: compiled.parse_response(["x", "y"], prefix=["A:", None]),  # type: ignore[list-item]
        lambda: compiled.ResponseParser(),
    ):
        with pytest.raises(ValueError, match="prefix is required"):
            call()


@pytest.mark.parametrize("serving", [{}, {"spans": True}], ids=["default", "options"])
def test_several_texts(compiled: rtgen.CompiledTemplate, serving: dict[str, Any]) -> None:
    def parse(texts: Any, prefix: Any) -> Any:
        return compiled.parse_response(texts, prefix=prefix, **serving)

    right = [{"content": "x"}, {"content": "y"}]
    forms: list[Iterable[str]] = [["x", "y"], ("x", "y"), iter(["x", "y"])]
    for texts in forms:
        assert parse(texts, "A:") == right
    assert parse(["x", "y"], ("", "")) == right
    assert parse([], "") == parse([], []) == []
    for prefixes in ([], ["A:"], ["A:"] * 3):
        with pytest.raises(ValueError, match=f"2 texts and {len(prefixes)} prefixes"):
            parse(["x", "y"], prefixes)
    for wrong in ([b"A:", "A:"], b"A:", 3, ["A:", 4]):
        with pytest.raises(TypeError, match=r"a prefix is a str, not (bytes|int)"):
            parse(["x", "y"], wrong)
    for texts in (b"xy", 3, None, ["x", None], [b"x", "y"], [["x"], "y"]):
        with pytest.raises(TypeError, match="a text is a str"):
            parse(texts, ["", ""])


def test_an_error_is_the_same_after_pickling() -> None:
    with pytest.raises(rtgen.ParseError) as caught:
        rtgen.load("qwen3").parse_response("<tool_call>{a b}</tool_call>", prefix="")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.fault) == (type(caught.value), str(caught.value), caught.value.fault)
    assert copy.fault.endswith("expected '}' or a string")
