"""JSON as models write it, for `repair=True`: a reader that forgives what has a name in `rtgen.runtime.repair`.

`read` tries the quotes as they stand first; where that fails, a quote that does not stand where a string can end is a
character of the string, and each failure takes back the last quote that ended one (`unescaped_quotes`). Only values
hold such quotes (`rtgen.runtime.inner_quotes` says which can be some); a key ends at its first quote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from rtgen.runtime.inner_quotes import goes_over, nested_goes_on

MOST_TAKEN_BACK = 24
"""Quotes that are taken back before the text counts as beyond repair; each costs one more reading."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.])")
_ODD_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?=\s*(?:[,}\])]|\Z))")
_WORD = re.compile(r"-?[^\W\d][\w$-]*|\$[\w$-]*")
_BARE = re.compile(r"[^\s,:{}\[\]()\"'<>][^,{}\[\]()\"'<>\n]*")
_BARE_WORD = re.compile(r"[^\W\d][\w.+/-]*(?=\s*[,}\]])")
_SPACE = re.compile(r"\s*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|#[^\n]*", re.DOTALL)
_AFTER_ANY = re.compile(r"\s*(?:[,:}\])]|\Z)")
_AFTER_VALUE = re.compile(r"\s*(?:[,}\])]|\Z)")
_NEXT_KEY = re.compile(r"\"[^\"\\\n]*\"\s*:|'[^'\\\n]*'\s*:")
_NEXT_ITEM = re.compile(r"[\"{\[]")
_PLAIN = {quote: re.compile(rf"[^{quote}\\\x00-\x1f]+") for quote in "\"'\u201d"}
_JSON_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_WORDS = {"true": True, "false": False, "null": None, "NaN": float("nan"), "Infinity": float("inf")}
_WORDS["-Infinity"] = float("-inf")
_PYTHON = {"True": True, "False": False, "None": None}


class Beyond(Exception):
    """The text is beyond repair."""


class LooseReader:
    """Reads values from `at` on; `names` are the repairs that were needed.

    `pairs` are the string delimiters of a dialect, `bare_keys` says that its keys need no quotes, `calls` that an
    object is a call around its arguments. `data` are places of quotes that end no string; with it, quotes that do not
    stand where a string can end are data too.
    """

    def __init__(
        self, text: str, pairs: list[tuple[str, str]], bare_keys: bool, calls: bool, data: frozenset[int] | None = None
    ) -> None:
        self.text, self.pairs, self.bare_keys, self.calls, self.data = text, pairs, bare_keys, calls, data
        self.at = 0
        self.names: list[str] = []
        self.last_quote = -1  # the last one that ended a string

    def note(self, name: str) -> None:
        """A repair was needed."""
        if name not in self.names:
            self.names.append(name)

    def blanks(self) -> str:
        """Pass over white space and comments; returns the character behind it, "" at the end."""
        while True:
            found = _SPACE.match(self.text, self.at)
            assert found is not None
            self.at = found.end()
            comment = _COMMENT.match(self.text, self.at)
            if comment is None:
                return self.text[self.at : self.at + 1]
            self.note("comments")
            self.at = comment.end()

    def value(self, calls: bool = False) -> Any:
        """The value that begins here; `calls`: it is a call, or a list of calls. Raises Beyond."""
        char = self.blanks()
        for opener, closer in self.pairs:
            if self.text.startswith(opener, self.at):
                return self._delimited(self.at + len(opener), closer)
        if char == "{":
            return self.members(calls, "}")
        if char == "[":
            return self._list(calls)
        if char and char in "\"'\u201c":
            return self._string(char)
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            self.at = number.end()
            return json.loads(number[0])
        odd = _ODD_NUMBER.match(self.text, self.at)
        if odd is not None and len(odd[0]) < 400:
            self.note("number_syntax")
            self.at = odd.end()
            return float(odd[0]) if set(odd[0]) & set(".eE") else int(odd[0])
        return self._word()

    def _word(self) -> Any:
        found = _WORD.match(self.text, self.at)
        for words in (_WORDS, _PYTHON):
            if found is not None and found[0] in words and _AFTER_VALUE.match(self.text, found.end()):
                if words is _PYTHON:
                    self.note("python_literals")
                self.at = found.end()
                return words[found[0]]
        for _, closer in self.pairs:
            end = self.text.find(closer, self.at)
            ends = end > self.at and _AFTER_ANY.match(self.text, end + len(closer)) is not None
            if ends and not any(opener in self.text[self.at : end] for opener, _ in self.pairs):
                self.note("string_delimiter")
                return self._delimited(self.at, closer)
        bare = (_BARE if self.pairs else _BARE_WORD).match(self.text, self.at)
        if bare is None or not _AFTER_VALUE.match(self.text, bare.end()):
            raise Beyond
        self.note("bare_strings")
        self.at = bare.end()
        return bare[0].rstrip()

    def _delimited(self, start: int, closer: str) -> str:
        end = self.text.find(closer, start)
        if end < 0:
            raise Beyond
        self.at = end + len(closer)
        return self.text[start:end]

    def _string(self, quote: str, key: bool = False) -> str:
        text = self.text
        if text.startswith(quote * 3, self.at) and quote in "\"'":
            self.note("triple_quotes")
            return self._delimited(self.at + 3, quote * 3)
        if quote != '"':
            self.note("single_quotes" if quote == "'" else "curly_quotes")
            quote = "'" if quote == "'" else "\u201d"
        parts: list[str] = []
        inner = 0  # the quotes that are characters of the string
        self.at += 1
        start = self.at
        while True:
            run = _PLAIN[quote].match(text, self.at)
            if run is not None:
                parts.append(run[0])
                self.at = run.end()
            char = text[self.at : self.at + 1]
            if not char:
                raise Beyond
            self.at += 1
            if char == "\\":
                parts.append(self._escape(quote))
            elif char != quote:
                self.note("raw_newlines")
                parts.append(char)
            elif key:
                return "".join(parts)
            elif self._ends(quote) and not (inner and nested_goes_on(text, start, self.at - 1)):
                self.last_quote = self.at - 1
                return "".join(parts)
            elif goes_over(text, start, self.at - 1, inner):
                raise Beyond
            else:
                inner += 1
                parts.append(char)

    def _ends(self, quote: str) -> bool:
        """Whether the quote just read ends its string, which is a value."""
        if self.data is not None:
            if self.at - 1 not in self.data and _AFTER_VALUE.match(self.text, self.at):
                return True
            self.note("unescaped_quotes")
            return False
        return quote == '"' or _AFTER_ANY.match(self.text, self.at) is not None  # else an apostrophe

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
        if char in _JSON_ESCAPES or char == quote:
            self.at += 1
            return _JSON_ESCAPES.get(char, char)
        self.note("invalid_escapes")
        if char == "'":
            self.at += 1
            return char
        return "\\"

    def members(self, call: bool, end: str, opened: bool = False) -> dict[str, Any]:
        """An object; `end` closes it, and `opened` says that its opening bracket is missing."""
        value: dict[str, Any] = {}
        self.at += not opened
        while True:
            char = self.blanks()
            if char == end:
                self.at += 1
                return value
            if char == "," and value:
                self.note("trailing_commas")
                self.at += 1
                continue
            if call and char in ("", "]"):
                return self._cut_off(value)
            key = self._key(char)
            if self.blanks() != ":":
                raise Beyond
            self.at += 1
            value[key] = self.value()
            char = self.blanks()
            if char == ",":
                self.at += 1
                if self.blanks() == end:
                    self.note("trailing_commas")
            elif call and char in ("", "]"):
                return self._cut_off(value)
            elif char == "]" and end == "}":
                self.note("missing_bracket")  # the bracket around it closes
                return value
            elif char != end:
                if not _NEXT_KEY.match(self.text, self.at):
                    raise Beyond
                self.note("missing_commas")

    def _cut_off(self, value: dict[str, Any]) -> dict[str, Any]:
        """A call without its last brace."""
        last = next(reversed(value), None)
        if last not in ("arguments", "parameters") or not isinstance(value[last], dict) or "name" not in value:
            raise Beyond
        self.note("missing_brace")
        return value

    def _key(self, char: str) -> str:
        for opener, closer in self.pairs:
            if self.text.startswith(opener, self.at):
                return self._delimited(self.at + len(opener), closer)
        if char and char in "\"'\u201c":
            return self._string(char, key=True)
        found = _WORD.match(self.text, self.at)
        if found is None:
            raise Beyond
        if not self.bare_keys:
            self.note("bare_keys")
        self.at = found.end()
        return found[0]

    def _list(self, calls: bool) -> list[Any]:
        value: list[Any] = []
        self.at += 1
        while True:
            char = self.blanks()
            if char == "]":
                self.at += 1
                return value
            if char == "," and value:
                self.note("trailing_commas")
                self.at += 1
                continue
            value.append(self.value(calls))
            char = self.blanks()
            if char == ",":
                self.at += 1
                if self.blanks() == "]":
                    self.note("trailing_commas")
            elif char == "}" or (not char and calls):
                self.note("missing_bracket")  # the bracket around it closes, or all its calls are complete
                return value
            elif char != "]":
                if not _NEXT_ITEM.match(self.text, self.at):
                    raise Beyond
                self.note("missing_commas")


def read(
    make: Callable[[frozenset[int] | None], LooseReader],
    walk: Callable[[LooseReader], Any],
    tries: int = MOST_TAKEN_BACK,
) -> tuple[Any, list[str]]:
    """What `walk` gives for the first reading that succeeds, and the repairs. `make` makes a reader whose quotes at
    these places are data (None: all quotes count as they stand), `tries` is how many at most. Raises Beyond."""
    data: frozenset[int] | None = None
    for _ in range(tries):
        reader = make(data)
        try:
            return walk(reader), reader.names
        except Beyond:
            if data is None:
                data = frozenset()
            elif reader.last_quote < 0 or reader.last_quote in data:
                raise
            else:
                data |= {reader.last_quote}
    raise Beyond
