"""The words for a template that is refused: the fault by which it is refused, and what else its shape lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from rtgen.check.findings import Finding, quote_value
from rtgen.errors import TemplateError
from rtgen.identity import step

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

SCHEMA_FILE = "response_template.schema.json"

MOST_HINTS = 10
"""Faults that are listed besides the one by which the template is refused."""


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of response templates. The dict is shared: leave it as it is."""
    text = resources.files("rtgen").joinpath(SCHEMA_FILE).read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def validator() -> Draft202012Validator:
    """The validator of that schema."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema())


def refused(raw: object, error: TemplateError) -> list[Finding]:
    """What is wrong with a template that was refused with `error`: that fault first, then what the schema finds."""
    where = error.path or "$"
    found = [Finding("error", where, "refused", error.message)]
    try:
        faults = list(validator().iter_errors(raw))
    except RecursionError:  # nested too deeply, which the error says
        return found
    for fault in faults:
        for path, words in _hints(fault):
            if path != where and len(found) <= MOST_HINTS:
                found.append(Finding("error", path, "schema", words))
    return found


def _hints(fault: ValidationError) -> Iterator[tuple[str, str]]:
    """The path and the words of a fault; of alternatives, what the one that comes nearest lacks."""
    path = "$"
    for part in fault.absolute_path:
        path = step(path, part) if isinstance(part, str) else f"{path}[{part}]"
    if fault.validator == "additionalProperties" and isinstance(fault.instance, dict):
        known = fault.schema["properties"] if isinstance(fault.schema, dict) else {}
        for key in fault.instance:
            if key not in known:
                yield step(path, key), f"no such key; there are {', '.join(known)}"
    elif isinstance(fault.schema, dict) and "$comment" in fault.schema:
        yield path, str(fault.schema["$comment"])
    else:
        yield path, f"{quote_value(fault.instance)}: {fault.message.removeprefix(f'{fault.instance!r} ')}"
