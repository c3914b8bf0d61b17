"""`rtgen check`: the golden findings, the templates in use, and that each finding is true of the reference engine."""

from __future__ import annotations

import ast
import difflib
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import transformers  # noqa: F401 (the warnings about transformers' streaming are compared with it)

from rtgen import library
from rtgen.check import check
from rtgen.check.findings import LEVELS
from rtgen.check.mending import faults
from rtgen.check.samples import samples
from rtgen.check.streaming import witness
from rtgen.check.subject import Subject
from rtgen.delimiters.classify import classify
from rtgen.errors import TemplateError
from rtgen.template import Delimiter, validate
from tests import golden, strategies
from tests.conftest import ROOT, load_json
from tests.oracle import Oracle, same, stream
from tests.test_damaged_templates import damage, points_into

FOLDER = Path(os.environ.get("RTGEN_REFERENCE_TEMPLATES", ROOT.parent / "shared" / "reference" / "response_templates"))

CASES = golden.cases()

FRAGILE = {
    "beam__vllm-0.33.0": {"no-implicit-field", "reasoning-name"},
    "chatml_think__hf-pipeline-test": {"implicit-overwritten", "reasoning-name"},
    "cohere__hf-tests-fd9d88d": {"no-implicit-field", "reasoning-name"},
    "deepseek_r1_distill__trl-1.16.0": {"holds-the-stream", "end-of-text"},
    "ernie__hf-tests-fd9d88d": {"no-implicit-field", "reasoning-name"},
    "gemma4__hf-convert-fd9d88d": {"implicit-overwritten", "reasoning-name"},
    "gemma4__hf-serve-5.24.0": {"implicit-overwritten"},
    "gemma4__trl-1.16.0": {"end-of-text"},
    "generic-call-arg-answer__vllm-0.33.0": {"no-implicit-field", "reasoning-name"},
    "generic-call-arg__vllm-0.33.0": {"implicit-overwritten", "reasoning-name"},
    "glm4moe__trl-1.16.0-jsonvalue": {"end-of-text"},
    "glm4moe__trl-1.16.0-textvalue": {"end-of-text"},
    "gpt_oss__hf-tests-fd9d88d": {"no-implicit-field", "reasoning-name", "runs-over"},
    "gptoss__trl-1.16.0": {"no-implicit-field", "reasoning-name"},
    "inkling__hf-tests-fd9d88d": {"no-implicit-field", "reasoning-name"},
    "invoke_generic__vllm-rust": {"no-implicit-field", "word-boundary"},
    "kv_lines_tools__hf-tests-fd9d88d": {"no-implicit-field"},
    "lfm2_2_5__trl-1.16.0": {"lengthened", "reasoning-name"},
    "lookahead__vllm-0.33.0": {"implicit-overwritten", "reasoning-name"},
    "muse_glimmer__hf-convert-fd9d88d": {"no-implicit-field", "word-boundary"},
    "nemotron_3__trl-1.16.0-jsonvalue": {"holds-the-stream"},
    "nemotron_3__trl-1.16.0-textvalue": {"holds-the-stream"},
    "qwen2-3__hf-serve-5.24.0": {"implicit-overwritten"},
    "qwen2-3__hf-serve-fd9d88d": {"implicit-overwritten", "reasoning-name"},
    "qwen3_5__hf-serve-5.24.0": {"implicit-overwritten"},
    "qwen3_5__hf-serve-fd9d88d": {"implicit-overwritten", "reasoning-name"},
    "qwen3__hf-tests-fd9d88d": {"no-implicit-field", "reasoning-name"},
    "smollm3__hf-docs-fd9d88d": {"implicit-overwritten", "reasoning-name"},
    "toolname_in_body__vllm-0.33.0": {"no-implicit-field", "call-overwritten"},
    "xml_string_args__hf-tests-fd9d88d": {"no-implicit-field"},
}
"""The complaints (errors and warnings) about the templates in use that are fragile, by the names of their rules."""

STURDY = (
    "llama3__trl-1.16.0",
    "qwen3_5__trl-1.16.0-jsonvalue",
    "qwen3_5__trl-1.16.0-textvalue",
    "qwen3__trl-1.16.0",
)
"""Those about which nothing is to complain."""

WRONG_WHEN_STREAMED = ("muse_glimmer", "glm4moe", "lfm2_2_5", "gemma4__trl")
"""Templates that transformers itself gets wrong token by token."""


def complaints(template: Any, portable: bool = False) -> set[str]:
    return {finding.rule for finding in check(template, portable) if finding.level != "note"}


def test_there_are_cases() -> None:
    assert len(CASES) > 50


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    kept, now = path.read_text(encoding="utf-8"), golden.checked(path)
    diff = "".join(difflib.unified_diff(kept.splitlines(True), now.splitlines(True), "kept", "now"))
    assert not diff, f"{diff}\nif that is right, run: {golden.COMMAND}"


def test_every_rule_has_a_case() -> None:
    """No rule is named in the code without a golden case that shows its message."""
    shown = {finding["rule"] for path in CASES for finding in load_json(path)["findings"]}
    named: set[str] = set()
    for path in (ROOT / "rtgen" / "check").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
                named |= {arg.value for arg in node.args[2:3] if isinstance(arg, ast.Constant)}
            elif path.stem == "portable" and isinstance(node, ast.Yield):
                rule = node.value.elts[0] if isinstance(node.value, ast.Tuple) and len(node.value.elts) == 3 else None
                named |= {f"portable-{rule.value}"} if isinstance(rule, ast.Constant) else set()
    assert len(named) > 30
    assert named - shown == set()


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the reference templates are not at {FOLDER}")
class TestTemplatesInUse:
    def test_all_are_named(self) -> None:
        assert sorted([*FRAGILE, *STURDY]) == sorted(path.stem for path in FOLDER.glob("*.json"))

    @pytest.mark.parametrize("name", FRAGILE)
    def test_fragile(self, name: str) -> None:
        assert complaints(load_json(FOLDER / f"{name}.json")) == FRAGILE[name]

    @pytest.mark.parametrize("name", STURDY)
    def test_sturdy(self, name: str) -> None:
        assert complaints(load_json(FOLDER / f"{name}.json")) == set()

    @pytest.mark.parametrize("name", [name for name in FRAGILE if name.startswith(WRONG_WHEN_STREAMED)])
    def test_what_transformers_gets_wrong_is_shown(self, name: str) -> None:
        found = [f.message for f in check(load_json(FOLDER / f"{name}.json")) if "transformers, fed with" in f.message]
        assert found

    @pytest.mark.parametrize(
        "name, rule",
        [
            ("lookahead__vllm-0.33.0", "portable-lookaround"),
            ("beam__vllm-0.33.0", "portable-lookaround"),
            ("nemotron_3__trl-1.16.0-textvalue", "portable-lookaround"),
            ("gemma4__trl-1.16.0", "portable-dollar"),
            ("muse_glimmer__hf-convert-fd9d88d", "portable-unicode-class"),
            ("lfm2_2_5__trl-1.16.0", "portable-unicode-class"),
        ],
    )
    def test_portable(self, name: str, rule: str) -> None:
        template = load_json(FOLDER / f"{name}.json")
        assert rule in complaints(template, portable=True)
        assert rule not in complaints(template)

    def test_losses_are_true_of_the_reference(self) -> None:
        for path in sorted(FOLDER.glob("*.json")):
            examples_agree(load_json(path))


def test_bundled_templates_lose_nothing() -> None:
    errors = {}
    for name in library.available():
        found = {finding.rule for finding in check(library.template(name)) if finding.level == "error"}
        if found:
            errors[name] = found
    assert errors == {}


def examples_agree(template: Any) -> None:
    """The example outputs of a template mean to the reference what they mean to the parser that is asked."""
    subject, oracle = Subject(template), Oracle(template)
    for text in [*example_outputs(subject), "First words", "First words\n"]:
        assert same(subject.parse(text), oracle.whole_text(text).message), text


def example_outputs(subject: Subject) -> Iterator[str]:
    end = "" if subject.template.implicit is None else subject.sample(subject.template.implicit, "close") or ""
    for field in subject.template.fields:
        region = subject.region(field) if field.open is not None else None
        text = "First words" if region is None else region.text
        yield from (text, f"{text}\n", f"{text}{end}\n", f"First words{text}\n{end}", text + text)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_examples_are_true_of_the_reference(path: Path) -> None:
    case = load_json(path)
    if not any(finding["rule"] == "refused" for finding in case["findings"]):
        examples_agree(case["template"])


def differs_when_streamed(delimiter: Delimiter, arrived: str, output: str) -> bool:
    """Whether the reference gives other events for the output in two chunks than for the whole of it."""
    opener = (
        {"open_pattern": delimiter.pattern} if delimiter.pattern is not None else {"open": list(delimiter.literals)}
    )
    template = {"start_anchor": "\0", "fields": {"content": {}, "x": {**opener, "transform": "{content}"}}}
    oracle = Oracle(template)
    right = oracle.whole_text(output)
    got = stream(oracle, [arrived, output[len(arrived) :]])
    return not same(got.events, right.events)


PATTERNS = (
    r"</f>(?:\s*</t>)?",
    r"<e>\s*|$",
    r"\)(?:\]<e>)?\s*",
    r"<a>(?:bc)*",
    r"abc|a",
    r'<c\b[^>]*?\bname="[^"]+">',
    r"</d>\m",
)
SETTLED = (r"</t>\s*", r"\s*<t>", r"\s*(?:<a>|<b>)\s*", r"<f=(?P<name>[^>]+)>", r"a|abc", r"<t>\n?", r"call:(?P<n>\w+)")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_witnesses_are_true_of_the_reference(pattern: str) -> None:
    delimiter = Delimiter((), pattern)
    shown = witness(delimiter, classify(delimiter))
    assert shown is not None
    assert differs_when_streamed(delimiter, shown.arrived, shown.output)


def test_witnesses_of_literals() -> None:
    delimiter = Delimiter(("<|end|>", "<|end|><|start|>"), None)
    shown = witness(delimiter, classify(delimiter))
    assert shown is not None and shown.wrong == "<|end|>"
    assert differs_when_streamed(delimiter, shown.arrived, shown.output)
    assert witness(Delimiter(("<a>", "<b>"), None), classify(Delimiter(("<a>", "<b>"), None))) is None


@pytest.mark.parametrize("pattern", SETTLED)
def test_no_witness_where_the_reference_waits(pattern: str) -> None:
    delimiter = Delimiter((), pattern)
    kind = classify(delimiter)
    assert witness(delimiter, kind) is None
    for sample in samples(kind):
        for after in ("", "more", " "):
            output = f"Text{sample}{after}"
            assert not any(differs_when_streamed(delimiter, output[:at], output) for at in range(1, len(output)))


def test_random_templates() -> None:
    """Any accepted template is checked without a fault, and alike each time; its witnesses are true."""
    rng = random.Random(11)
    witnesses = 0
    for _ in range(120):
        template = strategies.template(rng).template
        findings = check(template, portable=True)
        assert [LEVELS.index(finding.level) for finding in findings] == sorted(
            LEVELS.index(finding.level) for finding in findings
        )
        assert json.dumps([f.message for f in findings]) and all(f.where.startswith("$") for f in findings)
        subject = Subject(template)
        for field in subject.template.fields:
            for role, delimiter in (("open", field.open), ("close", field.close)):
                shown = delimiter and witness(delimiter, subject.kinds[field.name, role])
                if delimiter and shown:
                    witnesses += 1
                    assert differs_when_streamed(delimiter, shown.arrived, shown.output), (delimiter, shown)
    assert witnesses > 10


@pytest.mark.parametrize("raw", [None, 1, "text", [], {}, {"fields": {}}, {"start_anchor": {1}}, {"a" * 500: []}])
def test_what_is_no_template_is_an_error(raw: Any) -> None:
    first = check(raw)[0]
    assert (first.level, first.rule) == ("error", "refused")


def test_deep_nesting_is_an_error() -> None:
    deep: Any = {}
    for _ in range(3000):
        deep = {"a": deep}
    assert check({"start_anchor": "a", "fields": {"a": {"transform": deep}}})[0].rule == "refused"


def test_nothing_is_changed_or_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RTGEN_CACHE_DIR", str(tmp_path))
    template = load_json(CASES[0])["template"]
    before = json.dumps(template)
    assert check(template) == check(template)
    assert json.dumps(template) == before
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "others, opener",
    [
        ({"b": {"open": "<a>"}}, {"open_pattern": r"<\w>"}),  # <b> is left to it
        ({"b": {"open": "<aaa>"}}, {"open_pattern": r"<\w{3}>"}),
        ({"b": {"open": "<t>"}}, {"open_pattern": r"\s*<t>"}),  # behind white space
        ({"b": {"open": "<t>"}}, {"open": "<t>x"}),
        ({"b": {"open_pattern": "^<t>"}}, {"open": "<t>"}),  # behind the start
        ({"b": {"open_pattern": r"<t>(?=\w)"}}, {"open": "<t>"}),
        ({"content": {"close": "<t>"}}, {"open": "<t>"}),
    ],
)
def test_a_field_that_opens_somewhere_is_not_complained_of(others: dict[str, Any], opener: dict[str, str]) -> None:
    fields = {**others, "z": {**opener, "close": "</z>"}}
    assert {f.rule for f in check({"start_anchor": "<a>", "fields": fields})} & {"never-opens"} == set()


def test_all_faults_are_found_at_once() -> None:
    template = {
        "$schema": "x",
        "version": 2,
        "start_anchor": "",
        "fields": {
            "a": {"open_pattern": "(", "close_pattern": "[", "content": "yaml", "join": ""},
            "b": {"open": "<b>", "open_pattern": "(?P<n>b", "close": [], "transform_each": True},
            "c": 5,
            "d": {"transform": {"x": ["a {b}", "{ok}", "c {d}"]}},
            "e": {"openn": {"open": "<e>"}},
            "f": {"open_pattern": "(?P<n>f)"},
        },
    }
    assert [finding.where for finding in check(template)] == [
        "$.version",
        '$["$schema"]',
        "$.fields.a.content",
        "$.fields.a.open_pattern",
        "$.fields.a.close_pattern",
        "$.fields.a.join",
        "$.fields.b",
        "$.fields.b.open_pattern",
        "$.fields.b.close",
        "$.fields.b.transform_each",
        "$.fields.c",
        "$.fields.d.transform.x[0]",
        "$.fields.d.transform.x[2]",
        "$.fields.e.openn",
        "$.fields.f.open_pattern",
        "$.fields",
        "$.start_anchor",
    ]


def test_each_of_many_faults_is_one_that_the_template_has_alone() -> None:
    """Fields damaged for themselves: together, exactly the faults of each are found."""
    rng = random.Random(7)
    several = 0
    for _ in range(60):
        whole: dict[str, Any] = {"start_anchor": "A:", "fields": {}}
        wanted: list[tuple[str, str]] = []
        for name in "abcd":
            field: Any = {"open": f"<{name}>", "close_pattern": "x", "content": "json", "join": ",", "repeats": True}
            for _ in range(rng.randrange(3)):
                key = rng.choice(sorted(field))
                field[key] = rng.choice([None, 5, "", [], "(", {"a": 1}, True, "text"])
            whole["fields"][name] = field
            alone = check({"start_anchor": "A:", "fields": {name: field}})
            wanted += [(finding.where, finding.message) for finding in alone if finding.rule == "refused"]
        found = [(finding.where, finding.message) for finding in check(whole) if finding.rule == "refused"]
        assert sorted(found) == sorted(wanted)
        several += len(found) > 2
    assert several > 20


def test_the_faults_of_damaged_templates_lead_to_values() -> None:
    rng = random.Random(3)
    refused = 0
    for _ in range(150):
        template: Any = strategies.template(rng).template
        for _ in range(3):
            template = damage(rng, template) if isinstance(template, dict) and template else template
        try:
            validate(template)
        except TemplateError as error:
            refused += 1
            found, complete = faults(template, error)
            assert complete and len({(one.path, one.message) for one in found}) == len(found)
            assert all(points_into(one.path or "$", template) for one in found), (template, found)
    assert refused > 100
