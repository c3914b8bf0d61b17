"""`rtgen chat`: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rtgen.chat
from rtgen import library
from rtgen.cli import main


@pytest.fixture
def folder(tmp_path):
    """A legacy folder with two templates."""
    config = {
        "bos_token": "<s>",
        "chat_template": [
            {"name": "default", "template": "{{ bos_token }}{{ messages[0].content.strip() }}{{ x }}\n"},
            {"name": "tool_use", "template": "{% if %}"},
        ],
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config, indent=2))
    (tmp_path / "messages.json").write_text('[{"role": "user", "content": " Hi "}]')
    return tmp_path


def run(*arguments):
    return main(["chat", *map(str, arguments)])


def test_render(folder, capfdbinary):
    assert run("render", folder, folder / "messages.json", "--var", "x=[1]", "--var", "y=text") == 0
    assert capfdbinary.readouterr().out == b"<s>Hi[1]"
    (folder / "tools.json").write_text("[]")
    assert run("render", folder, folder / "messages.json", "--tools", folder / "tools.json") == 1
    assert b"line 1)" in capfdbinary.readouterr().err
    assert run("render", folder, folder / "none.json") == 2
    assert run("render", folder, folder / "messages.json", "--template", "none") == 2
    assert run("render", folder / "nowhere", folder / "messages.json") == 2


MESSAGES = [{"role": "user", "content": "Hi"}]
TOOLS = [{"type": "function", "function": {"name": "look"}}]


@pytest.mark.parametrize(
    ("held", "options", "said"),
    [
        (5, [], "holds no conversation"),
        ({"a": 1}, [], "holds no conversation"),
        ({"messages": 5}, [], "holds no conversation"),
        ([], [], "holds no message to render"),
        ([[]], [], "holds no message to render"),
        ([5], [], "something else than messages"),
        ([MESSAGES, 5], [], "something else than messages"),
        (MESSAGES, ["--continue-final-message", "--add-generation-prompt"], "exclude each other"),
        (MESSAGES, ["--continue-final-message", "--generation-spans"], "exclude each other"),
        (MESSAGES, ["--continue-final-message", "thinking"], "has no 'thinking' to continue"),
        (MESSAGES, ["--var", "messages=1"], "--var cannot set 'messages'"),
        (MESSAGES, ["--var", "tools=[]"], "--var cannot set 'tools'"),
        (MESSAGES, ["--var", "chat_template=1"], "--var cannot set"),
        (MESSAGES, ["--var", "x"], "NAME=VALUE"),
        (MESSAGES, ["--now", "noon"], "is no time"),
        (MESSAGES, ["--tools", "five.json"], "is not a JSON list of tools"),
        (MESSAGES, ["--documents", "five.json"], "not a JSON list of objects"),
        ({"messages": MESSAGES, "tools": {}}, [], "the tools in"),
        ({"messages": MESSAGES, "documents": [1]}, [], "the documents in"),
    ],
)
def test_wrong_usage_of_render(held, options, said, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "five.json").write_text("[5]")
    (folder / "held.json").write_text(json.dumps(held))
    assert run("render", "qwen3", "held.json", *options) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_render_takes_tools_and_documents_from_the_object(folder, capfd):
    (folder / "t.jinja").write_text("{{ messages[0].content }} {{ tools|tojson }} {{ documents|tojson }}")
    (folder / "all.json").write_text(json.dumps({"messages": MESSAGES, "tools": TOOLS, "documents": [{"a": 1}]}))
    assert run("render", folder / "t.jinja", folder / "all.json") == 0
    assert capfd.readouterr().out == f'Hi {json.dumps(TOOLS)} [{{"a": 1}}]'
    (folder / "none.json").write_text("[]")
    assert run("render", folder / "t.jinja", folder / "all.json", "--tools", folder / "none.json") == 0
    assert capfd.readouterr().out == 'Hi [] [{"a": 1}]'


def test_wrong_usage_of_set(folder, capsys):
    file = folder / "new.jinja"
    file.write_text("new")
    (folder / "other.json").write_text("{}")
    before = sorted(folder.rglob("*"))
    for source, options in (
        (folder, ["--template", "../x"]),
        (folder, ["--template", ""]),
        (file, ["--template", "rag"]),  # a file is one template
        (folder / "messages.json", []),
        (folder / "nowhere", []),
        ("qwen3", []),
    ):
        assert run("set", source, file, *options) == 2, (source, options)
        assert capsys.readouterr().err.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


def test_show_takes_out_and_set_puts_back(folder, capsys):
    assert run("show", folder) == 0
    assert "token      bos_token" in capsys.readouterr().out
    assert run("show", folder, "--json") == 0
    assert json.loads(capsys.readouterr().out)["variables"] == ["messages", "x"]
    assert run("show", folder, "-o", folder / "edit.jinja") == 0
    text = (folder / "edit.jinja").read_text()
    assert text.startswith("{{ bos_token }}")
    (folder / "edit.jinja").write_text("new " + text)
    assert run("set", folder, folder / "edit.jinja") == 0
    assert rtgen.chat.load(folder).chat_template == {"default": "new " + text, "tool_use": "{% if %}"}
    (folder / "edit.jinja").write_text("{% if")
    assert run("set", folder, folder / "edit.jinja") == 1
    assert "nothing was written" in capsys.readouterr().err
    assert rtgen.chat.load(folder).chat_template["default"] == "new " + text


def test_migrate(folder, capsys):
    before = (folder / "tokenizer_config.json").read_bytes()
    assert run("migrate", folder, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert "+++ " + str(folder / "chat_template.jinja") in shown
    assert '-  "chat_template": [' in shown
    assert (folder / "tokenizer_config.json").read_bytes() == before
    assert run("migrate", folder) == 0
    assert (folder / "additional_chat_templates" / "tool_use.jinja").read_text() == "{% if %}"
    capsys.readouterr()
    assert run("migrate", folder) == 0
    assert capsys.readouterr().out == "nothing to change\n"


def test_lint(folder, capsys):
    path = folder / "t.jinja"
    path.write_text("{{ messages[0].content.strip() }}\n")
    assert run("lint", path) == 1
    assert f"{path}:1:23: error: " in capsys.readouterr().out
    assert run("lint", path, "--engine", "huggingface.js") == 0
    assert capsys.readouterr().out == ""
    assert run("lint", path, "--engine", "none") == 2
    capsys.readouterr()
    assert run("lint", path, "--format", "json") == 1
    ((found, findings),) = json.loads(capsys.readouterr().out).items()
    assert (found, findings[0]["rule"], findings[0]["engines"]) == (str(path), "J05", {"minijinja": "error"})
    assert run("lint", path, "--format", "sarif") == 1
    log = json.loads(capsys.readouterr().out)
    assert log["version"] == "2.1.0"
    region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 23}
    assert run("lint", path, "--fix", "--dry-run") == 0
    assert path.read_text().endswith(".strip() }}\n")
    assert run("lint", path, "--fix") == 0
    assert path.read_text() == "{{ messages[0].content|trim }}"
    assert "+{{ messages[0].content|trim }}" in capsys.readouterr().err
    assert run("lint", folder) == 1
    assert "#tool_use:1:1: error: this is no template" in capsys.readouterr().out
    assert run("lint", folder, "--template", "default", "--fix") == 1


def test_migrate_refuses_to_drop_and_takes_folders_alone(folder, capsys):
    (folder / "chat_template.jinja").write_text("R")
    config = (folder / "tokenizer_config.json").read_bytes()
    assert run("migrate", folder) == 1
    assert "of tokenizer_config.json and chat_template.jinja differ" in capsys.readouterr().err
    assert run("set", folder, folder / "chat_template.jinja", "--template", "rag") == 1
    assert "nothing was written" in capsys.readouterr().err
    assert (folder / "tokenizer_config.json").read_bytes() == config
    assert run("migrate", folder, "--prefer", "config") == 2
    for file in ("tokenizer_config.json", "chat_template.jinja"):
        assert run("migrate", folder / file) == 2
        assert "is a file" in capsys.readouterr().err
    assert (folder / "tokenizer_config.json").read_bytes() == config
    assert run("migrate", folder, "--prefer", "tokenizer_config.json") == 0
    assert "of chat_template.jinja is another" in capsys.readouterr().err
    assert (folder / "chat_template.jinja").read_text().startswith("{{ bos_token }}")


@pytest.mark.parametrize("name", ["qwen3", "gpt_oss"])
def test_bundled_names_are_taken(name, folder, capfd, monkeypatch):
    monkeypatch.chdir(folder)
    file = library.chat_template_file(name)
    text = Path(file).read_text()
    assert rtgen.chat.load(name).chat_template == text
    assert rtgen.chat.load(name).source == file
    assert run("show", name, "-o", "-") == 0
    assert capfd.readouterr().out == text
    assert run("render", name, "messages.json") == 0
    of_name = capfd.readouterr().out
    assert "Hi" in of_name and run("render", file, "messages.json") == 0
    assert capfd.readouterr().out == of_name
    run("lint", name)
    of_name = capfd.readouterr().out
    run("lint", file)
    assert capfd.readouterr().out == of_name
    assert run("lint", name, "--fix") == 2
    assert "stays as it is" in capfd.readouterr().err
    assert Path(file).read_text() == text
    near = name[:-1] + "x"
    for command in (["show", near], ["render", near, "messages.json"], ["lint", near], ["migrate", near]):
        assert run(*command) == 2
        assert f"did you mean {name}" in capfd.readouterr().err
    (folder / name).mkdir()
    (folder / name / "chat_template.jinja").write_text("mine")
    assert rtgen.chat.load(f"./{name}").chat_template == rtgen.chat.load(Path(name)).chat_template == "mine"


@pytest.mark.parametrize(("text", "shown"), [("one", "1 line"), ("one\n", "1 line"), ("one\ntwo", "2 lines")])
def test_lines_are_counted(text, shown, folder, capsys):
    (folder / "t.jinja").write_text(text)
    assert run("show", folder / "t.jinja") == 0
    assert f"shown      default, {shown}\n" in capsys.readouterr().out
