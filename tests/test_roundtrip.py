"""The library proved by round trip, and the proof itself: it fails for every template with an altered delimiter."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rtgen import compiler, library
from rtgen.errors import ParseError
from rtgen.roundtrip import Pair, Report, find, prove
from rtgen.roundtrip.compare import dump
from rtgen.roundtrip.judge import FRAGILE, LIMIT, LOST, VERDICTS, WRONG, Judgement, judge, outcome, texts
from rtgen.roundtrip.report import Prepared, prepare
from rtgen.roundtrip.sturdy import judge_malformed, judge_prompt
from tests.alterations import Alteration, alterations
from tests.conftest import ROOT, load_json
from tests.untold import UNTOLD

NAMES = library.available()
RANK = {verdict: rank for rank, verdict in enumerate(VERDICTS)}


@cache
def pair_of(name: str) -> Pair:
    return find(name)


@cache
def proof(name: str) -> Report:
    return prove(pair_of(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_family_comes_back(name: str) -> None:
    report = proof(name)
    assert [(row.name, row.mode, row.judgement.why) for row in report.rows if row.verdict == WRONG] == []
    assert [(row.name, row.mode, row.judgement.got) for row in report.malformed if row.verdict == FRAGILE] == []
    assert report.counts()["equal"] >= 70 and len(report.malformed) >= 10
    limits = pair_of(name).limits
    shown = {row.subject if row.subject in limits else "(tools not given)" for row in report.rows if row.verdict == LIMIT}
    assert set(limits) == shown, "a limit in meta.json does not show any more"


@pytest.mark.parametrize("name", NAMES)
def test_little_is_lost_by_the_chat_template(name: str) -> None:
    """What a family's own chat template does not write: reasoning, where there is none, and types without tools."""
    reasons = library.meta(name)["reasoning"] != "none"
    lost = {row.subject for row in proof(name).rows if row.verdict == LOST and row.name == row.subject}
    if reasons and not library.meta(name)["reasoning"].startswith("Plan:"):
        lost -= {"calls: after text", "reasoning: then text and a call"} if name == "xlam" else set()
        unlike = {"calls: three after text"} if name == "xlam" else set()
        assert lost - unlike <= {"argument: list", "argument: nested", "argument: many"}
    else:
        assert {each.split(":")[0] for each in lost} <= {"reasoning", "turns", "calls"}


def worse(prepared: Prepared, pair: Pair, altered: Any) -> bool:
    """Whether the battery gives an altered template a worse verdict than the right one, for any example."""
    right = pair.parser

    def is_worse(before: Judgement, now: Judgement) -> bool:
        return RANK[now.verdict] > RANK[before.verdict]

    for _, prompt in prepared.prompts:
        if is_worse(judge_prompt(prompt, right), judge_prompt(prompt, altered)):
            return True
    for rendered in prepared.rendered:
        for _, text in texts(rendered):
            # Verdicts cost a hundred times more than a look at what is parsed.
            if shown(right, rendered.prefix, text, rendered.tools) != shown(altered, rendered.prefix, text, rendered.tools):
                if is_worse(judge(rendered, right, pair.writer), judge(rendered, altered, pair.writer)):
                    return True
                break
    return any(is_worse(judge_malformed(item, right), judge_malformed(item, altered)) for item in prepared.malformed)


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
    return compiler.execute(source, None, compiler.template_hash(alteration.template))


@pytest.mark.parametrize("name", NAMES)
def test_every_altered_delimiter_is_found(name: str) -> None:
    """The battery finds it; or, where it is a spelling that the chat template does not write, a case of the family does.

    Those that neither finds are listed with their reasons, and the list is exact.
    """
    pair = pair_of(name)
    prepared = prepare(pair.writer, pair.parser, pair.end_tokens)
    found_by_cases, untold = 0, set()
    count = 0
    for alteration in alterations(pair.parser.template):
        count += 1
        parser = altered_parser(alteration)
        if worse(prepared, pair, parser):
            continue
        if fails_a_case(name, parser):
            found_by_cases += 1
        else:
            untold.add(str(alteration))
    assert count >= 4
    assert found_by_cases < count
    assert untold == set(UNTOLD.get(name, {}))
