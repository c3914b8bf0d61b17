"""The words for a template that is refused: the faults by which it is refused, and what else its shape lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

from rtgen.check.findings import Finding, quote_value
from rtgen.check.mending import faults
from rtgen.errors import TemplateError
from rtgen.identity import step

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

SCHEMA_FILE = "response_template.schema.json"

MOST_HINTS = 10
"""Faults by the schema that are listed besides those by which the template is refused."""


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
    """What is wrong with a template that was refused with `error`: that fault first, then all others.

    Where they cannot be found one after the other, what the schema says is added.
    """
    all_faults, complete = faults(raw, error)
    found = [Finding("error", fault.path or "$", "refused", fault.message) for fault in all_faults]
    if complete:
        return found
    places = {finding.where for finding in found}
    try:
        # Sorted, since jsonschema goes through some objects in the order of a set.
        hints = sorted(validator().iter_errors(raw), key=lambda fault: (fault.json_path, fault.message))
    except (RecursionError, ValueError):  # nested too deeply, or a number too long to be shown: the error says so
        return found
    for hint in hints:
        for path, words in _hints(hint):
            if path not in places and len(found) < len(places) + MOST_HINTS:
                found.append(Finding("error", path, "schema", words))
    return found


def _hints(fault: ValidationError) -> Iterator[tuple[str, str]]:
    """The path and the words of a fault; of alternatives, what the one that comes nearest lacks."""
    path, instance = "$", cast(Any, fault.instance)
    for part in fault.absolute_path:
        path = step(path, part) if isinstance(part, str) else f"{path}[{part}]"
    if fault.validator == "additionalProperties" and isinstance(instance, dict):
        known = fault.schema["properties"] if isinstance(fault.schema, dict) else {}
        for key in instance:
            if key not in known:
                yield step(path, key), f"no such key; there are {', '.join(known)}"
    elif isinstance(fault.schema, dict) and "$comment" in fault.schema:
        yield path, str(fault.schema["$comment"])
    elif fault.validator == "type":
        yield path, f"must be of type {fault.validator_value}, not {quote_value(instance)}"
    elif fault.validator == "required" and isinstance(fault.validator_value, list):
        missing = [key for key in fault.validator_value if key not in instance]
        yield path, f"needs the key {' and '.join(map(repr, missing))}"
    else:
        rule = quote_value({str(fault.validator): fault.validator_value})
        yield path, f"{quote_value(instance)} does not fit {rule}"
