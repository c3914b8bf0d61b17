"""What users of other parsers reported, as cases: each is right under one fixed profile, or a limit with its reason.

`data/field_reports/reports.json` holds the texts with what a user would want, and where they were reported;
`further.json` more of the same kinds, each with the name of a template there or of a bundled one.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import rtgen
from rtgen import openai
from tests.conftest import HERE, load_json
from tests.oracle import join
from tests.strategies import random_chunks
from tests.test_openai import is_json

PROFILE = {"on_malformed": "event", "string_aware": True, "repair": True}

LIMITS = {
    "whitespace-significant-qwen35": "the template's tag_pattern takes all white space around a value",
}

REPORTS = load_json(HERE / "data" / "field_reports" / "reports.json")
FURTHER = load_json(HERE / "data" / "field_reports" / "further.json")
TEMPLATES = load_json(HERE / "data" / "field_reports" / "templates.json")


def answer(report: dict[str, Any], chunks: Any) -> dict[str, Any]:
    """What the profile gives, in the form in which the reports say what is expected."""
    name = report["replay_template"]
    parser = rtgen.ResponseParser(TEMPLATES.get(name, name), report["prefix"], tools=report["tools"], **PROFILE)
    for chunk in chunks:
        parser.feed(chunk)
    message, _ = parser.finalize()
    calls = [call["function"] for call in message.get("tool_calls", [])]
    return {
        "content": message.get("content"),
        "reasoning_content": message.get("reasoning_content"),
        "tool_calls": [{"name": call["name"], "arguments": call["arguments"]} for call in calls],
        "malformed": [event["text"].strip() for event in parser.malformed],
    }


def is_right(report: dict[str, Any], got: dict[str, Any]) -> bool:
    expected = report["expected"]
    texts = [key for key in ("content", "reasoning_content", "tool_calls") if key in expected]
    if report["id"] == "pythonic-redos":  # what is expected is described there, not quoted
        return len(got["malformed"]) == 1
    return all((got[key] or None) == (expected[key] or None) for key in texts) and got["malformed"] == expected.get(
        "malformed", []
    )


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report["id"])
def test_a_field_report(report: dict[str, Any]) -> None:
    whole = answer(report, [report["raw"]])
    assert answer(report, report["raw"]) == whole
    assert is_right(report, whole) == (report["id"] not in LIMITS), whole


@pytest.mark.parametrize("report", FURTHER, ids=lambda report: report["id"])
def test_a_further_report(report: dict[str, Any]) -> None:
    whole = answer(report, [report["raw"]])
    assert is_right(report, whole), whole
    rng = random.Random(report["id"])
    for chunks in (report["raw"], random_chunks(rng, report["raw"], 4), random_chunks(rng, report["raw"], 9)):
        assert answer(report, chunks) == whole


@pytest.mark.parametrize("report", REPORTS + FURTHER, ids=lambda report: report["id"])
def test_events_do_not_depend_on_the_chunks(report: dict[str, Any]) -> None:
    name = report["replay_template"]
    found = []
    for chunks in ([report["raw"]], report["raw"]):
        parser = rtgen.ResponseParser(
            TEMPLATES.get(name, name), report["prefix"], tools=report["tools"], spans=True, **PROFILE
        )
        events = [event for chunk in chunks for event in parser.feed(chunk)]
        message, last = parser.finalize()
        told = [{key: str(value) for key, value in event.items()} for event in join(events + last)]
        found.append((message, told, parser.input_text))
    assert found[0] == found[1]


def test_what_the_client_puts_together_is_the_message() -> None:
    for report in REPORTS + FURTHER:
        name = report["replay_template"]
        stream = openai.Stream(TEMPLATES.get(name, name), report["prefix"], tools=report["tools"], **PROFILE)
        chunks = stream.start()
        for char in report["raw"]:
            chunks += stream.feed(char)
        chunks += stream.finish()
        deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
        completion = openai.to_completion(stream.message or {})["choices"][0]["message"]
        for key in ("content", "reasoning_content"):
            assert "".join(delta.get(key) or "" for delta in deltas) == (completion.get(key) or ""), report["id"]
        calls: dict[int, list[str]] = {}
        for delta in deltas:
            for call in delta.get("tool_calls", ()):
                parts = calls.setdefault(call["index"], ["", ""])
                parts[0] += call["function"].get("name", "")
                parts[1] += call["function"].get("arguments", "")
        if stream.parser.malformed:  # what was told of a call before it turned out so has no end
            calls = {index: call for index, call in calls.items() if is_json(call[1])}
        told = [(given, json.loads(arguments)) for given, arguments in calls.values()]
        functions = [call["function"] for call in completion.get("tool_calls") or ()]
        assert told == [(call["name"], json.loads(call["arguments"])) for call in functions], report["id"]


def test_limits_are_those_of_reports() -> None:
    assert set(LIMITS) <= {report["id"] for report in REPORTS}
    assert len(REPORTS) >= 44
    assert len(FURTHER) >= 129
    assert len({report["id"] for report in REPORTS + FURTHER}) == len(REPORTS + FURTHER)
