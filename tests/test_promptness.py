"""Events and characters are delivered as soon as every continuation of the text leads to them.

What is certain after a part of a text is found by trying many continuations: the beginning that the right events of all
of them share. Nothing may be delivered beyond it, and nothing in it may be held back.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.comparison import Difference, check_run, continuations
from tests.oracle import Oracle, _alike, atoms, engine, same, stream
from tests.strategies import Run

CALL = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}


def template(opener: dict[str, Any], closer: dict[str, Any] | None = None, content: Any = None, **more: Any) -> Any:
    """A template with the field `a`, and an implicit field `c` unless `content` is False."""
    fields: dict[str, Any] = {"a": {**opener, **({"close": "]"} if closer is None else closer), **more}}
    if content is not False:
        fields["c"] = content or {}
    return {"start_anchor": "A:", "fields": fields}


WAITS = {"literals, one a prefix of another": ("<a", "1]", "2]")}
"""Where one literal of a list stands at the very edge and a longer one may follow, the event waits for one character
more: transformers' own tests of response parsing hold parsers to that."""

TEXTS: dict[str, tuple[dict[str, Any], str]] = {
    "literal": (template({"open": "<a>"}, {"close": "</a>"}), "x <<a>1</ab</a>y<a"),
    "literal that overlaps itself": (template({"open": "aab"}, {"close": "bb"}), "xaaab1abb2a"),
    "literals": (template({"open": ["<a>", "<b>"]}, {"close": ["]", ")"]}), "x<a>1)<b2<b>3]"),
    "literals, one a prefix of another": (template({"open": ["<a", "<a>>"]}, {"close": ["]", "]]"]}), "x<a>1]<a>>2]]y"),
    "white space before": (template({"open_pattern": r"\s*<a>"}), "x \n y  <a>1] \n<a>2]  <b"),
    "white space after": (template({"open": "<a>"}, {"close_pattern": r"</a>\s*"}), "<a>1</a> \n x</a> <a>2</a>"),
    "white space on both sides": (
        template({"open_pattern": r"\s*<a>\s*"}, {"close_pattern": r"\s*]\s*"}),
        "x <a> 1 2 ] y",
    ),
    "optional newline": (template({"open_pattern": r"<a>\n?"}, {"close_pattern": r"\n?]"}), "x<a>\n1\n2\n]y"),
    "alternatives with white space": (
        template({"open": "<a>"}, content={"close_pattern": r"\s*(?:<e>|<eos>)"}),
        "x <e <eo <eos>y <e>z",
    ),
    "white space before some alternatives": (
        template({"open_pattern": r"\s*<a>\s*|(?<=}\n)(?={)"}, content={"close_pattern": r"\s*<e>"}),
        "x }\n {y}\n{1] \n<a> 2]  {} \n<e>",
    ),
    "white space behind a lookbehind": (
        template({"open_pattern": r"(?<=})\s*;?\s*<a>"}, content={"close_pattern": r"\s*<e>"}),
        "x <a>} <a>1]} ;\n<a>2] } ;b}  c <e>",
    ),
    "white space behind a lookbehind alone": (
        template({"open_pattern": r"(?<=})\s*<a>"}, content=False),
        "x <a>} <a>1]}  b} \n<a>2] }",
    ),
    "few blanks": (template({"open_pattern": r"\s{0,2}<a>"}), "x    <a>1]   b  <a>2]"),
    "blanks of two kinds": (template({"open_pattern": r" *\n*<a>"}), "x  \n <a>1] \n\n <a>2]\n b  \n"),
    "blanks before what a lookahead demands": (template({"open_pattern": r"\s*(?=<a>)<"}), "x  <b \n<a>1]  "),
    "optional tail": (
        template({"open": "<a>"}, {"close_pattern": r"</a>(?:\s*</w>)?"}),
        "<a>1</a>\n</w>x<a>2</a>\n<a>3</a>y",
    ),
    "closer or the end": (template({"open": "<a>"}, content={"close_pattern": r"<e>\s*|$"}), "x\ny<e> \nz<a>1]"),
    "word boundary": (template({"open_pattern": r"<a\b"}), "x<ab <a>1] <a"),
    "caret": (template({"open_pattern": "^|<a>"}), "1]x<a>2]"),
    "capture": (template({"open_pattern": r"<a=(?P<name>\w+)>"}, transform=CALL), "x<a=b c<a=bc>1]y"),
    "capture that may grow": (template({"open_pattern": r"<a=(?P<name>\w+)"}, transform=CALL), "x<a=bc 1]"),
    "lazy gap": (template({"open_pattern": r"<a.*?>"}), "x<a b>1]<a"),
    "json": (template({"open": "<a>"}, {"close": "</a>"}, content=False, repeats=True), 'x<a>{"k": 1}</a> <a>[]</a>'),
    "no closer": (template({"open": "<a>"}, {}), "x<a>1<a>2"),
    "no implicit field": (template({"open": "<a>"}, content=False), "x<a>1]y<a>"),
    "implicit closer that is an opener": (template({"open": "<|a"}, content={"close": "<|"}), "x<|y<|a1]"),
}


def shared(left: list[dict[str, Any]], right: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How two lists of joined events begin alike, to the character."""
    found = []
    for mine, yours in zip(left, right):
        if mine["type"] == yours["type"] == "region_chunk" and _alike(mine, yours):
            pairs = enumerate(zip(mine["text"], yours["text"]))
            shorter = min(len(mine["text"]), len(yours["text"]))
            size = next((at for at, (one, other) in pairs if one != other), shorter)
            if size:
                found.append(mine | {"text": mine["text"][:size]})
            if size < len(mine["text"]) or size < len(yours["text"]):
                return found
        elif same(mine, yours):
            found.append(mine)
        else:
            return found
    return found


def certain(oracle: Oracle, run: Run, seen: str) -> int:
    """Atoms that every continuation tried has in common after `seen`."""
    common: list[dict[str, Any]] | None = None
    for ending in continuations(run, random.Random(seen)):
        events = oracle.whole_text(seen + ending, run.prefix, run.tools).events
        common = events if common is None else shared(common, events)
    assert common is not None
    return atoms(common)


TOGETHER = "implicit closer that is an opener"
"""Here it is certain only of both delimiters together that the implicit region ends."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xfail(name == TOGETHER, reason="certain together")) for name in TEXTS]
)
def test_what_is_certain_is_delivered(name: str) -> None:
    source, text = TEXTS[name]
    oracle, run = Oracle(source), Run(source, "", text)
    progress = stream(engine().compile(source), list(text), progress=True).progress
    wanted = [certain(oracle, run, text[:at]) for at in range(len(text) + 1)]
    for at in range(1, len(text)):
        if text[:at].endswith(WAITS.get(name, ())):
            wanted[at] = wanted[at - 1]
    assert progress == wanted, [
        f"after {text[:at]!r}: {mine}, certain are {theirs}"
        for at, (mine, theirs) in enumerate(zip(progress, wanted))
        if mine != theirs
    ]


@pytest.mark.parametrize("name", TEXTS)
def test_never_later_than_the_reference(name: str) -> None:
    source, text = TEXTS[name]
    compiled, oracle, run = engine().compile(source), Oracle(source), Run(source, "", text)
    splits = [[text[:at], text[at:]] for at in range(1, len(text))]
    for chunks in [list(text), *splits]:
        found = check_run(compiled, oracle, run, [chunks])
        assert found is None, found.problem


def test_a_plain_character_is_delivered_at_once() -> None:
    compiled = engine().compile(template({"open": "<a>"}, {"close": "</a>"}))
    parser = compiled.ResponseParser("")
    for char in "plain text, \n over lines \U0001f600":
        assert [event["text"] for event in parser.feed(char) if event["type"] == "region_chunk"] == [char]


def test_nothing_is_repeated_and_nothing_empty_is_delivered() -> None:
    compiled = engine().compile(template({"open_pattern": r"\s*<a>"}, {"close_pattern": r"</a>\s*"}))
    parser = compiled.ResponseParser("A:x")
    events = [*parser.initial_events]
    for char in "y  <a>1</a>  z":
        events += parser.feed(char)
    events += parser.finalize()[1]
    assert all(event["text"] for event in events if event["type"] == "region_chunk")
    assert "".join(event.get("text", "") for event in events) == "xy1z"


def test_a_late_engine_is_caught() -> None:
    """The reference holds a closer with white space after it until that ends; the check for certainty sees it."""
    source, text = TEXTS["white space after"]
    oracle, run = Oracle(source), Run(source, "", text)
    progress = stream(oracle, list(text), progress=True).progress
    assert any(mine < certain(oracle, run, text[:at]) for at, mine in enumerate(progress))

    class Late:
        def parse_response(self, text: Any, *, prefix: Any = None, tools: Any = None) -> Any:
            return oracle.parse_response(text, prefix=prefix, tools=tools)

        def ResponseParser(self, prefix: str | None = None, *, tools: Any = None) -> Any:
            parser = oracle.ResponseParser(prefix, tools=tools)
            feed, held = parser.feed, [""]

            def late(chunk: str) -> Any:
                held.append(chunk)
                return feed(held[-2])

            parser.feed = late
            finalize = parser.finalize

            def last() -> Any:
                events = feed(held[-1])
                message, rest = finalize()
                return message, events + rest

            parser.finalize = last
            return parser

    found = check_run(Late(), oracle, run, [list(text)])
    assert isinstance(found, Difference) and found.check == "promptness"
