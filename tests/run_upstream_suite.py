"""Run transformers' own tests of its parser with rtgen in its place: `python -m tests.run_upstream_suite PATH`.

PATH is `tests/utils/test_chat_parsing.py` of a checkout of transformers; the file is no part of its wheel, nor of this
project. rtgen's `ResponseParser` and `parse_response` take the places of transformers' own wherever those are found by
name, the methods of tokenizers included. Tests that reach for private names, that look for transformers' own sentences
in an error, or that want an event later than this project gives it are listed apart. Without `--hub` a tokenizer of
single bytes stands in for those that the tests load from the hub.

Exit code 1 if any other test fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import re
import sys
import unittest
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

PRIVATE = re.compile(
    r"\b(?:_coerce_tool_calls|_coerce|_schema_types|_spec|_output|_buffer|_pos|_scan|_can_grow|_watchlist)\b"
)
"""Names that a parser of transformers has, and no other needs to have."""


WORDING = re.compile(r"AssertionError: .*(?:does not match|not found in) ", re.DOTALL)
"""How a test fails that looks for a certain sentence in an error of the right class."""

PROMPTER = {
    "test_literal_list_defers_prefix_overlapping_literal": "the closing is certain before the closer's length is",
}
"""Tests that want an event later than it is certain."""


@dataclass
class Report:
    """The names of the tests by how they went."""

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    private: dict[str, str] = field(default_factory=dict)
    wording: dict[str, str] = field(default_factory=dict)
    prompter: dict[str, str] = field(default_factory=dict)


def replacements() -> dict[str, Any]:
    """What stands in for which name: rtgen's functions with transformers' signatures."""
    import rtgen

    return {"ResponseParser": rtgen.ResponseParser, "parse_response": rtgen.parse_response}


@contextmanager
def in_place() -> Iterator[None]:
    """rtgen in the place of transformers' parser, as long as the context lasts."""
    import transformers.tokenization_utils_base as tokenizers
    import transformers.utils.chat_parsing as package

    ours = replacements()
    with ExitStack() as stack:
        for module in (package, package.response_parser):
            for name, ours_now in ours.items():
                stack.enter_context(mock.patch.object(module, name, ours_now))
        stack.enter_context(mock.patch.object(tokenizers, "ResponseParser", ours["ResponseParser"]))
        stack.enter_context(mock.patch.object(tokenizers, "_template_parse_response", ours["parse_response"]))
        yield


def byte_tokenizer(*_: Any, **__: Any) -> Any:
    """A tokenizer whose tokens are single bytes: encoding and decoding lose nothing."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={char: number for number, char in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


def load(path: Path) -> ModuleType:
    """The test file as a module; whatever it imports by name is what is in place now."""
    spec = importlib.util.spec_from_file_location("upstream_chat_parsing_tests", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def uses_private_names(module: ModuleType, test: unittest.TestCase) -> bool:
    """Whether the test, or a helper of its module that it names, reaches for private names of the parser."""
    source = inspect.getsource(getattr(type(test), test._testMethodName))
    for name, helper in vars(module).items():
        if inspect.isfunction(helper) and re.search(rf"\b{name}\b", source) and helper.__module__ == module.__name__:
            source += inspect.getsource(helper)
    return PRIVATE.search(source) is not None


def run_suite(path: Path, *, hub: bool = False) -> Report:
    """Run every test of the file at `path` with rtgen in place."""
    report = Report()
    with ExitStack() as stack:
        stack.enter_context(in_place())
        module = load(path)
        if not hub and hasattr(module, "AutoTokenizer"):
            stand_in = mock.Mock()
            stand_in.from_pretrained = _from_pretrained
            stack.enter_context(mock.patch.object(module, "AutoTokenizer", stand_in))
        for test in _tests(unittest.defaultTestLoader.loadTestsFromModule(module)):
            name = f"{type(test).__name__}.{test._testMethodName}"
            result = unittest.TestResult()
            test.run(result)
            problems = [trace for _, trace in result.failures + result.errors]
            if result.skipped:
                report.skipped[name] = result.skipped[0][1]
            elif not problems:
                report.passed.append(name)
            elif uses_private_names(module, test):
                report.private[name] = problems[0].strip().splitlines()[-1]
            elif test._testMethodName in PROMPTER:
                report.prompter[name] = PROMPTER[test._testMethodName]
            elif WORDING.match(problems[0].strip().splitlines()[-1]):
                report.wording[name] = problems[0].strip().splitlines()[-1]
            else:
                report.failed[name] = problems[0].strip()
    return report


def _from_pretrained(source: Any, *arguments: Any, **more: Any) -> Any:
    if Path(str(source)).is_dir():  # one that a test has saved itself
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(source, *arguments, **more)
    return byte_tokenizer()


def _tests(suite: Any) -> Iterator[unittest.TestCase]:
    for part in suite:
        if isinstance(part, unittest.TestCase):
            yield part
        else:
            yield from _tests(part)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.run_upstream_suite", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("path", type=Path, help="tests/utils/test_chat_parsing.py of a checkout of transformers")
    parser.add_argument("--hub", action="store_true", help="load the tokenizers that the tests name from the hub")
    options = parser.parse_args(arguments)
    if not options.path.is_file():
        parser.error(f"{options.path} is no file")
    report = run_suite(options.path, hub=options.hub)
    for name, why in report.skipped.items():
        print(f"skipped  {name}: {why}")
    for name, why in report.private.items():
        print(f"private  {name}: {why}")
    for name, why in report.wording.items():
        print(f"wording  {name}: {why}")
    for name, why in report.prompter.items():
        print(f"prompter {name}: {why}")
    for name, trace in report.failed.items():
        print(f"FAILED   {name}\n{trace}\n")
    print(
        f"{len(report.passed)} passed, {len(report.failed)} failed, {len(report.private)} reach for private names, "
        f"{len(report.wording)} want another wording, {len(report.prompter)} a later event, "
        f"{len(report.skipped)} skipped"
    )
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
