"""Random runs against the oracle, and proof that the comparison would notice a wrong engine."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests import strategies
from tests.comparison import check_run, is_corner
from tests.differential import Tally, main, run_many
from tests.minimise import minimise
from tests.oracle import Compiled, Oracle, contradiction, engine, join, same, stream

RUNS = 400
"""Random runs for each kind of delimiter."""


@pytest.mark.parametrize("kind", [None, 1, 2, 3, 4], ids=lambda kind: f"kind-{kind or 'any'}")
def test_random_runs(kind: int | None, compile_one: Any) -> None:
    found = []
    for difference in run_many(RUNS, 20_000 + (kind or 0), kind=kind, compile_one=compile_one):
        if difference.check == "promptness" and is_corner(difference.run.template):
            continue
        found.append(minimise(difference, compile_one))
        if len(found) == 3:
            break
    assert not found, "\n\n".join(f"{one.check}: {one.problem}\n{json.dumps(one.as_case())}" for one in found)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # what is found is made small below, in a fraction of the time
)
@given(strategies.runs())
def test_hypothesis_runs(drawn: tuple[strategies.Run, list[list[str]]]) -> None:
    run, chunkings = drawn
    prompt = not is_corner(run.template)
    found = check_run(engine().compile(run.template), Oracle(run.template), run, chunkings, prompt=prompt)
    if found is not None:
        found = minimise(found, engine().compile)
        pytest.fail(f"{found.check}: {found.problem}\n{json.dumps(found.as_case())}")


# What the generator makes


def test_every_kind_of_delimiter_is_in_a_tenth_of_the_runs() -> None:
    kinds: Counter[int] = Counter()
    for seed in range(1000):
        kinds.update(strategies.template(random.Random(seed)).kinds)
    assert all(kinds[kind] >= 100 for kind in (1, 2, 3, 4)), kinds


def test_the_generator_covers_the_language() -> None:
    """Keys, parsers, outcomes and events that random runs are made of, each in enough of them."""
    seen: Counter[str] = Counter()
    for seed in range(1500):
        rng = random.Random(seed)
        made = strategies.template(rng)
        run = strategies.run(rng, made)
        right = Oracle(made.template).whole_text(run.text, run.prefix, run.tools)
        seen["error" if right.error is not None else "message"] += 1
        seen[right.error.__name__ if right.error is not None else "message"] += 1
        seen.update({event["type"] for event in right.events})
        seen["several regions"] += sum(event["type"] == "region_open" for event in right.events) >= 3
        seen["prefix"] += bool(run.prefix)
        seen["tools"] += bool(run.tools)
        seen["implicit"] += any(name not in made.opens for name in made.template["fields"])
        seen["no implicit"] += all(name in made.opens for name in made.template["fields"])
        for keys in made.template["fields"].values():
            seen.update(list(keys))
            seen["parser " + keys.get("content", "text")] += 1
            seen["lists"] += isinstance(keys.get("open"), list)
        seen.update(list(made.template))
    few = {what: seen[what] for what in WANTED if seen[what] < 15}
    assert not few, few
    assert seen["message"] > 600


WANTED = [
    *("error", "KeyError", "ValueError", "region_open", "region_chunk", "region_close", "several regions", "prefix"),
    *("tools", "implicit", "no implicit", "lists", "open", "open_pattern", "close", "close_pattern", "content"),
    *("content_args", "repeats", "join", "optional", "transform", "transform_each", "defaults", "start_anchor"),
    *("start_anchor_pattern", "parser text", "parser int", "parser float", "parser bool", "parser json"),
    *("parser xml-inline", "parser kv-lines", "parser python-call-list"),
]


# What the comparison notices


class Wrong:
    """An engine that spoils what the oracle's whole-text answer would be, in one way."""

    def __init__(self, oracle: Oracle, how: str) -> None:
        self.oracle, self.how = oracle, how

    def parse_response(self, text: Any, *, prefix: Any = None, tools: Any = None) -> Any:
        parser = self.ResponseParser(prefix, tools=tools)
        parser.feed(text)
        return parser.finalize()[0]

    def ResponseParser(self, prefix: str | None = None, *, tools: Any = None) -> Any:
        return WrongParser(self, prefix or "", tools)


class WrongParser:
    """Gives every event at the end, after spoiling one thing."""

    def __init__(self, owner: Wrong, prefix: str, tools: Any) -> None:
        self.owner, self.prefix, self.tools, self.text = owner, prefix, tools, ""
        self.initial_events: list[dict[str, Any]] = []

    def feed(self, text: str) -> list[dict[str, Any]]:
        self.text += text
        return []

    def finalize(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        right = self.owner.oracle.whole_text(self.text, self.prefix, self.tools)
        how, events = self.owner.how, right.events
        if right.error is not None:
            if how == "swallows errors":
                return {}, events
            raise (RecursionError if how == "other error" else right.error)("fault")
        message = dict(right.message or {})
        if how == "key order":
            message = dict(reversed(message.items()))
        elif how == "types":
            message = {key: _as_float(value) for key, value in message.items()}
        elif how == "last event" and events:
            events = events[:-1]
        elif how == "chunk text":
            events = [event | {"text": event["text"].strip()} if "text" in event else event for event in events]
        elif how == "empty values":
            message["nothing"] = ""
        return message, events


def _as_float(value: Any) -> Any:
    return float(value) if type(value) in (bool, int) else value


@pytest.mark.parametrize(
    ("how", "check"),
    [
        ("swallows errors", "batch"),
        ("other error", "batch"),
        ("key order", "batch"),
        ("types", "batch"),
        ("empty values", "batch"),
        ("last event", "stream"),
        ("chunk text", "stream"),
        ("late", "promptness"),
    ],
)
def test_a_wrong_engine_is_noticed(how: str, check: str) -> None:
    found = []
    for one in run_many(400, 1, compile_one=lambda template: Wrong(Oracle(template), how), prompt=how == "late"):
        found.append(one.check)
        if found.count(check) == 3:
            break
    assert found.count(check) >= 3, found


def test_the_reference_is_caught_where_it_depends_on_the_chunks() -> None:
    differences = list(run_many(400, 3, compile_one=Oracle))
    assert {one.check for one in differences} == {"stream"}
    assert len(differences) >= 5
    smallest = minimise(differences[0], Oracle, seconds=3)
    case = smallest.as_case()
    assert len(case["text"]) <= len(differences[0].run.text)
    assert same(case["events"], Oracle(case["template"]).whole_text(case["text"], case["prefix"]).events)


@pytest.mark.parametrize(
    ("closer", "text"),
    [(r"</f>(?:\s*</t>)?", "<f>a</f> </t>b"), (r"</f>\b", "<f>a</f>b"), (r"</f>\s*|$", "<f>a</f>\nb")],
)
def test_known_wrong_answers_of_the_reference(closer: str, text: str) -> None:
    """The oracle's answer is that of the whole text, not that of the reference's stream of characters."""
    oracle = Oracle({"start_anchor": "A", "fields": {"f": {"open": "<f>", "close_pattern": closer}, "c": {}}})
    right = oracle.whole_text(text)
    assert right.message == {"f": "a", "c": "b"}
    assert contradiction(right, stream(oracle, [text])) is None
    assert contradiction(right, stream(oracle, list(text))) is not None or closer.endswith("$")


def test_events_are_joined_region_by_region() -> None:
    opening = {"type": "region_open", "field": "a"}
    chunk = {"type": "region_chunk", "field": "a", "text": "x", "dirty": False}
    assert join([opening, chunk, chunk, opening, chunk]) == [opening, chunk | {"text": "xx"}, opening, chunk]
    assert chunk["text"] == "x"


def test_equality_is_exact() -> None:
    assert same({"a": [1, None], "b": float("nan")}, {"a": [1, None], "b": float("nan")})
    for left, right in [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([1], (1,)),
        ("", None),
    ]:
        assert not same(left, right)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "200", "--seed", "3", "--engine", "transformers", "--most", "1", "--no-promptness"]) == 1
    out, err = capsys.readouterr()
    case = json.loads(out.splitlines()[0])
    assert {"template", "prefix", "text", "events", "chunks"} <= set(case)
    assert "runs a second" in err
    assert main(["--runs", "4", "--seed", "0", "--engine", "transformers", "--no-promptness"]) == 0


def test_the_runs_are_fast_enough_to_be_many() -> None:
    """300 runs a second is the aim; the machine may be busy, so a third of that is asked for."""
    tally = Tally()
    started = time.process_time()
    compile_one: Any = Oracle
    for _ in run_many(300, 5, compile_one=compile_one, prompt=False, tally=tally):
        pass
    assert tally.runs / (time.process_time() - started) > 100


def test_compiled_protocol_is_what_the_oracle_offers() -> None:
    compiled: Compiled = Oracle({"start_anchor": "A", "fields": {"c": {}}})
    assert compiled.parse_response("x", prefix="") == {"c": "x"}
