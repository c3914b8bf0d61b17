"""What is valid is never changed by repairs: random calls in the formats of bundled templates."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rtgen

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["</tool_call>", "it's", '"', "\\", "`<think>`", "True", "a, b]", "}{", "// no", "<|im_end|>", "\n", "'x'"]
)
VALUE = st.recursive(
    TEXT
    | st.integers(1 - 2**53, 2**53 - 1)
    | st.booleans()
    | st.none()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
NAME = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
ARGUMENTS = st.dictionaries(NAME, VALUE, max_size=4)
CALL = st.fixed_dictionaries({"name": NAME, "arguments": ARGUMENTS})
OPTIONS: dict[str, Any] = {"on_malformed": "event", "string_aware": True, "repair": True}


def python_literal(value: Any) -> str:
    """A value in the strict language of call lists."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {python_literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(python_literal, value))}]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def written(family: str, calls: list[dict[str, Any]]) -> str:
    """Calls as a model of the family writes them."""
    if family == "qwen3":
        return "\n".join(f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>" for call in calls)
    if family == "mistral_nemo_v3":
        return f"[TOOL_CALLS] {json.dumps(calls)}</s>"
    if family == "kimi_k2":
        inner = "".join(
            f"<|tool_call_begin|>functions.{call['name']}:{index}<|tool_call_argument_begin|>"
            f"{json.dumps(call['arguments'])}<|tool_call_end|>"
            for index, call in enumerate(calls)
        )
        return f"<|tool_calls_section_begin|>{inner}<|tool_calls_section_end|>"
    assert family == "lfm2_lfm2_5"
    listed = (
        f"{call['name']}({', '.join(f'{key}={python_literal(value)}' for key, value in call['arguments'].items())})"
        for call in calls
    )
    return f"<|tool_call_start|>[{', '.join(listed)}]<|tool_call_end|>"


@pytest.mark.parametrize("family", ["qwen3", "mistral_nemo_v3", "kimi_k2", "lfm2_lfm2_5"])
@settings(max_examples=120, deadline=None)
@given(calls=st.lists(CALL, min_size=1, max_size=3), before=st.sampled_from(["", "Let me see.\n"]))
def test_valid_calls_stay_as_they_are(family: str, calls: list[dict[str, Any]], before: str) -> None:
    text = before + written(family, calls)
    found = []
    for chunks in ([text], text):
        parser = rtgen.ResponseParser(family, "", **OPTIONS)
        events = [event for chunk in chunks for event in parser.feed(chunk)]
        message, last = parser.finalize()
        assert [event for event in events + last if "repairs" in event] == []
        assert parser.malformed == []
        assert [call["function"] for call in message["tool_calls"]] == calls
        assert message.get("content") == (before.strip() or None)
        found.append(message)
    assert found[0] == found[1]


@settings(max_examples=120, deadline=None)
@given(arguments=st.dictionaries(NAME, TEXT.filter(lambda text: "<" not in text and text == text.strip()), max_size=4))
def test_valid_tags_stay_as_they_are(arguments: dict[str, str]) -> None:
    tags = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items())
    text = f"<tool_call>\n<function=f>\n{tags}</function>\n</tool_call>"
    parser = rtgen.ResponseParser("qwen3_coder", "", **OPTIONS)
    events = parser.feed(text)
    message, last = parser.finalize()
    assert message == rtgen.parse_response(text, "qwen3_coder", prefix="")
    assert [event for event in events + last if "repairs" in event] == []
