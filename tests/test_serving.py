"""Options for servers: malformed regions, spans; whole, in chunks, and against their oracle."""

from __future__ import annotations

from typing import Any

import pytest

import rtgen
from tests import serving
from tests.oracle import join

TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>"},
        "tool_calls": {
            "open_pattern": r"\s*<tool_call>",
            "close": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"\s*<\|im_end\|>", "repeats": True, "join": ""},
    },
}
CALL = {"type": "function", "function": {"name": "a", "arguments": {}}}
TEXT = 'Hi <tool_call>{"name": "a", "arguments": {}}</tool_call> <tool_call>bad</tool_call>tail<|im_end|>'
ANSWER = {"role": "assistant", "content": "Hitail", "tool_calls": [CALL]}


def events_of(parser: Any, chunks: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    events = list(parser.initial_events)
    for chunk in chunks:
        events += parser.feed(chunk)
    message, last = parser.finalize()
    return message, join(events + last)


@pytest.mark.parametrize("chunks", [[TEXT], TEXT])
def test_a_malformed_region_is_an_event_and_the_rest_goes_on(chunks: Any) -> None:
    parser = rtgen.ResponseParser(TEMPLATE, "", on_malformed="event")
    message, events = events_of(parser, chunks)
    assert message == ANSWER
    (malformed,) = [event for event in events if event["type"] == "region_malformed"]
    assert (malformed["field"], malformed["text"]) == ("tool_calls", "bad")
    assert isinstance(malformed["error"], rtgen.ParseError)
    assert parser.malformed == [malformed]


def test_batch_returns_the_message_and_lists_what_is_malformed() -> None:
    malformed: list[dict[str, Any]] = []
    assert rtgen.parse_response(TEXT, TEMPLATE, prefix="", on_malformed="event", malformed=malformed) == ANSWER
    assert [event["text"] for event in malformed] == ["bad"]
    malformed = []
    messages = rtgen.compile(TEMPLATE).parse_response(["x", TEXT], prefix="", on_malformed="event", malformed=malformed)
    assert messages == [{"role": "assistant", "content": "x"}, ANSWER]
    assert [(event["index"], event["text"]) for event in malformed] == [(1, "bad")]


@pytest.mark.parametrize("chunks", [[TEXT], TEXT])
def test_malformed_text_becomes_content(chunks: Any) -> None:
    parser = rtgen.ResponseParser(TEMPLATE, "", on_malformed="content")
    message, events = events_of(parser, chunks)
    assert message == {**ANSWER, "content": "Hi<tool_call>bad</tool_call>tail"}
    assert [(event["type"], event["field"]) for event in events[-3:]] == [
        ("region_open", "content"),
        ("region_chunk", "content"),
        ("region_close", "content"),
    ]
    assert events[-2]["text"] == " <tool_call>bad</tool_call>tail"


def test_text_that_never_closes_becomes_content_too() -> None:
    message = rtgen.parse_response("a <tool_call>{", TEMPLATE, prefix="", on_malformed="content")
    assert message == {"role": "assistant", "content": "a <tool_call>{"}


def test_without_a_text_field_content_means_event() -> None:
    template = {**TEMPLATE, "fields": {"tool_calls": TEMPLATE["fields"]["tool_calls"]}}
    malformed: list[dict[str, Any]] = []
    rtgen.parse_response("<tool_call>x", template, prefix="", on_malformed="content", malformed=malformed)
    assert [event["type"] for event in malformed] == ["region_malformed"]


@pytest.mark.parametrize("chunks", [[TEXT], TEXT])
def test_spans_are_those_of_the_delimiters(chunks: Any) -> None:
    parser = rtgen.ResponseParser(TEMPLATE, "", spans=True, on_malformed="event")
    _, events = events_of(parser, chunks)
    assert parser.input_text == TEXT
    spans = [TEXT[event["start"] : event["end"]] for event in events if event["type"] != "region_chunk"]
    call = [" <tool_call>", "</tool_call>"]
    assert spans == ["", "", *call, *call, "", "<|im_end|>"]
    assert not parser.truncated


def test_the_captures_of_an_opener_stand_in_its_event() -> None:
    template = {
        "start_anchor": "A:",
        "fields": {
            "x": {"open_pattern": r"<(?P<name>\w+)(?P<more> \w+)?>", "close": "</>", "transform": {"is": "{name}"}}
        },
    }
    parser = rtgen.ResponseParser(template, "", spans=True)
    _, events = events_of(parser, "<f>1</><g h>2")
    assert [event["captures"] for event in events if event["type"] == "region_open"] == [
        {"name": "f"},
        {"name": "g", "more": " h"},
    ]
    assert events[-1] == {
        "type": "region_close",
        "field": "x",
        "value": {"is": "g"},
        "start": 13,
        "end": 13,
        "closed": False,
    }
    assert parser.truncated


def test_held_back_prefix_is_no_part_of_a_later_chunk() -> None:
    parser = rtgen.ResponseParser(TEMPLATE, "<|im_start|>assistant\nSo <too", spans=True)
    events = parser.feed("l_bar>") + parser.finalize()[1]
    assert "".join(event["text"] for event in events if event["type"] == "region_chunk") == "l_bar>"
    assert events[-1]["value"] == "So <tool_bar>"


def test_a_malformed_required_field_counts_as_present() -> None:
    template = {"start_anchor": "A:", "fields": {"n": {"open": "<", "close": ">", "content": "int", "optional": False}}}
    with pytest.raises(rtgen.ParseError, match="required and missing"):
        rtgen.parse_response("", template, prefix="", on_malformed="event")
    assert rtgen.parse_response("<x>", template, prefix="", on_malformed="event") == {}


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="on_malformed is one of raise, event, content, not 'ignore'"):
        rtgen.ResponseParser(TEMPLATE, "", on_malformed="ignore")
    with pytest.raises(TypeError, match="span"):
        rtgen.ResponseParser(TEMPLATE, "", span=True)


def test_without_options_nothing_is_different() -> None:
    parser = rtgen.ResponseParser(TEMPLATE, "")
    _, events = events_of(parser, "Hi <|im_end|>")
    assert [sorted(event) for event in events] == [
        ["field", "type"],
        ["dirty", "field", "text", "type"],
        ["field", "type", "value"],
    ]
    assert (parser.malformed, parser.truncated, parser.input_text) == ([], False, "")


@pytest.mark.parametrize("seed", range(3))
def test_random_runs_agree_with_the_oracle(seed: int) -> None:
    *problems, (_, last) = serving.problems(60, seed, None, None)
    assert last is None
    assert problems == []


def test_a_closer_that_asks_for_the_end_of_the_text_is_found_alike_in_chunks() -> None:
    call = {"open": "f", "close_pattern": r"<call>(?!\Z)", "content": "json", "content_args": {"allow_non_json": True}}
    compiled = rtgen.compile({"start_anchor": "A:", "fields": {"t": call, "c": {}}})
    text = 'f"a<call>x'
    whole = compiled.parse_response(text, prefix="A:", string_aware=True)
    parser = compiled.ResponseParser("A:", string_aware=True)
    for char in text:
        parser.feed(char)
    assert parser.finalize()[0] == whole == {"t": '"a', "c": "x"}


def test_quotes_count_also_behind_the_start_of_the_text() -> None:
    compiled = rtgen.load("llama3_json")  # its state at the start differs from that outside of regions
    for text in ("}\n\x00", "It writes `<|python_tag|>look.call(` then.<|eot_id|>"):
        whole = compiled.parse_response(text, prefix="", string_aware=True)
        parser = compiled.ResponseParser("", string_aware=True)
        for char in text:
            parser.feed(char)
        assert parser.finalize()[0] == whole == {"role": "assistant", "content": text.removesuffix("<|eot_id|>")}
