"""The bundled response templates, and the parsers that were generated from them.

A bundled template is a folder `rtgen/templates/<name>/` with `response_template.json`, `meta.json` (what it is for),
`chat_template.jinja`, `notes.md` and `cases/*.json`. Its generated parser is `rtgen.generated.<name>`.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import Any

from rtgen.errors import TemplateError

TEMPLATE_FILE = "response_template.json"
CHAT_TEMPLATE_FILE = "chat_template.jinja"


class SourceError(TemplateError):
    """No template could be read from there: a file that is not JSON, a config without a template, an unknown name."""


class UnknownTemplateError(SourceError, KeyError):
    """There is no bundled template of this name. `name` is what was asked for."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no bundled template {name!r}; {suggestion(name)}")

    __str__ = TemplateError.__str__

    def __reduce__(self) -> tuple[type[UnknownTemplateError], tuple[str]]:
        return type(self), (self.name,)


def available() -> list[str]:
    """The names of the bundled templates, sorted."""
    root = _root()
    with os.scandir(root) as entries:
        return sorted(e.name for e in entries if os.path.isfile(os.path.join(root, e.name, TEMPLATE_FILE)))


def exists(name: str) -> bool:
    """Whether a template of this name is bundled. Any text may be asked for: a path, JSON, the empty string."""
    return name.isidentifier() and os.path.isfile(os.path.join(_root(), name, TEMPLATE_FILE))


def template(name: str) -> dict[str, Any]:
    """The bundled template of this name, read afresh. Raises UnknownTemplateError."""
    loaded: dict[str, Any] = _json(name, TEMPLATE_FILE)
    return loaded


def meta(name: str) -> dict[str, Any]:
    """What the template is for: `models`, `reasoning`, `tools`, `limits`, `known_by`; {} where nothing is said.

    Raises UnknownTemplateError.
    """
    try:
        loaded: dict[str, Any] = _json(name, "meta.json")
    except FileNotFoundError:
        return {}
    return loaded


def notes(name: str) -> str:
    """The template's `notes.md`; "" where there is none. Raises UnknownTemplateError."""
    try:
        with open(_path(name, "notes.md"), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def chat_template_file(name: str) -> str:
    """The path of the chat template that writes turns in the template's format. Raises UnknownTemplateError."""
    return _path(name, CHAT_TEMPLATE_FILE)


def not_possible() -> dict[str, dict[str, str]]:
    """Families that no response template can say: name -> `models` and `reason`; {} where nothing is said."""
    import json

    try:
        with open(os.path.join(_root(), "not_possible.json"), encoding="utf-8") as file:
            loaded: dict[str, dict[str, str]] = json.load(file)
    except FileNotFoundError:
        return {}
    return loaded


def generated(name: str, template_hash: str) -> ModuleType | None:
    """The module `rtgen.generated.<name>`, where it was made from this very template by this very emitter.

    `template_hash` is the hash that the template has now. None where there is no such module or it is out of date.
    Raises UnknownTemplateError: nothing but the parsers of bundled templates is imported.
    """
    _path(name)
    try:
        module = importlib.import_module(f"rtgen.generated.{name}")
    except ImportError:  # not generated yet, or for a runtime that this one does not support
        return None
    return module if getattr(module, "TEMPLATE_HASH", None) == template_hash else None


def suggestion(name: str) -> str:
    """What to say after a name that is not bundled: why its family has no template, or the bundled names that resemble
    it, else how to list them all."""
    import difflib

    why = why_not(name)
    if why is not None:
        return why
    lowered = {n.lower(): n for n in available()}
    near = [lowered[n] for n in difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.5)]
    return f"did you mean {' or '.join(near)}?" if near else "`rtgen templates` lists those that are"


def why_not(name: str) -> str | None:
    """Why there is no template for the family of this name, in words; None where that is not known."""
    for family, found in not_possible().items():
        if _plain(family) == _plain(name):
            return f"no response template can say the format of {found['models']}: {found['reason']}"
    return None


def _plain(name: str) -> str:
    """A name as people compare it: `OLMo-3` is olmo3."""
    return "".join(filter(str.isalnum, name.lower()))


def _root() -> str:
    return str(importlib.import_module("rtgen.templates").__path__[0])


def _path(name: str, *parts: str) -> str:
    if not exists(name):
        raise UnknownTemplateError(name)
    return os.path.join(_root(), name, *parts)


def _json(name: str, file_name: str) -> Any:
    import json

    with open(_path(name, file_name), encoding="utf-8") as file:
        return json.load(file)
