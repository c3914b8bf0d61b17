"""JSON as clients are told it: what `json.dumps` writes, characters as they are but for halves of surrogate pairs."""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import Any

_HALVES = re.compile("[\ud800-\udfff]")


def write_json(value: Any) -> str:
    """The JSON text of a value; it can be encoded as UTF-8, whatever strings the value holds."""
    return _encodable(json.dumps(value, ensure_ascii=False))


def write_piece(text: str) -> str:
    """A part of a string, as it stands between the quotes of the string's JSON text."""
    return _encodable(encode_basestring(text)[1:-1])


def _encodable(text: str) -> str:
    return text if text.isascii() else _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
