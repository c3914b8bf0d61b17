"""What is missing from JSON text of which the beginning has been told, now that its value is known."""

from __future__ import annotations

import json
from typing import Any

from rtgen.openai.json_text import write_json


def missing_text(told: str, value: Any) -> str | None:
    """The text that makes `told` the JSON text of `value`; None where no text does.

    Usually `told` is the beginning of what `write_json` makes of the value. It is not where a key came twice: then the
    value of the first one has been told, and the key is told again with the last one, which counts for readers of JSON.
    """
    whole = write_json(value)
    if whole.startswith(told):
        return whole[len(told) :]
    try:
        return _rest(told, 0, value)
    except _Contradicted:
        return None


class _Contradicted(Exception):
    """What has been told is not so."""


def _rest(told: str, at: int, value: Any) -> str:
    """What is missing from the value of which `told[at:]` is the beginning."""
    if told[at : at + 1] == "{" and isinstance(value, dict):
        return _rest_of_object(told, at + 1, value)
    if told[at : at + 1] == "[" and isinstance(value, list):
        return _rest_of_list(told, at + 1, value)
    whole = write_json(value)
    if not whole.startswith(told[at:]):
        raise _Contradicted
    return whole[len(told) - at :]


def _rest_of_object(told: str, at: int, value: dict[str, Any]) -> str:
    missing = dict(value)
    while at < len(told):
        at = _after_comma(told, at)
        key, at = _DECODER.raw_decode(told, at)
        at += len(": ")
        if key not in value:
            raise _Contradicted
        complete, end = _complete(told, at)
        if end < 0:
            last = missing.pop(key)
            return _rest(told, at, last) + _pairs(missing, ", ") + "}"
        if complete == value[key]:
            missing.pop(key, None)
        else:
            missing[key] = value[key]
        at = end
    return _pairs(missing, ", " if told[-1] != "{" else "") + "}"


def _rest_of_list(told: str, at: int, value: list[Any]) -> str:
    for place, item in enumerate(value):
        if at == len(told):
            items = ", ".join(map(write_json, value[place:]))
            return f"{', ' if place else ''}{items}]"
        at = _after_comma(told, at)
        complete, end = _complete(told, at)
        if end < 0:
            more = "".join(f", {write_json(item)}" for item in value[place + 1 :])
            return f"{_rest(told, at, item)}{more}]"
        if complete != item:
            raise _Contradicted
        at = end
    if at < len(told):
        raise _Contradicted
    return "]"


_DECODER = json.JSONDecoder()


def _complete(told: str, at: int) -> tuple[Any, int]:
    """The value that begins at this place and where it ends; -1 if it is not complete."""
    try:
        return _DECODER.raw_decode(told, at)
    except json.JSONDecodeError:
        return None, -1


def _after_comma(told: str, at: int) -> int:
    return at + len(", ") if told[at] == "," else at


def _pairs(pairs: dict[str, Any], before: str) -> str:
    text = ", ".join(f"{write_json(key)}: {write_json(value)}" for key, value in pairs.items())
    return before + text if pairs else ""
