"""Which bundled template belongs to which models: what `known_by` in each family's meta.json says."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from rtgen import library


class Fingerprint(NamedTuple):
    """What a chat template of the family `name` holds: all of `turns` and `has`, and nothing of `lacks`.

    `turns` are the marks around turns; where the model_type names the family already, and the chat template says
    nothing of tools, they have to suffice.
    """

    name: str
    turns: tuple[str, ...]
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()


@cache
def fingerprints() -> tuple[Fingerprint, ...]:
    """The fingerprints of all families."""
    return tuple(
        Fingerprint(name, tuple(one["turns"]), tuple(one["has"]), tuple(one.get("lacks", ())))
        for name in library.available()
        for one in _known_by(name).get("chat_templates", ())
    )


@cache
def model_types() -> dict[str, str]:
    """model_type (of a config.json) -> family, of the types that belong to one family alone."""
    return {each: name for name in library.available() for each in _known_by(name).get("model_types", ())}


@cache
def own_chat_templates() -> dict[str, str]:
    """The text of each family's own chat template -> family."""
    found: dict[str, str] = {}
    for name in library.available():
        with open(library.chat_template_file(name), encoding="utf-8") as file:
            found[file.read().strip()] = name
    return found


def _known_by(name: str) -> dict[str, Any]:
    known: dict[str, Any] = library.meta(name).get("known_by", {})
    return known
