"""Repairs of regions that their content parser refuses, for `repair=True`; each has a name.

`repairs` gives what the content parser may accept in place of the text that it refused, with the names of what was
done. It is asked after a failure alone, so what is valid is never changed.

In JSON, and in JSON dialects:

    raw_newlines      control characters stand in a string as they are
    invalid_escapes   a backslash in a string that escapes nothing is a backslash
    unescaped_quotes  quotes in a string
    single_quotes, curly_quotes, triple_quotes   strings in other quotes
    trailing_commas   a comma before a closing bracket, or two in a row
    missing_commas    none between members or items
    python_literals   True, False and None
    number_syntax     +1, .5, 007
    bare_keys         keys without quotes
    bare_strings      a word without quotes as a value; in a dialect, some words
    string_delimiter  a string of a dialect lacks its opening delimiter
    comments          //, /* */ and #
    trailing_brackets brackets, quotes, commas or semicolons after the value
    trailing_text     text after the value, which goes to the implicit text field (without one it stands under `rest`)
    leading_text      text before a call, likewise
    missing_brace     the brace that closes a call is missing, behind arguments that are complete, or one that opens
    missing_bracket   a bracket is missing where the one around it closes, or the last one of a list of complete calls
    round_brackets    round brackets around the arguments of a dialect
    longer_name       the name goes on behind what the opener of the template takes for it
    missing_arguments nothing, null or "" in place of the arguments
    argument_key, name_key, nested_function   a call with `parameters`, `tool`, ... or inside a `function`
    code_fence        a fence of backquotes around the value
    bare_object       one object where a list is expected
    single_item_list  a list of one object where the object is expected
    several_values    several calls in one region, also where a region's closer is missing before the next opener
    double_encoding   a string that holds the JSON of the value

In call lists, `rtgen.runtime.calls` has its own. Arguments that are cut off are never completed: what is missing from
them is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rtgen.runtime.calls import python_calls
from rtgen.runtime.json_repair import JsonRepair
from rtgen.runtime.loose_json import Beyond, LooseReader, read
from rtgen.runtime.repaired import Repair, called

_FENCE = re.compile(r"\s*```(?:json|python|tool_code)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)


def repairs(field: dict[str, Any], body: str, opener: Any, captures: dict[str, str]) -> Iterator[Repair]:
    """What to try in place of a region's `body`.

    `field` is the field as it stands in the template, `opener` its opener as a compiled regex, `captures` what that
    has captured.
    """
    kind = field.get("content", "text")
    names: list[str] = []
    fenced = _FENCE.fullmatch(body)
    if fenced is not None and kind in ("json", "python-call-list"):
        names, body = ["code_fence"], fenced[1]
    if kind == "python-call-list":
        pieces = _pieces(opener, body)
        for text, more, rest in python_calls(pieces, string_calls(body)):
            yield Repair([(text, None)], names + more, rest)
    elif kind == "json":
        yield from JsonRepair(field, opener, captures).repairs(body, names)


def _pieces(opener: Any, body: str) -> list[str]:
    """The body cut where its own opener stands in it once more."""
    pieces, at = [], 0
    for found in opener.finditer(body) if opener is not None else ():
        if found.end() > found.start():
            pieces.append(body[at : found.start()])
            at = found.end()
    return [*pieces, body[at:]]


def string_calls(body: str) -> list[dict[str, Any]] | None:
    """The calls of a JSON text, for a region of another language; None if it holds none."""
    if not body.lstrip().startswith(("{", "[{")):
        return None
    try:
        value, _ = read(lambda data: LooseReader(body, [], False, True, data), lambda reader: _only(reader))
    except (Beyond, RecursionError):
        return None
    calls = [called(item, "arguments")[0] for item in (value if isinstance(value, list) else [value])]
    good = all(isinstance(call.get("name"), str) and isinstance(call.get("arguments"), dict) for call in calls)
    return calls if calls and good else None


def _only(reader: LooseReader) -> Any:
    value = reader.value(True)
    if reader.blanks():
        raise Beyond
    return value
