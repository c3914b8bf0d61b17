"""Jinja's syntax tree with exact places: every `lineno` in it is a `Place`, an int that knows its offset as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from jinja2 import nodes
from jinja2.lexer import TokenStream, newline_re

from rtgen.chat.environment import ChatEnvironment


class Place(int):
    """A line number, with `offset` in the text of the template."""

    offset: int

    @staticmethod
    def at(line: int, offset: int) -> Place:
        place = Place(line)
        place.offset = offset
        return place


class Token(NamedTuple):
    """A token of Jinja's lexer: its kind, what stands there, and where it starts and ends in the template."""

    kind: str
    text: str
    start: int
    end: int


class PlacedTemplate:
    """A template's text (with plain newlines, as Jinja reads it), its tokens and its syntax tree.

    Raises jinja2.TemplateSyntaxError. Without `trim`, blanks around statements stay, as on hosts that forget the two
    options.
    """

    def __init__(self, source: str, *, trim: bool = True) -> None:
        self.text = "\n".join(newline_re.split(source)[::2])
        self.tokens: list[Token] = []
        env = _PlacingEnvironment(self.text, self.tokens)
        if not trim:
            env.trim_blocks = env.lstrip_blocks = False
        self.tree: nodes.Template = env.parse(source)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Both from 1."""
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)


class _PlacingEnvironment(ChatEnvironment):
    def __init__(self, text: str, tokens: list[Token]) -> None:
        super().__init__()
        self._text = text
        self._tokens = tokens

    def _tokenize(self, source: str, name: str | None, filename: str | None = None, state: str | None = None) -> Any:
        stream = self._placed(self.lexer.tokeniter(source, name, filename, state))
        return TokenStream(self.lexer.wrap(stream, name, filename), name, filename)

    def _placed(self, tokens: Iterable[tuple[int, str, str]]) -> Iterator[tuple[int, str, str]]:
        """The tokens with places. What is stripped between them makes no token, so each is looked for."""
        position = 0
        for _, kind, text in tokens:
            start = self._text.find(text, position)
            position = start + len(text)
            self._tokens.append(Token(kind, text, start, position))
            yield Place.at(self._text.count("\n", 0, start) + 1, start), kind, text
