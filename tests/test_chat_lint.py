"""The lint says what engines really do: every construct of tests/chat/data/lint_truth.json is run on those here."""

from __future__ import annotations

import copy
import functools
import json
from pathlib import Path

import pytest

import rtgen.chat
from rtgen.chat.linter import lint
from rtgen.chat.linter.rules import ENGINES, RULES, SUBJECTS, described
from rtgen.chat.sarif import sarif
from tests.chat import differential, engines, oracle

CASES = json.loads((Path(__file__).parent / "chat" / "data" / "lint_truth.json").read_text(encoding="utf-8"))
assert len(CASES) > 100
HERE = ("minijinja", "minijinja-pycompat", "tgi", "huggingface.js")
VALUES = {
    "s": " Abc def ",
    "n": -7,
    "l": [3, 1, 2],
    "d": {"b": 1, "a": "x"},
    "u": "a\"é'<&>\n",
    "tools": None,
    "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}],
}


@functools.cache
def measured(engine: str) -> list[engines.Outcome]:
    return engines.render(engine, [(case["template"], copy.deepcopy(VALUES)) for case in CASES])


@pytest.mark.parametrize("engine", HERE)
def test_the_effects_are_those_that_are_measured(engine):
    if (reason := engines.missing(engine)) is not None:
        pytest.skip(reason)
    wrong = []
    for case, wanted, found in zip(CASES, measured("transformers"), measured(engine)):
        findings = rtgen.chat.lint(case["template"], engines=[engine])
        said = {finding.effects[engine] for finding in findings if finding.rule != "J43"}
        if wanted[0] == "error":  # transformers itself refuses it; what others do with it is no matter
            continue
        truth = "error" if found[0] == "error" else "same" if found == wanted else "differs"
        claim = next((effect for effect in ("error", "differs", "may differ") if effect in said), "same")
        if (
            claim != truth
            and not (claim == "may differ" and truth != "error")
            and not (claim == "same" and truth == "same")
        ):
            wrong.append((case["template"], claim, truth, found[1][:80]))
    assert wrong == []


@pytest.mark.parametrize("case", CASES, ids=[f"{case['rule']} {case['template'][:30]}" for case in CASES])
def test_the_rule_is_the_one_of_the_case(case):
    found = {finding.rule for finding in rtgen.chat.lint(case["template"])}
    assert (case["rule"] in found) if case["rule"] else not found


def test_what_transformers_refuses_is_an_error_there():
    for case, outcome in zip(CASES, measured("transformers")):
        errors = [f for f in rtgen.chat.lint(case["template"], engines=["transformers"]) if f.level == "error"]
        assert bool(errors) == (outcome[0] == "error"), (case, outcome)


def test_places_are_those_that_an_editor_shows():
    found = rtgen.chat.lint("é{# x #}\r\n{{ 'a' }}  {{ messages[0].content\n   .strip('x') }}\n{{ é|wordcount }}")
    places = {(finding.rule, finding.line, finding.column) for finding in found}
    assert {("J05", 3, 4), ("J06", 3, 4), ("J16", 4, 6)} <= places


def test_a_template_that_is_none():
    (finding,) = rtgen.chat.lint("a\n{% if %}")
    assert (finding.rule, finding.level, finding.line) == ("J00", "error", 2)
    (finding,) = rtgen.chat.lint(
        "{% for i in l %}{% generation %}{% break %}{% endgeneration %}{% endfor %}", engines=["transformers"]
    )
    assert finding.rule == "J00"
    with pytest.raises(ValueError, match="there is no engine 'jinja'"):
        rtgen.chat.lint("x", engines=["jinja"])


def test_every_rule_is_well_formed():
    ids = {rule for rule in RULES if rule[1:3].isdigit()}
    assert {f"J{number:02}" for number in range(50)} <= ids
    for rule in RULES.values():
        assert all(mark[0] in ENGINES and mark[1] in "!~?" for mark in rule.marks.split())


TEMPLATES = differential.templates(differential.OWN_TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_fixed_templates_render_the_same_and_need_no_trimming(name):
    from random import Random

    from tests.chat import conversations

    template = TEMPLATES[name]
    fixed = rtgen.chat.fix(template)
    assert rtgen.chat.fix(fixed) == fixed
    assert {finding.rule for finding in rtgen.chat.lint(fixed)} & {"J01", "J42"} == set()
    for number in range(25):
        messages, options = conversations.request(Random(f"fix {name} {number}"))
        options.pop("continue_final_message", None)
        options |= {"clock": oracle.NOW, "special_tokens": oracle.TOKENS}
        before, after = (
            differential.outcome(functools.partial(rtgen.chat.render, messages, each, **options))
            for each in (template, fixed)
        )
        if before[0] == "text":
            assert after == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{{ x.strip() }}", "{{ x|trim }}"),
        ("{{ x.strip().split('a') }}", "{{ x.strip().split('a') }}"),
        ("{{ x.strip('a') }}", "{{ x.strip('a') }}"),
        ("{% for k, v in d.items() %}{% endfor %}", "{% for k, v in d|items %}{% endfor %}"),
        ("{% for k in d.keys() %}{% endfor %}", "{% for k in d %}{% endfor %}"),
        ("{{ d.keys() }}", "{{ d.keys() }}"),
        ("{{ x | tojson(ensure_ascii=False) }}", "{{ x | tojson }}"),
        ("{{ x|tojson(ensure_ascii=false, indent=2) }}", "{{ x|tojson(indent=2) }}"),
        ("{{ x|tojson(ensure_ascii=true) }}", "{{ x|tojson(ensure_ascii=true) }}"),
        ("{{ x|default('a', boolean=True) }}", "{{ x|default('a', true) }}"),
        ("{{ x == None and True }}{{ x.True }}", "{{ x == none and true }}{{ x.True }}"),
        ("a\n", "a"),
        ("a\n\n", "a\n\n"),
        ("{% if x %}\n  a\n  {% endif %}\nb", "{% if x %}  a\n{% endif -%}\nb"),
        ("{% if x %}\n\na{% endif %}", "{% if x %}{{ '\\n' }}a{% endif %}"),
        (
            "{% if x %}\n    {% if y %}\r\nb{% endif %}{% endif %}",
            "{% if x -%}\r\n    {% if y -%}\r\nb{% endif %}{% endif %}",
        ),
    ],
)
def test_what_is_fixed(before, after):
    assert rtgen.chat.fix(before) == after


def test_every_rule_is_described_by_itself():
    for rule in RULES.values():
        text = described(rule)
        assert "{}" not in text and not text.startswith("it ") and "  " not in text
        assert ("{}" in rule.text) == (rule.id in SUBJECTS), rule.id
    log = sarif({"a.jinja": lint("{{ x.strip() }}{{ True }}")})
    rules = {rule["id"]: rule for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert rules["J01"]["shortDescription"]["text"] == "True, False or None is spelled as in Python"
    assert rules["J05"]["fullDescription"]["text"] == (
        "Minijinja without pycompat has no method (.strip(), .split() and others). Instead: a filter: |trim |lower "
        "|upper |title; slices. By engine: minijinja: error."
    )
    assert rules["J05"]["defaultConfiguration"] == {"level": "error"}
