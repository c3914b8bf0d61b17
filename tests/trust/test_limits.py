"""Limits: each ends the parse with an error that names it, whatever the chunks; without them nothing is different."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest

import rtgen
from rtgen.emit.searches import STEP_BUDGET
from rtgen.runtime.limits import LIMITS, deeper
from rtgen.runtime.serving import Serving
from tests import strategies
from tests.oracle import join
from tests.trust.running import standalone

CALLS = {
    "start_anchor": "A:",
    "fields": {
        "c": {},
        "t": {"open": "<t>", "close": "</t>", "content": "json", "repeats": True},
        "x": {
            "open": "<x>",
            "close": "</x>",
            "content": "xml-inline",
            "content_args": {"tag_pattern": r"(?P<key>(a+)+)\2b(?P<value>)"},
        },
    },
}
TEXT = "hello<t>[[[1]]]</t>there<t>[1]</t>"


def parse(text: str = TEXT, template: Any = CALLS, prefix: str = "", **options: Any) -> Any:
    return rtgen.parse_response(text, template, prefix=prefix, **options)


def stream(chunks: Any, **options: Any) -> Any:
    parser = rtgen.ResponseParser(CALLS, "", **options)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    message, last = parser.finalize()
    return message, join(events + last)


BEYOND = [
    ({"max_input": len(TEXT) - 1}, None, f"the text is longer than {len(TEXT) - 1} characters (max_input)"),
    ({"max_region": 6}, "t", "field 't' at position 8: the region is longer than 6 characters (max_region)"),
    ({"max_region": 4}, "c", "field 'c' at position 0: the region is longer than 4 characters (max_region)"),
    ({"max_events": 7}, "t", "the text opens and closes regions more than 7 times (max_events)"),
    ({"max_depth": 2}, "t", "field 't' at position 8: the value is nested more than 2 levels deep (max_depth)"),
]


@pytest.mark.parametrize(("options", "field", "message"), BEYOND, ids=lambda value: str(value)[:20])
def test_beyond(options: dict[str, int], field: str | None, message: str) -> None:
    (limit,) = options
    for run in (
        lambda: parse(**options),
        lambda: rtgen.compile(CALLS).parse_response([TEXT], prefix="", **options),
        lambda: stream([TEXT], **options),
        lambda: stream(TEXT, **options),
        lambda: standalone(CALLS).parse_response(TEXT, prefix="", **options),
    ):
        with pytest.raises(ValueError) as caught:
            run()
        error: Any = caught.value
        assert type(error).__name__ == "LimitError" and error.limit == limit
        assert str(error).endswith(message) and (error.field == field or limit == "max_input")
    with pytest.raises(rtgen.LimitError) as caught:
        parse(**options)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.limit, copy.field) == (str(caught.value), limit, caught.value.field)


@pytest.mark.parametrize(
    "options",
    [
        {"max_input": len(TEXT), "max_region": 7, "max_events": 8, "max_depth": 3, "step_budget": 1},
        dict.fromkeys(LIMITS),
    ],
    ids=["just enough", "None"],
)
def test_within(options: dict[str, Any]) -> None:
    assert parse(**options) == parse() == {"c": "there", "t": [[[[1]]], [1]]}
    assert stream(TEXT, **options) == stream([TEXT], **options) == stream(TEXT)


@pytest.mark.parametrize("limit", sorted(LIMITS))
@pytest.mark.parametrize(("value", "error"), [(0, ValueError), (-1, ValueError), (True, TypeError), ("9", TypeError)])
def test_what_is_no_limit(limit: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"^{limit} is "):
        parse(**{limit: value})


def test_after_it_the_parser_is_closed() -> None:
    parser = rtgen.ResponseParser(CALLS, "", max_region=4)
    with pytest.raises(rtgen.LimitError):
        parser.feed("hello")
    with pytest.raises(RuntimeError, match="max_region"):
        parser.feed("x")


def test_the_prefix_counts() -> None:
    with pytest.raises(rtgen.LimitError):
        rtgen.ResponseParser(CALLS, "xxxxxxxxA:hello", max_region=4)
    assert parse("", prefix="xxxxxxxxA:hello", max_region=5, max_input=5) == {"c": "hello"}


@pytest.mark.parametrize("policy", ["event", "content"])
def test_what_a_policy_lets_pass(policy: str) -> None:
    """A value nested too deeply is malformed, and leaves nothing behind; the other limits end the parse."""
    malformed: list[dict[str, Any]] = []
    message = parse(max_depth=2, on_malformed=policy, malformed=malformed)
    assert message == {"c": "there" if policy == "event" else message["c"], "t": [[1]]}
    assert [(event["field"], event["error"].limit) for event in malformed] == [("t", "max_depth")]
    malformed.clear()
    assert "x" not in parse("<x>" + "a" * 40 + "</x>", on_malformed=policy, malformed=malformed, step_budget=1000)
    assert [(event["field"], event["error"].limit) for event in malformed] == [("x", "step_budget")]
    for options in ({"max_input": 9}, {"max_region": 6}, {"max_events": 3}):
        with pytest.raises(rtgen.LimitError):
            parse(on_malformed=policy, **options)


@pytest.mark.parametrize("field", [{"repeats": True}, {}, {"repeats": True, "join": "-"}], ids=str)
@pytest.mark.parametrize("default", [None, "x", ["x"]], ids=str)
def test_a_deep_value_is_taken_back(field: dict[str, Any], default: Any) -> None:
    content = {"content": "json"} if "join" not in field else {"transform": [["{content}"]]}
    template = {"start_anchor": "A", "fields": {"t": {"open": "<", "close": ">", **content, **field}}}
    if default is not None:
        template["defaults"] = {"t": default}
    deep, flat = ("[[1]]", "1") if "join" not in field else ("a", "b")
    given = {"prefix": "", "on_malformed": "event", "max_depth": 1}
    assert rtgen.parse_response(f"<{deep}>", template, **given) == rtgen.parse_response("", template, prefix="")
    if "join" not in field and not (default == "x" and "repeats" in field):
        found = rtgen.parse_response(f"<{deep}><{flat}><{deep}>", template, **given)
        assert found == rtgen.parse_response(f"<{flat}>", template, prefix="")


def test_depth() -> None:
    assert not deeper("x", 1) and not deeper([], 1) and deeper([[]], 1) and deeper({"a": [1, {}]}, 2)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert deeper(deep, 99_999) and not deeper(deep, 100_001)
    while deep:
        deep = deep[0]


HOPELESS = {
    "start_anchor_pattern": r"A:|(a+)+\1b",
    "fields": {
        "o": {"open_pattern": r"<(a+)+\1b>", "close": "</o>"},
        "k": {"open": "<k>", "close_pattern": r"(a+)+\1b>"},
        "x": CALLS["fields"]["x"],
    },
}
HOPELESS_TEXTS = {
    "start_anchor_pattern": ("a" * 60, "x"),
    "o": ("A:", "<" + "a" * 60 + "cb>"),
    "k": ("A:", "<k>" + "a" * 60 + "cb>"),
    "x": ("A:", "<x>" + "a" * 60 + "</x>"),
}


@pytest.mark.parametrize("field", HOPELESS_TEXTS)
def test_the_budget_of_steps(field: str) -> None:
    """Its error names the field; a smaller one ends sooner, by count and not by the clock; a larger one may suffice."""
    prefix, text = HOPELESS_TEXTS[field]
    for options, steps in (({}, STEP_BUDGET), ({"step_budget": 2000}, 2000)):
        with pytest.raises(rtgen.LimitError) as caught:
            parse(text, HOPELESS, prefix=prefix, **options)
        assert f"field {field!r} at position" in str(caught.value) and f"more than {steps} steps" in str(caught.value)
        assert caught.value.field == field and caught.value.limit == "step_budget"
    short = text.replace("a" * 60, "a" * 9)
    with pytest.raises(rtgen.LimitError):
        parse(short, HOPELESS, prefix=prefix.replace("a" * 60, "a" * 9), step_budget=10)
    assert parse(short, HOPELESS, prefix=prefix.replace("a" * 60, "a" * 9)) == parse(
        short, HOPELESS, prefix=prefix.replace("a" * 60, "a" * 9), step_budget=10**6
    )


def test_the_budget_of_one_parser_is_not_that_of_another() -> None:
    prefix, _ = HOPELESS_TEXTS["o"]
    small = rtgen.ResponseParser(HOPELESS, prefix, step_budget=2000)
    plain = rtgen.ResponseParser(HOPELESS, prefix)
    for piece in ("<", "a" * 12):
        small.feed(piece)
        plain.feed(piece)
    with pytest.raises(rtgen.LimitError, match="more than 2000 steps"):
        small.feed("a" * 50 + "c")
    with pytest.raises(rtgen.LimitError, match=f"more than {STEP_BUDGET} steps"):
        plain.feed("a" * 50 + "c")


def test_without_limits_nothing_is_different() -> None:
    plain = rtgen.ResponseParser(CALLS, "")
    assert type(plain) is rtgen.compile(CALLS).ResponseParser
    served = rtgen.ResponseParser(CALLS, "", spans=True)
    assert type(served._serving) is Serving and type(served).__name__ == "ServingResponseParser"


def test_random_templates_and_chunks() -> None:
    """A region's limit is exceeded where a region of the right answer is longer, in one chunk and in many."""
    exceeded = within = 0
    for seed in range(150):
        rng = random.Random(f"limits {seed}")
        made = strategies.template(rng)
        compiled = rtgen.compile(made.template)
        run = strategies.run(rng, made)
        try:
            compiled.parse_response(run.text, prefix=run.prefix)
            parser = compiled.ResponseParser(run.prefix, spans=True)
            events = [*parser.initial_events, *parser.feed(run.text)]
            events += parser.finalize()[1]
        except Exception:
            continue
        regions = [0]
        for event in events:
            if event["type"] == "region_open":
                begin = event["end"]
            elif event["type"] == "region_close":
                regions.append(event["start"] - begin)
        boundaries = sum(event["type"] != "region_chunk" for event in events)
        for limit, real in (("max_region", max(regions)), ("max_events", boundaries)):
            for most in {max(1, real - 1), max(1, real), max(1, real // 2)}:
                for chunks in ([run.text], list(run.text), *strategies.chunkings(rng, run.text)[:2]):
                    try:
                        parser = compiled.ResponseParser(run.prefix, **{limit: most})
                        for chunk in chunks:
                            parser.feed(chunk)
                        parser.finalize()
                    except rtgen.LimitError as error:
                        assert error.limit == limit and most < real, (made.template, run, chunks, limit, most, real)
                        exceeded += 1
                    else:
                        assert most >= real, (made.template, run, chunks, limit, most, real)
                        within += 1
    assert exceeded > 200 and within > 200, (exceeded, within)
