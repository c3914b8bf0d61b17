"""The response templates in use, over realistic outputs of their models: the whole-text answer in every chunking.

The templates themselves are others' work and not part of this project: they are looked for beside the checkout, or in
the folder that RTGEN_REFERENCE_TEMPLATES names. The outputs are `tests/data/reference_outputs.json`.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.comparison import check_promptness, check_run
from tests.conftest import HERE, ROOT, load_json
from tests.oracle import Oracle, contradiction, engine, stream
from tests.strategies import Run, chunkings, random_chunks

FOLDER = Path(os.environ.get("RTGEN_REFERENCE_TEMPLATES", ROOT.parent / "shared" / "reference" / "response_templates"))
FAMILIES: dict[str, Any] = load_json(HERE / "data" / "reference_outputs.json")
NAMES = sorted(name for family in FAMILIES.values() for name in family["templates"])
LOOKAHEAD = re.compile(r"\(\?<?[=!]")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the reference templates are not at {FOLDER}")


def template_named(name: str) -> dict[str, Any]:
    found: dict[str, Any] = load_json(FOLDER / f"{name}.json")
    return found


def outputs_of(name: str) -> list[dict[str, Any]]:
    return [output for family in FAMILIES.values() if name in family["templates"] for output in family["outputs"]]


def test_every_template_has_outputs() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 30
    assert {path.stem for path in FOLDER.glob("*.json")} == set(NAMES)
    for family, found in FAMILIES.items():
        assert len(found["outputs"]) >= 5, family


@pytest.mark.parametrize("name", NAMES)
def test_whole_text_in_every_chunking(name: str) -> None:
    template = template_named(name)
    compiled, oracle, rng = engine().compile(template), Oracle(template), random.Random(name)
    for output in outputs_of(name):
        run = Run(template, output["prefix"], output["text"], output.get("tools"))
        text = run.text
        ways = chunkings(rng, text)
        ways += [[text[:at], text[at:]] for at in range(1, len(text))]
        ways += [random_chunks(rng, text, most) for most in (2, 4, 6, 12, 30)]
        found = check_run(compiled, oracle, run, ways)
        assert found is None, f"{found.check}: {found.problem}\n{found.as_case()}"


@pytest.mark.parametrize("name", NAMES)
def test_the_prefix_may_hold_any_part_of_the_text(name: str) -> None:
    """What the prefix ends with and what is generated are one text, wherever that is cut."""
    template = template_named(name)
    compiled, oracle = engine().compile(template), Oracle(template)
    for output in outputs_of(name):
        text, tools = output["text"], output.get("tools")
        for at in range(0, len(text), max(1, len(text) // 40)):
            prefix = output["prefix"] + text[:at]
            right = oracle.whole_text(text[at:], prefix, tools)
            got = stream(compiled, list(text[at:]), prefix, tools)
            problem = contradiction(right, got)
            assert problem is None, f"prefix {prefix!r}, text {text[at:]!r}: {problem}"


@pytest.mark.parametrize("name", NAMES)
def test_promptness_from_token_to_token(name: str) -> None:
    template = template_named(name)
    compiled, oracle, rng = engine().compile(template), Oracle(template), random.Random(name)
    for output in outputs_of(name):
        run = Run(template, output["prefix"], output["text"], output.get("tools"))
        right = oracle.whole_text(run.text, run.prefix, run.tools)
        for most in (1, 3, 6):
            chunks = random_chunks(rng, run.text, most)
            got = stream(compiled, chunks, run.prefix, run.tools, progress=True)
            late = check_promptness(compiled, oracle, run, chunks, right, got, rng)
            assert late is None, f"chunks {chunks}: {late}"


WRONG_IN_THE_REFERENCE = [
    "glm4moe__trl-1.16.0-jsonvalue",
    "lfm2_2_5__trl-1.16.0",
    "gemma4__trl-1.16.0",
    "muse_glimmer__hf-convert-fd9d88d",
]


@pytest.mark.parametrize("name", WRONG_IN_THE_REFERENCE)
def test_the_reference_streams_these_wrongly(name: str) -> None:
    """These are in the data because the reference's own stream of them depends on the chunks."""
    oracle, wrong = Oracle(template_named(name)), 0
    for output in outputs_of(name):
        text, prefix, tools = output["text"], output["prefix"], output.get("tools")
        right = oracle.whole_text(text, prefix, tools)
        ways = [list(text), *([text[:at], text[at:]] for at in range(1, len(text)))]
        wrong += any(contradiction(right, stream(oracle, way, prefix, tools)) is not None for way in ways)
    assert wrong > 0


@pytest.mark.parametrize("name", NAMES)
def test_delimiters_without_lookaround_are_fast(name: str) -> None:
    """All delimiters but those with a lookaround are of kinds 1 to 3."""
    compiler = pytest.importorskip("rtgen.compiler")
    if not hasattr(compiler, "kinds"):
        pytest.skip("rtgen.compiler.kinds is not there yet")
    template = template_named(name)
    for (field, slot), kind in compiler.kinds(template).items():
        keys = template["fields"][field]
        if f"{slot}_pattern" in keys and LOOKAHEAD.search(keys[f"{slot}_pattern"]):
            continue
        assert kind in (1, 2, 3), (field, slot, kind)
