"""A model's folder and its JSON files: reading them, and taking a key out without touching the rest."""

from __future__ import annotations

import json
import os
from typing import Any

from rtgen import library
from rtgen.read import SourceError, SourceMissingError

JSON_BLANKS = " \t\n\r"


def existing_folder(folder: str | os.PathLike[str]) -> str:
    """The path of a folder that is there. Raises SourceError."""
    path = os.fspath(folder)
    if os.path.isdir(path):
        return path
    if os.path.exists(path):
        raise SourceError(f"{path!r} is a file; give the folder that it stands in")
    raise SourceMissingError(missing("folder", path))


def missing(what: str, path: str) -> str:
    """The words for a file or folder that is not there; for what may be meant as a bundled name, names like it."""
    if os.path.basename(path) == path and "." not in path:
        return f"there is no {what} and no bundled template {path!r}; {library.suggestion(path)}"
    return f"there is no {what} {path!r}"


def read_object(path: str) -> dict[str, Any] | None:
    """The JSON object in the file, None if there is no such file. Raises SourceError."""
    text = read_text(path)
    return None if text is None else decode_object(text, path)


def decode_object(text: str, path: str) -> dict[str, Any]:
    """The JSON object that `text`, the file at `path`, is. Raises SourceError."""
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise SourceError(f"{path!r} is not read: its JSON is nested too deeply") from error
    except ValueError as error:
        raise SourceError(f"{path!r} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise SourceError(f"{path!r} holds no JSON object but {type(value).__name__}")
    return value


def read_text(path: str) -> str | None:
    """The text of the file, line ends as they are; None if there is no such file. Raises SourceError."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise SourceError(f"{path!r} is not UTF-8: the byte at offset {error.start} is part of no character") from error
    except OSError as error:
        raise SourceError(f"{path!r} cannot be read: {error.strerror or error}") from error


def without_key(text: str, key: str) -> str:
    """The JSON object `text` without its member `key`, everything else as it stands; unchanged if there is none.

    `text` has to be a JSON object. Where the key stands twice, both go.
    """
    while (span := _member(text, key)) is not None:
        text = text[: span[0]] + text[span[1] :]
    return text


def _member(text: str, key: str) -> tuple[int, int] | None:
    """Start and end of the first member `key` of the object, with one comma and the blanks that go with it."""
    decoder = json.JSONDecoder()
    position = after = text.index("{") + 1
    first = True
    while True:
        position = _skip(text, position)
        if text[position] == "}":
            return None
        name, position = decoder.raw_decode(text, position)
        position = _skip(text, _skip(text, position) + 1)
        _, position = decoder.raw_decode(text, position)
        end = _skip(text, position)
        last = text[end] == "}"
        if name == key:
            # With the comma before it, or, for the first of several, with the one behind it.
            return (after, end + 1) if first and not last else (after - (not first), end if first else position)
        position = after = end + 1
        first = False
        if last:
            return None


def _skip(text: str, position: int) -> int:
    while text[position] in JSON_BLANKS:
        position += 1
    return position
