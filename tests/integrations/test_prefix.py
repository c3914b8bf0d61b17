"""A prompt of token ids is decoded from its end; what the parser gets out of it is what it gets out of all of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rtgen.integrations.transformers import attach, response_parser
from rtgen.integrations.transformers import prefix as prefix_module
from rtgen.integrations.transformers.prefix import FIRST, prompt_text
from tests.integrations import making
from tests.integrations.making import PROMPT, TEMPLATE

LOCAL = ["byte level", "byte fallback", "byte fallback, nothing stripped"]
ANCHORS: list[Any] = [
    "<|im_start|>assistant\n",
    ["<|im_start|>", "<|im_start|>assistant\n"],
    "é",
    ["你", "x\n"],
    " a",
    "\ufffd",
]


def template(anchor: Any) -> dict[str, Any]:
    return {"start_anchor": anchor, "fields": {"content": {}}}


def rest(tokenizer: Any, ids: Any, raw: dict[str, Any]) -> str:
    """The text after the anchor, as a parser has found it."""
    events = response_parser(tokenizer, raw, prefix=ids).initial_events
    return "".join(event.get("text", "") for event in events)


@pytest.mark.parametrize("kind", LOCAL)
@pytest.mark.parametrize("anchor", ANCHORS, ids=str)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_it_equals_decoding_all_of_it(kind: str, anchor: Any, data: st.DataObject) -> None:
    """Any ids, so that windows begin inside characters, inside runs of bytes, and inside anchors."""
    tokenizer = making.made(kind)
    pieces = [
        tokenizer(text, add_special_tokens=False).input_ids
        for text in ("<|im_start|>assistant\n", "é", "你", "x\n", " a")
    ]
    some = st.one_of(st.lists(st.integers(0, len(tokenizer) - 1), max_size=4), st.sampled_from(pieces))
    ids = [one for part in data.draw(st.lists(some, max_size=30)) for one in part]
    whole = tokenizer.decode(ids)
    for first in (1, 2, 5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(prefix_module, "FIRST", first)
            for form in (ids, tuple(ids), np.array(ids, dtype=int)):
                text = prompt_text(tokenizer, form, template(anchor))
                assert rest(tokenizer, text, template(anchor)) == rest(tokenizer, whole, template(anchor))


@pytest.mark.parametrize("kind", LOCAL)
def test_a_long_prompt_costs_little(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = making.KINDS[kind]()
    prompt = "Some words and café. " * 3000 + PROMPT + "<think>\nOnce"
    ids = tokenizer(prompt, add_special_tokens=False).input_ids
    assert len(ids) > 20_000
    decoded: list[int] = []
    plain = tokenizer.decode
    monkeypatch.setattr(tokenizer, "decode", lambda ids, **more: decoded.append(len(ids)) or plain(ids, **more))
    text = prompt_text(tokenizer, ids, TEMPLATE)
    assert decoded == [] and len(text) < 5 * FIRST and text.endswith("assistant\n<think>\nOnce")
    parser = attach(tokenizer).get_response_parser(prefix=ids)
    assert parser.initial_events[-1]["text"] == "\nOnce" and decoded == []
    assert tokenizer.parse_response("", prefix=ids) == {"role": "assistant", "reasoning_content": "Once"}
    assert decoded == []


def test_an_anchor_far_ahead_is_found() -> None:
    tokenizer = making.made("byte level")
    for size in (10, 100, 1000, 5000):
        ids = tokenizer("x" * 7000 + PROMPT + "y" * size).input_ids
        text = prompt_text(tokenizer, ids, TEMPLATE)
        assert text.rpartition(TEMPLATE["start_anchor"])[2] == "y" * size


def test_without_an_anchor_all_is_decoded() -> None:
    tokenizer = making.made("byte level")
    ids = tokenizer("x" * 3000).input_ids
    assert prompt_text(tokenizer, ids, TEMPLATE) == "x" * 3000


@pytest.mark.parametrize(
    "raw",
    [
        {"start_anchor_pattern": r"A:\s*", "fields": {"content": {}}},
        template("aba"),
        template(["ab", "ba"]),
        template(["abc", "b"]),
    ],
    ids=["a pattern", "overlaps itself", "overlap", "contained"],
)
def test_where_the_last_anchor_depends_on_what_is_before_all_is_decoded(raw: dict[str, Any]) -> None:
    tokenizer = making.of_bytes([])
    text = "ababababa A: " * 30 + "ababa A:"
    ids = tokenizer(text).input_ids
    assert prompt_text(tokenizer, ids, raw) == text


@pytest.mark.parametrize("kind", ["metaspace", "word piece", "no decoder"])
def test_where_text_depends_on_all_ids_all_is_decoded(kind: str) -> None:
    tokenizer = making.made(kind)
    ids = tokenizer("a b " * 100 + PROMPT).input_ids
    assert prompt_text(tokenizer, ids, TEMPLATE) == tokenizer.decode(ids)


def test_several_sequences_are_an_error() -> None:
    for several in ([[1, 2], [3]], np.array([[1, 2], [3, 4]])):
        with pytest.raises(ValueError, match="one prefix"):
            prompt_text(making.made("byte level"), several, TEMPLATE)
