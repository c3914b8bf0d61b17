"""Steps on the way from a region's parsed content to its place in the message."""

from __future__ import annotations

from typing import Any

from rtgen.runtime.errors import ParseAttributeError, ParseError, ParseTypeError


def reach(value: Any, keys: tuple[str, ...], placeholder: str) -> Any:
    """The value under `keys`, one dict in the other. Raises ValueError that names the placeholder."""
    for key in keys:
        if not isinstance(value, dict):
            raise ValueError(f"the placeholder {{{placeholder}}} cannot index into {type(value).__name__} for {key!r}")
        if key not in value:
            known = ", ".join(sorted(map(str, value)))
            raise ValueError(f"the placeholder {{{placeholder}}} is missing key {key!r}; there are: {known or 'none'}")
        value = value[key]
    return value


def undefined(placeholder: str) -> Any:
    """A placeholder that neither the content nor a group defines. Raises KeyError."""
    raise KeyError(f"the placeholder {{{placeholder}}} has no value here")


def capture(captures: dict[str, str], name: str, placeholder: str) -> str:
    """The text of a group that may have taken no part in the match. Raises KeyError when it did not."""
    if name not in captures:
        why = f"the group {name!r} has taken no part in a match; perhaps the text ends before the region's closer"
        raise KeyError(f"the placeholder {{{placeholder}}} has no value here: {why}")
    return captures[name]


def item_value(item: dict[str, Any], captures: dict[str, str], name: str, placeholder: str) -> Any:
    """What a placeholder of `transform_each` stands for: a key of the item, else a group. Raises KeyError."""
    if name in item:
        return item[name]
    return capture(captures, name, placeholder)


def require_items(items: Any) -> None:
    """Raises ValueError unless the content that `transform_each` goes through is a list."""
    if not isinstance(items, list):
        raise ValueError(f"transform_each needs a list, and the region holds a {type(items).__name__}")


def require_item(item: Any) -> None:
    """Raises ValueError unless an item that `transform_each` transforms is a dict."""
    if not isinstance(item, dict):
        raise ValueError(f"transform_each needs dicts in the list, and one item is a {type(item).__name__}")


def joined(before: Any, join: str, value: Any, field: str, position: int) -> Any:
    """The value of a field with `join` after one more region. Raises ParseError when a region is not a string."""
    if not isinstance(value, str):
        raise ParseError(f"'join' needs each region to parse to a string, not {type(value).__name__}", field, position)
    if before is None:
        return value
    try:
        return before + join + value
    except TypeError as error:
        fault = f"'join' cannot continue the default, a {type(before).__name__}"
        raise ParseTypeError(fault, field, position) from error


def cannot_repeat(field: str, position: int, default: Any) -> ParseError:
    """The error of a repeated field whose default is no list."""
    fault = f"'repeats' cannot append to the default, a {type(default).__name__}"
    return ParseAttributeError(fault, field, position)


def drop_empty(message: dict[str, Any], defaults: tuple[str, ...]) -> dict[str, Any]:
    """The message without None, "", [] and {}, except under the keys of the defaults."""
    return {
        key: value
        for key, value in message.items()
        if value or key in defaults or not (value is None or isinstance(value, (str, list, dict)))
    }


def missing_fields(names: list[str]) -> ParseError:
    """The error of required fields that never closed."""
    return ParseError(f"required and missing: {', '.join(map(repr, names))}")
