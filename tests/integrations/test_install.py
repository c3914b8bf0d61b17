"""`install`: everything in the process that parses responses through transformers uses rtgen, and gets it all back."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import transformers
from transformers import PreTrainedTokenizerBase
from transformers.utils import chat_parsing
from transformers.utils.chat_parsing.response_templates import load_response_template

import rtgen
from rtgen.integrations.transformers import UnsupportedVersionError, install, installed, installing, methods, uninstall
from tests import run_upstream_suite
from tests.integrations import making
from tests.integrations.making import MESSAGE, OUTPUT, PROMPT, TEMPLATE, TOOLS

SUITE = os.environ.get("RTGEN_UPSTREAM_SUITE", "")
OWN = dict(vars(chat_parsing))
METHODS = {name: vars(PreTrainedTokenizerBase)[name] for name in ("parse_response", "get_response_parser")}


def is_untouched() -> bool:
    return (
        chat_parsing.ResponseParser is OWN["ResponseParser"]
        and chat_parsing.parse_response is OWN["parse_response"]
        and chat_parsing.response_parser.parse_response is OWN["parse_response"]
        and all(vars(PreTrainedTokenizerBase)[name] is method for name, method in METHODS.items())
    )


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    assert is_untouched()
    yield
    uninstall()
    assert is_untouched()


def test_tokenizers_use_rtgen() -> None:
    tokenizer = making.byte_level()
    ids = tokenizer(OUTPUT).input_ids
    with installed():
        assert tokenizer.parse_response.__func__ is methods.parse_response
        assert tokenizer.parse_response(ids, prefix=PROMPT, tools=TOOLS) == MESSAGE
        parser = tokenizer.get_response_parser(prefix=tokenizer(PROMPT).input_ids, tools=TOOLS)
        assert isinstance(parser, rtgen.ResponseParser) and isinstance(parser, chat_parsing.ResponseParser)
        for one in ids:
            parser.feed_ids(one)
    assert not isinstance(tokenizer.get_response_parser(prefix=""), rtgen.ResponseParser)
    assert parser.finalize()[0] == MESSAGE  # one that was made goes on


def test_names_that_others_have_bound_are_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    other = types.ModuleType("some_server")
    other.Parser, other.parse = OWN["ResponseParser"], OWN["parse_response"]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "some_server", other)
    with installed():
        assert other.parse(OUTPUT, TEMPLATE, prefix="", tools=TOOLS) == MESSAGE
        for parser in (
            other.Parser(TEMPLATE, "", tools=TOOLS),
            other.Parser(response_template=TEMPLATE, prefix="", tools=TOOLS),
        ):
            assert isinstance(parser, rtgen.ResponseParser)
            parser.feed(OUTPUT)
            assert parser.finalize()[0] == MESSAGE
        late = types.ModuleType("late")
        exec("from transformers.utils.chat_parsing import ResponseParser, parse_response as parse", vars(late))
        monkeypatch.setitem(sys.modules, "late", late)
        assert late.ResponseParser is other.Parser and late.parse is other.parse
    assert late.ResponseParser is other.Parser is OWN["ResponseParser"] and late.parse is OWN["parse_response"]
    assert rtgen.parse_response is not OWN["parse_response"]


def test_the_options_for_servers_are_taken() -> None:
    with installed():
        broken = "<tool_call>{</tool_call>Hi"
        message = chat_parsing.parse_response(broken, TEMPLATE, prefix="", on_malformed="event")
        parser = chat_parsing.ResponseParser(TEMPLATE, "", on_malformed="event", spans=True)
        assert parser.feed(broken)[0]["start"] == 0
        assert parser.finalize()[0] == message == {"role": "assistant", "content": "Hi"}


def test_templates_that_transformers_has_loaded_are_left_to_it() -> None:
    loaded = load_response_template(TEMPLATE)
    with installed():
        assert not isinstance(chat_parsing.ResponseParser(loaded, ""), rtgen.ResponseParser)
        assert chat_parsing.parse_response(OUTPUT, loaded, prefix="", tools=TOOLS) == MESSAGE


def test_twice_is_once_and_blocks_nest() -> None:
    install()
    install()
    with installed(), installed():
        pass
    assert not is_untouched()
    uninstall()
    assert is_untouched()
    uninstall()
    with pytest.raises(KeyError), installed():
        raise KeyError
    assert is_untouched()


def test_what_others_have_put_there_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine(self: Any) -> None: ...

    install()
    before = METHODS["parse_response"]
    PreTrainedTokenizerBase.parse_response = mine
    uninstall()
    assert PreTrainedTokenizerBase.parse_response is mine
    PreTrainedTokenizerBase.parse_response = before


@pytest.mark.parametrize("version", ["5.25.0", "6.0.0.dev0", "5.23.1", "4.57.0", "5.2.40", "unknown"])
def test_versions_that_are_not_known_are_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(transformers, "__version__", version)
    for call in (install, lambda: installed().__enter__()):
        with pytest.raises(UnsupportedVersionError) as caught:
            call()
        assert caught.value.version == version and version in str(caught.value) and "5.24.*" in str(caught.value)
        assert is_untouched() and not installing.is_installed()


def test_patch_releases_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformers, "__version__", "5.24.3")
    with installed():
        assert installing.is_installed()


def test_a_version_whose_parts_are_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(PreTrainedTokenizerBase, "get_response_parser")
    with pytest.raises(UnsupportedVersionError, match="get_response_parser"):
        install()
    assert vars(PreTrainedTokenizerBase)["parse_response"] is METHODS["parse_response"]


def test_the_helpers_of_serve() -> None:
    serving = pytest.importorskip("transformers.cli.serving.utils")
    tokenizer = making.byte_level()
    ids, prompt = tokenizer(OUTPUT).input_ids, tokenizer(PROMPT).input_ids

    class Model:
        class config:
            model_type = "any"

    theirs = serving.parse_assistant_message(tokenizer, Model, ids, prompt, tools=TOOLS)
    with installed():
        assert serving.parse_assistant_message(tokenizer, Model, ids, [prompt], tools=TOOLS) == theirs
        parser = serving.build_response_parser(tokenizer, Model, prompt, tools=TOOLS)
        assert isinstance(parser, rtgen.ResponseParser)
        items = serving.response_events_to_chunks(parser.feed(OUTPUT) + parser.finalize()[1])
    assert "".join(item for item in items if type(item) is str) == theirs[0] == MESSAGE["content"]
    assert any(isinstance(item, serving.ToolCall) for item in items)


def test_transformers_own_suite_in_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite's driver with `installed` where it puts rtgen in place itself."""
    from tests.test_transformers_suite import SMALL

    monkeypatch.setattr(run_upstream_suite, "in_place", installed)
    path = tmp_path / "test_small.py"
    path.write_text(SMALL, encoding="utf-8")
    report = run_upstream_suite.run_suite(path)
    assert list(report.failed) == ["Some.test_fails"], report.failed
    assert sorted(report.passed) == ["Some.test_is_ours", "Some.test_passes", "Some.test_tokenizer"]


@pytest.mark.skipif(not SUITE, reason="RTGEN_UPSTREAM_SUITE names no checkout's tests/utils/test_chat_parsing.py")
def test_transformers_own_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_upstream_suite, "in_place", installed)
    report = run_upstream_suite.run_suite(Path(SUITE))
    assert not report.failed, "\n\n".join(f"{name}\n{trace}" for name, trace in report.failed.items())
    assert len(report.passed) >= 60
