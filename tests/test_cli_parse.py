"""`rtgen parse` and `rtgen stream`: one text, and many."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys

import pytest

from tests.command import run
from tests.test_cli import TEMPLATE, here, start  # noqa: F401

TEXT = '<think>Größe 😀</think>Hi<call>{"name": "f", "arguments": {"x": "1"}}</call>'
CALL = {"name": "f", "arguments": {"x": "1"}}
MESSAGE = {"role": "assistant", "reasoning_content": "Größe 😀", "tool_calls": [CALL], "content": "Hi"}


@pytest.mark.parametrize("arguments, stdin", [([TEXT], ""), ([], TEXT), (["-"], TEXT)])
def test_where_the_text_comes_from(arguments, stdin):
    result = run("parse", "t.json", *arguments, "--prefix", "", stdin=stdin)
    assert result.code == 0 and result.err == ""
    assert result.lines == [MESSAGE]
    assert "Größe 😀" in result.out


def test_the_empty_text_is_a_text():
    assert run("parse", "t.json", "", "--prefix", "", stdin="no").lines == [{"role": "assistant"}]


def test_nothing_is_added_or_taken_away(here):  # noqa: F811
    (here / "prefix.txt").write_bytes(b"<a>one\r\n")
    result = run("parse", "t.json", "--prefix-file", "prefix.txt", stdin=b"two\r\n\n")
    assert result.lines[0]["content"] in ("one\r\ntwo\r\n\n", "one\r\ntwo")  # the template strips text, or not


def test_prefix_and_tools(here):  # noqa: F811
    (here / "x.json").write_text(json.dumps({**TEMPLATE, "fields": {**TEMPLATE["fields"], "tool_calls": TOOLS_FIELD}}))
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}
    (here / "tools.json").write_text(json.dumps([{"type": "function", "function": tool}]))
    text = '</think><call>{"name": "f", "arguments": {"x": "1"}}</call>'
    result = run("parse", "x.json", text, "--prefix", "<a>old<a><think>Hm", "--tools", "tools.json")
    assert result.lines[0]["reasoning_content"] == "Hm"
    assert result.lines[0]["tool_calls"][0]["function"]["arguments"] == {"x": 1}


TOOLS_FIELD = {**TEMPLATE["fields"]["tool_calls"], "transform": {"type": "function", "function": "{content}"}}


def test_output_that_does_not_parse():
    result = run("parse", "t.json", "<call>{nope</call>", "--prefix", "")
    assert result.code == 1 and result.out == ""
    assert result.err.startswith("rtgen: error: the output does not parse: field 'tool_calls' at position 6: ")
    assert result.err.count("\n") == 1
    assert run("parse", "t.json", "<call>{nope</call>", "--prefix", "", "--verbose").err.startswith("Traceback")


def test_stdin_that_is_not_utf8():
    for command in ("parse", "stream"):
        result = run(command, "t.json", "--prefix", "", stdin=b"ab\xff")
        assert result.code == 2 and "stdin is not UTF-8" in result.err and result.err.count("\n") == 1


def test_lone_surrogates_are_escaped():
    text = '<call>{"name": "\\ud83d \\\\ud83d", "arguments": {}}</call>\udcff'
    for command in ("parse", "stream"):
        result = run(command, "t.json", text, "--prefix", "")
        assert result.code == 0 and "\\ud83d" in result.out and "\\udcff" in result.out
    assert result.lines


def test_stream_prints_events():
    whole = run("stream", "t.json", TEXT, "--prefix", "<a><think>First. ")
    assert whole.code == 0
    assert whole.lines[0] == {"type": "region_open", "field": "reasoning_content"}
    assert whole.lines[1]["text"] == "First. "
    closes = {event["field"]: event["value"] for event in whole.lines if event["type"] == "region_close"}
    assert closes["tool_calls"] == CALL
    for arguments, stdin in (([TEXT, "--chunk", "1"], ""), (["--chunk", "2"], TEXT), (["-"], TEXT)):
        pieces = run("stream", "t.json", *arguments, "--prefix", "<a><think>First. ", stdin=stdin)
        assert joined(pieces.lines) == joined(whole.lines)


def joined(events):
    """The events with neighbouring chunks put together."""
    result = []
    for event in events:
        if result and event["type"] == "region_chunk" == result[-1]["type"]:
            result[-1] = {**event, "text": result[-1]["text"] + event["text"]}
        else:
            result.append(event)
    return result


def test_a_stream_that_fails_has_printed_what_came_before():
    result = run("stream", "t.json", "Hi<call>{nope</call>", "--prefix", "", "--chunk", "1")
    assert result.code == 1
    assert result.lines[0] == {"type": "region_open", "field": "content"}
    assert result.err.startswith("rtgen: error: the output does not parse: ")


@pytest.mark.parametrize(
    ("arguments", "stdin"), [(["{}"], ""), ([], "{}"), (["{}", "--chunk", "9"], ""), (["{}", "--chunk", "1"], "")]
)
@pytest.mark.parametrize("text", ["Hi<call>{nope</call>more", "Hi<call>{nope"], ids=["closed", "cut off"])
def test_events_before_an_error_come_out_whatever_the_pieces(arguments, stdin, text):
    arguments = [argument.format(text) if argument == "{}" else argument for argument in arguments]
    result = run("stream", "t.json", *arguments, "--prefix", "", stdin=stdin and text)
    assert result.code == 1
    assert joined(result.lines) == [
        {"type": "region_open", "field": "content"},
        {"type": "region_chunk", "field": "content", "text": "Hi", "dirty": False},
        {"type": "region_close", "field": "content", "value": "Hi"},
        {"type": "region_open", "field": "tool_calls"},
        {"type": "region_chunk", "field": "tool_calls", "text": "{nope", "dirty": True},
    ]


def test_a_text_given_whole_is_printed_in_few_events():
    events = run("stream", "t.json", "Some text<think>and more</think>", "--prefix", "").lines
    assert events == joined(events) and len(events) == 6


@pytest.mark.parametrize("command", ["parse", "stream"])
def test_a_prompt_without_the_anchor_is_warned_of(command, here):  # noqa: F811
    result = run(command, "t.json", "Hi", "--prefix", "<b>Hello<think>Hm")
    assert result.code == 0
    assert result.err == (
        'rtgen: warning: the template\'s anchor "<a>" is not found in the prompt, so all of it is parsed as the '
        "beginning of the output\n"
    )
    for prefix in ("", "<a>", "<b>old<a>"):
        assert run(command, "t.json", "Hi", "--prefix", prefix).err == ""
    for anchor in ({"start_anchor": ["<a>", "<A>"]}, {"start_anchor_pattern": "(?i)<a>\\s"}):
        template = {key: value for key, value in TEMPLATE.items() if key != "start_anchor"}
        (here / "x.json").write_text(json.dumps({**template, **anchor}))
        assert run(command, "x.json", "Hi", "--prefix", "x<A>\n").err == ""
        assert "is not found in the prompt" in run(command, "x.json", "Hi", "--prefix", "x<i>\n").err


@pytest.mark.parametrize("more", [[], ["--jobs", "2"]], ids=["one process", "two processes"])
def test_prompts_without_the_anchor_are_counted(more):
    lines = [{"text": "x", "prefix": prefix} for prefix in ("<a>", "<b>", "", "<c>")]
    result = run("parse", "t.json", "--jsonl", *more, stdin=jsonl(lines))
    assert result.code == 0 and len(result.lines) == 4
    assert result.err.count("\n") == 1 and "is not found in the prompts of 2 lines" in result.err


def test_a_stream_is_not_held_back():
    process = start("stream", "t.json", "--prefix", "")
    process.stdin.write(b"Gr" + "ö".encode()[:1])  # a character cut in two
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["type"] == "region_open"
    assert json.loads(process.stdout.readline())["text"] == "Gr"
    out, _ = process.communicate("ö".encode()[1:])
    assert json.loads(out.splitlines()[0])["text"] == "ö"


LINES = [
    {"text": "one", "prefix": ""},
    {"text": "two"},
    "not json",
    {"text": "</think>four", "prefix": "<a><think>Hm"},
    [1],
    {"prefix": ""},
    {"text": 7},
    {"text": "x", "prefix": 7},
    {"text": "x", "tools": {}},
    {"text": "<call>{nope</call>"},
    {"text": "last", "tools": [], "id": 1},
]


def jsonl(lines):
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


@pytest.mark.parametrize("more", [[], ["--jobs", "2"]], ids=["one process", "two processes"])
def test_many_texts(more):
    result = run("parse", "t.json", "--jsonl", "--prefix", "", *more, stdin=jsonl(LINES))
    assert result.code == 1 and result.err == ""
    assert [line.get("content", line.get("error")) for line in result.lines] == [
        "one",
        "two",
        "the line is not JSON: column 1: Expecting value",
        "four",
        "the line is not a JSON object with a key 'text'",
        "'text' is missing",
        "'text' is not a string",
        "'prefix' is not a string",
        "'tools' is not a list",
        result.lines[9]["error"],
        "last",
    ]
    assert result.lines[9]["error"].startswith("field 'tool_calls' at position 6: ")
    assert result.lines[3]["reasoning_content"] == "Hm"
    assert [line["line"] for line in result.lines if "error" in line] == [3, 5, 6, 7, 8, 9, 10]


def test_many_texts_without_a_prefix():
    result = run("parse", "t.json", "--jsonl", stdin=jsonl([{"text": "one", "prefix": ""}, {"text": "two"}]))
    assert result.code == 1
    assert result.lines[0]["content"] == "one"
    assert "'prefix' is missing" in result.lines[1]["error"]


def test_blank_lines_are_skipped_and_odd_line_breaks_are_none(here):  # noqa: F811
    good = [{"text": "a\u2028b\x85c", "prefix": ""}, {"text": "d", "prefix": ""}]
    lines = "\n".join(json.dumps(line, ensure_ascii=False) for line in good)
    (here / "in.jsonl").write_text("\n" + lines + "\r\n\n", encoding="utf-8")
    result = run("parse", "t.json", "in.jsonl", "--jsonl")
    assert result.code == 0
    assert [json.loads(line)["content"] for line in result.out.rstrip("\n").split("\n")] == ["a\u2028b\x85c", "d"]


def test_lines_on_the_command_line():
    assert run("parse", "t.json", '{"text": "Größe", "prefix": ""}', "--jsonl").lines[0]["content"] == "Größe"


def test_a_line_that_is_not_utf8():
    data = b'{"text": "\xff"}\n{"text": "good"}\n'
    result = run("parse", "t.json", "--jsonl", "--prefix", "", stdin=data)
    assert result.code == 1
    assert result.lines[0]["error"].startswith("the line is not UTF-8: the byte at offset 10")
    assert result.lines[1]["content"] == "good"


def test_each_line_is_answered_at_once():
    process = start("parse", "t.json", "--jsonl", "--prefix", "")
    for word in ("one", "two"):
        process.stdin.write(jsonl([{"text": word}]).encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["content"] == word
    process.communicate()
    assert process.returncode == 0


@pytest.mark.slow
def test_a_large_file_keeps_its_order(here):  # noqa: F811
    count = 6000
    padding = "x" * 800
    (here / "in.jsonl").write_text(jsonl({"text": f"{i} {padding}", "prefix": ""} for i in range(count)))
    assert os.path.getsize("in.jsonl") > 4_000_000
    result = run("parse", "t.json", "in.jsonl", "--jsonl")
    assert result.code == 0
    assert [line["content"].split()[0] for line in result.lines] == [str(i) for i in range(count)]


BROKEN = '<call>{"a": "</call>",}</call>Hi'


def test_stream_has_the_options_for_broken_output():
    assert run("stream", "t.json", BROKEN, "--prefix", "").code == 1
    events = run("stream", "t.json", BROKEN, "--prefix", "", "--on-malformed", "event", "--spans")
    assert (events.code, events.err) == (0, "")
    assert [event["type"] for event in events.lines].count("region_malformed") == 1
    assert events.lines[0] == {
        "type": "region_open",
        "field": "tool_calls",
        "start": 0,
        "end": 6,
        "captures": {},
    }
    mended = run("stream", "t.json", BROKEN, "--prefix", "", "--string-aware", "--repair").lines
    close = next(event for event in mended if event["type"] == "region_close")
    assert (close["value"], close["repairs"]) == ({"a": "</call>"}, ["trailing_commas"])


@pytest.mark.parametrize("more", [[], ["--jsonl"], ["--jsonl", "--jobs", "2"]], ids=" ".join)
def test_parse_has_the_options_for_broken_output(more):
    arguments = [jsonl([{"text": BROKEN}])] if more else [BROKEN]

    def message(*options):
        return run("parse", "t.json", *arguments, "--prefix", "", *more, *options)

    assert message().code == 1
    assert message("--string-aware", "--repair").lines == [
        {"role": "assistant", "tool_calls": [{"a": "</call>"}], "content": "Hi"}
    ]
    for kind in ("event", "content"):
        result = message("--on-malformed", kind)
        assert result.code == 0 and result.err.count("\n") == 1
        line = "line 1: " if more else ""
        assert result.err.startswith(f"rtgen: warning: {line}a region of 'tool_calls' is malformed: ")
        assert "tool_calls" not in result.lines[0]
    assert BROKEN in message("--on-malformed", "content").lines[0]["content"]
    assert message("--on-malformed", "nothing").code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_a_progress_bar_on_a_terminal(here):  # noqa: F811
    import pty

    (here / "in.jsonl").write_text(jsonl({"text": "x", "prefix": ""} for _ in range(300)))
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "rtgen", "parse", "t.json", "in.jsonl", "--jsonl"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=child)
    os.close(child)
    shown = ""
    with contextlib.suppress(OSError):  # the end of a terminal
        while data := os.read(parent, 100_000):
            shown += data.decode()
    os.close(parent)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 300
    assert "100%" in shown
