"""Where a response template is found: a tokenizer's files, a file of its own, a bundled name, or JSON text.

This stage finds and decodes; whether the template is a good one is for `rtgen.template` to say.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from rtgen import library
from rtgen.library import SourceError

__all__ = ["Source", "SourceError", "SourceMissingError", "read", "read_any"]

CONFIG_FILE = "tokenizer_config.json"
"""The file of a tokenizer's folder that holds its response template."""

CONFIG_KEY = "response_template"
"""The key of that file under which transformers saves the template."""

TEMPLATE_SIGNS = ("fields", "start_anchor", "start_anchor_pattern")
"""A JSON object with one of these keys is a template itself."""

CONFIG_SIGNS = ("tokenizer_class", "processor_class", "chat_template", "model_type", "architectures")
"""A JSON object with one of these keys is some model's configuration."""


class SourceMissingError(SourceError, FileNotFoundError):
    """There is no such file."""

    __str__ = SourceError.__str__


_Repeated = dict[int, tuple[dict[str, Any], list[str]]]
"""By the id of an object (held here, so that the id stays its own): the object and its keys that stand twice."""


@dataclass(frozen=True, slots=True)
class Source:
    """A response template as it was found.

    `template` is the decoded JSON value, not validated (whatever the file holds, so not always a dict). `name` is the
    bundled name or the file's name without its folder, None for JSON text. `path` is the file, None for a bundled
    template and for JSON text. `repeated` holds the JSON paths of keys that stand twice in one object of the template;
    as everywhere in JSON, the last one counts.
    """

    template: Any
    name: str | None
    path: str | None
    repeated: tuple[str, ...] = ()


def read(source: str | os.PathLike[str]) -> Source:
    """The template at `source`, as the command line takes it.

    A path object is always a file or a folder. A string is a bundled name, or the path of a `tokenizer_config.json` (or
    of another config that has the key `response_template`), of a tokenizer's folder, or of a bare template.
    Raises SourceError.
    """
    if isinstance(source, str) and library.exists(source):
        return Source(library.template(source), source, None)
    path = os.fspath(source)
    if os.path.isdir(path):
        folder, path = path, os.path.join(path, CONFIG_FILE)
        if not os.path.exists(path):
            raise SourceMissingError(f"the folder {folder} holds no {CONFIG_FILE}; a tokenizer's folder does")
    return _read_file(path, isinstance(source, str))


def read_any(template: str | os.PathLike[str]) -> Source:
    """The template that `template` stands for, as the functions of the package take it.

    A path object is a file or a folder; a string is a bundled name, else an existing file or folder, else JSON text.
    Raises SourceError.
    """
    if not isinstance(template, str) or library.exists(template) or os.path.exists(template):
        return read(template)
    if template.lstrip()[:1] not in ("{", "["):
        shown = template if len(template) <= 60 else template[:59] + "…"
        raise SourceError(f"{shown!r} is no bundled template, no file, and no JSON object; {library.suggestion(shown)}")
    value, repeated = _decode(template, "the template")
    return Source(value, None, None, _repeated_keys(value, repeated))


def _read_file(path: str, may_be_name: bool) -> Source:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        if may_be_name and os.path.basename(path) == path and "." not in path:
            raise SourceMissingError(
                f"there is no file and no bundled template {path!r}; {library.suggestion(path)}"
            ) from error
        raise SourceMissingError(f"there is no file {path!r}") from error
    except OSError as error:
        raise SourceError(f"{path!r} cannot be read: {error.strerror or error}") from error
    try:
        text = data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as error:
        raise SourceError(f"{path!r} is not UTF-8: the byte at offset {error.start} is part of no character") from error
    value, repeated = _decode(text, path)
    value = _template_in(value, path)
    return Source(value, os.path.basename(path), path, _repeated_keys(value, repeated))


def _template_in(value: Any, path: str) -> Any:
    """The template that the decoded file holds: under its key in a config, else the whole value."""
    if not isinstance(value, dict):
        return value
    if value.get(CONFIG_KEY) is not None:
        return value[CONFIG_KEY]
    if any(key in value for key in TEMPLATE_SIGNS):
        return value
    if CONFIG_KEY in value or path.endswith("config.json") or any(key in value for key in CONFIG_SIGNS):
        held = (
            f"its {CONFIG_KEY!r} is null" if CONFIG_KEY in value else f"it has no key {CONFIG_KEY!r} ({_keys(value)})"
        )
        raise SourceError(
            f"{path!r} holds no response template: {held}; put one there, or use a bundled one (`rtgen templates`)"
        )
    return value


def _keys(value: dict[str, Any]) -> str:
    if not value:
        return "it is empty"
    names = [json.dumps(key) for key in list(value)[:6]]
    return f"only {', '.join(names)}{f' and {len(value) - 6} more' if len(value) > 6 else ''}"


def _decode(text: str, where: str) -> tuple[Any, _Repeated]:
    """The JSON value of `text`, and those of its objects in which a key stands twice."""
    repeated: _Repeated = {}

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(pairs)
        if len(built) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated[id(built)] = built, [key for key in built if keys.count(key) > 1]
        return built

    try:
        return json.loads(text, object_pairs_hook=build), repeated
    except json.JSONDecodeError as error:
        fault = f"{error.msg[:1].lower()}{error.msg[1:]}"
        raise SourceError(f"{where} is not JSON: line {error.lineno}, column {error.colno}: {fault}") from error
    except RecursionError as error:
        raise SourceError(f"{where} is not read: its JSON is nested too deeply") from error
    except ValueError as error:  # a number of more digits than Python converts
        raise SourceError(f"{where} is not read: {error}") from error


def _repeated_keys(template: Any, repeated: _Repeated) -> tuple[str, ...]:
    """The JSON paths in `template` of the keys that stand twice, in no particular order."""
    if not repeated:
        return ()
    found: list[str] = []
    todo = [("$", template)]
    while todo:
        where, value = todo.pop()
        if isinstance(value, dict):
            found += [f"{where}.{key}" for key in repeated.get(id(value), (value, []))[1]]
            todo += [(f"{where}.{key}", below) for key, below in value.items()]
        elif isinstance(value, list):
            todo += [(f"{where}[{i}]", below) for i, below in enumerate(value)]
    return tuple(found)
