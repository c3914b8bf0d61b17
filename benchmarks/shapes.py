"""The seven kinds of template (`templates/`), and the text that a model trained on each would write."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.texts import TEXTS, pieces, tokens

Call = tuple[str, Mapping[str, str | int]]
"""A tool's name and its arguments."""

Write = Callable[[str, str, Sequence[Call]], str]
"""From the reasoning, the content and the calls to the model's output."""


def template(name: str) -> dict[str, Any]:
    """The template of this name, read anew."""
    loaded: dict[str, Any] = json.loads((Path(__file__).parent / "templates" / f"{name}.json").read_text("utf-8"))
    return loaded


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _literal(reasoning: str, content: str, calls: Sequence[Call]) -> str:
    written = "".join(f"\n<call>\n{_json({'name': n, 'arguments': a})}\n</call>" for n, a in calls)
    return f"<thinking>\n{reasoning}\n</thinking>\n\n{content}{written}<|turn_end|>"


def _xml(reasoning: str, content: str, calls: Sequence[Call]) -> str:
    def call(name: str, arguments: Mapping[str, str | int]) -> str:
        parameters = "".join(f"<parameter={k}>\n{v}\n</parameter>\n" for k, v in arguments.items())
        return f"\n<call>\n<function={name}>\n{parameters}</function>\n</call>"

    written = "".join(call(*one) for one in calls)
    return f"<thinking>\n{reasoning}\n</thinking>\n\n{content}{written}<|turn_end|>"


def _dialect(reasoning: str, content: str, calls: Sequence[Call]) -> str:
    def call(name: str, arguments: Mapping[str, str | int]) -> str:
        pairs = (f'{k}:<|"|>{v}<|"|>' if isinstance(v, str) else f"{k}:{v}" for k, v in arguments.items())
        return f"<|call|>call:{name}{{{','.join(pairs)}}}<call|>"

    written = "".join(call(*one) for one in calls)
    return f"<|channel|>thinking\n{reasoning}\n<channel|>{content}{written}<turn|>"


def _harmony(reasoning: str, content: str, calls: Sequence[Call]) -> str:
    message = "<|start|>assistant"
    written = "".join(
        f"{message}<|channel|>commentary to=functions.{n} <|constrain|>json<|message|>{_json(a)}<|call|>"
        for n, a in calls
    )
    return (
        f"<|channel|>analysis<|message|>{reasoning}<|end|>"
        f"{message}<|channel|>final<|message|>{content}<|end|>{written}"
    )


def _array(reasoning: str, content: str, calls: Sequence[Call]) -> str:
    written = f"[CALLS]{_json([{'name': n, 'arguments': a} for n, a in calls])}" if calls else ""
    return f"[THINK]{reasoning}[/THINK]{content}{written}</s>"


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of template: its name, the file, what the prompt ends with, the vocabulary's own tokens, the writer."""

    name: str
    file: str
    anchor: str
    special: tuple[str, ...]
    write: Write

    def template(self) -> dict[str, Any]:
        return template(self.file)

    def text(self, kind: str, length: int, seed: int = 1) -> str:
        """About `length` characters of output: 35% reasoning, 50% content, the rest in up to three calls."""
        body = TEXTS[kind](length, seed)
        thought, answer = int(length * 0.35), int(length * 0.85)
        count = 3 if length >= 2000 else 1
        rest = body[answer:]
        share = -(-len(rest) // count)
        calls: list[Call] = [
            ("search", {"query": rest[at : at + share], "limit": 5}) for at in range(0, share * count, share)
        ]
        return self.write(body[:thought], body[thought:answer], calls)

    def chunks(self, text: str, size: str) -> list[str]:
        """`text` as a server sends it: `tokens`, or `characters` one at a time."""
        return tokens(text, self.special) if size == "tokens" else pieces(text, 1)

    def prompt(self) -> str:
        """A short prompt whose end is the anchor."""
        return f"You are a helpful assistant.\nUser: what is the weather in Paris?\n{self.anchor}"


_TURN = "<|turn|>assistant\n"
_TAGS = ("<thinking>", "</thinking>", "<call>", "</call>", "<|turn_end|>")

SHAPES = (
    Shape("literal", "literal", _TURN, _TAGS, _literal),
    Shape("white space before", "space_before", _TURN, _TAGS, _literal),
    Shape("white space on both sides", "space_both", _TURN, _TAGS, _literal),
    Shape("XML parameters", "xml_parameters", _TURN, _TAGS, _xml),
    Shape(
        "JSON dialect",
        "json_dialect",
        _TURN,
        ("<|channel|>", "<channel|>", "<|call|>", "<call|>", '<|"|>', "<turn|>"),
        _dialect,
    ),
    Shape(
        "harmony headers",
        "harmony",
        "<|start|>assistant",
        ("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|constrain|>"),
        _harmony,
    ),
    Shape("one JSON array", "json_array", "[/INST]", ("[THINK]", "[/THINK]", "[CALLS]", "</s>"), _array),
)
"""The seven kinds, in the order in which they are reported."""


def shape(file: str) -> Shape:
    """The kind whose template is in this file."""
    return next(one for one in SHAPES if one.file == file)
