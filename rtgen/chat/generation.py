"""The `generation` tag of chat templates, and where the text that it encloses stands in the rendered text.

The tag marks what the assistant wrote. To find the places, a template is rendered with strings that remember which
parts of them come from such a tag; macros, `set` blocks and filters hand these on, so the places are right wherever the
text goes. (transformers counts what has been emitted when the tag is met, which is wrong in macros and `set` blocks.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.parser import Parser

Span = tuple[int, int]
"""Start and end of a part of a text, in characters."""


class GenerationTag(Extension):
    """`{% generation %}...{% endgeneration %}`: renders what is inside, in a scope of its own."""

    tags = {"generation"}  # noqa: RUF012 (declared so by Jinja)

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_text", lineno=line), [], [], body).set_lineno(line)

    def _text(self, caller: Callable[[], str]) -> str:
        return caller()


class SpanTag(GenerationTag):
    """The tag where its places are asked for. Of tags inside each other the outermost counts."""

    def _text(self, caller: Callable[[], str]) -> str:
        text = caller()
        return Spanned.of(text, ((0, len(text)),))


class Spanned(str):
    """A string that knows which parts of it were generated: `_spans`, in order. Templates cannot reach the attribute.

    Methods that templates use hand the spans on; the others return plain strings, whose spans are lost.
    """

    __slots__ = ("_spans",)
    _spans: tuple[Span, ...]

    @staticmethod
    def of(text: str, spans: tuple[Span, ...]) -> str:
        """`text` with these spans; a plain string if there are none."""
        if not spans:
            return str.__str__(text)
        result = Spanned(text)
        result._spans = spans
        return result

    def __str__(self) -> str:
        return self

    def __add__(self, other: str) -> str:
        return concat((self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> str:
        return concat((other, self)) if isinstance(other, str) else NotImplemented

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return self._part(start, max(start, stop))
        return str.__getitem__(self, key)

    def strip(self, chars: str | None = None, /) -> str:
        return self._part(len(self) - len(str.lstrip(self, chars)), len(str.rstrip(self, chars)))

    def lstrip(self, chars: str | None = None, /) -> str:
        return self._part(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> str:
        return self._part(0, len(str.rstrip(self, chars)))

    def removeprefix(self, prefix: str, /) -> str:
        return self._part(len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> str:
        return self._part(0, len(str.removesuffix(self, suffix)))

    def lower(self) -> str:
        return self._as_long(str.lower(self))

    def upper(self) -> str:
        return self._as_long(str.upper(self))

    def title(self) -> str:
        return self._as_long(str.title(self))

    def capitalize(self) -> str:
        return self._as_long(str.capitalize(self))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return self._located(str.split(self, sep, maxsplit), 0 if sep is None else len(sep))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return self._located(str.rsplit(self, sep, maxsplit), 0 if sep is None else len(sep))

    def splitlines(self, keepends: bool = False) -> list[str]:
        return self._located(str.splitlines(self, keepends), 0)

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        first, found, _ = str.partition(self, sep)
        middle = len(first) + len(found)
        return self._part(0, len(first)), self._part(len(first), middle), self._part(middle, len(self))

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        if not old or count == 0:
            return str.replace(self, old, new, count)
        return join(new, self.split(old, count))

    def _part(self, start: int, end: int) -> str:
        """What stands from `start` to `end`; a span that touches it only at an edge goes if it is not empty."""
        end = max(start, end)
        spans = tuple(
            (max(low, start) - start, min(high, end) - start)
            for low, high in self._spans
            if (low < end and high > start) or (low == high and start <= low <= end)
        )
        return Spanned.of(str.__getitem__(self, slice(start, end)), spans)

    def _as_long(self, text: str) -> str:
        """`text`, made of this one character by character; if its length changed, nothing is known of its parts."""
        return Spanned.of(text, self._spans) if len(text) == len(self) else text

    def _located(self, pieces: Sequence[str], gap: int) -> list[str]:
        """The pieces of a split as parts of this string, `gap` characters apart (0: as many as there are)."""
        result, position = [], 0
        for piece in pieces:
            if not gap:
                position = str.find(self, piece, position)
            result.append(self._part(position, position + len(piece)))
            position += len(piece) + gap
        return result


def concat(pieces: Iterable[str]) -> str:
    """The pieces in one string, their spans with them."""
    pieces = list(pieces)
    text = "".join(pieces)
    spans: list[Span] = []
    position = 0
    for piece in pieces:
        spans += [(low + position, high + position) for low, high in spans_of(piece)]
        position += len(piece)
    return Spanned.of(text, tuple(spans))


def join(separator: str, pieces: Iterable[str]) -> str:
    """`separator.join(pieces)`, the spans of all with them."""
    alternating: list[str] = []
    for piece in pieces:
        alternating += (separator, piece)
    return concat(alternating[1:])


def spans_of(text: str) -> tuple[Span, ...]:
    """The generated parts of a rendered text."""
    return text._spans if isinstance(text, Spanned) else ()


def concat_values(values: Iterable[Any]) -> str:
    """What `~` gives for the values."""
    return concat(map(str, values))


class SpanCodeGenerator(CodeGenerator):
    """Jinja's, except that `~` keeps spans: `environment.concat_values` joins its operands."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("environment.concat_values((")
        for operand in node.nodes:
            self.visit(operand, frame)
            self.write(", ")
        self.write("))")
