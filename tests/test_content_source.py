"""What the emitted code looks like: formatted, documented, let through by the gate, made of the grammars' terminals."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from typing import Any

import black
import pytest
import regex

from rtgen import content, gate
from rtgen.content import grammar
from tests.content_code import source_of
from tests.fuzz_content import PIECES, random_args

HOSTILE = ('"', "'", "\\", "\n", '"""', "{", "}", "(", "|", "#", "\u2028", "\u00e9", "\ud800", "word", "\x00")


def _hostile(rng: random.Random, length: int) -> str:
    text = "".join(rng.choices(HOSTILE, k=length))
    return text[:length]


def _arguments(seed: int) -> list[tuple[str, Any]]:
    rng = random.Random(seed)
    cases = [(name, random_args(rng, name)) for name in PIECES for _ in range(25)]
    for length in (5, 30, 60, 95, 100, 105, 108, 110, 112, 115, 118, 120, 125, 200, 400):
        texts = [_hostile(rng, length) for _ in range(6)]
        quoted = [regex.escape(text) for text in texts]
        cases += [
            ("json", {"string_delims": [texts[:2]]}),
            ("json", {"string_delims": [texts[2:4], texts[4:]], "unquoted_keys": True}),
            ("kv-lines", {"line_sep": texts[0], "kv_sep": texts[1]}),
            ("xml-inline", {"tag_pattern": texts[2], "value_parser": {"name": texts[3]}}),
            ("xml-inline", {"tag_pattern": rf"{quoted[0]}(?P<key>[^>]+)>\s*(?P<value>.*?)\s*<{quoted[1]}"}),
            ("xml-inline", {"tag_pattern": f"(?:{quoted[4]}|b)(?P<key>.*?)x"}),
        ]
    return cases


ARGUMENTS = _arguments(1)


def test_black_leaves_it_unchanged() -> None:
    mode = black.Mode(line_length=120)
    for name, args in ARGUMENTS:
        source = source_of(name, args)
        assert black.format_str(source, mode=mode) == source, (name, args)


def test_every_function_says_what_it_reads() -> None:
    for name, args in ARGUMENTS:
        for node in ast.walk(ast.parse(source_of(name, args))):
            if isinstance(node, ast.FunctionDef) and node.name != "parse":
                docstring = ast.get_docstring(node, clean=False)
                assert docstring and "\n" not in docstring and docstring[0].isupper(), (name, args)


def test_the_gate_lets_it_through() -> None:
    for name, args in ARGUMENTS:
        gate.check('"""A parser."""\n\n' + source_of(name, args), name="parser")


def test_the_bytes_depend_on_nothing_else() -> None:
    program = (
        "from tests.test_content_source import ARGUMENTS; from tests.content_code import source_of; import hashlib\n"
        "print(hashlib.sha256(''.join(source_of(*case) for case in ARGUMENTS).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("name", "args", "file", "before", "after"),
    [
        ("json", {"unquoted_keys": True}, "json_dialect", r"KEY_CHAR: /\w/", "KEY_CHAR: /[a-z]/"),
        ("json", {"unquoted_keys": True}, "json_dialect", r"SPACE: /\s/", "SPACE: / /"),
        ("json", {"unquoted_keys": True}, "json_dialect", r'INSIDE: /(?:\\.|[^"\\])*/', r'INSIDE: /[^"]*/'),
        ("python-call-list", {}, "call_list", "NAME: /[A-Za-z_]", "NAME: /[A-Z_]"),
        ("python-call-list", {}, "call_list", "INTEGER: /-?", "INTEGER: /[-+]?"),
        ("python-call-list", {}, "call_list", "EXPONENT: /[eE]", "EXPONENT: /[e]"),
        ("python-call-list", {}, "call_list", r"BLANK: /[ \t\n\r]/", "BLANK: /[ ]/"),
        ("python-call-list", {}, "call_list", "SINGLE_QUOTED: /'", "SINGLE_QUOTED: /`"),
    ],
)
def test_a_terminal_of_the_grammar_is_at_work(
    name: str, args: Any, file: str, before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = source_of(name, args)
    text = grammar.read(file)
    assert before in text
    monkeypatch.setattr(grammar, "read", lambda _: text.replace(before, after))
    assert source_of(name, args) != source


def test_arguments_are_folded_in() -> None:
    assert "regex" not in source_of("json", {})
    assert "strip" not in source_of("text", {"strip": False})
    assert "merged" not in source_of("xml-inline", {"tag_pattern": "(?P<key>a)"})
    assert not any("content_args" in source_of(name, {"tag_pattern": "(?P<key>a)"}) for name in content.PARSERS)
