"""Follows the regions that hold tags, `xml-inline`: strings as they come, other values when their tag is complete."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rtgen.openai.arguments import Arguments
from rtgen.openai.casts import Casts
from rtgen.openai.tag_pattern import TagPattern
from rtgen.openai.walker import Listener, Unclear
from rtgen.runtime.pattern import NOTHING, SETTLED, Search

ValueReader = Callable[[str], Any]


def value_reader(value_parser: Any) -> ValueReader | None:
    """The content parser `value_parser` for the values of tags; None for one that is not known here.

    A reader raises ValueError for a text that it refuses.
    """
    if not isinstance(value_parser, dict) or not isinstance(value_parser.get("args", {}), dict):
        return None
    arguments = value_parser.get("args", {})
    if value_parser.get("name") != "json" or arguments.get("string_delims") or arguments.get("unquoted_keys"):
        return None
    strip = bool(arguments.get("strip", True))

    def read(text: str) -> Any:
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            if not arguments.get("allow_non_json"):
                raise
            return text.strip() if strip else text

    return read


class TagsWalker:
    """Reads a region for a Plan whose `way` is "tags". `read` reads the values; None: they are strings as they stand.

    Raises Unclear (from `feed`) where a key comes a second time.
    """

    def __init__(self, pattern: TagPattern, read: ValueReader | None, casts: Casts, listener: Listener) -> None:
        self._context, self._read, self._casts = pattern.context, read, casts
        self._arguments = Arguments(casts, listener.write)
        self._tail = Search(pattern.tail) if pattern.tail is not None else None
        self._head = Search(pattern.whole if pattern.head is None else pattern.head)
        self._text, self._at = "", 0
        self._begun = False
        self._inside = False  # in a value, of which all before `_at` has been read
        self._kept: list[str] | None = None  # the parts of a value that has to be complete

    def feed(self, text: str) -> None:
        """Read on; see Walker."""
        held, self._text = self._text, ""
        held += text  # in place, since no other name refers to it
        while self._value(held) if self._inside else self._tag(held):
            pass
        self._text = held
        self._cut()

    def _tag(self, text: str) -> bool:
        """Whether one more tag has begun, or where the pattern tells of complete ones alone, has come."""
        if self._head.find(text, self._at, False) != SETTLED:
            return False
        self._at = self._head.end
        groups = self._head.groups()
        if not self._begun:
            self._begun = True
            self._arguments.bracket("{")
        self._arguments.settle()
        self._arguments.key(groups["key"])
        if self._tail is None:
            self._whole(groups["value"])
        else:
            self._inside = True
            streams = self._read is None and not self._casts.may_change(groups["key"], '"')
            self._kept = None if streams else []
            if streams:
                self._arguments.quote()
        return True

    def _value(self, text: str) -> bool:
        """Read on in a value; whether it has ended."""
        assert self._tail is not None
        found = self._tail.find(text, self._at, False)
        end = len(text) if found == NOTHING else self._tail.start
        if end > self._at:
            if self._kept is None:
                self._arguments.piece(text[self._at : end])
            else:
                self._kept.append(text[self._at : end])
            self._at = end
        if found != SETTLED:
            return False
        if self._kept is None:
            self._arguments.unquote()
        else:
            self._whole("".join(self._kept))
        self._at = self._tail.end
        self._inside = False
        return True

    def _whole(self, text: str) -> None:
        """The text of an argument is complete."""
        try:
            value = text if self._read is None else self._read(text)
        except (ValueError, RecursionError):
            raise Unclear from None
        self._arguments.argument(value)
        self._arguments.settle()

    def _cut(self) -> None:
        """Forget text that is done with."""
        done = self._at - self._context
        if done > len(self._text) // 2:
            self._text = self._text[done:]
            self._at -= done
            self._head.reset()
            if self._tail is not None:
                self._tail.reset()
