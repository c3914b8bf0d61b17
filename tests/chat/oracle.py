"""The one place where the tests meet the engine that they compare with: transformers."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

NOW = datetime.datetime(2026, 2, 3, 4, 5, 6)
"""The time that templates are told, in both engines."""

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}


@functools.cache
def tokenizer() -> Any:
    """A tokenizer with next to no vocabulary; rendering needs none."""
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel({token: i for i, token in enumerate(TOKENS.values())}, "<unk>")),
        **TOKENS,
    )


@contextmanager
def standing_clock() -> Iterator[None]:
    """Within it, transformers believes that it is NOW."""
    from transformers.utils import chat_template_utils

    class Standing(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime.datetime:
            return NOW

    real = chat_template_utils.datetime
    chat_template_utils.datetime = Standing
    try:
        yield
    finally:
        chat_template_utils.datetime = real


def render(messages: Any, template: str | None, options: Mapping[str, Any]) -> Any:
    """The text that transformers renders."""
    with standing_clock():
        return tokenizer().apply_chat_template(messages, chat_template=template, tokenize=False, **options)


def render_spans(
    messages: Any, template: str, options: Mapping[str, Any]
) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """Texts and assistant spans of several conversations; right where no tag stands in a macro or a `set` block."""
    from transformers.utils.chat_template_utils import render_jinja_template

    with standing_clock():
        result: Any = render_jinja_template(
            messages, chat_template=template, return_assistant_tokens_mask=True, **{**TOKENS, **options}
        )
        return result
