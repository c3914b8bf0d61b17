"""Memory goes with the input, and not far beyond it: what is held while parsing hostile outputs."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rtgen

SIZE = 100_000

TEMPLATE = {
    "start_anchor": "A:",
    "fields": {
        "think": {"open": "<think>", "close": "</think>"},
        "calls": {"open": "<t>", "close": "</t>", "content": "json", "repeats": True},
        "tags": {
            "open_pattern": r"\s*<x>\s*",
            "close_pattern": r"</x>(?:\s*</y>)?",
            "content": "xml-inline",
            "content_args": {"tag_pattern": r"<(?P<key>\w+)>(?P<value>.*?)</>"},
        },
        "odd": {"open_pattern": r"<\|.*?\|>(?!x)", "close_pattern": r"(?:a|b|ab)*;"},
        "content": {},
    },
}


def filled(unit: str, size: int) -> str:
    return unit * (size // len(unit))


TEXTS: dict[str, Callable[[int], str]] = {
    "prose": lambda n: filled("word ", n),
    "one huge region": lambda n: "<think>" + filled("x y ", n) + "</think>",
    "a region that is not closed": lambda n: "<think>" + filled("x y ", n),
    "a huge JSON string": lambda n: '<t>"' + filled("x", n) + '"</t>',
    "a JSON text that is cut off": lambda n: '<t>["' + filled("x", n),
    "openers": lambda n: filled("<think>", n),
    "beginnings of openers": lambda n: filled("<thin", n),
    "less-than signs": lambda n: filled("<", n),
    "white space": lambda n: filled(" ", n),
    "white space in a region": lambda n: "<x>" + filled(" \n", n),
    "an opener that does not end": lambda n: "<|" + filled("a", n),
    "tags that do not end": lambda n: "<x>" + filled("<k>v", n) + "</x>",
    "tags of one name": lambda n: "<x>" + filled("<k>v</>", n) + "</x>",
}

REGIONS: dict[str, Callable[[int], str]] = {
    "tiny regions": lambda n: filled("<t>1</t>", n),
    "tiny regions of text": lambda n: filled("<think></think>a", n),
    "regions of an odd kind": lambda n: filled("<||>;", n),
}
"""Texts whose events and values weigh more than they do: an entry, or three events, for a few characters."""

THREADS = 300
"""Bytes for each character that the matcher may hold: a loop over alternatives keeps a thread for each turn (227 were
measured), as a backtracking engine does."""


def chunks(text: str) -> Iterator[str]:
    for at in range(0, len(text), 16):
        yield text[at : at + 16]


def whole(text: str, **options: Any) -> None:
    rtgen.parse_response(text, TEMPLATE, prefix="", **options)


def stream(text: str, **options: Any) -> None:
    """What the parser holds itself: events are dropped as they come."""
    parser = rtgen.ResponseParser(TEMPLATE, "", **options)
    for chunk in chunks(text):
        parser.feed(chunk)
    parser.finalize()


def peak(run: Callable[..., None], text: str, **options: Any) -> int:
    tracemalloc.start()
    try:
        run(text, **options)
    except rtgen.ParseError:
        pass
    finally:
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return held


@pytest.mark.parametrize("options", [{}, {"on_malformed": "event", "spans": True}, {"max_region": 10**9}], ids=str)
@pytest.mark.parametrize("run", [whole, stream])
@pytest.mark.parametrize("name", TEXTS | REGIONS)
def test_memory_goes_with_the_input(name: str, run: Callable[..., None], options: dict[str, Any]) -> None:
    make = (TEXTS | REGIONS)[name]
    run(make(100), **options) if name != "a JSON text that is cut off" else peak(run, make(100), **options)
    small, large = (peak(run, make(size), **options) for size in (SIZE // 4, SIZE))
    assert large < 6 * small + 50_000, (small, large)
    most = 14 if name in TEXTS else 200 if run is whole and options else 60
    assert large < most * SIZE, large / SIZE


@pytest.mark.parametrize("run", [whole, stream])
def test_threads_of_the_matcher(run: Callable[..., None]) -> None:
    """A closer that might end much later: linear, and no more than a thread for each turn."""
    small, large = (peak(run, "<|a|>" + filled("ab", size)) for size in (5000, 20_000))
    assert large < 6 * small and large < THREADS * 20_000, (small, large)


@pytest.mark.parametrize("options", [{"max_input": 5000}, {"max_region": 5000}], ids=str)
@pytest.mark.parametrize("name", ["a region that is not closed", "prose", "a JSON text that is cut off"])
def test_a_limit_bounds_it(name: str, options: dict[str, int]) -> None:
    """A stream that goes on and on is held no longer than to its limit."""
    assert peak(stream, TEXTS[name](SIZE), **options) < SIZE
    with pytest.raises(rtgen.LimitError):
        stream(TEXTS[name](SIZE), **options)
