"""Tokenizers for the tests: trained on a few lines, or with a vocabulary written by hand. Nothing is downloaded."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from rtgen.integrations.transformers.exact_ids import byte_of

TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {"open": "<think>", "close_pattern": r"</think>\s*", "content": "text"},
        "tool_calls": {
            "open_pattern": r"\s*<tool_call>",
            "close": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"\s*<\|im_end\|>", "content": "text"},
    },
}
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
ADDED = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
CHAT_TEMPLATE = (
    "{%- for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{%- endfor %}{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{%- if enable_thinking %}{{ '<think>\n' }}{%- endif %}{%- endif %}"
)
LINES = [
    "The weather in Paris is fine today, and the café is open: 你好，世界！ 😀",
    "<think>\nLet me see.\n</think>\n\n"
    '<tool_call>\n{"name": "weather", "arguments": {"city": "Paris", "days": "3"}}\n</tool_call>',
    "def f(x):\n    return x < 3 and x > 1  # naïve 🤦🏽‍♀️",
]
PROMPT = "<|im_start|>user\nWeather?<|im_end|>\n<|im_start|>assistant\n"
OUTPUT = (
    "<think>\nnaïve 🤦🏽‍♀️ 你好\n</think>\n\nLook: <b> café 😀"
    '<tool_call>\n{"name": "weather", "arguments": {"city": "Zürich 🏙", "days": "3"}}\n</tool_call><|im_end|>'
)
TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
        },
    }
]
MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "reasoning_content": "naïve 🤦🏽‍♀️ 你好",
    "content": "Look: <b> café 😀",
    "tool_calls": [{"type": "function", "function": {"name": "weather", "arguments": {"city": "Zürich 🏙", "days": 3}}}],
}


def finished(backend: Tokenizer, **more: Any) -> Any:
    """A tokenizer of transformers with the added tokens, the chat template and the response template of the tests."""
    backend.add_tokens([AddedToken(text, normalized=False) for text in ADDED])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        extra_special_tokens=SPECIAL[:1],
        **more,
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.response_template = TEMPLATE
    return tokenizer


def byte_level() -> Any:
    """Byte-level BPE, as most chat models have it; rare characters are several tokens."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend.train_from_iterator(
        LINES, trainers.BpeTrainer(vocab_size=330, initial_alphabet=alphabet, show_progress=False)
    )
    return finished(backend)


def written(data: bytes) -> str:
    """Bytes as a byte-level vocabulary writes them."""
    chars = {byte: char for char, byte in byte_of().items()}
    return "".join(chars[byte] for byte in data)


def of_bytes(tokens: Iterable[bytes]) -> Any:
    """A byte-level tokenizer whose vocabulary is these byte strings, besides all single bytes."""
    vocabulary = dict.fromkeys(written(one) for one in [*(bytes((byte,)) for byte in range(256)), *tokens])
    backend = Tokenizer(models.BPE(vocab={text: number for number, text in enumerate(vocabulary)}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    return finished(backend)


def ids_of(tokenizer: Any, parts: Iterable[bytes]) -> list[int]:
    """The ids of these very tokens of a tokenizer `of_bytes`."""
    ids = [tokenizer.backend_tokenizer.token_to_id(written(part)) for part in parts]
    assert None not in ids
    return ids


def byte_fallback(strip: bool = True) -> Any:
    """A tokenizer like Llama's or Gemma's: ▁ for spaces, and a token for each byte where a character has none."""
    alphabet = sorted({char for line in LINES[1:] for char in line.replace(" ", "▁") if ord(char) < 0x100} | {"▁"})
    texts = ["<unk>", *[f"<0x{byte:02X}>" for byte in range(256)], *alphabet, "▁the", "ca", "fé", "▁▁", "你"]
    vocabulary = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    backend.normalizer = normalizers.Replace(" ", "▁")
    steps: list[Any] = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    backend.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if strip else steps)
    return finished(backend)


def metaspace() -> Any:
    """A tokenizer whose decoder is neither of the two that are followed exactly."""
    backend = Tokenizer(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=150, show_progress=False, unk_token="<unk>", special_tokens=["<unk>"])
    backend.train_from_iterator(LINES, trainer)
    return finished(backend)


def word_piece(**more: Any) -> Any:
    """A tokenizer whose decoder joins words by spaces, and (by default) cleans up the space before punctuation."""
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece(cleanup=True)
    backend.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=200, show_progress=False, special_tokens=["[UNK]"])
    )
    return finished(backend, **more)


def without_decoder() -> Any:
    """A tokenizer that has no decoder: its tokens are joined by spaces."""
    backend = Tokenizer(models.WordLevel(vocab={"a": 0, "b": 1, "[UNK]": 2}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    return finished(backend)


KINDS = {
    "byte level": byte_level,
    "byte fallback": byte_fallback,
    "byte fallback, nothing stripped": lambda: byte_fallback(strip=False),
    "metaspace": metaspace,
    "word piece": word_piece,
    "no decoder": without_decoder,
}
"""A maker of each kind of tokenizer, by what it is called in test names."""


@cache
def made(kind: str) -> Any:
    """One tokenizer of a kind, made once; tests that change it make their own."""
    return KINDS[kind]()


def chunks(items: list[Any], random_source: random.Random) -> list[list[Any]]:
    """The items cut into runs at random places."""
    cut = []
    while items:
        size = random_source.choice((1, 1, 1, 2, 3, 7, 40))
        cut.append(items[:size])
        items = items[size:]
    return cut


def merged(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events with neighbouring chunks of a region joined."""
    joined: list[dict[str, Any]] = []
    for event in events:
        if event["type"] == "region_chunk" and joined and joined[-1]["type"] == "region_chunk":
            joined[-1] = joined[-1] | {"text": joined[-1]["text"] + event["text"]}
        else:
            joined.append(dict(event))
    return joined
