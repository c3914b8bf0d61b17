"""What repairs give, and what a call looks like: a name, and an object of arguments."""

from __future__ import annotations

import json
from typing import Any


class Repair:
    """What may stand in place of a region's text.

    `texts` are texts for the content parser, each with captures of its own or None; `rest` is for the implicit region,
    `broken` a part that stays malformed.
    """

    __slots__ = ("broken", "names", "rest", "texts")

    def __init__(
        self, texts: list[tuple[str, dict[str, str] | None]], names: list[str], rest: str = "", broken: str = ""
    ) -> None:
        self.texts, self.names, self.rest, self.broken = texts, names, rest, broken


_NAME_KEYS = ("function", "tool", "tool_name", "function_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "params", "input")


def called(item: Any, wanted: str) -> tuple[Any, list[str]]:
    """A call with a `name` and, under the key `wanted`, a dict of arguments; and the names of what was repaired."""
    if not isinstance(item, dict):
        return item, []
    names: list[str] = []
    if "name" not in item and isinstance(item.get("function"), dict):
        item, names = item["function"], ["nested_function"]
    call = dict(item)
    if "name" not in call:
        for key in _NAME_KEYS:
            if isinstance(call.get(key), str):
                call = {"name": call.pop(key), **call}
                names.append("name_key")
                break
    if not isinstance(call.get("name"), str):
        return item, []
    if wanted not in call:
        for key in _ARGUMENT_KEYS:
            if key in call and (isinstance(call[key], (dict, str)) or call[key] is None):
                call[wanted] = call.pop(key)
                names.append("argument_key")
                break
    if call.get(wanted) in (None, "", []):
        call[wanted] = {}
        names.append("missing_arguments")
    return call, names


def decode(text: str) -> Any:
    """The dict or list that a text is the JSON of; None if it is none."""
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded, (dict, list)) else None
