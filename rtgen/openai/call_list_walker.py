"""Follows the regions that hold a list of calls in the syntax of `python-call-list`, `[f(a=1), g()]`."""

from __future__ import annotations

import re
from typing import Any

from rtgen.content.python_call_list import LARGEST
from rtgen.openai.arguments import Arguments
from rtgen.openai.casts import Casts, Parameters
from rtgen.openai.tokens import MARK, PIECE, QUOTE, WORD, Tokens, call_quotes
from rtgen.openai.walker import Listener, Unclear

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_CONSTANTS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
_CLOSED_BY = {"[": "]", "(": ")", "{": "}"}
_INSIDE = {"[": "value", "(": "argument", "{": "key"}


class CallListWalker:
    """Reads a region for a Plan whose `way` is "call list"; `repair` says that the parser repairs what is malformed.

    Raises Unclear (from `feed`) at whatever the content parser refuses, and where a repair would read another value.
    """

    def __init__(self, parameters: Parameters, listener: Listener, repair: bool) -> None:
        self._parameters, self._listener = parameters, listener
        self._tokens = Tokens((call_quotes("'", not repair), call_quotes('"', not repair)), self._take)
        self._stack: list[str] = []
        self._expects = "["
        self._word = ""  # the name that the next mark says more about
        self._text: list[str] | None = None  # the key that is being read
        self._arguments = Arguments(Casts("", {}), listener.write)

    def feed(self, text: str) -> None:
        """Read on; see Walker."""
        self._tokens.feed(text)

    def _take(self, kind: int, text: str) -> None:
        """One token; see `tokens`."""
        if kind == PIECE:
            if self._text is not None:
                self._text.append(text)
            else:
                self._arguments.piece(text)
        elif kind == MARK:
            self._mark(text)
        elif kind == WORD:
            self._name_or_value(text)
        elif kind == QUOTE:
            self._quote()
        elif self._text is not None:
            self._arguments.key("".join(self._text))
            self._text = None
            self._expects = ":"
        else:
            self._arguments.unquote()
            self._expects = "next"

    def _mark(self, char: str) -> None:
        expects = self._expects
        if char == expects and char in "=:":
            if char == "=":
                self._arguments.key(self._word)
            self._expects = "value"
        elif char == expects == "[":
            self._stack.append(char)
            self._expects = "call or ]"
        elif char == expects == "(":
            self._call()
        elif char in "[{" and expects.startswith("value"):
            self._arguments.bracket(char)
            self._stack.append(char)
            self._expects = f"{_INSIDE[char]} or {_CLOSED_BY[char]}"
        elif char == "," and expects == "next":
            self._arguments.settle()
            self._expects = _INSIDE[self._stack[-1]] if len(self._stack) > 1 else "call"
        elif self._stack and char == _CLOSED_BY[self._stack[-1]] and (expects == "next" or expects.endswith(char)):
            self._close(char)
        else:
            raise Unclear

    def _call(self) -> None:
        """A call begins."""
        self._arguments = Arguments(Casts(self._word, self._parameters), self._listener.write)
        self._listener.begin(self._word)
        self._arguments.bracket("{")
        self._stack.append("(")
        self._expects = "argument or )"

    def _close(self, char: str) -> None:
        self._stack.pop()
        if self._stack:
            self._arguments.close()
        if char == ")":
            self._arguments.settle()
            self._listener.end()
        self._expects = "next" if self._stack else "end"

    def _quote(self) -> None:
        if self._expects.startswith("key"):
            self._text = []
        elif self._expects.startswith("value"):
            self._arguments.quote()
        else:
            raise Unclear

    def _name_or_value(self, word: str) -> None:
        if self._expects.startswith("value"):
            self._arguments.value(_value(word))
            self._expects = "next"
            return
        if not self._expects.startswith(("call", "argument")) or not _NAME.fullmatch(word):
            raise Unclear
        self._word = word
        self._expects = "(" if self._expects.startswith("call") else "="


def _value(word: str) -> Any:
    """The constant or number that a word stands for. Raises Unclear if it is none."""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    number = _NUMBER.fullmatch(word)
    if number is None:
        raise Unclear
    if not number[1]:
        if len(word) > len(str(-LARGEST)) or abs(int(word)) > LARGEST:
            raise Unclear
        return int(word)
    value = float(word)
    if value in (float("inf"), float("-inf")):
        raise Unclear
    return value
