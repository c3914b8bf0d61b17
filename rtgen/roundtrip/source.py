"""The pair of templates that is proved: a chat template, and the response template that reads what it writes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from rtgen import library, read
from rtgen.chat.describe import describe
from rtgen.chat.source import find as find_chat
from rtgen.chat.storage import ROOT_FILE, ChatTemplate
from rtgen.compiler import CompiledTemplate, compile, compile_template, load
from rtgen.read import SourceError
from rtgen.roundtrip.rendering import Writer

END_NAMES = ("eos_token", "eot_token", "end_token")
"""The special tokens that end a turn."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A chat template that writes, the compiled response template that reads, and the tokens that end a turn.

    `limits` are examples that a bundled family is known to get wrong: name -> reason (`roundtrip` in its `meta.json`).
    """

    writer: Writer
    parser: CompiledTemplate
    end_tokens: tuple[str, ...]
    limits: dict[str, str] = field(default_factory=dict)


def find(source: str, response_template: str | None = None, name: str | None = None) -> Pair:
    """The pair at `source`: a bundled name, a tokenizer's folder, or what `rtgen.chat.source.find` takes.

    `response_template` (a bundled name, a file or a folder) is read instead of the one at `source`; `name` is that of
    one of several chat templates. Raises SourceError, TemplateError.
    """
    limits: dict[str, str] = {}
    if library.exists(source):
        chat = find_chat(bundled_file(source))
        meta = library.meta(source)
        parser = load(source)
        ends = tuple(meta.get("end_tokens", ()))
        limits = meta.get("roundtrip", {}) if response_template is None else {}
    else:
        chat = find_chat(source)
        parser = _parser(source) if response_template is None else compile(response_template)
        ends = tuple(chat.special_tokens[name] for name in END_NAMES if chat.special_tokens.get(name))
    if response_template is not None:
        parser = _parser(response_template)
    return Pair(writer(chat, name), parser, tuple(dict.fromkeys((*ends, *_stop_tokens(source)))), limits)


def bundled_file(name: str) -> str:
    """The path of a bundled family's chat template."""
    return os.path.join(import_module("rtgen.templates").__path__[0], name, ROOT_FILE)


def writer(chat: ChatTemplate, name: str | None = None) -> Writer:
    """What renders through a chat template (`name` is that of one of several)."""
    text, label = chat.choose(name)
    return Writer(lambda messages, **more: chat.render(messages, chat_template=name, **more), describe(text, label).variables)


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
