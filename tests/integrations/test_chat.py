"""`attach(..., chat=True)`: the same text and the same ids as transformers renders."""

from __future__ import annotations

from typing import Any

import pytest

import rtgen.chat
from rtgen.integrations.transformers import attach, detach
from tests.integrations import making

CONVERSATION = [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": "Fine, 😀."}]
ANSWERED = "{%- for m in messages %}[{{ m.role }}]{% generation %}{{ m.content }}{% endgeneration %}{%- endfor %}"

pytestmark = pytest.mark.skipif(not hasattr(rtgen.chat, "render"), reason="rtgen.chat does not render")


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"tokenize": False},
        {"add_generation_prompt": True, "tokenize": False},
        {"add_generation_prompt": True, "enable_thinking": True},
        {"continue_final_message": True, "tokenize": False},
        {"return_dict": False},
        {"return_tensors": "np"},
        {"chat_template": "{{ eos_token }}{{ messages[0].content }}{{ mine }}", "mine": "!", "tokenize": False},
        {"truncation": True, "max_length": 5},
        {"tokenizer_kwargs": {"return_attention_mask": False}},
        {"chat_template": ANSWERED, "return_assistant_tokens_mask": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("batch", [False, True])
def test_it_is_what_transformers_gives(more: dict[str, Any], batch: bool) -> None:
    plain, ours = making.byte_level(), attach(making.byte_level(), chat=True)
    conversation: Any = [CONVERSATION, CONVERSATION] if batch else CONVERSATION
    results = [one.apply_chat_template(conversation, **more) for one in (ours, plain)]
    shown = [
        {k: v if isinstance(v, list) else v.tolist() for k, v in one.items()} if hasattr(one, "items") else one
        for one in results
    ]
    assert shown[0] == shown[1]


def test_it_is_rtgen_s(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = attach(making.byte_level(), chat=True)
    monkeypatch.setattr(rtgen.chat, "render", lambda *_, **__: "rendered")
    assert tokenizer.apply_chat_template(CONVERSATION, tokenize=False) == "rendered"
    assert detach(tokenizer).apply_chat_template(CONVERSATION, tokenize=False) != "rendered"
    assert "apply_chat_template" not in vars(attach(attach(tokenizer, chat=True)))  # asked for no longer


def test_the_refusals_are_those_of_transformers() -> None:
    for tokenizer in (making.byte_level(), attach(making.byte_level(), chat=True)):
        for wrong in (
            {"conversation": []},
            {"conversation": CONVERSATION, "chat_template": "{{ raise_exception('no') }}"},
        ):
            with pytest.raises(Exception) as caught:
                tokenizer.apply_chat_template(**wrong)
            assert isinstance(caught.value, ValueError) or "no" in str(caught.value)


def test_where_it_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtgen.chat, "render", None)
    tokenizer = making.byte_level()
    with pytest.raises(ImportError, match=r"rtgen\.chat"):
        attach(tokenizer, chat=True)
    assert "parse_response" not in vars(tokenizer)
