"""All faults by which a template is refused: the first is put right in a copy, which is validated again, and so on.

What is put in the place of a fault is chosen by trying: the first change that makes this fault go away, in an order in
which no change brings a fault that the template does not have, or hides one that it has, if another would do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from rtgen.errors import TemplateError
from rtgen.identity import canonical, step
from rtgen.template import validate

MOST = 50
"""Faults that are looked for."""

PLAIN: tuple[Any, ...] = ("x", "text", False, 1, {}, {"open": "x"}, {"x": {"open": "x"}})
"""What stands in the place of a value that is refused."""

LITERAL_FIRST = ("open", "close", "start_anchor")
"""Of a literal and a pattern, the literal goes: of the two, a pattern can have more faults."""


def faults(raw: object, first: TemplateError) -> tuple[list[TemplateError], bool]:
    """The faults, `first` (which `validate` raised) at their head, and whether they are all."""
    found: list[TemplateError] = [first]
    try:
        template: Any = json.loads(canonical(raw))
    except (TemplateError, ValueError, RecursionError):
        return found, False
    error = first
    while len(found) < MOST:
        mended = _mended(template, error, {(one.path, one.message) for one in found})
        if mended is None:
            return found, False
        template, following = mended
        if following is None:
            return found, True
        error = following
        found.append(error)
    return found, False


def _mended(
    template: Any, error: TemplateError, seen: set[tuple[str | None, str]]
) -> tuple[Any, TemplateError | None] | None:
    """The template without this fault, and the next one; None where nothing helps."""
    for change, same_place in _changes(template, error.path or "$"):
        copy = json.loads(json.dumps(template))
        change(copy)
        following = _error(copy)
        if following is None:
            return copy, None
        if (following.path, following.message) in seen:
            continue
        if same_place or not _inside(following.path or "$", error.path or "$"):
            return copy, following
    return None


def _inside(path: str, outer: str) -> bool:
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))


def _error(template: Any) -> TemplateError | None:
    try:
        validate(template)
    except TemplateError as error:
        return error
    return None


Change = Callable[[Any], None]

Keys = tuple[str | int, ...]
"""What leads to a value in the template."""


def _changes(template: Any, path: str) -> Iterator[tuple[Change, bool]]:
    """Changes of a template that may put right what is wrong at the path, the most careful ones first, and whether
    another fault may be found at the same place after it."""
    place: Keys | None = next((keys for keys, where in _places(template, "$", ()) if where == path), None)
    if not isinstance(template, dict):
        return
    if path == "$" and "start_anchor_pattern" not in template:
        yield (lambda copy: copy.setdefault("start_anchor", "x")), True
    if path == "$.fields" and isinstance(template.get("fields"), dict):
        yield _open_all_but_one, True
    if path == "$.fields" and place is None:
        place = ("fields",)
    if place is None:
        return
    value = _at(template, place)
    if isinstance(value, dict) and path != "$.fields":
        for key in sorted(value, key=lambda key: key not in LITERAL_FIRST):
            yield partial(_delete, keys=(*place, key)), True
    if place:
        for plain in PLAIN:
            yield partial(_replace, keys=place, value=plain), False
        yield partial(_delete, keys=place), False


def _replace(copy: Any, keys: Keys, value: Any) -> None:
    _at(copy, keys[:-1])[keys[-1]] = value


def _delete(copy: Any, keys: Keys) -> None:
    del _at(copy, keys[:-1])[keys[-1]]


def _open_all_but_one(copy: Any) -> None:
    """Give openers to all implicit fields but the first."""
    implicit = [
        field
        for field in copy["fields"].values()
        if isinstance(field, dict) and "open" not in field and "open_pattern" not in field
    ]
    for field in implicit[1:]:
        field["open"] = "x"


def _at(value: Any, keys: Keys) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else value[key]
    return value


def _places(value: Any, path: str, keys: Keys) -> Iterator[tuple[Keys, str]]:
    """The keys that lead to each value, and its JSON path."""
    yield keys, path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, step(path, key), (*keys, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, f"{path}[{index}]", (*keys, index))
