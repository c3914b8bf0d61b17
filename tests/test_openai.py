"""OpenAI's form: what a client puts together from the chunks is the parsed message."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import rtgen
from rtgen import openai
from rtgen.openai.plan import plan_calls
from tests.conftest import ROOT, load_json
from tests.strategies import random_chunks, token_chunks
from tests.test_serving import TEMPLATE

FAMILIES = sorted(ROOT.glob("templates/*/cases/*.json"))
HERMES = "qwen3"


def put_together(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The message that a client makes of chunks; fails where a rule of the protocol is broken."""
    made: dict[str, Any] = {"role": None, "content": None, "calls": []}
    for chunk in chunks[:-1]:
        (choice,) = chunk["choices"]
        assert chunk["object"] == "chat.completion.chunk" and choice["finish_reason"] is None
        for key, value in choice["delta"].items():
            if key == "role":
                assert made["role"] is None
                made["role"] = value
            elif key == "tool_calls":
                for call in value:
                    if call["index"] == len(made["calls"]):
                        assert call["id"] and "name" in call["function"] and call["function"]["arguments"] == ""
                        made["calls"].append([call["id"], call["function"]["name"], ""])
                    else:
                        assert call["index"] < len(made["calls"]) and "name" not in call["function"]
                    made["calls"][call["index"]][2] += call["function"]["arguments"]
            else:
                made[key] = (made.get(key) or "") + value
    made["finish_reason"] = chunks[-1]["choices"][0]["finish_reason"]
    return made


def told(template: Any, chunks: Any, prefix: str = "", **options: Any) -> tuple[dict[str, Any], openai.Stream]:
    stream = openai.Stream(template, prefix, **options)
    out = stream.start()
    for chunk in chunks:
        out += stream.feed(chunk)
    return put_together(out + stream.finish()), stream


def check(made: dict[str, Any], message: dict[str, Any], cut_off: bool = False) -> None:
    """`cut_off`: a value was cut off inside its tag, so the message lacks it, and what was told of it is no JSON."""
    expected = openai.to_message(message)
    for key in ("content", "reasoning_content"):
        assert (made.get(key) or "") == (expected.get(key) or ""), key
    calls = expected.get("tool_calls", [])
    assert [name for _, name, _ in made["calls"]] == [call["function"]["name"] for call in calls]
    for (_, _, arguments), call in zip(made["calls"], calls, strict=True):
        if not cut_off or is_json(arguments):
            assert json.loads(arguments) == json.loads(call["function"]["arguments"])


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("path", FAMILIES, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_chunks_add_up_to_the_message(path: Any) -> None:
    case, family = load_json(path), path.parent.parent.name
    if "message" not in case:
        pytest.skip("no message")
    rng = random.Random(path.stem)
    for chunks in ([case["text"]], list(case["text"]), token_chunks(case["text"]), random_chunks(rng, case["text"], 9)):
        made, stream = told(family, chunks, case["prefix"], tools=case.get("tools"))
        if "content" in stream._texts and TEXT_IS_OVERWRITTEN(family):
            made["content"] = case["message"].get("content")
        if stream.parser.malformed:
            made["calls"] = [call for call in made["calls"] if is_json(call[2])]
        if A_SECOND_LIST_REPLACES_THE_FIRST(family):  # what has been told cannot be taken back
            made["calls"] = made["calls"][-len(case["message"].get("tool_calls", ())) :]
        check(made, case["message"], stream.parser.truncated and stream._plan.way == "tags")
        assert stream.message == case["message"]


def TEXT_IS_OVERWRITTEN(family: str) -> bool:
    field = rtgen.load(family).template["fields"].get("content", {})
    return not field.get("repeats") and field.get("join") is None


def A_SECOND_LIST_REPLACES_THE_FIRST(family: str) -> bool:
    field = rtgen.load(family).template["fields"].get("tool_calls", {})
    return bool(field.get("transform_each")) and not field.get("repeats")


def test_arguments_come_as_they_are_written() -> None:
    text = 'So <tool_call>{"name": "f", "arguments": {"a": "one two three", "b": [1, {"c": null}]}}</tool_call>'
    stream = openai.Stream(TEMPLATE, "")
    stream.start()
    seen = [
        call["function"]["arguments"]
        for at in range(0, len(text), 5)
        for chunk in stream.feed(text[at : at + 5])
        for call in chunk["choices"][0]["delta"].get("tool_calls", ())
    ]
    assert len(seen) > 8 and "".join(seen) == '{"a": "one two three", "b": [1, {"c": null}]}'
    assert stream.finish()[-1]["choices"][0]["finish_reason"] == "tool_calls"


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}},
        },
    }
]


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "f", "arguments": {"n": "5", "s": "7", "x": ["1"]}}',
        '{"arguments": {"n": "5"}, "name": "f"}',
        '{"name": "g", "arguments": {"n": "5"}}',
        '{"name": "f", "arguments": {}}',
        '{"name": "f", "arguments": {"n": "\\u00e9\\"\\\\", "n": "6"}}',
        '{"name":"f","arguments":{"s":"\\ud83d\\ude00 }"},"other":[{"arguments":{}}]}',
    ],
)
@pytest.mark.parametrize("tools", [None, TOOLS])
def test_arguments_are_those_of_the_message(body: str, tools: Any) -> None:
    text = f"a <tool_call>{body}</tool_call> <tool_call>{body}</tool_call>"
    for chunks in ([text], list(text), random_chunks(random.Random(body), text, 7)):
        made, stream = told(TEMPLATE, chunks, tools=tools)
        assert stream.message is not None and len(stream.message["tool_calls"]) == 2
        check(made, stream.message)


def test_text_is_told_without_what_the_message_leaves_out() -> None:
    made, stream = told(TEMPLATE, list("\n a  b \n<think> x \n</think>  c <|im_end|>"))
    assert (made["content"], made["reasoning_content"]) == ("a  bc", "x")
    check(made, stream.message or {})


def test_the_reason_to_finish() -> None:
    assert told(TEMPLATE, ["a"])[0]["finish_reason"] == "stop"
    assert told(TEMPLATE, ["<think>a"])[0]["finish_reason"] == "length"
    message = rtgen.parse_response("a", TEMPLATE, prefix="")
    completion = openai.to_completion(message, model="m")
    assert completion["object"] == "chat.completion"
    assert completion["choices"][0]["message"] == {"role": "assistant", "content": "a"}
    assert completion["choices"][0]["finish_reason"] == "stop"
    assert openai.to_completion(message, finish_reason="length")["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    "family, text, reason",
    [
        ("gpt_oss", '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}', "tool_calls"),
        ("gpt_oss", '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1', "length"),
        ("gpt_oss", "<|channel|>analysis<|message|>Hm", "length"),
        ("mistral_v11_v13", '[TOOL_CALLS]f[ARGS]{"a": 1}', "tool_calls"),
        ("qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\n1", "length"),
    ],
)
def test_a_call_without_its_closer_that_is_whole_is_not_cut_off(family: str, text: str, reason: str) -> None:
    stream = openai.Stream(family, "")
    chunks = [*stream.start(), *stream.feed(text), *stream.finish()]
    assert chunks[-1]["choices"][0]["finish_reason"] == reason
    parser = rtgen.load(family).ResponseParser("", on_malformed="event", spans=True)
    parser.feed(text)
    message, events = parser.finalize()
    truncated = openai.was_cut_off(events, rtgen.load(family).template)
    assert openai.to_completion(message, truncated=truncated)["choices"][0]["finish_reason"] == reason


def test_an_engine_that_stops_at_a_call_says_stop() -> None:
    text = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    message = rtgen.parse_response(text, TEMPLATE, prefix="")
    for given, reason in (("stop", "tool_calls"), ("length", "length"), ("tool_calls", "tool_calls")):
        stream = openai.Stream(TEMPLATE, "")
        chunks = [*stream.start(), *stream.feed(text), *stream.finish(given)]
        assert chunks[-1]["choices"][0]["finish_reason"] == reason
        assert openai.to_completion(message, finish_reason=given)["choices"][0]["finish_reason"] == reason


def test_a_malformed_call_is_not_told_and_with_repair_it_is() -> None:
    text = "<tool_call>{'name': 'f', 'arguments': {}}</tool_call>b"
    made, stream = told(TEMPLATE, list(text))
    assert (made["calls"], made["content"], len(stream.parser.malformed)) == ([], "b", 1)
    made, _ = told(TEMPLATE, list(text), repair=True)
    assert [call[1:] for call in made["calls"]] == [["f", "{}"]]


def test_no_bundled_template_tells_calls_whole() -> None:
    ways = {}
    for name in rtgen.available():
        fields = rtgen.load(name).template["fields"]
        if "tool_calls" in fields:
            ways[name] = plan_calls(fields["tool_calls"])
    assert len(ways) > 50
    assert {name: plan.why for name, plan in ways.items() if plan.way == "whole"} == {}
    assert (ways[HERMES].way, ways["gemma4"].way, ways["mistral_nemo_v3"].listed) == ("json", "json", True)
    assert (ways["lfm2_lfm2_5"].way, ways["glm4_7"].way) == ("call list", "tags")
    split = {name for name, plan in ways.items() if plan.tags is not None and plan.tags.head is not None}
    assert split == {name for name, plan in ways.items() if plan.way == "tags"} - {"toolace"}
