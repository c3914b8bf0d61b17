"""Patterns that only `regex` itself can decide: right at the end of the text, whatever the chunks."""

from __future__ import annotations

import json
import warnings

import pytest

import rtgen
from rtgen.check import check
from tests.command import run
from tests.oracle import Oracle, engine


@pytest.mark.filterwarnings("ignore:the pattern at:UserWarning")
@pytest.mark.parametrize("pattern", [r"(?P<n>b)\R?", r"(?P<n>b)\X?", r"(?V1)(?P<n>b)", r"(?w)(?P<n>b)\b"])
def test_named_groups_reach_the_transform(pattern: str) -> None:
    field = {"open": "<", "close_pattern": pattern, "transform": {"n": "{n}", "c": "{content}"}}
    template = {"start_anchor": "A:", "fields": {"a": field}}
    right = Oracle(template).whole_text("< b>", "", None)
    assert right.message == {"a": {"n": "b", "c": ""}}
    compiled = engine().compile(template)
    assert compiled.parse_response("< b>", prefix="") == right.message
    parser = compiled.ResponseParser("")
    for char in "< b>":
        parser.feed(char)
    assert parser.finalize()[0] == right.message


OUTSIDE = {"open_pattern": r"<c>\K", "close": "</c>"}
TAGS = {"content": "xml-inline", "content_args": {"tag_pattern": r"<(?P<key>\w+)>(?P<value>.*?)\K</>"}}
INNER = {"content": "kv-lines", "content_args": {"value_parser": {"name": "xml-inline", "args": TAGS["content_args"]}}}


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ({"fields": {"a": OUTSIDE}}, "$.fields.a.open_pattern"),
        ({"fields": {"a": {"close_pattern": r"\G</a>"}}}, "$.fields.a.close_pattern"),
        ({"fields": {"a": {"open": "<a>", "close_pattern": r"(?:</a>){e<=1}"}}}, "$.fields.a.close_pattern"),
        ({"start_anchor_pattern": r"A\K:", "fields": {"a": {}}}, "$.start_anchor_pattern"),
        ({"fields": {"a": {"open": "<a>", "close": "</a>", **TAGS}}}, "$.fields.a.content_args.tag_pattern"),
        (
            {"fields": {"a": {"open": "<a>", "close": "</a>", **INNER}}},
            "$.fields.a.content_args.value_parser.args.tag_pattern",
        ),
    ],
)
def test_compiling_warns_where_the_promise_ends(template, path, tmp_path, monkeypatch):
    monkeypatch.setenv("RTGEN_CACHE_DIR", str(tmp_path / "cache"))
    template = template if "start_anchor_pattern" in template else {"start_anchor": "A:", **template}
    with pytest.warns(UserWarning) as warned:
        rtgen.compile(template)
    (only,) = warned
    assert f"at {path} is outside the promise" in str(only.message)
    assert only.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [finding.where for finding in check(template) if finding.rule == "opaque"] == [path]
    (tmp_path / "t.json").write_text(json.dumps(template))
    result = run("compile", str(tmp_path / "t.json"), "-o", "-")
    assert (result.code, result.err.count(f"warning: the pattern at {path} is")) == (0, 1)


def test_compiling_warns_of_nothing_else():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in rtgen.available():
            engine().compile(rtgen.load(name).template)
        rtgen.compile({"start_anchor": "A:", "fields": {"a": {"open_pattern": r"<(?=b)\w+(?<!c)>", "close": "</a>"}}})
