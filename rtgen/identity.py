"""What a template is identified by: its canonical text and the hash of it. Nothing here is slow to import."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from rtgen.errors import TemplateError

EMITTER_VERSION = 25
"""Part of every template hash: raised when the emitted code of unchanged templates changes."""

DEEPEST_TEMPLATE = 200
"""Levels of nesting that a template may have; real ones have about five."""

_SPLIT_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def canonical(raw: Any) -> str:
    """The template as JSON text; the order of keys is kept, since it shows in messages. `json.loads` gives it back.

    Raises TemplateError for what is no JSON: other types, keys that are no strings, more levels than any template has.
    """
    require_json(raw, "$", 0)
    try:
        text = json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
        if _SPLIT_PAIR.search(text):  # two halves that a reader of escapes would take for one character
            return text
        return json.dumps(raw, ensure_ascii=True, separators=(",", ":"))
    except ValueError as error:  # an integer of more digits than Python writes
        raise TemplateError(f"cannot be written as JSON: {error}", path="$") from error


def template_hash(raw: Any) -> str:
    """SHA-256 (hexadecimal) over the canonical template and the emitter's version. Raises as `canonical` does."""
    text = f"rtgen {EMITTER_VERSION}\n{canonical(raw)}"
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def require_json(value: object, path: str, depth: int) -> None:
    """Refuse what JSON cannot say, since hashing and code generation go through it. Raises TemplateError."""
    if depth > DEEPEST_TEMPLATE:
        raise TemplateError(f"nested more than {DEEPEST_TEMPLATE} levels deep", path=path[:200])
    if type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise TemplateError(f"the key {key!r} is not a string", path=path)
            require_json(item, step(path, key), depth + 1)
    elif type(value) is list:
        for index, item in enumerate(value):
            require_json(item, f"{path}[{index}]", depth + 1)
    elif value is not None and type(value) not in (str, bool, int, float):
        raise TemplateError(f"a value of type {type(value).__name__} is not JSON", path=path)


def step(path: str, key: str) -> str:
    """The JSON path of `key` below `path`."""
    return f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key)}]"
