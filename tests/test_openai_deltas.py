"""Argument deltas: they add up to the arguments of the message, and come as early as they can be promised."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rtgen
from rtgen import openai
from rtgen.openai.completion import missing_text
from rtgen.openai.plan import plan_calls
from rtgen.openai.tag_pattern import read_tag_pattern
from tests.openai_calls import FORMATS, damaged, random_calls, random_tools
from tests.strategies import random_chunks
from tests.test_openai import is_json, put_together, told
from tests.test_serving import TEMPLATE

PROFILE: dict[str, Any] = {"on_malformed": "event", "string_aware": True, "repair": True}


def arguments(template: Any, chunks: Any, **options: Any) -> tuple[list[str], list[str]]:
    """The arguments of the calls that a client puts together, and those of the message."""
    made, stream = told(template, chunks, **options)
    expected = openai.to_message(stream.message or {}).get("tool_calls", [])
    return [call[2] for call in made["calls"]], [call["function"]["arguments"] for call in expected]


def before_the_end(template: Any, text: str, **options: Any) -> list[str]:
    """The arguments of each call that have been told when `text`, in characters, has been fed."""
    stream = openai.Stream(template, "", **options)
    chunks = stream.start()
    for char in text:
        chunks += stream.feed(char)
    return [call[2] for call in put_together([*chunks, chunks[0]])["calls"]]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(FORMATS)), st.integers(0, 2**32), st.booleans(), st.booleans(), st.booleans())
def test_told_calls_are_those_of_the_message(name: str, seed: int, damage: bool, aware: bool, repair: bool) -> None:
    rng = random.Random(seed)
    text = FORMATS[name](rng, random_calls(rng))
    if damage:
        text = damaged(rng, text)
    options = {"string_aware": aware, "repair": repair, "tools": random_tools(rng)}
    made, stream = told(name, random_chunks(rng, text, rng.choice([1, 4, 12])), **options)
    expected = openai.to_message(stream.message or {}).get("tool_calls", [])
    calls = [(name, arguments) for _, name, arguments in made["calls"]]
    assert stream.parser.malformed or len(calls) == len(expected) or (damage and repair and len(calls) > len(expected))
    for call in expected:
        function = call["function"]
        while calls and (calls[0][0] != function["name"] or not same(calls[0][1], function["arguments"])):
            # What the message lacks or has otherwise is never complete, but for the first calls of a malformed list.
            told_name, dropped = calls.pop(0)
            if repair and told_name != function["name"] and not is_json(dropped):
                continue  # a repair has found another name, and the call is told again
            if not is_json(dropped) and not stream.parser.malformed:
                # A value that its tag never closes, a name that comes twice, or what a repair takes otherwise.
                assert damage and (stream._plan.way == "tags" or stream._plan.name_path or repair)
                break
            assert stream.parser.malformed
        else:
            assert calls or stream.parser.malformed
            del calls[:1]
    assert stream.parser.malformed or not calls


def same(told: str, expected: str) -> bool:
    return is_json(told) and json.loads(told) == json.loads(expected)


@pytest.mark.parametrize("name", sorted(FORMATS))
@pytest.mark.parametrize("options", [{}, PROFILE], ids=["default", "profile"])
def test_all_of_a_long_string_but_its_end_is_told_before_it_ends(name: str, options: dict[str, Any]) -> None:
    text = FORMATS[name](random.Random(1), [("f", {"a": "b" * 200})])
    for end in range(text.index("b" * 200) + 100, text.index("b" * 200) + 200, 20):
        (before,) = before_the_end(name, text[:end], **options) or [""]
        if name == "toolace":
            assert before == ""  # its values are known when they are complete
        else:
            assert '{"a": "bbb' in before and before.count("b") > 60


@pytest.mark.parametrize("tools", [False, True])
def test_values_of_tags_are_told_as_their_schema_allows(tools: bool) -> None:
    properties = {"s": {"type": "string"}, "n": {"type": "integer"}, "e": {"anyOf": [{"type": "null"}, {}]}}
    given = [{"name": "f", "parameters": {"properties": properties}}] if tools else None
    tag = "<arg_key>{}</arg_key><arg_value>{}".format
    opened = "<tool_call>f\n"
    for key, streams in (("s", True), ("x", True), ("n", not tools), ("e", not tools)):
        (before,) = before_the_end("glm4_7", opened + tag(key, "12 </arg_value"), tools=given)
        assert before == (f'{{"{key}": "12 ' if streams else "{")
    text = opened + tag("n", "12</arg_value>\n") + tag("s", "7</arg_value></tool_call>")
    assert arguments("glm4_7", list(text), tools=given)[0] == [
        '{"n": 12, "s": "7"}' if tools else '{"n": "12", "s": "7"}'
    ]


def test_the_first_call_of_a_list_is_complete_before_the_second_is_told() -> None:
    text = '[TOOL_CALLS][{"name": "f", "arguments": {"a": [1, {}]}}, {"name": "g", "arguments": {"b": "xyz'
    assert before_the_end("mistral_nemo_v3", text) == ['{"a": [1, {}]}', '{"b": "xyz']
    text = "<|tool_call_start|>[f(a=[1, {}]), g(b='xyz"
    assert before_the_end("lfm2_lfm2_5", text) == ['{"a": [1, {}]}', '{"b": "xyz']


@pytest.mark.parametrize("options", [{}, PROFILE], ids=["default", "profile"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3", '<tool_call>{"name": "f", "arguments": {"a": 1, "b": {"c": 1}, "a": 2, "d": 3}}</tool_call>'),
        ("qwen3", '<tool_call>{"name": "f", "arguments": {"b": {"c": 1, "d": [1], "c": 2}, "d": 3}}</tool_call>'),
        ("qwen3", '<tool_call>{"name": "f", "arguments": {"a": 1}, "arguments": {"a": 2, "b": 1}}</tool_call>'),
        ("qwen3", '<tool_call>{"arguments": {"a": 1.0, "b": 1E2, "c": -0, "d": NaN}, "name": "f"}</tool_call>'),
        ("qwen3", '<tool_call>{"name": "f", "arguments": {"a": "\\ud83d\\ude00\\ud83d\\n\\udc00"}}</tool_call>'),
        ("qwen3", '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>'),
        ("qwen3", '<tool_call>{"name": "f", "arguments": [1, 2]}</tool_call>'),
        ("qwen3", '<tool_call>{"name": "f"}</tool_call>'),
        ("functiongemma", '<start_function_call>call:f{"a<escape>: 1, <escape>b": 2}<end_function_call>'),
        ("functiongemma", '<start_function_call>call:f{a: "x<escape>y", b: 1}<end_function_call>'),
        ("functiongemma", "<start_function_call>call:f{1a: true, <escape>b c<escape>: 01e}<end_function_call>"),
        ("glm4_7", "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></arg_value></tool_call>"),
        ("qwen3_coder", "<tool_call><function=f><parameter=a>\n\n1\n\n<parameter=b>2\n</function></tool_call>"),
        ("lfm2_lfm2_5", r"<|tool_call_start|>[f(a='\/\u00e9', b=-1.5e3, c={'x': None})]<|tool_call_end|>"),
    ],
)
def test_what_could_be_contradicted_is_not_told(name: str, text: str, options: dict[str, Any]) -> None:
    for chunks in ([text], list(text), random_chunks(random.Random(text), text, 5)):
        made, expected = arguments(name, chunks, **options)
        if not expected:  # the region is malformed
            assert not any(map(is_json, made))
            continue
        assert [repr(json.loads(text)) for text in made] == [repr(json.loads(text)) for text in expected] or (
            [dict(json.loads(text)) for text in made] == [dict(json.loads(text)) for text in expected]
        )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3", '<tool_call>{"name": "f", "arguments": {"a": 1, "b": [1, ], }}</tool_call>'),
        ("qwen3", '<tool_call>{"name": "f", "arguments": {"a": "1\n2", \'b\': True}</tool_call>'),
        ("qwen3", '<tool_call>{"name": "f", "arguments": {"a": "\\d", "c": "x"}}}</tool_call>'),
        ("mistral_nemo_v3", '[TOOL_CALLS]{"name": "f", "arguments": {"a": "x"}}</s>'),
        ("lfm2_lfm2_5", "<|tool_call_start|>[f(a='x' 'y', b=(1, 2))]<|tool_call_end|>"),
        ("lfm2_lfm2_5", r"<|tool_call_start|>[f(a='\/', b={'c': 1, 'c': 2})]<|tool_call_end|>"),
        ("gemma4", '<|tool_call>call:f{a: <|"|>x<|"|>, b: y<|"|>, }<tool_call|>'),
        ("gemma4", "<|tool_call>call:f{\"a\": 'x', b: 1,}<tool_call|>"),
    ],
)
def test_repaired_calls_are_told_as_they_are_repaired(name: str, text: str) -> None:
    for chunks in ([text], list(text), random_chunks(random.Random(text), text, 5)):
        made, expected = arguments(name, chunks, **PROFILE)
        assert len(expected) == 1 and same(made[0], expected[0]), (made, expected)


def test_a_malformed_call_stays_without_its_end() -> None:
    for body in (
        '{"name": "f", "arguments": {"a": 1}',
        '{"name": "f", "arguments": {"a": 1}}}',
        '{"name": "f", "arguments": {"a": 1',
    ):
        made, stream = told(TEMPLATE, list(f"<tool_call>{body}</tool_call>x"))
        assert [call[1:] for call in made["calls"]] in ([["f", '{"a": 1']], [["f", "{"]])
        assert (len(stream.parser.malformed), made["content"], made["finish_reason"]) == (1, "x", "tool_calls")


def test_a_value_that_its_tag_never_closes_stays_without_its_end() -> None:
    text = "<tool_call>f<arg_key>a</arg_key><arg_value>b c"
    made, stream = told("glm4_7", list(text))
    assert (made["calls"][0][2], made["finish_reason"]) == ('{"a": "b c', "length")
    assert (stream.message or {})["tool_calls"][0]["function"]["arguments"] == {}


def test_a_prefix_may_end_inside_a_call() -> None:
    text = '<think>a</think>b <tool_call>{"name": "f", "arguments": {"a": "</tool_"}}</tool_call>'
    for cut in range(len(text)):
        made, _ = told(TEMPLATE, list(text[cut:]), "<|im_start|>assistant\n" + text[:cut])
        assert same(made["calls"][0][2], '{"a": "</tool_"}'), cut
        assert (made["content"], made["reasoning_content"]) == ("b", "a")


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ({"content": "json", "content_args": {"allow_non_json": True}}, "only the end tells"),
        ({"content": "json", "content_args": {"string_delims": [["'", "'"], ["<", ">"]]}}, "each pair of string"),
        ({"content": "json", "content_args": {"string_delims": [["[", "]"]]}}, "what opens a string"),
        (
            {
                "content": "xml-inline",
                "content_args": {"tag_pattern": "(?P<key>a)(?P<value>.*?)b", "merge_duplicates": True},
            },
            "a list",
        ),
        ({"content": "xml-inline", "content_args": {"tag_pattern": "^(?P<key>a)(?P<value>.*?)b"}}, "the tag_pattern"),
        ({"content": "kv-lines"}, "kv-lines is read"),
    ],
)
def test_what_cannot_be_promised_is_told_whole(field: dict[str, Any], why: str) -> None:
    transform = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
    plan = plan_calls({"open_pattern": "<(?P<name>[a-z]+)>", "close": "</>", "transform": transform, **field})
    assert plan.way == "whole" and why in plan.why


def test_a_name_that_the_end_may_change_is_told_at_the_end() -> None:
    transform = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
    field = {
        "open_pattern": "<(?P<name>a)>",
        "close_pattern": "</(?P<name>b)>",
        "content": "json",
        "transform": transform,
    }
    template = {"start_anchor": "^", "fields": {"tool_calls": field}}
    assert plan_calls(field).why == "the closer may give the name"
    made, _ = told(template, list('<a>{"x": 1}</b>'))
    assert [call[1:] for call in made["calls"]] == [["b", '{"x": 1}']]


@pytest.mark.parametrize(
    ("told_so_far", "value", "missing"),
    [
        ("", {}, "{}"),
        ('{"a": "x', {"a": "xy\n"}, 'y\\n"}'),
        ('{"a": 1', {"a": 2, "b": 3}, ', "a": 2, "b": 3}'),
        ('{"a": [1, {"b": 2', {"a": [1, {"b": 3}, 4], "c": 5}, ', "b": 3}, 4], "c": 5}'),
        ('{"a": [', {"a": [1]}, "1]}"),
        ('{"a": 1', {"b": 1}, None),
        ('{"a": "x"', {"a": "x"}, "}"),
        ('["x', ["y"], None),
        ("[1, 2", [1], None),
    ],
)
def test_what_is_missing_from_what_was_told(told_so_far: str, value: Any, missing: str | None) -> None:
    assert missing_text(told_so_far, value) == missing
    if missing is not None:
        assert json.loads(told_so_far + missing) == value


def test_tag_patterns_of_bundled_templates_are_in_three_parts() -> None:
    patterns = {
        field["content_args"]["tag_pattern"]
        for name in rtgen.available()
        if (field := rtgen.load(name).template["fields"].get("tool_calls", {})).get("content") == "xml-inline"
    }
    assert len(patterns) > 10
    unsplit = [pattern for pattern in patterns if getattr(read_tag_pattern(pattern), "head", None) is None]
    assert len(unsplit) == 1 and r"(?P<key>\w+)\s*=" in unsplit[0]
