"""The arguments of one call as JSON text, told as far as no later text can change them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rtgen.openai.casts import Casts
from rtgen.openai.json_text import write_json, write_piece
from rtgen.openai.walker import Unclear

_CLOSERS = {"{": "}", "[": "]"}


class Arguments:
    """Writes values in the order in which their parts are read.

    `write` gets the text. It is told late in two places: a separator comes with what follows it, for a list may end
    there after all once it is repaired; and what closes a value (all of a number) comes when the next token shows that
    it is closed (`settle`). What closes the arguments themselves comes last of all, when nothing can make them others.

    A key that an object has had already makes the rest Unclear: the last one counts.
    """

    def __init__(self, casts: Casts, write: Callable[[str], None]) -> None:
        self._casts, self._write = casts, write
        self._open: list[str] = []  # the brackets that are open
        self._keys: list[set[str]] = []  # the keys of each of them so far
        self._first = True  # the next value is the first one between its brackets
        self._key = ""
        self._owed = ""  # what closes the values that have ended
        self._kept: list[str] | None = None  # the text of an argument that has to be complete
        self._kept_lead = ""  # what goes before it
        self.complete = False

    def key(self, key: str) -> None:
        """A key of the present object. Raises Unclear if it is not the first such key."""
        if key in self._keys[-1]:
            raise Unclear
        self._keys[-1].add(key)
        self._key = key

    def bracket(self, bracket: str) -> None:
        """An object or a list begins."""
        self._begin(bracket)
        self._open.append(bracket)
        self._keys.append(set())
        self._first = True

    def close(self) -> None:
        """The present object or list ends."""
        self.settle()
        self._keys.pop()
        self._first = False
        self._end(_CLOSERS[self._open.pop()])

    def quote(self) -> None:
        """A string begins."""
        self._begin('"')

    def piece(self, text: str) -> None:
        """More of the string."""
        self._put(write_piece(text))

    def unquote(self) -> None:
        """The string ends."""
        self._end('"')

    def value(self, value: Any) -> None:
        """A value that is complete."""
        self._put(self._lead())
        self._end(write_json(value))

    def argument(self, value: Any) -> None:
        """An argument that is complete, and becomes what its schema makes of it."""
        self.value(self._cast(value))

    def settle(self) -> None:
        """What has ended so far has certainly ended."""
        if self._owed:
            owed, self._owed = self._owed, ""
            self._write(owed)

    def _begin(self, text: str) -> None:
        """A value begins with this text."""
        lead = self._lead()
        if self._open == ["{"] and self._casts.may_change(self._key, text):
            self._kept_lead, self._kept = lead, [text]
        else:
            self._put(lead + text)

    def _lead(self) -> str:
        """What goes before a value."""
        if not self._open:
            return ""
        lead = "" if self._first else ", "
        self._first = False
        return f"{lead}{write_json(self._key)}: " if self._open[-1] == "{" else lead

    def _put(self, text: str) -> None:
        if self._kept is not None:
            self._kept.append(text)
        else:
            owed, self._owed = self._owed, ""
            self._write(owed + text)

    def _end(self, closer: str) -> None:
        """A value ends with this text."""
        if self._kept is not None:
            self._kept.append(closer)
            if len(self._open) == 1:
                kept, self._kept = self._kept, None
                self._put(self._kept_lead)
                self._owed = write_json(self._cast(json.loads("".join(kept))))
            return
        self._owed += closer
        self.complete = not self._open

    def _cast(self, value: Any) -> Any:
        try:
            return self._casts.cast(self._key, value)
        except (TypeError, RecursionError):
            raise Unclear from None  # a schema that cannot be read: the region will be refused
