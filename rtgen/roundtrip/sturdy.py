"""Outputs as they go wrong: made from rendered ones, each with what a sturdy response template makes of it.

A second end token changes nothing; a region that was not closed before the end token is read as if it had been, or is
an error; text after a call is kept, or is an error; an output that is cut off anywhere parses, or is an error; a
generation prompt that switches reasoning off opens no region.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rtgen.errors import ParseError
from rtgen.roundtrip.compare import normal, same
from rtgen.roundtrip.judge import EQUAL, FRAGILE, REFUSED, Judgement, outcome
from rtgen.roundtrip.rendering import Rendered

SAMPLES = ("content: plain", "reasoning: plain", "calls: one", "calls: three after text", "reasoning: then two calls")
"""The examples that malformed outputs are made from."""

AFTERWORD = "That is all."


@dataclass(frozen=True, slots=True)
class Malformed:
    """A malformed output: what it is, the rendered example that it comes from, its text, what is right for it."""

    name: str
    source: Rendered
    text: str
    right: Callable[[dict[str, Any]], bool]


def malformed(rendered: Rendered, parser: Any, ends: Sequence[str]) -> Iterator[Malformed]:
    """The malformed outputs made from one rendered example that `parser` reads well; `ends` are the end tokens."""
    name, expected = rendered.example.name, rendered.example.final
    bare = rendered.text[: len(rendered.text) - len(rendered.end)]

    def is_expected(got: dict[str, Any]) -> bool:
        return same(expected, got)

    for end in ends:
        yield Malformed(f"{name}, then {end!r} twice", rendered, bare + end + end, is_expected)
        yield Malformed(f"{name}, then {end!r} and a newline", rendered, bare + end + "\n", is_expected)
    reasoning = expected.get("reasoning_content")
    if reasoning and reasoning in rendered.text:
        thought = {"role": "assistant", "reasoning_content": reasoning}
        open_ = rendered.text[: rendered.text.index(reasoning) + len(reasoning)]
        for end in ("", *ends):
            yield Malformed(f"{name}, cut off in it by {end!r}", rendered, open_ + end, lambda got: same(thought, got))
    if not expected.get("tool_calls"):
        return
    for end in ends:
        at = _call_complete(rendered, parser, bare, is_expected)
        if at is not None:
            yield Malformed(f"{name}, not closed before {end!r}", rendered, bare[:at] + end, is_expected)

    def keeps_both(got: dict[str, Any]) -> bool:
        kept = normal(got).get("tool_calls") == normal(outcome_of).get("tool_calls")
        return kept and str(got.get("content", "")).endswith(AFTERWORD)

    outcome_of = outcome(parser, rendered.prefix, [bare], rendered.tools, whole=True)
    if not isinstance(outcome_of, ParseError):
        yield Malformed(f"{name}, then text", rendered, f"{bare}\n{AFTERWORD}", keeps_both)


def _call_complete(
    rendered: Rendered, parser: Any, bare: str, right: Callable[[dict[str, Any]], bool]
) -> int | None:
    """The first place in the last 80 characters of `bare` up to which the message is complete, if before its end."""
    for at in range(max(0, len(bare) - 80), len(bare)):
        got = outcome(parser, rendered.prefix, [bare[:at]], rendered.tools, whole=True)
        if not isinstance(got, ParseError) and right(got):
            return at
    return None


def last_token(end: str) -> list[str]:
    """The last token in what ends a turn, if there is something like one."""
    found = re.search(r"(?:<[^<>]*>|\[[^\[\]]*\])\s*\Z", end)
    return [found[0].strip()] if found else []


def judge_malformed(item: Malformed, parser: Any) -> Judgement:
    """The verdict: equal, refused or fragile."""
    got = outcome(parser, item.source.prefix, [item.text], item.source.tools, whole=True)
    if isinstance(got, ParseError):
        return Judgement(REFUSED, str(got), item.text)
    if item.right(got):
        return Judgement(EQUAL)
    return Judgement(FRAGILE, "it is read as something else", item.text, got)


def judge_prompt(prompt: str, parser: Any) -> Judgement:
    """The verdict on a generation prompt alone: whatever region it opens it leaves open, and it gives no message."""
    stream = parser.ResponseParser(prompt)
    closed = [event["field"] for event in stream.initial_events if event["type"] == "region_close"]
    if closed:
        why = f"the prompt alone opens and closes {closed[0]!r}; its end could be part of the start anchor"
        return Judgement(FRAGILE, why, prompt, stream.initial_events)
    return Judgement(EQUAL)


def judge_cuts(rendered: Rendered, parser: Any) -> Judgement:
    """The verdict on every beginning of a text: each parses, or ends in a ParseError (other exceptions are raised)."""
    for at in range(len(rendered.text)):
        outcome(parser, rendered.prefix, [rendered.text[:at]], rendered.tools, whole=True)
    return Judgement(EQUAL)
