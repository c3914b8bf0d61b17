"""`attach` and `detach`, beside transformers' own methods: the same answers, the same errors, nothing left behind."""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerBase, ProcessorMixin

import rtgen
from rtgen.integrations.transformers import attach, attached, detach, installed
from tests.integrations import making
from tests.integrations.making import MESSAGE, OUTPUT, PROMPT, TEMPLATE, TOOLS

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

NUMBER: dict[str, Any] = {
    "start_anchor": "A:",
    "fields": {"n": {"open": "<n>", "close": "</n>", "content": "int"}, "content": {}},
}


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return attach(making.byte_level())


@pytest.fixture(scope="module")
def plain() -> Any:
    return making.byte_level()


def equal_rows(tokenizer: Any, texts: list[str]) -> list[list[int]]:
    """The ids of the texts, padded on the right by the pad token."""
    rows = [tokenizer(text).input_ids for text in texts]
    longest = max(map(len, rows))
    return [row + [tokenizer.pad_token_id] * (longest - len(row)) for row in rows]


RESPONSES: dict[str, Callable[[Any], Any]] = {
    "text": lambda t: OUTPUT,
    "empty text": lambda t: "",
    "ids": lambda t: t(OUTPUT).input_ids,
    "ids in a tuple": lambda t: tuple(t(OUTPUT).input_ids),
    "array": lambda t: np.array(t(OUTPUT).input_ids),
    "a batch of texts": lambda t: [OUTPUT, "x", ""],
    "a batch of one text": lambda t: [OUTPUT],
    "texts in a tuple": lambda t: (OUTPUT, "x"),
    "an empty batch": lambda t: [],
    "a batch of ids": lambda t: [t(OUTPUT).input_ids, t("x").input_ids],
    "a batch of one list of ids": lambda t: [t(OUTPUT).input_ids],
    "a batch of arrays": lambda t: [np.array(t(OUTPUT).input_ids), np.array(t("x").input_ids)],
    "2-D array": lambda t: np.array(equal_rows(t, [OUTPUT, "x"])),
    "2-D array of one row": lambda t: np.array([t(OUTPUT).input_ids]),
    "one id": lambda t: t("x").input_ids[0],
    "wrong type": lambda t: 1.5,
    "wrong list": lambda t: [1.5],
}
PREFIXES: dict[str, Callable[[Any], Any]] = {
    "text": lambda t: PROMPT,
    "nothing": lambda t: "",
    "empty list": lambda t: [],
    "empty tuple": lambda t: (),
    "none": lambda t: None,
    "ids": lambda t: t(PROMPT + "<think>\n").input_ids,
    "ids of a long prompt": lambda t: t("word " * 300 + PROMPT + "<think>\n").input_ids,
    "ids of a long prompt without an anchor": lambda t: t("<think>" + "word " * 300).input_ids,
    "array": lambda t: np.array(t(PROMPT).input_ids),
    "empty array": lambda t: np.array([], dtype=int),
    "texts": lambda t: [PROMPT, PROMPT + "<think>"],
    "one text in a list": lambda t: [PROMPT],
    "lists of ids": lambda t: [t(PROMPT).input_ids, t(PROMPT + "<think>").input_ids],
    "2-D array": lambda t: np.array(equal_rows(t, [PROMPT, PROMPT + "<think>"])),
    "2-D array of one row": lambda t: np.array([t(PROMPT).input_ids]),
    "three texts": lambda t: [PROMPT] * 3,
    "encoding": lambda t: t(PROMPT),
}
if torch is not None:
    RESPONSES |= {
        "tensor": lambda t: torch.tensor(t(OUTPUT).input_ids),
        "2-D tensor": lambda t: torch.tensor(equal_rows(t, [OUTPUT, "x"])),
        "a batch of tensors": lambda t: [torch.tensor(t(OUTPUT).input_ids), torch.tensor(t("x").input_ids)],
    }
    PREFIXES |= {
        "tensor": lambda t: torch.tensor(t("word " * 300 + PROMPT).input_ids),
        "2-D tensor": lambda t: torch.tensor(equal_rows(t, [PROMPT, PROMPT + "<think>"])),
    }


def outcome(call: Callable[[], Any]) -> Any:
    """What the call gives, or the builtin class of what it raises."""
    try:
        return call()
    except Exception as error:
        if isinstance(error, rtgen.ParseError | rtgen.TemplateError):
            return ValueError
        return next(cls for cls in type(error).__mro__ if cls.__module__ == "builtins")


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("response", RESPONSES)
def test_every_form_gives_what_transformers_gives(tokenizer: Any, plain: Any, response: str, prefix: str) -> None:
    def parse(one: Any) -> Any:
        return one.parse_response(RESPONSES[response](one), prefix=PREFIXES[prefix](one), tools=TOOLS)

    assert outcome(lambda: parse(tokenizer)) == outcome(lambda: parse(plain))


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_form_of_a_parser_s_prefix(tokenizer: Any, plain: Any, prefix: str) -> None:
    def stream(one: Any) -> Any:
        parser = one.get_response_parser(prefix=PREFIXES[prefix](one), tools=TOOLS)
        return making.merged(parser.initial_events + parser.feed(OUTPUT)), parser.finalize()[0]

    ours, theirs = outcome(lambda: stream(tokenizer)), outcome(lambda: stream(plain))
    if isinstance(theirs, tuple):
        assert ours[1] == theirs[1]
    else:
        assert ours == theirs


@pytest.mark.skipif(torch is None, reason="torch is not installed")
def test_tensors_are_among_the_forms() -> None:
    assert "2-D tensor" in RESPONSES and "2-D tensor" in PREFIXES


def test_the_answers_themselves(tokenizer: Any) -> None:
    ids = tokenizer(OUTPUT).input_ids
    assert tokenizer.parse_response(ids, prefix=PROMPT, tools=TOOLS) == MESSAGE
    assert tokenizer.parse_response([ids], prefix=PROMPT, tools=TOOLS) == [MESSAGE]
    assert tokenizer.parse_response(np.array([ids, ids]), prefix=[PROMPT, ""], tools=TOOLS) == [MESSAGE, MESSAGE]
    assert tokenizer.parse_response(["a", "b"], prefix=tokenizer(PROMPT).input_ids)[1]["content"] == "b"


def test_a_template_of_one_s_own(tokenizer: Any) -> None:
    assert tokenizer.parse_response("x<n>5</n>", NUMBER, prefix="") == {"n": 5, "content": "x"}
    assert tokenizer.parse_response("x<n>5</n>", schema=NUMBER, prefix="")["n"] == 5
    assert (
        tokenizer.parse_response("<n>5</n>", rtgen.compile(NUMBER), prefix=tokenizer("A:x").input_ids)["content"] == "x"
    )
    for parser in (
        tokenizer.get_response_parser(NUMBER, prefix=""),
        tokenizer.get_response_parser(response_template=NUMBER, prefix=""),
    ):
        parser.feed("<n>7")
        assert parser.finalize()[0] == {"n": 7}


def test_parsers_of_an_attached_tokenizer(tokenizer: Any) -> None:
    parser = tokenizer.get_response_parser(prefix=tokenizer(PROMPT + "<think>").input_ids, tools=TOOLS)
    assert isinstance(parser, rtgen.ResponseParser)
    assert parser.initial_events == [{"type": "region_open", "field": "reasoning_content"}]
    for one in tokenizer(OUTPUT.removeprefix("<think>")).input_ids:
        parser.feed_ids([one])
    assert parser.finalize()[0] == MESSAGE


def test_errors_are_those_of_transformers(tokenizer: Any, plain: Any) -> None:
    bare = making.byte_level()
    bare.response_template = None
    for one in (attach(copy.deepcopy(bare)), bare):
        with pytest.raises(AttributeError):
            one.parse_response("x", prefix="")
        with pytest.raises(AttributeError):
            one.get_response_parser(prefix="")
        with pytest.raises(AttributeError):  # before the missing prefix
            one.parse_response("x")
    for one in (tokenizer, plain):
        with pytest.raises(ValueError, match="prefix"):
            one.parse_response("x")
        with pytest.raises(ValueError, match="prefix"):
            one.get_response_parser()
        with pytest.raises(ValueError, match=r"2.*3.*prefix"):
            one.parse_response(["a", "b"], prefix=["", "", ""])
        with pytest.raises(ValueError):
            one.parse_response("<n>x</n>", NUMBER, prefix="")
        with pytest.raises(ValueError):
            one.parse_response("x", {}, prefix="")
        with pytest.raises(ValueError):
            one.get_response_parser(prefix=[[1, 2]])
        with pytest.raises(TypeError):
            one.parse_response("x", TEMPLATE, "")  # prefix is a keyword
        assert one.parse_response([], {}, prefix="") == []  # nothing to parse, nothing to refuse
    with pytest.raises(rtgen.ParseError, match="field 'n'"):
        tokenizer.parse_response("<n>x</n>", NUMBER, prefix="")


def test_the_signatures_are_those_of_transformers(tokenizer: Any, plain: Any) -> None:
    for name in ("parse_response", "get_response_parser"):
        ours, theirs = inspect.signature(getattr(tokenizer, name)), inspect.signature(getattr(plain, name))
        shown = [[(p.name, p.kind, p.default) for p in one.parameters.values()] for one in (ours, theirs)]
        assert shown[0][:-1] == shown[1]
        assert shown[0][-1] == (
            "serving",
            inspect.Parameter.VAR_KEYWORD,
            inspect.Parameter.empty,
        )  # rtgen's own options
        assert getattr(tokenizer, name).__name__ == name and getattr(tokenizer, name).__doc__


BROKEN = '<tool_call>{"name": "f", "arguments": {"a": "</tool_call>",}}</tool_call>Hi<|im_end|>'


@pytest.mark.parametrize("installing", [False, True], ids=["attached", "installed"])
def test_the_options_for_servers_are_taken(installing: bool) -> None:
    tokenizer = making.byte_level() if installing else attach(making.byte_level())
    call = {"type": "function", "function": {"name": "f", "arguments": {"a": "</tool_call>"}}}
    with installed() if installing else contextlib.nullcontext():
        for response in (BROKEN, tokenizer(BROKEN).input_ids):
            with pytest.raises(rtgen.ParseError):
                tokenizer.parse_response(response, prefix="")
            message = tokenizer.parse_response(response, prefix="", string_aware=True, repair=True)
            assert message == {"role": "assistant", "tool_calls": [call], "content": "Hi"}
        malformed: list[Any] = []
        texts = ["x", BROKEN]
        messages = tokenizer.parse_response(texts, prefix="", on_malformed="event", malformed=malformed)
        assert [message.get("tool_calls") for message in messages] == [None, None]
        assert [entry["index"] for entry in malformed] == [1]
        parser = tokenizer.get_response_parser(
            prefix="", on_malformed="event", spans=True, string_aware=True, repair=True
        )
        events = parser.feed_ids(tokenizer(BROKEN).input_ids)
        assert (events[0]["start"], events[0]["end"]) == (0, 11)
        assert parser.finalize()[0]["tool_calls"] == [call]
        with pytest.raises(rtgen.LimitError):
            tokenizer.parse_response("x" * 100, prefix="", max_input=10)
        with pytest.raises(rtgen.LimitError):
            tokenizer.get_response_parser(prefix="", max_input=10).feed("x" * 100)
        with pytest.raises(TypeError):
            tokenizer.parse_response("x", prefix="", spins=True)


def test_the_template_is_read_at_each_call() -> None:
    tokenizer = attach(making.byte_level())
    assert "n" not in tokenizer.parse_response("<n>5</n>", prefix="")
    tokenizer.response_template = NUMBER
    assert tokenizer.parse_response("<n>5</n>", prefix="") == {"n": 5}
    tokenizer.response_template = {**NUMBER, "defaults": {"role": "x"}}
    assert tokenizer.parse_response("<n>5</n>", prefix="")["role"] == "x"


def test_detach_undoes_it() -> None:
    tokenizer, other = making.byte_level(), making.byte_level()
    before = dict(vars(tokenizer))
    assert attach(tokenizer) is tokenizer and attach(attach(tokenizer)) is tokenizer
    assert attached(tokenizer) and not attached(other)
    assert "rtgen" in repr(tokenizer.parse_response)
    assert other.parse_response.__func__ is PreTrainedTokenizerBase.parse_response
    assert detach(tokenizer) is tokenizer and not attached(tokenizer)
    assert vars(tokenizer) == before and detach(tokenizer) is tokenizer
    assert tokenizer.parse_response.__func__ is PreTrainedTokenizerBase.parse_response


def test_what_is_no_tokenizer() -> None:
    for wrong in (None, 5, "qwen3", object(), PreTrainedTokenizerBase):
        with pytest.raises(TypeError, match="tokenizer"):
            attach(wrong)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_stay_attached(copied: Callable[[Any], Any]) -> None:
    twin = copied(attach(making.byte_level()))
    assert attached(twin) and twin.parse_response.owner is twin
    assert twin.parse_response(twin(OUTPUT).input_ids, prefix=PROMPT, tools=TOOLS) == MESSAGE
    assert twin.get_response_parser(prefix="").feed_ids(twin("x").input_ids)


class TextProcessor(ProcessorMixin):  # type: ignore[misc]
    attributes: ClassVar = ["tokenizer"]
    tokenizer_class = "AutoTokenizer"

    def __init__(self, tokenizer: Any = None, **more: Any) -> None:
        super().__init__(tokenizer, **more)


def test_a_processor(tmp_path: Path) -> None:
    processor = TextProcessor(making.byte_level())
    before = set(vars(processor)), set(vars(processor.tokenizer))
    assert attach(processor) is processor and attached(processor) and attached(processor.tokenizer)
    ids = processor.tokenizer(OUTPUT).input_ids
    for one in (processor, processor.tokenizer):
        assert one.parse_response(ids, prefix=PROMPT, tools=TOOLS) == MESSAGE
        parser = one.get_response_parser(prefix=PROMPT, tools=TOOLS)
        parser.feed_ids(ids)
        assert parser.finalize()[0] == MESSAGE
    processor.save_pretrained(tmp_path)
    for file in tmp_path.glob("*.json"):
        assert "parse_response" not in file.read_text(encoding="utf-8")
    detach(processor)
    assert not attached(processor) and (set(vars(processor)), set(vars(processor.tokenizer))) == before


def test_a_tokenizer_that_holds_another_library_s_tokenizer() -> None:
    tokenizer = making.byte_level()
    tokenizer.tokenizer = object()
    assert attached(attach(tokenizer)) and tokenizer.parse_response("x", prefix="")["content"] == "x"


def test_saving_and_loading(tmp_path: Path) -> None:
    """The response template goes with the tokenizer; being attached does not."""
    tokenizer = attach(making.byte_level())
    tokenizer.save_pretrained(tmp_path)
    saved = json.loads((tmp_path / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert saved["response_template"] == TEMPLATE and "parse_response" not in saved
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = AutoTokenizer.from_pretrained(tmp_path)
    assert loaded.response_template == TEMPLATE and loaded.chat_template == making.CHAT_TEMPLATE
    assert not attached(loaded)
    ids = loaded(OUTPUT).input_ids
    assert ids == tokenizer(OUTPUT).input_ids
    assert attach(loaded).parse_response(ids, prefix=PROMPT, tools=TOOLS) == MESSAGE
    assert rtgen.compile(tmp_path).parse_response(OUTPUT, prefix=PROMPT, tools=TOOLS) == MESSAGE
    command = [sys.executable, "-m", "rtgen", "compile", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    names: dict[str, Any] = {"__name__": "response_parser"}
    exec(Path(done.stdout.strip()).read_text(encoding="utf-8"), names)
    assert names["parse_response"](OUTPUT, prefix=PROMPT, tools=TOOLS) == MESSAGE
