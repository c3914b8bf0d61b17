"""The cost of a region grows with its length and no faster, on the inputs that make backtracking engines slow."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from rtgen.runtime import content
from tests.content_code import compile_parser, outcome

PARAMETER = {"tag_pattern": r"<parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>"}
ARGUMENT = {"tag_pattern": r"<k>(?P<key>.*?)</k>\s*<v>(?P<value>.*?)</v>"}
ON_NEW_LINE = {"tag_pattern": r"<k>(?P<key>[^<]+)</k>\s*\n<v>(?P<value>.*?)</v>"}
ATTRIBUTE = {"tag_pattern": r'<p\b[^>]*?\bname="(?P<key>[^"]+)"[^>]*?>(?P<value>.*?)</p>'}
EXPONENTIAL = {"tag_pattern": r"(?P<key>(?:a|aa)+)$"}
TWO_PAIRS = {"string_delims": [["'", "'"], ["<", ">"]], "unquoted_keys": True}
LAX = {"string_delims": [["<a>", "</a>"]], "unquoted_keys": True, "allow_non_json": True}

# parser, arguments, beginning, what is repeated, end
CASES: tuple[tuple[str, dict[str, Any], str, str, str], ...] = (
    ("xml-inline", PARAMETER, "", "<parameter=a>x", ""),
    ("xml-inline", PARAMETER, "", "<parameter=", ""),
    ("xml-inline", PARAMETER, "", "<parameter=", ">"),
    ("xml-inline", PARAMETER, "", "<parameter=a\n", ""),
    ("xml-inline", PARAMETER, "", "<parameter=a\n", ">"),
    ("xml-inline", PARAMETER, "<parameter=a>", " ", ""),
    ("xml-inline", PARAMETER, "<parameter=a>", " ", "x</parameter>"),
    ("xml-inline", PARAMETER, "<parameter=a>x", " ", "y</parameter>"),
    ("xml-inline", PARAMETER, "", "<parameter=a> x </parameter>", ""),
    ("xml-inline", ARGUMENT, "", "<k>a</k>", ""),
    ("xml-inline", ARGUMENT, "", "<k>a</k>       ", ""),
    ("xml-inline", ARGUMENT, "", "<k>a</k> <v>", ""),
    ("xml-inline", ON_NEW_LINE, "", "<k>a</k>\n", ""),
    ("xml-inline", ON_NEW_LINE, "<k>a</k>", "\n", ""),
    ("xml-inline", ON_NEW_LINE, "", "<k>a</k>\n", "<v>"),
    ("xml-inline", ATTRIBUTE, "", '<p name="a"', ""),
    ("xml-inline", ATTRIBUTE, "", '<p name="a">', ""),
    ("xml-inline", EXPONENTIAL, "", "a", "b"),
    ("json", LAX, "", "<a>", ""),
    ("json", LAX, '{a: "', '\\"', ""),
    ("json", LAX, "{", " ", ""),
    ("json", LAX, "", ",a", ""),
    ("json", TWO_PAIRS, "[", "'a',", "1]"),
    ("json", TWO_PAIRS, "[", "'a',", "]"),
    ("json", {"unquoted_keys": True}, "[", '"a",', "1]"),
    ("kv-lines", {}, "", "a: b\n", ""),
    ("python-call-list", {}, "[", "f(a='x'),", "g()]"),
    ("python-call-list", {}, "[f(a='", "\\n", "')]"),
)

SMALL, LARGE = 20_000, 160_000


@pytest.fixture(autouse=True)
def no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tag patterns go to the linear matcher at once: the trial before it ends by the clock, sooner or later.

    With it, the short text may cost a tenth of what the linear matcher takes, and the long one all of that.
    """
    monkeypatch.setattr(content, "quick_matches", lambda pattern, text: None)


def cost(parse: Callable[[str], Any], text: str) -> float:
    """The seconds of processor time that reading `text` takes: the best of three."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        outcome(lambda: parse(text))
        times.append(time.process_time() - begun)
    return max(min(times), 1e-4)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}-{case[3]}"[:60])
def test_linear(case: tuple[str, dict[str, Any], str, str, str]) -> None:
    name, args, start, repeated, end = case
    parse = compile_parser(name, args)
    small, large = (start + repeated * (size // len(repeated)) + end for size in (SMALL, LARGE))
    ratios = []
    for _ in range(3):  # a machine with other work makes a good run look bad, never the other way round
        ratios.append(cost(parse, large) / cost(parse, small) / (LARGE / SMALL))
        if ratios[-1] <= 1.6:
            return
    # Quadratic cost would be eight times as much for each character.
    assert min(ratios) <= 2.5, ratios


def test_the_trial_costs_no_more_than_the_linear_matcher(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '<p name="a">' * (LARGE // 12)
    without = compile_parser("xml-inline", ATTRIBUTE)
    monkeypatch.undo()
    with_trial = compile_parser("xml-inline", ATTRIBUTE)
    assert with_trial(text) == without(text)
    assert min(cost(with_trial, text) / cost(without, text) for _ in range(3)) <= 2.0
