"""Recorded generations, and the file that holds them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any

from rtgen.compiler import compile
from rtgen.errors import TemplateError


class RecordingError(ValueError):
    """A file of recordings that is not one; the message names the recording and says what would be right."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A generation: the template (whatever `rtgen.compile` takes), the prompt, the text, and how it is cut.

    `piece` is the number of characters of each piece, `pause` the seconds between two. `finish_reason` is what the
    engine reported; None: the parser says it.
    """

    template: Any
    prefix: str
    text: str
    piece: int = 4
    pause: float = 0.0
    finish_reason: str | None = None

    def pieces(self) -> Iterator[str]:
        """The text as it was generated, piece by piece."""
        for at in range(0, len(self.text), self.piece):
            yield self.text[at : at + self.piece]


_WANTED: dict[str, tuple[str, Any]] = {
    "template": ("a bundled name, a path, or a template", lambda value: isinstance(value, (str, dict))),
    "prefix": ("a string", lambda value: isinstance(value, str)),
    "text": ("a string", lambda value: isinstance(value, str)),
    "piece": ("a whole number above 0", lambda value: type(value) is int and value > 0),
    "pause": ("a number of seconds", lambda value: type(value) in (int, float) and value >= 0),
    "finish_reason": ("a string or null", lambda value: value is None or isinstance(value, str)),
}
"""What each key of a recording holds, in words and as a test."""


def read_recordings(path: str | os.PathLike[str]) -> dict[str, Recording]:
    """The recordings in a JSON file, an object of objects: the name of a model -> its recording.

    Raises RecordingError for anything else in the file or a template that is unknown or refused, OSError.
    """
    name = os.fspath(path)
    with open(path, "rb") as file:
        data = file.read()
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{name!r} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise RecordingError(f"{name!r} is not an object that maps the names of models to recordings")
    return {model: _recording(model, held) for model, held in value.items()}


def _recording(model: str, held: Any) -> Recording:
    where = f"the recording {model!r}"
    if not isinstance(held, dict):
        raise RecordingError(f"{where} is not an object with the keys 'template', 'prefix' and 'text'")
    for key in held:
        if key not in _WANTED:
            raise RecordingError(f"{where} has the unknown key {key!r}; there are {', '.join(_WANTED)}")
    for field in fields(Recording):
        wanted, good = _WANTED[field.name]
        if field.name not in held:
            if field.default is MISSING:
                raise RecordingError(f"{where} lacks the key {field.name!r}: {wanted}")
        elif not good(held[field.name]):
            raise RecordingError(f"{where}: {field.name!r} is not {wanted}")
    try:
        compile(held["template"])
    except TemplateError as error:
        raise RecordingError(f"{where}: its template: {error}") from error
    return Recording(**held)
