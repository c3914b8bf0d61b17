"""`rtgen compile`: where the module goes, and when it is written."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys

import pytest

from rtgen import library
from rtgen.compiler import generate
from rtgen.emit.header import format_source
from tests.command import run
from tests.test_cli import TEMPLATE, here  # noqa: F401


def written(template, name, output=None):
    """What is written to the file."""
    module = format_source(generate(template, name=name))
    if output is None:
        return module
    command = f"# command:  rtgen compile {name}"
    assert module.count(f"{command}\n") == 1
    return module.replace(f"{command}\n", f"{command} -o {output}\n")


MODULE = written(TEMPLATE, "t.json")
OUT = written(TEMPLATE, "t.json", "out.py")


def test_beside_the_source(here):  # noqa: F811
    (here / "model").mkdir()
    (here / "model" / "tokenizer_config.json").write_text(json.dumps({"response_template": TEMPLATE}))
    path = os.path.join("model", "response_parser.py")
    for source in ("model", "model/tokenizer_config.json"):
        result = run("compile", source)
        assert (result.code, result.out, result.err) == (0, f"{path}\n", "")
        assert (here / path).read_text() == written(TEMPLATE, "tokenizer_config.json")
        (here / path).unlink()
    assert sorted(os.listdir(here / "model")) == ["tokenizer_config.json"]


def test_a_bundled_name_goes_to_the_current_folder(here):  # noqa: F811
    name = library.available()[0]
    assert run("compile", name).out == "response_parser.py\n"
    assert (here / "response_parser.py").read_text() == written(library.template(name), name)


def test_to_a_file_and_to_stdout(here):  # noqa: F811
    result = run("compile", "t.json", "-o", "out.py")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert (here / "out.py").read_bytes() == OUT.encode()
    result = run("compile", "t.json", "-o", "-")
    assert (result.code, result.out, result.err) == (0, MODULE, "")
    assert not (here / "response_parser.py").exists()


def test_the_module_runs_and_the_standalone_one_without_rtgen(here):  # noqa: F811
    run("compile", "t.json", "-o", "with_runtime.py")
    run("compile", "t.json", "-o", "alone.py", "--standalone")
    code = "import sys; sys.path.insert(0, '.'); import {}; print({}.parse_response('<think>a</think>b', prefix=''))"
    for module, isolated in (("with_runtime", False), ("alone", True)):
        program = code.format(module, module)
        if isolated:
            program = "import sys; sys.modules['rtgen'] = None; " + program
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.stdout == "{'role': 'assistant', 'reasoning_content': 'a', 'content': 'b'}\n", done.stderr


def test_written_only_on_change(here):  # noqa: F811
    run("compile", "t.json", "-o", "out.py")
    os.utime("out.py", (1, 1))
    run("compile", "t.json", "-o", "out.py")
    assert os.stat("out.py").st_mtime == 1
    (here / "out.py").write_bytes(OUT.replace("\n", "\r\n").encode())  # as git checks files out on Windows
    assert run("compile", "t.json", "-o", "out.py", "--check").code == 0
    (here / "out.py").write_text("")
    run("compile", "t.json", "-o", "out.py")
    assert (here / "out.py").read_text() == OUT


def test_check(here):  # noqa: F811
    missing = run("compile", "t.json", "--check")
    assert missing.code == 1 and missing.out == ""
    assert missing.err == "rtgen: response_parser.py does not exist; run: rtgen compile t.json -o response_parser.py\n"
    assert not (here / "response_parser.py").exists()
    run("compile", "t.json")
    assert run("compile", "t.json", "--check") == run("compile", "t.json", "--check", "-o", "response_parser.py")
    assert run("compile", "t.json", "--check").code == 0
    other = run("compile", "t.json", "--check", "--standalone")
    assert other.code == 1 and "is not what would be written" in other.err and other.err.endswith(" --standalone\n")
    (here / "response_parser.py").write_text(MODULE + "\n")
    assert run("compile", "t.json", "--check").code == 1
    assert (here / "response_parser.py").read_text() == MODULE + "\n"


def test_links_and_permissions_stay(here):  # noqa: F811
    (here / "real.py").write_text("")
    (here / "real.py").chmod(0o640)
    (here / "link.py").symlink_to("real.py")
    run("compile", "t.json", "-o", "link.py")
    assert (here / "link.py").is_symlink() and (here / "real.py").read_text() == OUT.replace("out.py", "link.py")
    assert stat.S_IMODE((here / "real.py").stat().st_mode) == 0o640
    run("compile", "t.json", "-o", "new.py")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((here / "new.py").stat().st_mode) == 0o666 & ~umask


def test_a_failure_leaves_the_old_file(here, monkeypatch):  # noqa: F811
    (here / "out.py").write_text(MODULE)

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    result = run("compile", "t.json", "-o", "out.py")
    assert result.code == 2 and result.err == "rtgen: error: No space left on device\n"
    assert (here / "out.py").read_text() == MODULE
    assert not [name for name in os.listdir(here) if name.endswith(".tmp")]


@pytest.mark.parametrize("output", ["response_parser.py", "out.py", "link.py"])
def test_a_file_of_a_person_is_not_written_over(output, here):  # noqa: F811
    (here / "out.py").write_text("# my own\n")
    (here / "response_parser.py").write_text("# my own\n")
    (here / "link.py").symlink_to("out.py")
    arguments = ["compile", "t.json"] + (["-o", output] if output != "response_parser.py" else [])
    result = run(*arguments)
    assert (result.code, result.out) == (2, "") and "--force" in result.err and repr(output) in result.err
    assert (here / output).read_text() == "# my own\n"
    checked = run(*arguments, "--check")
    assert checked.code == 1 and checked.err.endswith(" --force\n")
    assert run(*arguments, "--force").code == 0
    command = "rtgen compile t.json" + (f" -o {output}" if output != "response_parser.py" else "")
    assert (here / output).read_text().splitlines()[3] == f"# command:  {command}"
    assert run(*arguments, "--check").code == 0
    assert run("compile", "qwen3", "-o", output).code == 0  # what rtgen has generated, it replaces


def test_the_command_in_the_header_writes_the_same_file(here):  # noqa: F811
    run("compile", "t.json", "-o", "my parser.py", "--standalone")
    first = (here / "my parser.py").read_text()
    command = shlex.split(first.splitlines()[3].partition("rtgen ")[2])
    (here / "my parser.py").unlink()
    run(*command)
    assert (here / "my parser.py").read_text() == first


def test_a_device_is_written_to():
    assert run("compile", "t.json", "-o", os.devnull).code == 0
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_bytes_do_not_depend_on_the_hash_seed(seed):
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-m", "rtgen", "compile", "t.json", "-o", "-"], capture_output=True, env=environment
    )
    assert done.stdout == MODULE.encode()


def test_a_missing_folder_is_named_and_not_a_temporary_file(here):  # noqa: F811
    result = run("compile", "t.json", "-o", "gone/out.py")
    assert result.code == 2
    assert result.err == f"rtgen: error: {str(here / 'gone')!r}: No such file or directory\n"


@pytest.mark.parametrize(
    "command", [["compile"], ["show"], ["parse", "--prefix", "", "x"], ["stream", "--prefix", "", "x"]]
)
@pytest.mark.parametrize(
    "name, written, fault",
    [
        ("null.json", None, "at $: a response template is an object, not null"),
        ("name.json", "qwen3", "at $: a response template is an object, not a string"),
        ("bad.json", {"start_anchor": "A", "fields": 3}, "at $.fields: must be an object with at least one field"),
    ],
)
def test_a_refused_template_is_named_by_its_file(here, command, name, written, fault):  # noqa: F811
    (here / name).write_text(json.dumps(written))
    result = run(command[0], name, *command[1:])
    assert (result.code, result.out) == (1, "")
    assert result.err == f"rtgen: error: {name!r}: {fault}\n"


def test_an_interrupted_compile_leaves_no_half_file(here, monkeypatch):  # noqa: F811
    def interrupt(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr("rtgen.files.os.replace", interrupt)
    before = sorted(os.listdir(here))
    assert run("compile", "t.json", "-o", "out.py").code == 130
    assert sorted(os.listdir(here)) == before
