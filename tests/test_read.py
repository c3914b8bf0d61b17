"""Finding a template: every kind of source, and a sentence for everything that can be wrong with one."""

from __future__ import annotations

import json
import os
import pickle

import pytest

import rtgen
from rtgen import library
from rtgen.errors import TemplateError
from rtgen.read import Source, SourceError, SourceMissingError, read, read_any

TEMPLATE = {"start_anchor": "<a>", "fields": {"content": {"content": "text"}}}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Each test works in an empty folder, beside one bundled template called `qwen3`."""
    bundle = tmp_path / "bundled"
    (bundle / "qwen3").mkdir(parents=True)
    (bundle / "qwen3" / library.TEMPLATE_FILE).write_text(json.dumps(TEMPLATE))
    monkeypatch.setattr(library, "_root", lambda: str(bundle))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def save(name, value):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))


def test_a_bundled_name():
    assert read("qwen3") == Source(TEMPLATE, "qwen3", None)


def test_a_bare_template():
    save("mine.json", TEMPLATE)
    assert read("mine.json") == Source(TEMPLATE, "mine.json", "mine.json")


@pytest.mark.parametrize("name", ["tokenizer_config.json", "processor_config.json", "chat.json"])
def test_a_config(name):
    save(f"model/{name}", {"tokenizer_class": "T", "response_template": TEMPLATE, "fields": 1})
    assert read(f"model/{name}") == Source(TEMPLATE, name, f"model/{name}")


def test_a_tokenizer_folder():
    save("model/tokenizer_config.json", {"response_template": TEMPLATE})
    path = os.path.join("model", "tokenizer_config.json")
    assert read("model") == Source(TEMPLATE, "tokenizer_config.json", path)
    assert read("model/").template == TEMPLATE


def test_a_bundled_name_comes_before_a_folder_and_a_path_object_is_a_path(here):
    save("qwen3/tokenizer_config.json", {"response_template": {"fields": {}}})
    assert read("qwen3").template == TEMPLATE
    assert read("./qwen3").template == {"fields": {}}
    assert read_any(here / "qwen3").template == {"fields": {}}


def test_a_byte_order_mark_is_no_part_of_the_text():
    save("mine.json", "\ufeff" + json.dumps(TEMPLATE))
    assert read("mine.json").template == TEMPLATE


def test_what_is_found_is_not_judged():
    save("list.json", [1])
    save("odd.json", {"response_template": "text"})
    save("empty.json", {})
    assert read("list.json").template == [1]
    assert read("odd.json").template == "text"
    assert read("empty.json").template == {}


def test_text_is_a_name_then_a_file_then_json(here):
    assert read_any("qwen3").name == "qwen3"
    save("mine.json", TEMPLATE)
    assert read_any("mine.json").path == "mine.json"
    assert read_any(str(here / "mine.json")).template == TEMPLATE
    text = " \n" + json.dumps(TEMPLATE)
    assert read_any(text) == Source(TEMPLATE, None, None)
    assert read_any(text + " " * 100_000).template == TEMPLATE  # longer than any path may be
    assert read_any("[1]").template == [1]


def test_keys_that_stand_twice_are_reported():
    save(
        "mine.json",
        '{"fields": {"a": 1, "b": [{"x": 1, "x": 2}], "a": {"y": 0, "y": 1}},'
        ' "fields": {"a": {"y": 0, "y": 1}, "b": [0, {"x": 1, "x": 2}]}}',
    )
    assert sorted(read("mine.json").repeated) == ["$.fields", "$.fields.a.y", "$.fields.b[1].x"]
    config = '{"other": {"z": 1, "z": 2}, "response_template": {"version": 1, "version": 1}}'
    save("tokenizer_config.json", config)
    assert read("tokenizer_config.json").repeated == ("$.version",)


FAULTS = {
    "missing file": (None, "there is no file 'x.json'"),
    "broken": ('{"a":\n  1,}', "x.json is not JSON: line 2, column 5: "),
    "empty file": ("", "x.json is not JSON: line 1, column 1: expecting value"),
    "too deep": ('{"a":' * 100_000, "x.json is not read: its JSON is nested too deeply"),
    "config": (
        {"chat_template": "", "model_max_length": 1},
        "'x.json' holds no response template: it has no key 'response_template' (only \"chat_template\", "
        '"model_max_length"); put one there, or use a bundled one (`rtgen templates`)',
    ),
    "config with null": (
        {"response_template": None},
        "'x.json' holds no response template: its 'response_template' is null; put one there, or use a bundled one "
        "(`rtgen templates`)",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_of_files(case):
    content, message = FAULTS[case]
    if content is not None:
        save("x.json", content)
    with pytest.raises(SourceError) as caught:
        read("x.json")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, TemplateError)
    assert isinstance(caught.value, FileNotFoundError) == (case == "missing file")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_number_of_too_many_digits():
    save("x.json", '{"fields": ' + "9" * 10_000 + "}")
    with pytest.raises(SourceError, match="digits"):
        read("x.json")


def test_not_utf8(here):
    (here / "x.json").write_bytes('{"é": 1}'.encode("latin-1"))
    with pytest.raises(SourceError) as caught:
        read("x.json")
    assert str(caught.value) == "'x.json' is not UTF-8: the byte at offset 2 is part of no character"
    (here / "x.json").write_bytes("{}".encode("utf-16"))
    with pytest.raises(SourceError, match="not UTF-8"):
        read("x.json")


def test_a_config_of_many_keys_is_not_listed_whole():
    save("tokenizer_config.json", {f"k{i}": i for i in range(40)})
    with pytest.raises(SourceError, match=r'\(only "k0", .*"k5" and 34 more\)'):
        read("tokenizer_config.json")


def test_a_folder_without_a_config(here):
    with pytest.raises(SourceMissingError, match=r"the folder \. holds no tokenizer_config\.json"):
        read(".")


@pytest.mark.parametrize("source", ["a\0b", "x.json/deeper", "x" * 5000])
def test_paths_that_cannot_be(source):
    save("x.json", "{}")
    for reader in (read, read_any):
        with pytest.raises(SourceError):
            reader(source)


def test_an_unknown_name():
    with pytest.raises(SourceMissingError) as caught:
        read("quen3")
    assert str(caught.value) == "there is no file and no bundled template 'quen3'; did you mean qwen3?"
    with pytest.raises(SourceMissingError, match="`rtgen templates` lists those that are"):
        read("zzz")
    with pytest.raises(SourceError) as found:
        read_any("Qwen-3")
    assert str(found.value) == "'Qwen-3' is no bundled template, no file, and no JSON object; did you mean qwen3?"
    with pytest.raises(SourceError, match="is not JSON: line 1, column 2"):
        read_any("{nope}")


def test_a_file_that_may_not_be_read(here, monkeypatch):
    save("x.json", "{}")

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied", "x.json")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(SourceError) as caught:
        read("x.json")
    assert str(caught.value) == "'x.json' cannot be read: Permission denied"


def test_a_file_that_has_not_changed_is_compiled_once(here):
    path = here / "t.json"
    path.write_text(json.dumps({"fields": {"content": {}}, "start_anchor": "a"}))
    first = rtgen.compile(path)
    assert rtgen.compile(path) is first is rtgen.compile(str(path)) is rtgen.compile(path.read_text())
    path.write_text(json.dumps({"fields": {"content": {}}, "start_anchor": "b"}))
    assert rtgen.compile(path).template["start_anchor"] == "b"
