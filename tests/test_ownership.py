"""What belongs to whom: the caller's dicts, the parser's states, the arguments of the public functions."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import rtgen

TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant", "calls": [], "extra": {"deep": [1]}},
    "start_anchor": ["A:", "B:"],
    "fields": {
        "calls": {
            "open_pattern": r"<c=(?P<name>\w+)>",
            "close": ["</c>", "</call>"],
            "content": "json",
            "content_args": {"allow_non_json": True},
            "repeats": True,
            "transform": {"function": {"name": "{name}", "arguments": "{content}"}, "list": [1, {"k": "v"}]},
        },
        "content": {"close": "<eos>"},
    },
}
TEXT = 'hello<c=f>{"x": "1"}</c>'
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}}}}
]
MESSAGE = {
    "role": "assistant",
    "calls": [{"function": {"name": "f", "arguments": {"x": 1}}, "list": [1, {"k": "v"}]}],
    "extra": {"deep": [1]},
    "content": "hello",
}
FAILING: dict[str, Any] = {
    "start_anchor": "A:",
    "fields": {"n": {"open": "<n>", "close": "</n>", "content": "int"}, "content": {}},
}


@pytest.fixture
def template() -> dict[str, Any]:
    return copy.deepcopy(TEMPLATE)


def parse_all_ways(template: Any) -> list[Any]:
    parser = rtgen.ResponseParser(template, "", tools=TOOLS)
    parser.feed(TEXT)
    compiled = rtgen.compile(template)
    other = compiled.ResponseParser("A:", tools=TOOLS)
    for char in TEXT:
        other.feed(char)
    return [
        rtgen.parse_response(TEXT, template, prefix="", tools=TOOLS),
        parser.finalize()[0],
        compiled.parse_response(TEXT, prefix="x", tools=TOOLS) | {"content": "hello"},
        other.finalize()[0],
    ]


# The caller's objects


def test_the_callers_template_and_tools_never_change(template: dict[str, Any]) -> None:
    tools = copy.deepcopy(TOOLS)
    assert parse_all_ways(template) == [MESSAGE] * 4
    assert json.dumps(template) == json.dumps(TEMPLATE)
    assert tools == TOOLS


def test_changing_the_template_later_changes_no_compiled_parser(template: dict[str, Any]) -> None:
    compiled = rtgen.compile(template)
    parser = compiled.ResponseParser("", tools=TOOLS)
    template["defaults"]["extra"]["deep"].append(2)
    template["defaults"]["role"] = "user"
    template["fields"]["content"]["close"] = "h"
    template["fields"]["calls"]["transform"]["list"][1]["k"] = "changed"
    del template["start_anchor"]
    parser.feed(TEXT)
    assert parser.finalize()[0] == MESSAGE
    assert compiled.parse_response(TEXT, prefix="", tools=TOOLS) == MESSAGE


def test_a_changed_template_is_another_template(template: dict[str, Any]) -> None:
    assert rtgen.parse_response(TEXT, template, prefix="", tools=TOOLS) == MESSAGE
    template["fields"]["calls"]["close"][0] = "}"
    changed = rtgen.parse_response(TEXT, template, prefix="", tools=TOOLS)
    assert changed["calls"][0]["function"]["arguments"] == '{"x": "1"'
    template["defaults"]["role"] = True
    assert rtgen.parse_response("", template, prefix="")["role"] is True
    template["defaults"]["role"] = 1
    assert rtgen.parse_response("", template, prefix="")["role"] is not True
    template["defaults"]["role"] = 1.0
    assert type(rtgen.parse_response("", template, prefix="")["role"]) is float


def test_the_order_of_keys_makes_another_template() -> None:
    for defaults in ({"a": 1, "b": 2}, {"b": 2, "a": 1}):
        template = {"defaults": defaults, "start_anchor": "A:", "fields": {"content": {}}}
        assert list(rtgen.parse_response("", template, prefix="")) == list(defaults)


def test_messages_share_nothing(template: dict[str, Any]) -> None:
    compiled = rtgen.compile(template)
    first = compiled.parse_response(TEXT, prefix="", tools=TOOLS)
    first["extra"]["deep"].append(5)
    first["calls"].append("x")
    first["calls"][0]["list"][1]["k"] = "changed"
    for again in parse_all_ways(template):
        assert again == MESSAGE
    empty = compiled.parse_response("", prefix="")
    empty["calls"].append(1)
    assert compiled.parse_response("", prefix="")["calls"] == []


def test_events_share_nothing_with_another_parser(template: dict[str, Any]) -> None:
    compiled = rtgen.compile(template)
    for _ in range(2):
        parser = compiled.ResponseParser("", tools=TOOLS)
        closed = [event for event in parser.feed(TEXT) if event["type"] == "region_close"]
        assert closed[-1]["value"] == MESSAGE["calls"][0]
        closed[-1]["value"]["list"].append("mine")
        parser.finalize()


def test_the_compiled_template_is_shown_as_it_was(template: dict[str, Any]) -> None:
    compiled = rtgen.compile(template)
    assert json.dumps(compiled.template) == json.dumps(TEMPLATE)
    assert isinstance(compiled.source, str) and isinstance(compiled.template_hash, str)
    assert compiled.path is None or isinstance(compiled.path, Path)
    assert rtgen.compile(copy.deepcopy(template)).template_hash == compiled.template_hash


def test_what_a_template_may_be(template: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "template.json"
    file.write_text(json.dumps(template), encoding="utf-8")
    for form in (template, rtgen.compile(template), file, str(file), json.dumps(template)):
        assert rtgen.parse_response(TEXT, form, prefix="", tools=TOOLS) == MESSAGE
        parser = rtgen.ResponseParser(form, "")
        assert parser.finalize()[0]["role"] == "assistant"
        assert rtgen.compile(form).template_hash == rtgen.compile(template).template_hash


# The parser


def test_feed_may_be_kept(template: dict[str, Any]) -> None:
    """`feed = parser.feed` works through every state: in and out of regions, held text, and the end."""
    parser = rtgen.ResponseParser(template, "A:", tools=TOOLS)
    feed = parser.feed
    for char in TEXT + "<eos>more<c=g>[]</call>tail":
        feed(char)
    message, _ = parser.finalize()
    assert [call["function"]["name"] for call in message["calls"]] == ["f", "g"]
    assert message["content"] == "tail"
    with pytest.raises(RuntimeError):
        feed("x")


def test_feed_takes_a_keyword(template: dict[str, Any]) -> None:
    parser = rtgen.ResponseParser(template, prefix="")
    assert parser.feed(text="x")


def test_parsers_of_one_template_are_independent(template: dict[str, Any]) -> None:
    compiled = rtgen.compile(template)
    first, second = compiled.ResponseParser("", tools=TOOLS), compiled.ResponseParser("", tools=TOOLS)
    for char in TEXT:
        first.feed(char)
        second.feed(char.upper())
    assert first.finalize()[0] == MESSAGE
    assert second.finalize()[0]["content"] == TEXT.upper()


@pytest.mark.parametrize("after", ["", "a", "<c", "<c=f>", "<c=f>{</"])
@pytest.mark.parametrize("falsy", [None, "", 0, b"", [], False])
def test_feeding_nothing_gives_nothing(template: dict[str, Any], after: str, falsy: Any) -> None:
    parser = rtgen.ResponseParser(template, "")
    parser.feed(after)
    assert parser.feed(falsy) == []
    assert parser.feed(falsy) == []


@pytest.mark.parametrize("wrong", [5, b"x", ["a"], 1.5, object(), True, {"a": 1}])
@pytest.mark.parametrize("after", ["", "a", "<c=f>{"])
def test_feeding_what_is_no_string_is_a_type_error(template: dict[str, Any], after: str, wrong: Any) -> None:
    parser = rtgen.ResponseParser(template, "")
    parser.feed(after)
    with pytest.raises(TypeError):
        parser.feed(wrong)


def test_finalize_ends_the_parser(template: dict[str, Any]) -> None:
    parser = rtgen.ResponseParser(template, "", tools=TOOLS)
    parser.feed(TEXT)
    assert parser.finalize()[0] == MESSAGE
    for call in (parser.finalize, lambda: parser.feed("x"), lambda: parser.feed("")):
        with pytest.raises(RuntimeError):
            call()


def test_an_error_in_feed_closes_the_parser() -> None:
    parser = rtgen.ResponseParser(FAILING, "")
    with pytest.raises(rtgen.ParseError) as first:
        parser.feed("a<n>x1y</n>b")
    assert first.value.field == "n" and first.value.position == 4
    assert "x1y" in first.value.excerpt
    for call in (lambda: parser.feed("z"), lambda: parser.feed(""), parser.finalize):
        with pytest.raises(RuntimeError) as later:
            call()
        assert first.value.fault in str(later.value)


def test_an_error_in_finalize_closes_the_parser() -> None:
    parser = rtgen.ResponseParser(FAILING, "")
    parser.feed("a<n>zz")
    with pytest.raises(ValueError) as first:
        parser.finalize()
    for call in (lambda: parser.feed("z"), parser.finalize):
        with pytest.raises(RuntimeError) as later:
            call()
        assert first.value.fault in str(later.value)  # type: ignore[attr-defined]


def test_the_position_of_an_error_counts_from_the_anchor() -> None:
    """Batch and every split name the same field and position, and never quote the whole output."""
    text = "0123<n>" + "q" * 5000 + "</n>"
    positions = set()
    for chunks in ([text], list(text), [text[:5], text[5:]], [text[:9], text[9:]]):
        parser = rtgen.ResponseParser(FAILING, "junk A:ab")
        with pytest.raises(rtgen.ParseError) as caught:
            for chunk in chunks:
                parser.feed(chunk)
        positions.add((caught.value.field, caught.value.position))
        assert len(str(caught.value)) < 400
    with pytest.raises(rtgen.ParseError) as caught:
        rtgen.parse_response(text, FAILING, prefix="junk A:ab")
    positions.add((caught.value.field, caught.value.position))
    assert positions == {("n", 9)}


# Arguments


def test_the_prefix_is_needed(template: dict[str, Any]) -> None:
    compiled = rtgen.compile(template)
    for call in (
        lambda: rtgen.parse_response("x", template),
        lambda: rtgen.parse_response("x", template, prefix=None),
        lambda: rtgen.parse_response(["x"], template),
        lambda: rtgen.ResponseParser(template),
        lambda: rtgen.ResponseParser(template, None),
        lambda: compiled.parse_response("x"),
        lambda: compiled.ResponseParser(),
    ):
        with pytest.raises(ValueError, match='prefix=""') as caught:
            call()
        assert not isinstance(caught.value, rtgen.TemplateError)


def test_the_template_is_validated_before_the_prefix() -> None:
    for call in (lambda: rtgen.parse_response("x", {}), lambda: rtgen.ResponseParser({})):
        with pytest.raises(rtgen.TemplateError):
            call()


def test_a_batch_with_one_prefix(template: dict[str, Any]) -> None:
    for parse in (rtgen.parse_response, lambda texts, _, **more: rtgen.compile(template).parse_response(texts, **more)):
        messages = parse(["a", TEXT, ""], template, prefix="A:", tools=TOOLS)
        assert isinstance(messages, list)
        assert [message.get("content") for message in messages] == ["a", "hello", None]
        assert messages[1] == MESSAGE
        assert parse([], template, prefix="") == []
        assert parse(("a",), template, prefix="")[0]["content"] == "a"


def test_a_batch_with_a_prefix_each(template: dict[str, Any]) -> None:
    messages = rtgen.parse_response(["a", "b"], template, prefix=["A:x", "y"])
    assert [message["content"] for message in messages] == ["xa", "yb"]


@pytest.mark.parametrize("prefixes", [["A:"], ["A:", "A:", "A:"]])
def test_a_batch_with_another_count_of_prefixes(template: dict[str, Any], prefixes: list[str]) -> None:
    with pytest.raises(ValueError):
        rtgen.parse_response(["a", "b"], template, prefix=prefixes)
    with pytest.raises(ValueError):
        rtgen.compile(template).parse_response(["a", "b"], prefix=prefixes)


def test_initial_events_are_the_prefix(template: dict[str, Any]) -> None:
    parser = rtgen.ResponseParser(template, "x A:hi<c=f>{")
    kinds = [event["type"] for event in parser.initial_events]
    assert kinds[0] == "region_open" and "region_close" in kinds
    assert "".join(event.get("text", "") for event in parser.initial_events) == "hi{"
    assert rtgen.ResponseParser(template, "x A:").initial_events == []
    assert rtgen.ResponseParser(template, "").initial_events == []


def test_tools_as_functions(template: dict[str, Any]) -> None:
    def f(x: int) -> None:
        """A tool.

        Args:
            x: A number.
        """

    class Box:
        def f(self, x: int) -> None:
            """A tool.

            Args:
                x: A number.
            """

    for tools in ([f], [Box().f], [len, int, f], [{"name": "other"}, *TOOLS]):
        assert rtgen.parse_response(TEXT, template, prefix="", tools=tools) == MESSAGE
    assert rtgen.parse_response(TEXT, template, prefix="")["calls"][0]["function"]["arguments"] == {"x": "1"}
    assert rtgen.parse_response(TEXT, template, prefix="", tools=[])["calls"][0]["function"]["arguments"] == {"x": "1"}
