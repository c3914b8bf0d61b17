"""The special tokens of a model's folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rtgen.chat.config import read_object

TOKENIZER_CONFIG = "tokenizer_config.json"

STANDARD_TOKENS = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""The tokens that every tokenizer has by these names, if it has them."""


def special_tokens(folder: str) -> dict[str, str]:
    """The special tokens that a tokenizer of this folder hands to its template, by name.

    They are the standard ones, other strings called `..._token`, and named extra tokens, in `tokenizer_config.json`
    and, for folders that list no added tokens there, in `special_tokens_map.json`. Raises SourceError.
    """
    config = read_object(os.path.join(folder, TOKENIZER_CONFIG)) or {}
    if "added_tokens_decoder" not in config:
        config = config | (read_object(os.path.join(folder, "special_tokens_map.json")) or {})
    return config_tokens(config)


def config_tokens(config: Mapping[str, Any]) -> dict[str, str]:
    """The special tokens in the object of a `tokenizer_config.json`."""
    named = {name: value for name, value in config.items() if name.endswith("_token")}
    extra = config.get("extra_special_tokens") or config.get("additional_special_tokens")
    for group in (extra, config.get("model_specific_special_tokens")):
        if isinstance(group, dict):
            named |= group
    result = {}
    for name in (*STANDARD_TOKENS, *named):
        token = named.get(name)
        text = token.get("content") if isinstance(token, dict) else token
        if isinstance(text, str):
            result[name] = text
    return result
