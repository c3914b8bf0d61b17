"""The library proved by round trip, and the proof itself: it fails for every template with an altered delimiter."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rtgen import compiler, library
from rtgen.errors import ParseError
from rtgen.identity import template_hash
from rtgen.roundtrip import Pair, find, prove
from rtgen.roundtrip.compare import dump
from rtgen.roundtrip.judge import FRAGILE, LIMIT, LOST, VERDICTS, WRONG, Judgement, judge, outcome, texts
from rtgen.roundtrip.literals import runs
from rtgen.roundtrip.report import Prepared
from rtgen.roundtrip.sturdy import judge_malformed, judge_prompt
from tests.alterations import Alteration, alterations
from tests.command import run
from tests.conftest import ROOT, load_json
from tests.proofs import pair_of, prepared, proof
from tests.untold import UNTOLD

NAMES = library.available()
PYTHON_REPR = {"seed_oss", "minicpm5"}
"""Families whose nested values are written as Python shows them."""

RANK = {verdict: rank for rank, verdict in enumerate(VERDICTS)}


@pytest.mark.parametrize("name", NAMES)
def test_the_family_comes_back(name: str) -> None:
    report = proof(name)
    assert [(row.name, row.mode, row.judgement.why) for row in report.rows if row.verdict == WRONG] == []
    assert [(row.name, row.mode, row.judgement.got) for row in report.malformed if row.verdict == FRAGILE] == []
    assert report.counts()["equal"] >= 70 and len(report.malformed) >= 10
    limits = pair_of(name).limits
    shown = {
        row.subject if row.subject in limits else "(tools not given)" for row in report.rows if row.verdict == LIMIT
    }
    assert set(limits) == shown, "a limit in meta.json does not show any more"


@pytest.mark.parametrize("name", NAMES)
def test_only_reasoning_is_lost_by_the_chat_template(name: str) -> None:
    """Given the tools, all else comes back; types that the text does not tell are lost without them, and Python's repr
    of a nested value with them."""
    lost = {row.subject for row in proof(name).rows if row.verdict == LOST and row.name == row.subject}
    if library.meta(name)["reasoning"] == "none" or name == "command_r_plus":
        assert {each.partition(":")[0] for each in lost} <= {"reasoning", "turns"}
    else:
        assert lost <= ({"argument: list", "argument: nested", "argument: many"} if name in PYTHON_REPR else set())


def worse(battery: Prepared, pair: Pair, altered: Any) -> bool:
    """Whether the battery gives an altered template a worse verdict than the right one, for any example."""
    right = pair.parser

    def is_worse(before: Judgement, now: Judgement) -> bool:
        return RANK[now.verdict] > RANK[before.verdict]

    for _, prompt in battery.prompts:
        if is_worse(judge_prompt(prompt, right), judge_prompt(prompt, altered)):
            return True
    for rendered in battery.rendered:
        for _, text in texts(rendered):
            # Verdicts cost a hundred times more than a look at what is parsed.
            if shown(right, rendered.prefix, text, rendered.tools) != shown(
                altered, rendered.prefix, text, rendered.tools
            ):
                if is_worse(judge(rendered, right, pair.writer), judge(rendered, altered, pair.writer)):
                    return True
                break
    return any(is_worse(judge_malformed(item, right), judge_malformed(item, altered)) for item in battery.malformed)


def shown(parser: Any, prefix: str, text: str, tools: list[Any] | None) -> str:
    got = outcome(parser, prefix, [text], tools, whole=True)
    return type(got).__name__ if isinstance(got, ParseError) else dump(got)


@cache
def cases_of(name: str) -> list[dict[str, Any]]:
    return [load_json(path) for path in sorted((ROOT / "templates" / name / "cases").glob("*.json"))]


def fails_a_case(name: str, altered: Any) -> bool:
    for case in cases_of(name):
        got = outcome(altered, case["prefix"], [case["text"]], case["tools"], whole=True)
        wanted = "error" if "message" not in case else dump(case["message"])
        if ("error" if isinstance(got, ParseError) else dump(got)) != wanted:
            return True
    return False


def altered_parser(alteration: Alteration) -> Any:
    source = compiler.generate(alteration.template)
    return compiler.execute(source, None, template_hash(alteration.template))


@pytest.mark.parametrize("name", NAMES)
def test_every_altered_delimiter_is_found(name: str) -> None:
    """The battery finds it; or, where the chat template does not write this spelling, a case of the family does.

    Those that neither finds are listed with their reasons, and the list is exact.
    """
    pair = pair_of(name)
    found_by_cases, untold = 0, set()
    count = 0
    for alteration in alterations(pair.parser.template):
        count += 1
        parser = altered_parser(alteration)
        if worse(prepared(name), pair, parser):
            continue
        if fails_a_case(name, parser):
            found_by_cases += 1
        else:
            untold.add(str(alteration))
    assert count >= 4
    assert found_by_cases < count
    assert untold == set(UNTOLD.get(name, {}))


def folder(path: Path, chat_template: str, response_template: dict[str, Any] | None) -> str:
    """A tokenizer's folder with these templates."""
    config: dict[str, Any] = {"chat_template": chat_template, "eos_token": "<|im_end|>"}
    if response_template is not None:
        config["response_template"] = response_template
    (path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return str(path)


def chat_template(name: str) -> str:
    return (ROOT / "templates" / name / "chat_template.jinja").read_text(encoding="utf-8")


def test_the_command_on_a_bundled_family() -> None:
    result = run("chat", "roundtrip", "qwen3")
    assert result.code == 0
    assert "enable_thinking=false" in result.out.splitlines()[0]
    assert " 0 lost by the chat template, 0 wrong, " in result.out
    assert "limit: string: holds '</tool_call>': " in result.out


def test_the_command_on_a_folder_shows_the_smallest_wrong_message(tmp_path: Path) -> None:
    template = library.template("qwen3")
    template["fields"]["tool_calls"]["open_pattern"] = r"\s*<tool_cell>"
    result = run("chat", "roundtrip", folder(tmp_path, chat_template("qwen3"), template))
    assert result.code == 1
    assert (
        "wrong: reasoning: then a call (default): the response template does not read what the chat template wrote"
        in result.out
    )
    assert '"arguments": {}' in result.out and "parsed" in result.out


def test_the_command_with_a_response_template_from_elsewhere(tmp_path: Path) -> None:
    source = folder(tmp_path, chat_template("qwen3"), None)
    missing = run("chat", "roundtrip", source)
    assert missing.code == 2 and "response_template" in missing.err
    result = run("chat", "roundtrip", source, "-r", "qwen3", "--json")
    found = json.loads(result.out)
    assert result.code == 0 and found["counts"]["limit"] == 8 and "wrong" not in found["counts"]
    assert {row["verdict"] for row in found["malformed"]} <= {"equal", "refused"}


def test_what_the_chat_template_never_writes_is_lost_by_it(tmp_path: Path) -> None:
    text = chat_template("qwen3").replace("{%- if message.reasoning_content %}", "{%- if false %}")
    report = prove(find(folder(tmp_path, text, library.template("qwen3"))))
    lost = {row.name for row in report.rows if row.verdict == LOST}
    assert "reasoning: plain" in lost and "content: plain" not in lost


def test_runs_of_a_pattern() -> None:
    assert [each.text for each in runs(r"\s*(?:<\|a\|>|x?<b>)(?P<name>[^<\]]+)\n</b>{2}(?<=abc)")] == [
        "<|a|>",
        "<b>",
        "\n</b",
        "abc",
    ]
