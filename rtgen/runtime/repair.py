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

import json
import re
from collections.abc import Iterator
from typing import Any

from rtgen.runtime.calls import python_calls
from rtgen.runtime.loose_json import Beyond, LooseReader, read

_FENCE = re.compile(r"\s*```(?:json|python|tool_code)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)
_JUNK = re.compile(r"[\s\]})\"'`,;]*")
_MORE_NAME = re.compile(r"[-.:/][\w.:/-]*(?=\s*[{(])")
_NO_BRACE = re.compile(r"[\"']\w+[\"']\s*:")
_SEPARATORS = re.compile(r"[\s,;]*")


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
        yield from _Values(field, opener, captures).repairs(body, names)


def is_envelope(field: dict[str, Any]) -> bool:
    """Whether the region holds the call around its arguments, and not the arguments alone."""
    return "arguments" not in _keys_of_content(field.get("transform"))


def string_delims(field: dict[str, Any]) -> list[tuple[str, str]]:
    """The string delimiters of a dialect."""
    arguments = field.get("content_args")
    delims = arguments.get("string_delims") if isinstance(arguments, dict) else None
    good = [tuple(pair) for pair in delims if isinstance(pair, list) and len(pair) == 2] if delims else []
    return [(a, b) for a, b in good if isinstance(a, str) and isinstance(b, str) and a and b]


def _keys_of_content(transform: Any) -> list[str]:
    """The keys under which a transform puts the whole content."""
    if not isinstance(transform, dict):
        return []
    found = [key for key, value in transform.items() if value == "{content}"]
    for value in transform.values():
        found += _keys_of_content(value)
    return found


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


class _Values:
    """Repairs of a region of JSON."""

    def __init__(self, field: dict[str, Any], opener: Any, captures: dict[str, str]) -> None:
        arguments = field.get("content_args")
        self.field = field
        self.bare_keys = bool(isinstance(arguments, dict) and arguments.get("unquoted_keys"))
        self.pairs = string_delims(field)
        self.envelope = is_envelope(field)
        self.each, self.repeats = bool(field.get("transform_each")), bool(field.get("repeats"))
        self.wanted = "parameters" if "parameters}" in json.dumps(field.get("transform")) else "arguments"
        self.opener, self.captures = opener, captures
        self.rest = self.broken = ""

    def repairs(self, body: str, names: list[str]) -> Iterator[Repair]:
        more = _MORE_NAME.match(body) if not self.envelope and "name" in self.captures else None
        first: dict[str, str] | None = None
        if more is not None:
            first = {**self.captures, "name": self.captures["name"] + more[0]}
            names, body = [*names, "longer_name"], body[more.end() :]
        if not self.envelope and not body.strip():
            yield Repair([("{}", first)], [*names, "missing_arguments"])
            return
        try:
            values, found = read(self._reader(body), lambda reader: self._whole(reader, first))
        except (Beyond, RecursionError):
            yield from self._behind_an_opener(body, names)
            return
        for shaped, also in self._shapes(values):
            done = names + found + also
            if done:
                texts = [(self._written(value), captures) for value, captures in shaped]
                yield Repair(texts, done, self.rest, self.broken)

    def _reader(self, body: str) -> Any:
        return lambda data: LooseReader(body, self.pairs, self.bare_keys, self.envelope, data)

    def _behind_an_opener(self, body: str, names: list[str]) -> Iterator[Repair]:
        """What stands behind the next opener may be good, where the region before it is cut off."""
        found = self.opener.search(body) if self.opener is not None and self.repeats else None
        if found is None or found.end() == found.start():
            return
        captures = {name: text for name, text in found.groupdict().items() if text is not None}
        text, broken = body[found.end() :], body[: found.start()]
        yield Repair([(text, captures)], [*names, "several_values"], "", broken)
        for repair in _Values(self.field, self.opener, captures).repairs(text, ["several_values"]):
            texts: list[tuple[str, dict[str, str] | None]] = []
            texts += [(text, captures if own is None else own) for text, own in repair.texts]
            yield Repair(texts, names + repair.names, repair.rest, broken + repair.broken)

    def _whole(self, reader: LooseReader, first: dict[str, str] | None) -> list[tuple[Any, dict[str, str] | None]]:
        """The values of the text, with the captures of those that have their own. Raises Beyond."""
        self.rest = self.broken = ""
        lead, value = self._first(reader)
        values: list[tuple[Any, dict[str, str] | None]] = [(value, first)]
        end = reader.at
        while self._goes_on(reader, values):
            end = reader.at
        reader.at = end
        rest = reader.text[end:]
        if self.broken:
            rest = ""
        if rest.strip() and not isinstance(value, (dict, list)):
            raise Beyond
        if rest.strip():
            junk = _JUNK.match(rest)
            if junk is not None and junk.end() == len(rest):
                reader.note("trailing_brackets")
            elif rest.lstrip()[0] in "{[":
                raise Beyond  # other arguments: which were meant is not known
            else:
                reader.note("trailing_text")
                self.rest = rest
        self.rest = lead + self.rest
        return values

    def _first(self, reader: LooseReader) -> tuple[str, Any]:
        """What stands before the first value, and the value."""
        char = reader.blanks()
        if char == "(" and self.bare_keys and not self.envelope:
            reader.note("round_brackets")
            return "", reader.members(False, ")")
        if char and char in "\"'" and _NO_BRACE.match(reader.text, reader.at):
            value = reader.members(self.envelope, "}", opened=True)
            if self.envelope and "name" not in value:
                raise Beyond
            reader.note("missing_brace")
            return "", value
        here = re.compile(r"[{\[]").search(reader.text, reader.at)
        if not self.envelope or here is None or here.start() == reader.at or (char and char in "\"'"):
            if here is not None and re.fullmatch(r"json\s*", reader.text[reader.at : here.start()]):
                reader.at = here.start()  # what is left of a fence
                reader.note("code_fence")
            return "", reader.value(self.envelope)
        lead = reader.text[reader.at : here.start()]
        reader.at = here.start()
        value = reader.value(True)
        calls = value if isinstance(value, list) else [value]
        if not calls or not all(isinstance(call, dict) and "name" in call for call in calls):
            raise Beyond
        if lead.strip() not in ("json", "JSON"):
            reader.note("leading_text")
            return lead.strip(), value
        reader.note("code_fence")
        return "", value

    def _goes_on(self, reader: LooseReader, values: list[tuple[Any, dict[str, str] | None]]) -> bool:
        """Whether one more call follows; it is added to the values."""
        if not (self.repeats or self.each):
            return False
        captures: dict[str, str] | None = None
        start = reader.at
        while True:
            blanks = _SEPARATORS.match(reader.text, reader.at)
            found = self.opener.match(reader.text, reader.at) if self.opener is not None else None
            if found is not None and found.end() > found.start():
                captures = {name: text for name, text in found.groupdict().items() if text is not None}
                reader.at = found.end()
            elif blanks is not None and blanks.end() > reader.at:
                reader.at = blanks.end()
            else:
                break
        if captures is None and not (self.envelope and reader.text[reader.at : reader.at + 1] in ("{", "[")):
            return False
        names = list(reader.names)
        try:
            value = reader.value(self.envelope)
            if not isinstance(value, (dict, list)):
                raise Beyond
        except Beyond:
            if reader.data is None:
                raise
            reader.names = names
            self.broken = reader.text[start:].strip()
            return False
        reader.note("several_values")
        values.append((value, captures))
        return True

    def _shapes(
        self, values: list[tuple[Any, dict[str, str] | None]]
    ) -> Iterator[tuple[list[tuple[Any, dict[str, str] | None]], list[str]]]:
        """The values as they are, and in the shapes that may have been meant."""
        names: list[str] = []
        shaped: list[tuple[Any, dict[str, str] | None]] = []
        for value, captures in values:
            if isinstance(value, str):
                decoded = decode(value)
                if decoded is not None:
                    value, names = decoded, ["double_encoding"]
            shaped.append((value, captures))
        if self.each:
            lists = [value if isinstance(value, list) else [value] for value, _ in shaped]
            if not isinstance(shaped[0][0], list):
                names = [*names, "bare_object"] if len(shaped) == 1 else names
            shaped = [([item for items in lists for item in items], None)]
        elif self.envelope and any(isinstance(value, list) for value, _ in shaped):
            yield shaped, names
            items = [(item, own) for value, own in shaped for item in (value if isinstance(value, list) else [value])]
            if not items or not all(isinstance(item, dict) for item, _ in items):
                return
            if len(items) > 1 and not self.repeats:
                return
            names, shaped = [*names, "single_item_list" if len(items) == 1 else "several_values"], items
        yield shaped, names
        if self.envelope:
            again = []
            for value, captures in shaped:
                if isinstance(value, list):
                    calls = [called(item, self.wanted) for item in value]
                    value, more = [call for call, _ in calls], [name for _, also in calls for name in also]
                else:
                    value, more = called(value, self.wanted)
                names = names + [name for name in more if name not in names]
                again.append((value, captures))
            yield again, names

    def _written(self, value: Any) -> str:
        """JSON that a dialect reads as it stands: its delimiters in strings are escaped."""
        text = json.dumps(value, ensure_ascii=False)
        for delimiter in {part for pair in self.pairs for part in pair}:
            if delimiter in text:
                text = text.replace(delimiter, f"\\u{ord(delimiter[0]):04x}" + delimiter[1:])
        return text


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
