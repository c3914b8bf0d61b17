"""Repairs of regions that their content parser refuses, for `repair=True`; each has a name.

`repairs` gives texts that the content parser may accept in place of the one that it refused, with the names of what was
done. It is asked after a failure alone, so valid input is never changed; but for `unwrap_arguments`, which decodes
arguments that are a string of JSON where an object belongs.

    raw_newlines      control characters stand in a string as they are
    invalid_escapes   a backslash in a string that escapes nothing is a backslash
    single_quotes     strings in single quotes
    trailing_commas   a comma before a closing bracket
    python_literals   True, False and None
    bare_keys         keys without quotes
    trailing_brackets brackets, quotes, commas or semicolons after the value
    trailing_text     text after the value, which goes to the implicit text field
    missing_brace     the brace that closes a call is missing, behind arguments that are complete
    string_delimiter  a string of a dialect lacks its opening delimiter
    code_fence        a fence of backquotes around the value
    bare_object       one object where a list is expected
    single_item_list  a list of one object where the object is expected
    double_encoding   a string that holds the JSON of the value
    call_syntax       a call list that is one in Python's own syntax (tuples, a call without brackets, ...)

Arguments that are cut off are never completed: what is missing from them is not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rtgen.runtime.calls import python_calls
from rtgen.runtime.tools import cast_arguments

_FENCE = re.compile(r"\s*```(?:json|python|tool_code)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_BLANKS = re.compile(r"\s*")
_JUNK = re.compile(r"[\s\]})\"'`,;]*")
_AFTER_STRING = re.compile(r"\s*(?:[,:}\]]|\Z)")
_PLAIN = {'"': re.compile(r'[^"\\\x00-\x1f]+'), "'": re.compile(r"[^'\\\x00-\x1f]+")}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_WORDS = {"true": True, "false": False, "null": None, "NaN": float("nan"), "Infinity": float("inf")}
_PYTHON = {"True": True, "False": False, "None": None}
_CLOSED_BY = {"{": "}", "[": "]"}


def repairs(field: dict[str, Any], body: str) -> Iterator[tuple[str, list[str], str]]:
    """Texts to try in place of a region's `body`: the text, the names of the repairs, and text that is left over.

    `field` is the field as it stands in the template.
    """
    kind = field.get("content", "text")
    arguments = field.get("content_args")
    arguments = arguments if isinstance(arguments, dict) else {}
    names: list[str] = []
    fenced = _FENCE.fullmatch(body)
    if fenced is not None and kind in ("json", "python-call-list"):
        names, body = ["code_fence"], fenced[1]
    if kind == "python-call-list":
        for text, more in python_calls(body):
            yield text, names + more, ""
        return
    if kind != "json":
        return
    reader = _Reader(body, _pairs(arguments), bool(arguments.get("unquoted_keys")))
    try:
        value = reader.whole(_envelope(field))
    except (_Beyond, RecursionError):
        return
    names = names + reader.names
    for shape, more in _shapes(value, bool(field.get("transform_each"))):
        if names or more:
            yield _written(shape, _pairs(arguments)), names + more, reader.rest


def unwrap_arguments(value: Any, tools: Any) -> bool:
    """Decode arguments of calls that are a string of JSON, in place; whether there were any."""
    changed = False
    for item in value if isinstance(value, list) else [value]:
        function = item.get("function") if isinstance(item, dict) else None
        if isinstance(function, dict) and isinstance(function.get("arguments"), str):
            try:
                decoded = json.loads(function["arguments"])
            except (ValueError, RecursionError):
                continue
            if isinstance(decoded, dict):
                function["arguments"], changed = decoded, True
                if tools:
                    cast_arguments(item, tools)
    return changed


def _pairs(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """The string delimiters of a dialect."""
    delims = arguments.get("string_delims", [])
    if not isinstance(delims, list):
        return []
    good = [tuple(pair) for pair in delims if isinstance(pair, list) and len(pair) == 2]
    return [(a, b) for a, b in good if isinstance(a, str) and isinstance(b, str) and a and b]


def _envelope(field: dict[str, Any]) -> bool:
    """Whether the region holds the call around its arguments, and not the arguments alone."""
    return "arguments" not in _keys_of_content(field.get("transform"))


def _keys_of_content(transform: Any) -> list[str]:
    """The keys under which a transform puts the whole content."""
    if not isinstance(transform, dict):
        return []
    found = [key for key, value in transform.items() if value == "{content}"]
    for value in transform.values():
        found += _keys_of_content(value)
    return found


def _shapes(value: Any, each: bool) -> Iterator[tuple[Any, list[str]]]:
    """The value as it is, and in the shapes that may have been meant."""
    yield value, []
    if isinstance(value, str):
        try:
            decoded = json.loads(value)
        except (ValueError, RecursionError):
            return
        if isinstance(decoded, (dict, list)):
            for shape, names in _shapes(decoded, each):
                yield shape, ["double_encoding", *names]
    elif each and isinstance(value, dict):
        yield [value], ["bare_object"]
    elif not each and isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        yield value[0], ["single_item_list"]


def _written(value: Any, pairs: list[tuple[str, str]]) -> str:
    """JSON that a dialect reads as it stands: its delimiters in strings are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    for delimiter in {part for pair in pairs for part in pair}:
        if delimiter in text:
            text = text.replace(delimiter, f"\\u{ord(delimiter[0]):04x}" + delimiter[1:])
    return text


class _Beyond(Exception):
    """The text is beyond repair."""


class _Reader:
    """Reads a value, forgiving what has a name; `names` are those that were needed, `rest` is what follows it."""

    def __init__(self, text: str, pairs: list[tuple[str, str]], bare_keys: bool) -> None:
        self.text, self.pairs, self.bare_keys = text, pairs, bare_keys
        self.at = 0
        self.names: list[str] = []
        self.rest = ""

    def whole(self, envelope: bool) -> Any:
        """The value. `envelope`: it is a call, whose own brace may be missing. Raises _Beyond."""
        self._blanks()
        value = self._value(0 if envelope else 1)
        end = self.at
        self._blanks()
        rest = self.text[self.at :]
        if rest and not isinstance(value, (dict, list)):
            raise _Beyond
        if rest:
            junk = _JUNK.match(rest)
            if junk is not None and junk.end() == len(rest):
                self._note("trailing_brackets")
            elif rest[0] in "{[":
                raise _Beyond  # another value: which one was meant is not known
            else:
                self._note("trailing_text")
                self.rest = self.text[end:]
        return value

    def _note(self, name: str) -> None:
        if name not in self.names:
            self.names.append(name)

    def _blanks(self) -> str:
        """Pass over white space; returns the character behind it, "" at the end."""
        found = _BLANKS.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.text[self.at : self.at + 1]

    def _value(self, depth: int) -> Any:
        char = self._blanks()
        for opener, closer in self.pairs:
            if self.text.startswith(opener, self.at):
                return self._delimited(self.at + len(opener), closer)
        if char == "{":
            return self._object(depth)
        if char == "[":
            return self._list(depth)
        if char in ('"', "'") and char:
            return self._string(char)
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            self.at = number.end()
            return json.loads(number[0])
        return self._word()

    def _word(self) -> Any:
        found = _WORD.match(self.text, self.at)
        for words in (_WORDS, _PYTHON):
            if found is not None and found[0] in words and _AFTER_STRING.match(self.text, found.end()):
                if words is _PYTHON:
                    self._note("python_literals")
                self.at = found.end()
                return words[found[0]]
        for _, closer in self.pairs:
            end = self.text.find(closer, self.at)
            ends = end > self.at and _AFTER_STRING.match(self.text, end + len(closer)) is not None
            if ends and not any(opener in self.text[self.at : end] for opener, _ in self.pairs):
                self._note("string_delimiter")
                return self._delimited(self.at, closer)
        raise _Beyond

    def _delimited(self, start: int, closer: str) -> str:
        end = self.text.find(closer, start)
        if end < 0:
            raise _Beyond
        self.at = end + len(closer)
        return self.text[start:end]

    def _string(self, quote: str) -> str:
        if quote == "'":
            self._note("single_quotes")
        text, parts = self.text, []
        self.at += 1
        while True:
            run = _PLAIN[quote].match(text, self.at)
            if run is not None:
                parts.append(run[0])
                self.at = run.end()
            char = text[self.at : self.at + 1]
            if not char:
                raise _Beyond
            self.at += 1
            if char == "\\":
                parts.append(self._escape(quote))
            elif char != quote:
                self._note("raw_newlines")
                parts.append(char)
            elif quote == '"' or _AFTER_STRING.match(text, self.at):
                return "".join(parts)
            else:
                parts.append(char)  # an apostrophe

    def _escape(self, quote: str) -> str:
        char = self.text[self.at : self.at + 1]
        digits = self.text[self.at + 1 : self.at + 5]
        if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            self.at += 5
            code = int(digits, 16)
            low = re.match(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})", self.text[self.at : self.at + 6])
            if 0xD800 <= code < 0xDC00 and low is not None:
                self.at += 6
                return chr(0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00))
            return chr(code)
        if char in _ESCAPES or char == quote:
            self.at += 1
            return _ESCAPES.get(char, char)
        self._note("invalid_escapes")
        return "\\"

    def _object(self, depth: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        self.at += 1
        while True:
            char = self._blanks()
            if char == "}":
                self.at += 1
                return value
            if not char and depth == 0:
                return self._cut_off(value)
            key = self._key(char)
            if self._blanks() != ":":
                raise _Beyond
            self.at += 1
            value[key] = self._value(depth + 1)
            char = self._blanks()
            if char == ",":
                self.at += 1
                if self._blanks() == "}":
                    self._note("trailing_commas")
            elif not char and depth == 0:
                return self._cut_off(value)
            elif char != "}":
                raise _Beyond

    def _cut_off(self, value: dict[str, Any]) -> dict[str, Any]:
        """A call without its last brace."""
        last = next(reversed(value), None)
        if last not in ("arguments", "parameters") or not isinstance(value[last], dict) or "name" not in value:
            raise _Beyond
        self._note("missing_brace")
        return value

    def _key(self, char: str) -> str:
        for opener, closer in self.pairs:
            if self.text.startswith(opener, self.at):
                return self._delimited(self.at + len(opener), closer)
        if char in ('"', "'") and char:
            return self._string(char)
        found = _WORD.match(self.text, self.at)
        if found is None:
            raise _Beyond
        if not self.bare_keys:
            self._note("bare_keys")
        self.at = found.end()
        return found[0]

    def _list(self, depth: int) -> list[Any]:
        value: list[Any] = []
        self.at += 1
        while True:
            char = self._blanks()
            if char == "]":
                self.at += 1
                return value
            value.append(self._value(depth + 1))
            char = self._blanks()
            if char == ",":
                self.at += 1
                if self._blanks() == "]":
                    self._note("trailing_commas")
            elif char != "]":
                raise _Beyond
