"""Following JSON as it comes: its arguments go out as they are, verified to the character."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_BLANKS = re.compile(r"[ \t\n\r]*")
_RUN = re.compile(r'(?:[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_WORD = re.compile(r"[-+.\w]+")


class JsonWalk:
    """Reads a region of JSON chunk by chunk.

    The arguments are the value under `arguments_key` of the object that the region holds ("": the region itself), the
    name is the string under `name_key`. `feed` returns the text of the arguments that has become certain, which is
    JSON as far as it goes; `name` is set when it is known. `held(key)` says which arguments have to be complete before
    they are told, since `write(key, value)` writes them. At anything that is no JSON the walk ends: `ended` is True.
    """

    def __init__(
        self,
        name_key: str | None,
        arguments_key: str,
        held: Callable[[str], bool],
        write: Callable[[str, Any], str],
    ) -> None:
        self.name: str | None = None
        self.ended = False
        self.late = False  # the arguments began before the name was known
        self._name_key, self._arguments_key = name_key, arguments_key
        self._held, self._write = held, write
        self._text = ""
        self._stack: list[str] = []
        self._keys: list[str] = []  # the key of each object that is open
        self._expects = "value"
        self._string: list[str] | None = None  # the string that is being read
        self._base = 0 if arguments_key == "" else -1  # the depth of the arguments, once they have begun
        self._out: list[str] = []
        self._kept: list[str] | None = None  # the text of an argument that is held
        self._seen: set[str] = set()

    def feed(self, text: str) -> str:
        """Read on; returns the text of the arguments that has become certain."""
        if not self.ended:
            self._text += text
            at = 0
            while not self.ended:
                then = self._step(self._text, at)
                if then < 0:
                    break
                at = then
            self._text = self._text[at:]
        told, self._out = "".join(self._out), []
        return told

    def _put(self, text: str) -> None:
        if self._kept is not None:
            self._kept.append(text)
        elif self._base >= 0:
            self._out.append(text)

    def _step(self, text: str, at: int) -> int:
        """Read one token or a part of a string; returns where the next one begins, -1 when there is too little text."""
        if self._string is not None:
            return self._read_string(text, at)
        blanks = _BLANKS.match(text, at)
        at = at if blanks is None else blanks.end()
        if at == len(text):
            return -1
        char, expects = text[at], self._expects
        if expects == "end":
            self.ended = True
            return -1
        if char == '"' and expects in ("value", "value or ]", "key", "key or }"):
            if expects.startswith("value"):
                self._begin()
            self._put(char)
            self._string = []
            return at + 1
        if char == ":" and expects == "colon":
            self._put(": ")
            self._expects = "value"
            return at + 1
        if char == "," and expects == "comma":
            if len(self._stack) == self._base:
                self.ended = True
                return -1
            self._put(", ")
            self._expects = "key" if self._stack[-1] == "{" else "value"
            return at + 1
        if char in "{[" and expects.startswith("value"):
            self._begin()
            self._put(char)
            self._stack.append(char)
            self._keys.append("")
            self._expects = "key or }" if char == "{" else "value or ]"
            return at + 1
        closes = self._stack and char == ("}" if self._stack[-1] == "{" else "]")
        if closes and (expects == "comma" or expects.endswith(char)):
            self._stack.pop()
            self._keys.pop()
            self._put(char)
            self._value_ends()
            return at + 1
        if expects.startswith("value"):
            return self._read_word(text, at)
        self.ended = True
        return -1

    def _read_word(self, text: str, at: int) -> int:
        word = _WORD.match(text, at)
        if word is not None and word.end() == len(text):
            return -1
        try:
            if word is None:
                raise ValueError
            json.loads(word[0])
        except ValueError:
            self.ended = True
            return -1
        self._begin()
        self._put(word[0])
        self._value_ends()
        return word.end()

    def _read_string(self, text: str, at: int) -> int:
        assert self._string is not None
        run = _RUN.match(text, at)
        end = at if run is None else run.end()
        if end > at:
            self._string.append(text[at:end])
            self._put(text[at:end])
            return end
        if at == len(text) or (text[at] == "\\" and len(text) - at < 6):
            return -1
        if text[at] != '"':
            self.ended = True
            return -1
        self._put('"')
        value, self._string = "".join(self._string), None
        if self._expects.startswith("key"):
            self._key_ends(json.loads(f'"{value}"'))
        else:
            if self._name_key is not None and self._stack == ["{"] and self._keys == [self._name_key]:
                self.name = json.loads(f'"{value}"')
            self._value_ends()
        return at + 1

    def _key_ends(self, key: str) -> None:
        if len(self._stack) == 1 and self._arguments_key and key in (self._name_key, self._arguments_key):
            if key in self._seen:
                self.ended = True  # the later one would count
            self._seen.add(key)
        self._keys[-1] = key
        self._expects = "colon"

    def _begin(self) -> None:
        """A value begins: perhaps that of the arguments, or one that must be complete."""
        if self._base == -1 and self._stack == ["{"] and self._keys == [self._arguments_key]:
            self._base = 1
            self.late = self._name_key is not None and self.name is None
        first = self._base >= 0 and len(self._stack) == self._base + 1 and self._stack[-1] == "{"
        if first and self._kept is None and self._held(self._keys[-1]):
            self._kept = []

    def _value_ends(self) -> None:
        depth = len(self._stack)
        if self._kept is not None and depth == self._base + 1:
            value, self._kept = json.loads("".join(self._kept)), None
            self._put(self._write(self._keys[-1], value))
        if depth == self._base:
            self._base = -2  # the arguments are complete
        self._expects = "comma" if self._stack else "end"
