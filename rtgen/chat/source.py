"""Where a chat template is found, as the command line takes it."""

from __future__ import annotations

import os

from rtgen import library
from rtgen.chat.config import existing_folder, missing, read_text
from rtgen.chat.storage import (
    DEFAULT,
    KEY,
    LEGACY_FILE,
    ChatTemplate,
    Kind,
    bundled,
    from_jinja,
    from_json,
    joined,
    load,
)
from rtgen.chat.tokens import TOKENIZER_CONFIG, special_tokens
from rtgen.read import SourceError, SourceMissingError


def find(source: str | os.PathLike[str], kind: Kind | None = None) -> ChatTemplate:
    """The chat templates at `source`: the name of a bundled template, a model's folder or its `tokenizer_config.json`,
    another JSON file with a key `chat_template`, or a file that is a template itself.

    Special tokens are those of the folder. Raises SourceError where there is none.
    """
    if isinstance(source, str) and library.exists(source):
        return bundled(source, kind)
    path = os.fspath(source)
    folder, name = os.path.split(path)
    if os.path.isdir(path) or (name == TOKENIZER_CONFIG and os.path.exists(path)):
        found = load(path if os.path.isdir(path) else folder or ".", kind=kind)
        if found.chat_template is None:
            raise SourceError(f"{path!r} holds no chat template")
        return found
    if not os.path.exists(path):
        raise SourceMissingError(missing("file or folder", path))
    tokens = special_tokens(folder or ".")
    if not name.endswith(".json"):
        held = from_jinja(path, DEFAULT)
        return ChatTemplate(held[DEFAULT][0], path, tokens, kind or "tokenizer", {DEFAULT: path})
    templates = from_json(path)
    if not templates:
        raise SourceError(f"{path!r} holds no chat template: it has no key {KEY!r}")
    text = joined({each: text for each, (text, _) in templates.items()})
    kind = kind or ("processor" if name == LEGACY_FILE else "tokenizer")
    return ChatTemplate(text, path, tokens, kind, dict.fromkeys(templates, path))


def folder_of(source: str | os.PathLike[str]) -> str:
    """The model's folder that `source` is or, as one of its JSON files, stands in. Raises SourceError."""
    path = os.fspath(source)
    if os.path.isfile(path):
        folder, name = os.path.split(path)
        if name.endswith("config.json") or name in (LEGACY_FILE, "tokenizer.json", "special_tokens_map.json"):
            return folder or "."
        raise SourceError(f"{path!r} is neither a folder nor a JSON file of a model's one")
    return existing_folder(path)


def read_template(path: str) -> str:
    """The template in a file, its line ends as they are. Raises SourceError."""
    text = read_text(path)
    if text is None:
        raise SourceMissingError(f"there is no file {path!r}")
    return text
