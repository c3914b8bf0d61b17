"""The bundled response template of a model that is known, by its chat template or its model_type: never a guess."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from rtgen import library
from rtgen.integrations.transformers import families
from rtgen.integrations.transformers.families import Fingerprint

CHAT_TEMPLATE_FILE = "chat_template.jinja"
CONFIG_FILES = ("tokenizer_config.json", "processor_config.json", "chat_template.json")
"""Where a chat template may stand in a folder, besides its own file."""


class NoTemplateError(LookupError):
    """No bundled template is known to be the one of this model. `why` says what was looked at."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(f"none known: {why}; `rtgen templates` lists the bundled templates, to choose one by name")


def find_template(source: Any) -> dict[str, Any]:
    """The bundled response template for a model, as a dict of its own that `tokenizer.response_template` can be set to.

    `source` is a tokenizer, a processor, a model's configuration, the folder in which one of these was saved, or a
    model_type. The chat template decides where there is one (by the marks that it holds), else the model_type. Raises
    NoTemplateError, a LookupError, where neither is known or they contradict each other.
    """
    return library.template(find_name(source))


def find_name(source: Any) -> str:
    """The name of the bundled template that `find_template` finds. Raises NoTemplateError."""
    chat_templates, types, what = _evidence(source)
    known = families.model_types()
    by_type = next((known[one] for one in types if one in known), None)
    for text in chat_templates:
        found = fingerprints(text)
        if by_type in found:
            return by_type
        if len(found) == 1:
            return found[0]
        if found:
            raise NoTemplateError(f"the chat template of {what} could be that of {' or '.join(found)}")
    if by_type is None:
        looked = "its chat template is of no known family" if chat_templates else "there is no chat template to look at"
        why = next((library.why_not(one) for one in types if library.why_not(one)), None)
        named = f", and the model_type {types[0]!r} says nothing certain" if types else ""
        named = named if why is None else f"; {why}"
        raise NoTemplateError(f"of {what}: {looked}{named}" if types or chat_templates else f"{what} tells nothing")
    if chat_templates and not any(_agrees(by_type, text) for text in chat_templates):
        raise NoTemplateError(
            f"the model_type of {what} is that of {by_type}, but its chat template is none of that family"
        )
    return by_type


def fingerprints(chat_template: str) -> list[str]:
    """The families that this chat template has all marks of, sorted; or the one whose own chat template it is."""
    own = families.own_chat_templates().get(chat_template.strip())
    if own is not None:
        return [own]
    found = {
        one.name: None
        for one in families.fingerprints()
        if all(mark in chat_template for mark in one.turns + one.has) and _lacks(one, chat_template)
    }
    return list(found)


def _agrees(name: str, chat_template: str) -> bool:
    """Whether the chat template can be one of this family, perhaps one that says nothing of tools."""
    return any(
        one.name == name and all(mark in chat_template for mark in one.turns) and _lacks(one, chat_template)
        for one in families.fingerprints()
    )


def _lacks(one: Fingerprint, chat_template: str) -> bool:
    return not any(mark in chat_template for mark in one.lacks)


def _evidence(source: Any) -> tuple[list[str], list[str], str]:
    """The chat templates (that for tools first), the model types (the outermost first), and what to call the source."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if os.path.isdir(path):
            return _texts(_chat_templates_in(path)), _types(_json(path, "config.json")), f"the folder {path!r}"
        if not isinstance(source, str) or os.sep in path:
            raise NoTemplateError(f"there is no folder {path!r}")
        return [], [path], f"the model_type {path!r}"
    tokenizer = source if hasattr(source, "convert_ids_to_tokens") else getattr(source, "tokenizer", source)
    config = getattr(source, "to_dict", None) if hasattr(source, "model_type") else None
    types = _types(config()) if callable(config) else []
    name = getattr(tokenizer, "name_or_path", None)
    if not types and isinstance(name, str) and os.path.isdir(name):
        types = _types(_json(name, "config.json"))
    chat_template = getattr(tokenizer, "chat_template", None) or getattr(source, "chat_template", None)
    return _texts(chat_template), types, f"this {type(source).__name__}"


def _texts(chat_template: Any) -> list[str]:
    """The texts of a chat template in any of the forms in which transformers keeps it."""
    if isinstance(chat_template, str):
        return [chat_template]
    if isinstance(chat_template, (list, tuple)):
        chat_template = {one["name"]: one["template"] for one in chat_template}
    if not isinstance(chat_template, dict):
        return []
    names = sorted(chat_template, key=lambda name: (name != "tool_use", name != "default", name))
    return [chat_template[name] for name in names]


def _chat_templates_in(folder: str) -> Any:
    try:
        with open(os.path.join(folder, CHAT_TEMPLATE_FILE), encoding="utf-8") as file:
            return file.read()
    except OSError:
        found: Iterable[Any] = (_json(folder, name).get("chat_template") for name in CONFIG_FILES)
        return next((one for one in found if one), None)


def _types(config: dict[str, Any]) -> list[str]:
    """The model types that a configuration names: its own, and that of its text part."""
    parts = (config, config.get("text_config"))
    return [one["model_type"] for one in parts if isinstance(one, dict) and isinstance(one.get("model_type"), str)]


def _json(folder: str, name: str) -> dict[str, Any]:
    """The JSON object in a file of the folder; {} where there is none that can be read."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
