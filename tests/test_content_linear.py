"""The cost of a region grows with its length and no faster, on the inputs that make backtracking engines slow."""

from __future__ import annotations

import time
from typing import Any

import pytest

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


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}-{case[3]}"[:60])
def test_linear(case: tuple[str, dict[str, Any], str, str, str]) -> None:
    name, args, start, repeated, end = case
    parse = compile_parser(name, args)

    def cost(size: int) -> float:
        text = start + repeated * (size // len(repeated)) + end
        times = []
        for _ in range(3):
            begun = time.process_time()
            outcome(lambda: parse(text))
            times.append(time.process_time() - begun)
        return max(min(times), 1e-4) / size

    ratios = []
    for _ in range(3):  # a machine with other work makes a good run look bad, never the other way round
        ratios.append(cost(LARGE) / cost(SMALL))
        if ratios[-1] <= 1.6:
            return
    # Quadratic cost would be eight times as much for each character.
    assert min(ratios) <= 2.5, ratios
