"""What users of other parsers reported, as cases: each is right under one fixed profile, or a limit with its reason.

`data/field_reports/reports.json` holds the texts with what a user would want, and where they were reported.
"""

from __future__ import annotations

from typing import Any

import pytest

import rtgen
from tests.conftest import HERE, load_json

PROFILE = {"on_malformed": "event", "string_aware": True, "repair": True}

LIMITS = {
    "whitespace-significant-qwen35": "the template's tag_pattern takes all white space around a value",
}

REPORTS = load_json(HERE / "data" / "field_reports" / "reports.json")
TEMPLATES = load_json(HERE / "data" / "field_reports" / "templates.json")


def answer(report: dict[str, Any], chunks: Any) -> dict[str, Any]:
    """What the profile gives, in the form in which the reports say what is expected."""
    parser = rtgen.ResponseParser(
        TEMPLATES[report["replay_template"]], report["prefix"], tools=report["tools"], **PROFILE
    )
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


def test_limits_are_those_of_reports() -> None:
    assert set(LIMITS) <= {report["id"] for report in REPORTS}
    assert len(REPORTS) >= 44
