"""One rendered example parsed in many ways, and the verdict."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rtgen.errors import ParseError
from rtgen.roundtrip.compare import dump, same, says_less
from rtgen.roundtrip.rendering import Rendered, Writer

EQUAL, LOST, LIMIT, REFUSED, FRAGILE, WRONG = "equal", "lost", "limit", "refused", "fragile", "wrong"

VERDICTS = {
    EQUAL: "the message came back",
    LOST: "lost by the chat template: it never rendered what is missing",
    LIMIT: "wrong, and known: the language of response templates cannot say it",
    REFUSED: "a malformed output that ends in a clear error",
    FRAGILE: "a malformed output that is read as something that the model did not mean",
    WRONG: "the response template does not read what the chat template wrote",
}
"""The verdicts, the best first."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and where it is not `equal` why: a sentence, the text that was parsed, and what came of it."""

    verdict: str
    why: str = ""
    text: str = ""
    got: Any = None


def judge(rendered: Rendered, parser: Any, writer: Writer) -> Judgement:
    """The verdict on one example; `parser` is a compiled template (`parse_response`, `ResponseParser`)."""
    if rendered.error is not None:
        return Judgement(LOST, f"the chat template refuses the message: {rendered.error}")
    expected = rendered.example.final
    first: dict[str, Any] | None = None
    for way, text in texts(rendered):
        got = outcome(parser, rendered.prefix, [text], rendered.tools, whole=True)
        if isinstance(got, ParseError):
            return Judgement(WRONG, f"{way} does not parse: {got}", text, None)
        if first is None:
            first = got
        elif not same(first, got):
            return Judgement(WRONG, f"{way} gives another message", text, got)
        for chunks in chunkings(text, few=way != AS_RENDERED):
            streamed = outcome(parser, rendered.prefix, chunks, rendered.tools)
            if isinstance(streamed, ParseError) or dump(streamed) != dump(got):
                return Judgement(WRONG, f"{way}, in chunks {chunks!r}, gives something else", text, streamed)
    assert first is not None
    if same(expected, first):
        return Judgement(EQUAL)
    if says_less(expected, first) and writer.writes_the_same(rendered, first):
        return Judgement(LOST, "the chat template writes the same text for both messages", rendered.text, first)
    return Judgement(WRONG, "another message came back", rendered.text, first)


AS_RENDERED = "the text as rendered"


def texts(rendered: Rendered) -> Iterator[tuple[str, str]]:
    """The text as rendered, up to the end token, and without it."""
    text, end = rendered.text, rendered.end
    yield AS_RENDERED, text
    if not end:
        return
    bare = text[: len(text) - len(end)]
    if end.strip() and end.rstrip() != end:
        yield "the text up to its end token", bare + end.rstrip()
    yield "the text without its end token", bare


def chunkings(text: str, few: bool = False) -> Iterator[list[str]]:
    """Ways of cutting the text: character by character, and at random places (the same ones each time)."""
    yield list(text)
    if few:
        return
    rng = random.Random(text)
    for most in (3, 9, 40):
        chunks, at = [], 0
        while at < len(text):
            size = rng.randint(1, most)
            chunks.append(text[at : at + size])
            at += size
        yield chunks


def outcome(
    parser: Any, prefix: str, chunks: Sequence[str], tools: list[Any] | None, *, whole: bool = False
) -> dict[str, Any] | ParseError:
    """The message, or the error that parsing ended with. Other exceptions are raised: they are faults of rtgen."""
    try:
        message: dict[str, Any]
        if whole:
            message = parser.parse_response("".join(chunks), prefix=prefix, tools=tools)
            return message
        stream = parser.ResponseParser(prefix, tools=tools)
        for chunk in chunks:
            stream.feed(chunk)
        message = stream.finalize()[0]
        return message
    except ParseError as error:
        return error
