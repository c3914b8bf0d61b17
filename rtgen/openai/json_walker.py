"""Follows the regions that hold JSON or a dialect of it: one call, the arguments of one, or a list of calls."""

from __future__ import annotations

import json

import regex

from rtgen.openai.arguments import Arguments
from rtgen.openai.casts import Casts, Parameters
from rtgen.openai.plan import Plan
from rtgen.openai.tokens import MARK, PIECE, QUOTE, WORD, Tokens, delimited, json_quotes
from rtgen.openai.walker import Listener, Unclear

_BARE_KEY = regex.compile(r"\w+")  # `regex`, whose characters of words the content parser takes


class JsonWalker:
    """Reads a region for a Plan whose `way` is "json".

    `name` is the call's where the content does not hold it; `repair` says that the parser repairs what is malformed.
    Raises Unclear (from `feed`) at whatever is no JSON, and where a key that matters comes a second time.
    """

    def __init__(self, plan: Plan, name: str | None, parameters: Parameters, listener: Listener, repair: bool) -> None:
        self._plan, self._parameters, self._listener, self._repair = plan, parameters, listener, repair
        self._given = self._name = name
        opener, closer = plan.delimiters or ("", "")
        quotes = json_quotes(opener)
        self._tokens = Tokens((delimited(opener, closer), quotes) if opener else (quotes,), self._take)
        self._stack: list[str] = []
        self._keys: list[str | None] = []  # the key in each open object, None in a list
        self._expects = "value"
        self._text: list[str] | None = None  # the string that is being read, where it is a key or a name
        self._seen: set[tuple[str | None, ...]] = set()  # the paths of the call's keys that matter
        self._arguments: Arguments | None = None  # of the present call, once they have begun
        self._writing: Arguments | None = None  # the same while they are being read
        self._base = 0  # how many brackets were open where they began
        self._late = False  # the arguments began before the name was known by which they are cast

    def feed(self, text: str) -> None:
        """Read on; see Walker."""
        self._tokens.feed(text)

    def _take(self, kind: int, text: str) -> None:
        """One token; see `tokens`."""
        if kind == PIECE:
            if self._text is not None:
                self._text.append(text)
            elif self._writing is not None:
                self._writing.piece(text)
        elif kind == MARK:
            self._mark(text)
        elif kind == WORD:
            self._word(text)
        elif kind == QUOTE:
            self._quote()
        else:
            self._unquote()

    def _mark(self, char: str) -> None:
        expects = self._expects
        if char in "{[" and expects.startswith("value"):
            self._begin(char)
            if self._writing is not None:
                self._writing.bracket(char)
            self._stack.append(char)
            self._keys.append(None)
            self._expects = "key or }" if char == "{" else "value or ]"
        elif char in "}]" and self._stack and (expects == "comma" or expects.endswith(char)):
            self._close(char)
        elif char == ":" and expects == "colon":
            self._expects = "value"
        elif char == "," and expects == "comma":
            if self._writing is not None:
                self._writing.settle()
            self._expects = "key" if self._stack[-1] == "{" else "value"
        else:
            raise Unclear

    def _close(self, char: str) -> None:
        if char != ("}" if self._stack[-1] == "{" else "]"):
            raise Unclear
        self._stack.pop()
        self._keys.pop()
        if self._writing is not None:
            self._writing.close()
        self._end()
        if self._plan.listed and len(self._stack) == 1:
            self._end_item()

    def _word(self, word: str) -> None:
        if self._expects.startswith("key") and self._plan.bare_keys and _BARE_KEY.fullmatch(word):
            self._key(word)
            return
        if not self._expects.startswith("value"):
            raise Unclear
        try:
            value = json.loads(word)
        except ValueError:
            raise Unclear from None
        self._begin(word[0])
        if self._writing is not None:
            self._writing.value(value)
        self._end()

    def _quote(self) -> None:
        if self._expects.startswith("key"):
            self._text = []
        elif self._expects.startswith("value"):
            self._begin('"')
            if self._writing is not None:
                self._writing.quote()
            elif self._plan.name_path and self._keys == self._plan.name_path:
                self._text = []
        else:
            raise Unclear

    def _unquote(self) -> None:
        text = "".join(self._text or ())
        named, self._text = self._text is not None, None
        if self._expects.startswith("key"):
            self._key(text)
            return
        if named:
            self._name = text
            self._listener.begin(text)
        elif self._writing is not None:
            self._writing.unquote()
        self._end()

    def _key(self, key: str) -> None:
        """A key is complete."""
        self._keys[-1] = key
        self._expects = "colon"
        if self._writing is not None:
            self._writing.key(key)
            return
        path = tuple(self._keys)
        matter = (self._plan.name_path or [], self._plan.arguments_path or [])
        if any(tuple(whole[: len(path)]) == path for whole in matter):
            if path in self._seen:
                raise Unclear  # the last one counts
            self._seen.add(path)

    def _begin(self, first: str) -> None:
        """A value begins with this character."""
        if self._writing is not None:
            return
        depth = len(self._stack)
        if self._plan.listed and depth < 2:
            if first != "[{"[depth]:
                raise Unclear
            if depth == 1 and self._name is not None:
                self._listener.begin(self._name)
        if self._keys == self._plan.arguments_path:
            if first == '"' and self._repair:
                raise Unclear  # the string may hold JSON, which is then read
            self._base = depth
            self._late = self._name is None and bool(self._parameters)
            casts = Casts(self._name or "", self._parameters)
            self._arguments = self._writing = Arguments(casts, _ignore if self._late else self._listener.write)
        elif self._plan.name_path and self._keys == self._plan.name_path and first != '"':
            raise Unclear

    def _end(self) -> None:
        """A value ends."""
        if len(self._stack) == self._base:
            self._writing = None
        self._expects = "comma" if self._stack else "end"

    def _end_item(self) -> None:
        """A call of a list ends."""
        if self._name is None or self._arguments is None or self._late:
            raise Unclear  # the next call must not be told before this one
        self._arguments.settle()
        self._listener.end()
        self._name, self._arguments = self._given, None
        self._seen.clear()


def _ignore(text: str) -> None:
    """Arguments that wait until the region has closed."""
