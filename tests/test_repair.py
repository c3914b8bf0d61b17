"""Repairs, each by its name, and closers that are data."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import rtgen
from tests.strategies import random_chunks
from tests.test_serving import TEMPLATE

LIST = {
    "start_anchor": "A:",
    "fields": {
        "calls": {
            "open": "<c>",
            "close": "</c>",
            "content": "python-call-list",
            "transform_each": True,
            "transform": {"function": {"name": "{name}", "arguments": "{arguments}"}},
        },
        "content": {},
    },
}
EACH = {
    "start_anchor": "A:",
    "fields": {
        "calls": {
            "open": "<c>",
            "close": "</c>",
            "content": "json",
            "transform_each": True,
            "transform": {"function": {"name": "{name}", "arguments": "{arguments}"}},
        },
        "content": {},
    },
}
TAGS = {
    "start_anchor": "A:",
    "fields": {
        "calls": {
            "open_pattern": r"<c=(?P<name>\w+)>",
            "close": "</c>",
            "content": "xml-inline",
            "content_args": {"tag_pattern": r"<p=(?P<key>\w+)>\s*(?P<value>.*?)\s*</p>"},
            "transform": {"function": {"name": "{name}", "arguments": "{content}"}},
            "repeats": True,
        },
        "content": {"repeats": True, "join": "|"},
    },
}


def parse(template: dict[str, Any], text: str, **options: Any) -> tuple[dict[str, Any], list[str], list[Any]]:
    """The message, the names of the repairs and the malformed texts, the same however the text is cut."""
    rng = random.Random(text)
    found = []
    for chunks in ([text], list(text), random_chunks(rng, text, 4), random_chunks(rng, text, 9)):
        parser = rtgen.ResponseParser(template, "", on_malformed="event", **options)
        events = [event for chunk in chunks for event in parser.feed(chunk)]
        message, last = parser.finalize()
        names = [name for event in events + last for name in event.get("repairs", ())]
        found.append((message, names, [event["text"] for event in parser.malformed]))
    assert all(other == found[0] for other in found)
    return found[0]


F = '{"name": "f", "arguments": '


@pytest.mark.parametrize(
    "body, arguments, names",
    [
        (F + '{"a": "1\n2"}}', {"a": "1\n2"}, ["raw_newlines"]),
        (F + '{"a": "\\d"}}', {"a": "\\d"}, ["invalid_escapes"]),
        ("{'name': 'f', 'arguments': {'a': 'it's'}}", {"a": "it's"}, ["single_quotes"]),
        (F + '{"a": [1, 2,],},}', {"a": [1, 2]}, ["trailing_commas"]),
        (F + '{"a": True, "b": None}}', {"a": True, "b": None}, ["python_literals"]),
        ('{name: "f", arguments: {}}', {}, ["bare_keys"]),
        (F + "{}}}]", {}, ["trailing_brackets"]),
        (F + '{"a": 1}', {"a": 1}, ["missing_brace"]),
        ("```json\n" + F + "{}}\n```", {}, ["code_fence"]),
        (F + '"{\\"a\\": 1}"}', {"a": 1}, ["double_encoding"]),
    ],
)
def test_a_repair_of_json(body: str, arguments: Any, names: list[str]) -> None:
    message, found, malformed = parse(TEMPLATE, f"<tool_call>{body}</tool_call>", repair=True)
    assert message["tool_calls"] == [{"type": "function", "function": {"name": "f", "arguments": arguments}}]
    assert (found, malformed) == (names, [])


@pytest.mark.parametrize(
    "body",
    [
        F + '{"a": {"b": 1}',  # the arguments are cut off
        F + '{"a": "Lis',
        '{"name": "f"',
        "I changed my mind.",
        "",
    ],
)
def test_what_is_missing_is_not_made_up(body: str) -> None:
    message, names, malformed = parse(TEMPLATE, f"<tool_call>{body}</tool_call>", repair=True)
    assert ("tool_calls" in message, names, malformed) == (False, [], [body])


@pytest.mark.parametrize(
    "template, region",
    [
        (TEMPLATE, F + '{"amount": 12 EUR, "to": "Bob"}}'),  # no key `amount": 12 EUR, "to`
        (TEMPLATE, F + '{"a": "x", "b": 12 EUR, "c": "y"}}'),
        (TEMPLATE, F + '{"a": "x, "b": "y"}}'),
        (TEMPLATE, F + '{"a": ["x", "y" z, "w"]}}'),
        (TEMPLATE, '{"name": "f" g, "arguments": {"a": "x"}}'),  # no name `f" g, "arguments": {"a`
        (TEMPLATE, '[{"name": "f", "arguments": {"a": "x"y}}, {"name": "g", "arguments": {"b": "z"}}]'),
        (LIST, "[f(a='x' b='y')]"),
        (LIST, "[f(a='x'y, b='z')]"),
    ],
)
def test_a_quote_is_not_taken_back_over_what_follows(template: Any, region: str) -> None:
    open_, close = ("<c>", "</c>") if template is LIST else ("<tool_call>", "</tool_call>")
    message, names, malformed = parse(template, open_ + region + close, repair=True)
    assert not {"tool_calls", "calls"} & set(message)
    assert (names, malformed) == ([], [region])


@pytest.mark.parametrize(
    "written, value",
    [
        ('"5" pipe"', '5" pipe'),
        ('"say "hi", "bye" and go"', 'say "hi", "bye" and go'),
        ('"{"a": "x", "b": ["y"]}"', '{"a": "x", "b": ["y"]}'),  # JSON that is not escaped is one value
    ],
)
def test_a_quote_in_a_value_is_taken_back(written: str, value: str) -> None:
    message, names, malformed = parse(TEMPLATE, f'<tool_call>{F}{{"k": {written}, "l": 1}}}}</tool_call>', repair=True)
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": {"k": value, "l": 1}}
    assert (names, malformed) == (["unescaped_quotes"], [])


def test_two_calls_in_one_region_are_two() -> None:
    message, names, malformed = parse(TEMPLATE, f"<tool_call>{F}{{}}}} {F}{{}}}}</tool_call>", repair=True)
    assert (len(message["tool_calls"]), names, malformed) == (2, ["several_values"], [])


def test_text_behind_a_value_is_content() -> None:
    message, names, _ = parse(TEMPLATE, f"a<tool_call>{F}{{}}}} So.</tool_call>b", repair=True)
    assert names == ["trailing_text"]
    assert message["content"] == "aSo.b"


def test_one_object_for_a_list() -> None:
    message, names, _ = parse(EACH, f"<c>{F}{{}}}}</c>", repair=True)
    assert message["calls"] == [{"function": {"name": "f", "arguments": {}}}]
    assert names == ["bare_object"]


@pytest.mark.parametrize(
    "body, arguments, names",
    [
        ("[f(a=(1, -2.5), b={'x': None,},)]", {"a": [1, -2.5], "b": {"x": None}}, ["call_syntax"]),
        ("f(a='é')", {"a": "é"}, ["call_syntax"]),
        ("[f(a='1\n2')]", {"a": "1\n2"}, ["raw_newlines"]),
        ("[f(a=1)", {"a": 1}, ["missing_bracket"]),
        ("[f(a=1)]]", {"a": 1}, ["trailing_brackets"]),
    ],
)
def test_a_repair_of_a_call_list(body: str, arguments: Any, names: list[str]) -> None:
    message, found, malformed = parse(LIST, f"<c>{body}</c>", repair=True)
    assert message["calls"] == [{"function": {"name": "f", "arguments": arguments}}]
    assert (found, malformed) == (names, [])


@pytest.mark.filterwarnings("error")
def test_a_backslash_in_a_call_list_gives_no_warning() -> None:
    message, names, _ = parse(LIST, r"<c>[f(a='\/ \\/ \\\/ \'', b=(1,))]</c>", repair=True)
    assert message["calls"][0]["function"]["arguments"] == {"a": r"\/ \/ \\/ '", "b": [1]}
    assert names == ["call_syntax"]


@pytest.mark.parametrize("body", ["[f(a=", "[f(1)]", "[f(**x)]", "[f(a=g())]", "[f(a=x)]", "["])
def test_other_code_is_no_call_list(body: str) -> None:
    message, names, malformed = parse(LIST, f"<c>{body}</c>", repair=True)
    assert (message, names, malformed) == ({}, [], [body])


@pytest.mark.parametrize("value", ["x </tool_call> y", 'q " \\ </tool_call>', "\\</tool_call>", "</tool_call>", "<"])
def test_a_closer_in_a_string_is_data(value: str) -> None:
    call = {"name": "f", "arguments": {"a": value}}
    message, _, malformed = parse(TEMPLATE, f"<tool_call>{json.dumps(call)}</tool_call>z", string_aware=True)
    assert message["tool_calls"] == [{"type": "function", "function": call}]
    assert (message["content"], malformed) == ("z", [])


def test_a_closer_in_a_string_of_a_call_list_is_data() -> None:
    message, _, malformed = parse(LIST, "<c>[f(a='</c>', b=\"'</c>\")]</c>z", string_aware=True)
    assert message["calls"] == [{"function": {"name": "f", "arguments": {"a": "</c>", "b": "'</c>"}}}]
    assert (message["content"], malformed) == ("z", [])


@pytest.mark.parametrize("body", ['{"a": "b', '{"a": "b" c'])
def test_a_string_that_does_not_end_hides_no_closer(body: str) -> None:
    text = f"<tool_call>{body}</tool_call>z<tool_call>{F}{{}}}}</tool_call>"
    message, _, malformed = parse(TEMPLATE, text, string_aware=True)
    assert (message["content"], len(message["tool_calls"]), malformed) == ("z", 1, [body])


def test_closers_in_the_values_of_tags_are_data() -> None:
    text = "<c=f><p=a> x</p> and </c> y </p> <p=b></p></c>z"
    message, _, _ = parse(TAGS, text, string_aware=True)
    assert message["calls"] == [{"function": {"name": "f", "arguments": {"a": "x</p> and </c> y", "b": ""}}}]
    assert message["content"] == "z"


def test_a_tag_without_its_closer_hides_no_other_call() -> None:
    text = "<c=f><p=a>x</c>y<c=g><p=b>1</p></c>z"
    message, names, _ = parse(TAGS, text, string_aware=True, repair=True)
    assert [call["function"]["arguments"] for call in message["calls"]] == [{"a": "x"}, {"b": "1"}]
    assert (message["content"], names) == ("y|z", ["missing_tag_close"])


FUNCTION = "<function=f>\n<parameter=a>\n1\n</parameter>\n"
F1 = {"type": "function", "function": {"name": "f", "arguments": {"a": "1"}}}


@pytest.mark.parametrize(
    "text, calls, content",
    [
        (f"<tool_call>{FUNCTION}</tool_call> Done.", [F1], "Done."),
        (f"<tool_call>{FUNCTION}</function>", [F1], None),
        (f"<tool_call>{FUNCTION}<|im_end|>", [F1], None),
        (f"<tool_call>{FUNCTION}</tool_call>\n<tool_call>{FUNCTION}</tool_call>", [F1, F1], None),
        (f"<tool_call>{FUNCTION}</tool_call>\n<tool_call>{FUNCTION}</function></tool_call> Done.", [F1, F1], "Done."),
        (f"<tool_call>{FUNCTION}{FUNCTION}</tool_call>", [F1, F1], None),
    ],
)
def test_half_a_closer_ends_a_call_that_is_complete(text: str, calls: list[Any], content: str | None) -> None:
    template = rtgen.load("qwen3_coder").template
    message, names, malformed = parse(template, text, repair=True)
    assert (message["tool_calls"], message.get("content"), malformed) == (calls, content, [])
    assert "missing_region_close" in names


@pytest.mark.parametrize("text", [FUNCTION, FUNCTION + "<parameter=b>", FUNCTION + "<parameter=b>\n2"])
def test_a_call_without_any_closer_is_not_completed(text: str) -> None:
    template = rtgen.load("qwen3_coder").template
    message, _, malformed = parse(template, text, repair=True)
    assert ("tool_calls" in message, len(malformed)) == (False, 1)


def test_a_long_string_is_read_in_linear_time() -> None:
    body = json.dumps({"name": "f", "arguments": {"a": "ab</tool_call>cd " * 20_000}})
    parser = rtgen.ResponseParser(TEMPLATE, "", string_aware=True)
    text = f"<tool_call>{body}</tool_call>"
    for at in range(0, len(text), 500):
        parser.feed(text[at : at + 500])
    assert len(parser.finalize()[0]["tool_calls"]) == 1


def test_the_closer_behind_a_string_may_come_in_pieces() -> None:
    template = {"start_anchor": "A:", "fields": {"n": {"open": "<n>", "close": ["a", "``"], "content": "json"}}}
    assert parse(template, '<n>"<a>"``b', string_aware=True)[0] == {"n": "<a>"}


@pytest.mark.parametrize("family", ["glm4_7", "qwen3_coder", "minimax_m2"])
def test_closers_in_the_values_of_bundled_templates_are_data(family: str) -> None:
    value = "use </tool_call> and </function> and </invoke> as text"
    text = {
        "glm4_7": f"<tool_call>save<arg_key>b</arg_key><arg_value>{value}</arg_value></tool_call>",
        "qwen3_coder": f"<tool_call>\n<function=save>\n<parameter=b>\n{value}\n</parameter>\n</function>\n</tool_call>",
        "minimax_m2": f'<minimax:tool_call>\n<invoke name="save">\n<parameter name="b">{value}</parameter>\n</invoke>'
        "\n</minimax:tool_call>",
    }[family]
    message, _, malformed = parse(rtgen.load(family).template, text, string_aware=True)
    assert [call["function"] for call in message["tool_calls"]] == [{"name": "save", "arguments": {"b": value}}]
    assert malformed == []


@pytest.mark.parametrize("opener", ["<think>", "<think><fast>"])
@pytest.mark.parametrize(
    ("rest", "thinking"),
    [("<think>", ""), ("<think><fast>", "<fast>"), ("<think><", "<"), ("<think><think>", "<think>")],
)
def test_an_opener_that_begins_another_is_the_same_in_every_cut(opener: str, rest: str, thinking: str) -> None:
    fields = {"thinking": {"open": ["<think><fast>", "<think>"], "close": "</think>"}, "content": {}}
    message, names, _ = parse({"start_anchor": "A:", "fields": fields}, f"{opener}{rest}x</think>y", repair=True)
    assert (message, names) == ({"thinking": f"{thinking}x", "content": "y"}, ["stray_opener"])
