"""The command that runs transformers' own suite with rtgen in place, and that suite where it is at hand.

The suite is part of a checkout of transformers, not of its wheel: RTGEN_UPSTREAM_SUITE names the file.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rtgen
from tests.run_upstream_suite import byte_tokenizer, in_place, main, run_suite

SUITE = os.environ.get("RTGEN_UPSTREAM_SUITE", "")

SMALL = """
import unittest
from transformers import AutoTokenizer
from transformers.utils.chat_parsing import ResponseParser, parse_response
from transformers.utils.chat_parsing.response_parser import _coerce

TEMPLATE = {"start_anchor": "A:", "fields": {"a": {"open": "<a>", "close": "</a>"}, "content": {}}}

def helper(tools):
    return ResponseParser(TEMPLATE, prefix="", tools=tools)

class Some(unittest.TestCase):
    def test_passes(self):
        self.assertEqual(parse_response("x<a>1</a>", TEMPLATE, prefix=""), {"content": "x", "a": "1"})

    def test_is_ours(self):
        self.assertIn("rtgen", ResponseParser.__module__ + parse_response.__module__)

    def test_tokenizer(self):
        tokenizer = AutoTokenizer.from_pretrained("some/where")
        tokenizer.response_template = TEMPLATE
        ids = tokenizer("x<a>caf\\u00e9</a>").input_ids
        self.assertEqual(tokenizer.parse_response(ids, prefix=[]), {"content": "x", "a": "caf\\u00e9"})
        self.assertEqual(tokenizer.parse_response(["x", "y"], prefix=""), [{"content": "x"}, {"content": "y"}])
        self.assertIn("rtgen", type(tokenizer.get_response_parser(prefix="")).__module__)

    def test_private(self):
        self.assertEqual(helper(None)._coerce_tool_calls(3), 3)

    def test_fails(self):
        self.assertEqual(parse_response("x", TEMPLATE, prefix=""), {})
"""


def test_the_command_reports_how_each_test_went(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "test_small.py"
    path.write_text(SMALL, encoding="utf-8")
    report = run_suite(path)
    assert list(report.failed) == ["Some.test_fails"], report.failed
    assert list(report.private) == ["Some.test_private"]
    assert sorted(report.passed) == ["Some.test_is_ours", "Some.test_passes", "Some.test_tokenizer"]
    assert main([str(path)]) == 1
    assert "3 passed, 1 failed, 1 reach for private names" in capsys.readouterr().out
    path.write_text(SMALL.replace('prefix=""), {})', 'prefix=""), {"content": "x"})'), encoding="utf-8")
    assert main([str(path)]) == 0
    with pytest.raises(SystemExit) as caught:
        main([str(tmp_path / "missing.py")])
    assert caught.value.code == 2


def test_transformers_gets_its_own_parser_back() -> None:
    import transformers.utils.chat_parsing as package

    before = package.ResponseParser, package.response_parser.ResponseParser, package.parse_response
    with in_place():
        assert package.parse_response is rtgen.parse_response
    assert before == (package.ResponseParser, package.response_parser.ResponseParser, package.parse_response)


def test_the_byte_tokenizer_loses_nothing() -> None:
    tokenizer = byte_tokenizer()
    for text in ("<|a|> \n\tx", "caf\u00e9 \u4f60 \U0001f600"):
        assert tokenizer.decode(tokenizer(text).input_ids) == text


@pytest.mark.skipif(not SUITE, reason="RTGEN_UPSTREAM_SUITE names no checkout's tests/utils/test_chat_parsing.py")
def test_transformers_own_suite() -> None:
    report = run_suite(Path(SUITE))
    assert not report.failed, "\n\n".join(f"{name}\n{trace}" for name, trace in report.failed.items())
    assert len(report.passed) >= 60
