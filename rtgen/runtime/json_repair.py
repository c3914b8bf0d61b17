"""Repairs of a region of JSON, or of a JSON dialect: see `rtgen.runtime.repair` for their names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rtgen.runtime.loose_json import MOST_TAKEN_BACK, Beyond, LooseReader, read
from rtgen.runtime.repaired import Repair, called, decode

_JUNK = re.compile(r"[\s\]})\"'`,;]*")
_MORE_NAME = re.compile(r"[-.:/][\w.:/-]*(?=\s*[{(])")
_NO_BRACE = re.compile(r"[\"']\w+[\"']\s*:")
_HEADED = re.compile(r"\s*(?:\[[A-Z_]+\][\w-]*\s*)+(?=\{)")  # more of a header, such as the id of a call
_NAMED = re.compile(r"\s*([^\W\d][\w.-]*)\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)
_SEPARATORS = re.compile(r"[\s,;]*")


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


class JsonRepair:
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
        self.begun = False  # the first value could be read

    def repairs(self, body: str, names: list[str]) -> Iterator[Repair]:
        more = _MORE_NAME.match(body) if not self.envelope and "name" in self.captures else None
        first: dict[str, str] | None = None
        if more is not None:
            first = {**self.captures, "name": self.captures["name"] + more[0]}
            names, body = [*names, "longer_name"], body[more.end() :]
        headed = None if self.envelope else _HEADED.match(body)
        if headed is not None:
            names, body = [*names, "leading_text"], body[headed.end() :]
        named = _NAMED.fullmatch(body) if not self.envelope and self.captures.get("name") == "function" else None
        if named is not None:
            first = {**self.captures, "name": named[1]}
            names, body = [*names, "longer_name"], named[2]
        if not self.envelope and not body.strip():
            yield Repair([("{}", first)], [*names, "missing_arguments"])
            return
        self.begun = False
        for tries in (1, MOST_TAKEN_BACK):
            try:
                values, found = read(self._reader(body), lambda reader: self._whole(reader, first), tries)
                break
            except (Beyond, RecursionError):
                if tries == 1 and self.begun:
                    continue  # the first value is good
            behind = list(self._behind_an_opener(body, names)) if tries == 1 else []
            if behind or tries > 1:
                yield from behind
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
        for repair in JsonRepair(self.field, self.opener, captures).repairs(text, ["several_values"]):
            texts: list[tuple[str, dict[str, str] | None]] = []
            texts += [(text, captures if own is None else own) for text, own in repair.texts]
            yield Repair(texts, names + repair.names, repair.rest, broken + repair.broken)

    def _whole(self, reader: LooseReader, first: dict[str, str] | None) -> list[tuple[Any, dict[str, str] | None]]:
        """The values of the text, with the captures of those that have their own. Raises Beyond."""
        self.rest = self.broken = ""
        lead, value = self._first(reader)
        self.begun = True
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
