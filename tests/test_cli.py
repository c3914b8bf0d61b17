"""The command line as a whole: help, exit codes, sentences instead of tracebacks, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from rtgen import cache, compiler, library
from rtgen.cli import COMMANDS
from tests.command import run

TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<a>",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "content": "text"},
        "tool_calls": {"open": "<call>", "close": "</call>", "repeats": True, "content": "json"},
        "content": {"close": "<end>", "content": "text"},
    },
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Each test works in a folder of its own that holds `t.json`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(compiler, "_known", {})
    (tmp_path / "t.json").write_text(json.dumps(TEMPLATE))
    return tmp_path


def test_help_names_every_command():
    result = run("--help")
    assert result.code == 0 and result.err == ""
    assert re.findall(r"^  (\w+)  ", result.out.partition("Commands:")[2], re.M) == list(COMMANDS)
    assert "..." not in result.out.partition("Commands:")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    result = run(command, "--help")
    assert result.code == 0 and result.out.startswith(f"Usage: rtgen {command} ")
    assert "Options:" in result.out


@pytest.mark.parametrize("arguments", [[], ["cache"]])
def test_no_command_shows_the_help(arguments):
    result = run(*arguments)
    assert result.code == 2 and result.out == ""
    assert result.err == run(*arguments, "--help").out


def test_version():
    assert re.fullmatch(r"rtgen \d+\.\d+\.\d+\n", run("--version").out)


def test_as_a_module_and_as_a_script(here):
    for program in ([sys.executable, "-m", "rtgen"], [os.path.join(os.path.dirname(sys.executable), "rtgen")]):
        if os.path.exists(program[0]):
            done = subprocess.run([*program, "parse", "t.json", "Hi", "--prefix", ""], capture_output=True, text=True)
            assert (done.returncode, done.stdout, done.stderr) == (0, '{"role": "assistant", "content": "Hi"}\n', "")


USAGE = [
    (
        ["nonsense"],
        "there is no command 'nonsense'; they are compile, parse, stream, check, show, templates, chat, cache",
    ),
    (["pasre"], "there is no command 'pasre'; did you mean parse?"),
    (["compile"], "missing argument 'SOURCE'"),
    (["compile", "t.json", "--chekc"], "no such option"),
    (["compile", "t.json", "-o", "-", "--check"], "--check compares with a file"),
    (["parse", "t.json", "x"], "give the prompt with --prefix or --prefix-file"),
    (["stream", "t.json", "x"], "give the prompt with --prefix or --prefix-file"),
    (
        ["parse", "t.json", "x", "--prefix", "", "--prefix-file", "t.json"],
        "--prefix and --prefix-file exclude each other",
    ),
    (["parse", "t.json", "x", "--prefix", "", "--jobs", "2"], "--jobs goes with --jsonl"),
    (["parse", "t.json", "x", "--prefix", "", "--tools", "t.json"], "--tools 't.json' is not a JSON list of tools"),
    (["parse", "t.json", "x", "--prefix", "", "--tools", "bad"], "--tools 'bad' is not JSON: "),
    (["parse", "t.json", "x", "--prefix-file", "latin"], "'latin' is not UTF-8: the byte at offset 1 is part of no"),
    (["stream", "t.json", "x", "--prefix", "", "--chunk", "0"], "0 is not in the range"),
    (["show", "t.json", "--format", "svg"], "'svg' is not one of"),
    (["templates", "nope!"], "there is no bundled template 'nope!'"),
    (["templates", "--notes"], "--notes needs the name of a template"),
    (["cache", "burn"], "no such command"),
    (["compile", "gone.json"], "there is no file 'gone.json'"),
    (["check", "gone"], "there is no file and no bundled template 'gone'"),
    (["parse", "bad", "x", "--prefix", ""], "bad is not JSON: line 1, column 2: "),
    (["parse", "t.json", "x", "--prefix-file", "gone"], "'gone': No such file or directory"),
    (["parse", "t.json", "x", "--prefix", "", "--tools", "gone"], "'gone': No such file or directory"),
    (["parse", "t.json", "gone", "--jsonl"], "'gone': No such file or directory"),
    (["compile", "t.json", "-o", "gone/file.py"], "No such file or directory"),
    (["compile", "t.json", "-o", "."], "Is a directory"),
]


@pytest.mark.parametrize("arguments, sentence", USAGE, ids=[" ".join(arguments) for arguments, _ in USAGE])
def test_wrong_usage(here, arguments, sentence):
    (here / "bad").write_text("{nope")
    (here / "latin").write_bytes(b"a\xe9")
    result = run(*arguments)
    assert result.code == 2 and result.out == ""
    assert re.fullmatch(r"rtgen: error: [^\n]+\n", result.err)
    assert sentence in result.err


@pytest.mark.parametrize("command", ["compile", "parse", "stream", "check", "show"])
def test_a_refused_template(here, command):
    (here / "x.json").write_text(json.dumps({**TEMPLATE, "start_anchr": "<b>"}))
    more = ["hi", "--prefix", ""] if command in ("parse", "stream") else []
    result = run(command, "x.json", *more)
    assert result.code == 1
    assert "start_anchr" in result.out + result.err
    assert "Traceback" not in result.err
    assert not (here / "response_parser.py").exists()


def test_verbose_shows_the_traceback_wherever_it_stands():
    for arguments in (["--verbose", "compile", "gone.json"], ["compile", "gone.json", "--verbose"]):
        result = run(*arguments)
        assert result.code == 2
        assert result.err.startswith("Traceback") and result.err.endswith("error: there is no file 'gone.json'\n")


def test_a_key_that_stands_twice_is_a_warning(here):
    (here / "x.json").write_text(json.dumps(TEMPLATE)[:-1] + ', "start_anchor": "<b>"}')
    result = run("parse", "x.json", "Hi", "--prefix", "<b>")
    assert result.code == 0
    assert result.err == "rtgen: warning: the key $.start_anchor stands twice in the template; the last one counts\n"


def test_templates():
    listed = run("templates")
    assert listed.code == 0
    heads = [line.split()[0] for line in listed.out.splitlines() if not line.startswith(" ")]
    assert heads == [*library.available(), *library.not_possible()]
    for name in library.available():
        shown = run("templates", name)
        assert shown.code == 0 and json.loads(shown.out) == library.template(name)
        notes = run("templates", name, "--notes")
        assert notes.code == 0 and notes.out.startswith(f"{name}\n")
        told = notes.out[: notes.out.index("\n# ")]
        for key, value in library.meta(name).items():
            assert not isinstance(value, dict) or not value or f"\n{key}:\n  " in told


@pytest.mark.parametrize("form", ["text", "mermaid", "dot"])
def test_show(form):
    result = run("show", "t.json", "--format", form)
    assert result.code == 0 and result.err == ""
    assert "reasoning_content" in result.out
    if form == "text":
        assert run("show", "t.json").out == result.out


def test_check():
    good = run("check", "qwen3")
    assert good.code == 0 and good.err == ""
    assert all(line.startswith("note: ") for line in good.out.splitlines())
    complaints = run("check", "t.json")  # a second <think> overwrites the first
    assert complaints.code == 1 and complaints.err == ""
    assert all(re.match(r"(error|warning|note): \$\S*: .+ \[\S+\]$", line) for line in complaints.out.splitlines())


@pytest.mark.parametrize(
    "levels, code",
    [([], 0), (["note", "note"], 0), (["note", "warning"], 1), (["error"], 1), (["error", "warning"], 1)],
)
def test_check_complains_of_errors_and_warnings(monkeypatch, levels, code):
    asked = []

    def check(template, portable):
        asked.append((template, portable))
        return [SimpleNamespace(level=level, where="$.x", rule="leak", message="it leaks") for level in levels]

    monkeypatch.setitem(sys.modules, "rtgen.check", SimpleNamespace(check=check))
    result = run("check", "t.json", "--portable")
    assert (result.code, result.err) == (code, "")
    assert result.out.splitlines() == [f"{level}: $.x: it leaks [leak]" for level in levels]
    run("check", "t.json")
    assert asked == [(TEMPLATE, True), (TEMPLATE, False)]


def test_cache_commands(here):
    assert run("cache", "dir").out == f"{here / 'cache'}\n"
    run("parse", "t.json", "Hi", "--prefix", "")
    assert run("cache", "clear").out == f"1 compiled template deleted from {here / 'cache'}\n"
    assert run("cache", "clear").out == f"0 compiled templates deleted from {here / 'cache'}\n"
    (here / "cache").chmod(0o777)
    result = run("cache", "clear")
    assert result.code == 1 and "the cache is not cleared: " in result.err


def test_an_unusable_cache_is_one_warning(here, monkeypatch):
    monkeypatch.setattr(cache, "_warned", set())
    (here / "file").write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(here / "file"))
    result = run("parse", "t.json", "Hello there", "--prefix", "")
    assert result.code == 0
    assert re.fullmatch(
        r"rtgen: warning: rtgen's cache is not used: [^\n]+; parsers are compiled in memory\n", result.err
    )


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*arguments, **options):
    """The command line in a process of its own; its pipes are not buffered here, since they are read in two ways."""
    return subprocess.Popen(
        [sys.executable, "-m", "rtgen", *arguments],
        bufsize=0,
        preexec_fn=_heed_interrupts,  # a runner in the background may have handed down that they are ignored
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_is_written(jobs):
    process = start("parse", "t.json", "--jsonl", "--prefix", "", "--jobs", jobs, start_new_session=True)
    lines = 1 if jobs == "1" else 1000
    process.stdin.write(b'{"text": "Hi"}\n' * lines)
    process.stdin.flush()
    assert json.loads(process.stdout.readline()) == {"role": "assistant", "content": "Hi"}
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130 and err == b""
    assert all(json.loads(line)["content"] == "Hi" for line in out.splitlines())


def test_ctrl_c_in_a_stream():
    process = start("stream", "t.json", "--prefix", "")
    process.stdin.write(b"<think>He")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["type"] == "region_open"
    assert json.loads(process.stdout.readline())["text"] == "He"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20) == (b"", b"")
    assert process.returncode == 130


@pytest.mark.parametrize("command", ["parse", "stream"])
def test_a_reader_that_goes_away_is_no_error(command):
    more = ["--jsonl"] if command == "parse" else ["--chunk", "1"]
    process = start(command, "t.json", "--prefix", "", *more)
    process.stdout.close()
    with process.stderr as stderr:
        try:
            process.stdin.write(b'{"text": "Hi"}\n' * 5000)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert stderr.read() == b""
    assert process.wait(timeout=20) == 141
