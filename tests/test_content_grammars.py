"""The grammars as oracles: what they generate, the emitted code reads as a walk over the tree does.

The grammars also word the errors.
"""

from __future__ import annotations

import json
from typing import Any

import lark
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark

from rtgen.content import explain, grammar
from tests.content_code import compile_parser, outcome, parse_content
from tests.oracle import same

PAIRS: tuple[tuple[tuple[str, str], ...], ...] = ((), (('<|"|>', '<|"|>'),), (("<s>", "</s>"),), (("'", "'"),))
PLAIN = st.text(alphabet="ab {}[]:,1\n\u00e9\U0001f600", max_size=6)
STRINGS = st.text(alphabet='ab {}[]:,1\n\\"/\u00e9\U0001f600\t', max_size=6).map(json.dumps)


class _Json(lark.Transformer[Any, Any]):
    """The value of a region in a JSON dialect."""

    def __init__(self, pairs: tuple[tuple[str, str], ...]) -> None:
        super().__init__()
        self.pairs = pairs

    def start(self, items: list[Any]) -> Any:
        return items[0]

    def object(self, items: list[Any]) -> Any:
        return dict(item for item in items if item is not None)

    def array(self, items: list[Any]) -> Any:
        return [item[0] if isinstance(item, tuple) else item for item in items if item is not None]

    def pair(self, items: list[Any]) -> Any:
        return items[0], items[1][0] if isinstance(items[1], tuple) else items[1]

    def key(self, items: list[Any]) -> str:
        return str(items[0])

    def string(self, items: list[lark.Token]) -> str:
        token = items[0]
        if token.type == "STRING":
            return str(json.loads(token))
        opener, closer = self.pairs[int(token.type.removeprefix("DELIMITED_"))]
        return str(token[len(opener) : len(token) - len(closer)])

    def number(self, items: list[lark.Token]) -> Any:
        return json.loads(items[0])

    def constant(self, items: list[lark.Token]) -> Any:
        value = json.loads(items[0])
        return (None,) if value is None else value  # None alone stands for what an optional part lacks


@pytest.mark.parametrize("unquoted", [False, True])
@pytest.mark.parametrize("pairs", PAIRS)
def test_json_dialects(pairs: tuple[tuple[str, str], ...], unquoted: bool) -> None:
    source = grammar.json_dialect(pairs, unquoted)
    parser = explain.parser(source)
    args = {"string_delims": [list(pair) for pair in pairs], "unquoted_keys": unquoted}
    parse = compile_parser("json", args)
    explicit = {"BLANK": st.sampled_from([" ", "\n"]), "STRING": STRINGS.filter(lambda text: not _holds(text, pairs))}
    if unquoted:
        explicit["BARE_KEY"] = st.sampled_from(["a", "b1", "\u00e9_", "1", "true"])
    for number, (opener, closer) in enumerate(pairs):
        inside = PLAIN.filter(lambda text, opener=opener, closer=closer: not _holds(text, ((opener, closer),)))
        explicit[f"DELIMITED_{number}"] = inside.map(lambda text, o=opener, c=closer: f"{o}{text}{c}")

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(from_lark(lark.Lark(source, regex=True), start="start", explicit=explicit))
    def check(text: str) -> None:
        value = _Json(pairs).transform(parser.parse(text))
        value = value[0] if isinstance(value, tuple) else value
        assert same(parse(text), value), text
        assert same(parse_content(text, "json", args), value), text

    check()


def _holds(text: str, pairs: tuple[tuple[str, str], ...]) -> bool:
    return any(side in text for pair in pairs for side in pair)


class _Calls(lark.Transformer[Any, Any]):
    """The value of a call list."""

    def start(self, items: list[Any]) -> Any:
        return [item for item in items if item is not None]

    def call(self, items: list[Any]) -> Any:
        return {"name": str(items[0]), "arguments": dict(item for item in items[1:] if item is not None)}

    def argument(self, items: list[Any]) -> Any:
        return str(items[0]), _plain(items[1])

    def list(self, items: list[Any]) -> Any:
        return [_plain(item) for item in items if item is not None]

    def dict(self, items: list[Any]) -> Any:
        return dict(item for item in items if item is not None)

    def pair(self, items: list[Any]) -> Any:
        return items[0], _plain(items[1])

    def string(self, items: list[lark.Token]) -> str:
        body = str(items[0])[1:-1]
        if items[0].type == "SINGLE_QUOTED":  # whose escaped quote stands at the end, and is none of JSON's escapes
            body = body[:-2] + "'"
        return str(json.loads(f'"{body}"'))

    def number(self, items: list[lark.Token]) -> Any:
        return int(items[0]) if items[0].type == "INTEGER" else float(items[0])

    def constant(self, items: list[lark.Token]) -> Any:
        return {"true": True, "false": False}.get(str(items[0]).lower(), (None,))


def _plain(item: Any) -> Any:
    return None if item == (None,) else item


def test_call_lists() -> None:
    source = grammar.read("call_list")
    parser = explain.parser(source)
    parse = compile_parser("python-call-list", {})
    parts = ["a", " ", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\\\", "\\/", "\u00e9"]
    body = st.lists(st.sampled_from(parts), max_size=4)
    explicit = {
        "BLANK": st.sampled_from([" ", "\n"]),
        "NAME": st.from_regex(r"\A[a-c][a-z0-9]{0,2}(?:[-.][a-z0-9]{1,2})?\Z").filter(lambda name: name[0] != "\n"),
        "INTEGER": st.integers(-(2**53) + 1, 2**53 - 1).map(str),
        "DECIMAL": st.sampled_from(["1.5", "-0.0", "1e5", "2.5E-3"]),
        "SINGLE_QUOTED": body.map(lambda parts: "'" + "".join([*parts, "\\'"]) + "'"),
        "DOUBLE_QUOTED": body.map(lambda parts: '"' + "".join([*parts, "'"]) + '"'),
    }

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(from_lark(lark.Lark(source), start="start", explicit=explicit))
    def check(text: str) -> None:
        kind, right = outcome(lambda: parse_content(text, "python-call-list", {}))
        got = outcome(lambda: parse(text))
        assert (kind, right) == got
        if kind == "value":  # the grammar does not see repeated names and lists nested too deep
            assert same(right, _Calls().transform(parser.parse(text))), text

    check()


@pytest.mark.parametrize(
    ("name", "args", "text", "fault"),
    [
        (
            "json",
            {},
            '{"a": 1 "b": 2}',
            "the text is not JSON: expecting ',' delimiter at character 8; expected ',' or '}'",
        ),
        (
            "json",
            {"string_delims": [["<s>", "</s>"]], "unquoted_keys": True},
            "{key: <s>long string</s> other: 1}",
            "the text is not JSON: expecting ',' delimiter at character 25; expected ',' or '}'",
        ),
        (
            "json",
            {"string_delims": [["'", "'"], ["<", ">"]], "unquoted_keys": True},
            "{a: 'b', c: <d>, e}",
            "the text is not JSON: expecting property name enclosed in double quotes at character 17; "
            "expected ':' at character 18",
        ),
        ("python-call-list", {}, "[f(a=1 b=2)]", "expected ',' or ')' at character 7; expected ')' or ','"),
    ],
)
def test_an_error_says_what_was_expected(name: str, args: Any, text: str, fault: str) -> None:
    parse = compile_parser(name, args)
    with pytest.raises(ValueError) as caught:
        parse(text)
    assert str(caught.value) == fault


def test_without_lark_the_error_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "rtgen.content.explain", None)
    with pytest.raises(ValueError) as caught:
        compile_parser("json", {})("{")
    assert str(caught.value) == "the text is not JSON: expecting property name enclosed in double quotes at character 1"
