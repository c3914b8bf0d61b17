"""The pair of templates that is proved: a chat template, and the response template that reads what it writes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import regex

from rtgen import library, read
from rtgen.chat.describe import describe
from rtgen.chat.source import find as find_chat
from rtgen.chat.storage import ChatTemplate
from rtgen.compiler import CompiledTemplate, compile_template, load
from rtgen.read import SourceError
from rtgen.roundtrip.rendering import Writer

END_NAMES = ("eos_token", "eot_token", "end_token")
"""The special tokens that end a turn."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A chat template that writes, the compiled response template that reads, and the tokens that end a turn.

    `limits` are examples that a bundled response template is known to get wrong: name -> reason (`roundtrip` in its
    `meta.json`).
    """

    writer: Writer
    parser: CompiledTemplate
    end_tokens: tuple[str, ...]
    limits: dict[str, str] = field(default_factory=dict)


def find(source: str, response_template: str | None = None, name: str | None = None) -> Pair:
    """The pair at `source`: a bundled name, a tokenizer's folder, or what `rtgen.chat.source.find` takes.

    `response_template` (a bundled name, a file or a folder) is read instead of the one at `source`; `name` is that of
    one of several chat templates. A chat template that is a file of its own gets the special tokens that it reads from
    a bundled response template, if that is what it is held against. Raises SourceError, TemplateError.
    """
    bundled = library.exists(source)
    family = response_template or source
    meta = library.meta(family) if library.exists(family) else {}
    chat = find_chat(library.chat_template_file(source) if bundled else source)
    ends = tuple(chat.special_tokens[name] for name in END_NAMES if chat.special_tokens.get(name))
    ends = tuple(dict.fromkeys((*ends, *meta.get("end_tokens", ()), *_stop_tokens(source))))
    if os.path.isfile(source) and not source.endswith(".json"):
        chat = replace(chat, special_tokens={"bos_token": "", "eos_token": "".join(ends[:1]), **chat.special_tokens})
    parser = _parser(family)
    return Pair(writer(chat, name, parser.template), parser, ends, meta.get("roundtrip", {}))


def writer(chat: ChatTemplate, name: str | None = None, template: Mapping[str, Any] | None = None) -> Writer:
    """What renders through a chat template (`name` is that of one of several); the anchors of the response template
    `template` tell where turns begin."""
    text, label = chat.choose(name)
    return Writer(
        lambda messages, **more: chat.render(messages, chat_template=name, **more),
        describe(text, label).variables,
        turns=lambda text: _last_turn(text, template or {}),
    )


def _last_turn(text: str, template: Mapping[str, Any]) -> int | None:
    """Where the last match of the start anchors begins."""
    literal = template.get("start_anchor", ())
    literals = [literal] if isinstance(literal, str) else sorted(literal, key=len, reverse=True)
    pattern = template.get("start_anchor_pattern") or "|".join(map(regex.escape, literals))
    found = [match.start() for match in regex.finditer(pattern, text, regex.DOTALL)] if pattern else []
    return found[-1] if found else None


def _parser(source: str) -> CompiledTemplate:
    if library.exists(source):
        return load(source)
    if os.path.isfile(source) and not source.endswith(".json"):
        raise SourceError(f"{source!r} holds no response template; name one with --response-template")
    return compile_template(read.read(source).template)


def _stop_tokens(source: str) -> list[str]:
    """The tokens that end generation according to a model's folder; [] where nothing is said."""
    folder = source if os.path.isdir(source) else os.path.dirname(source)
    try:
        with open(os.path.join(folder, "generation_config.json"), encoding="utf-8") as file:
            stops: Any = json.load(file).get("eos_token_id")
        with open(os.path.join(folder, read.CONFIG_FILE), encoding="utf-8") as file:
            tokens: Any = json.load(file).get("added_tokens_decoder", {})
        numbers = stops if isinstance(stops, list) else [stops]
        return [tokens[str(number)]["content"] for number in numbers if str(number) in tokens]
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return []
