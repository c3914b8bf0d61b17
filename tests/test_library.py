"""The bundled templates: found by name, complete, and never more than what was asked for."""

from __future__ import annotations

import json
import pickle
import sys
import types

import pytest

import rtgen
from rtgen import library
from rtgen.errors import TemplateError
from rtgen.identity import template_hash
from rtgen.read import SourceError
from tests.command import run

NAMES = library.available()


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RTGEN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def test_there_are_some():
    assert sorted(NAMES) == NAMES and len(NAMES) >= 3
    assert rtgen.available() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_is_whole(name):
    assert name.isidentifier() and library.exists(name)
    assert "fields" in library.template(name)
    meta = library.meta(name)
    assert set(meta) >= {"models", "reasoning", "tools", "limits"}
    assert library.notes(name).strip()


@pytest.mark.parametrize("name", NAMES)
def test_each_loads(name):
    loaded = rtgen.load(name)
    assert loaded.template == library.template(name)
    assert loaded.template_hash == template_hash(library.template(name))
    assert rtgen.load(name) is loaded


def test_a_template_is_read_afresh():
    library.template(NAMES[0]).clear()
    assert library.template(NAMES[0])


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../templates", "a/b", "a\0b", "qwen3.json", "__init__", "__pycache__", "x" * 5000]
)
def test_what_is_no_name(name):
    assert not library.exists(name)
    for use in (library.template, library.meta, library.notes, rtgen.load):
        with pytest.raises(TemplateError):
            use(name)


def test_an_unknown_name():
    near = NAMES[0][:-1] + "x"
    with pytest.raises(library.UnknownTemplateError) as caught:
        rtgen.load(near)
    assert str(caught.value).startswith(f"there is no bundled template {near!r}; did you mean ")
    assert NAMES[0] in str(caught.value)
    assert isinstance(caught.value, SourceError) and isinstance(caught.value, KeyError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert library.suggestion("???") == "`rtgen templates` lists those that are"


@pytest.mark.parametrize("name", library.not_possible())
def test_a_family_that_cannot_be_said_is_refused_with_the_reason(name):
    reason = library.not_possible()[name]["reason"]
    for asked in (name, name.upper(), name.replace("3", "-3")):
        for use in (rtgen.load, rtgen.compile, lambda one: rtgen.parse_response("", one, prefix="")):
            with pytest.raises(SourceError) as caught:
                use(asked)
            assert reason in str(caught.value)
        for command in (["compile"], ["parse", "--prefix", ""], ["check"], ["show"], ["templates"], ["chat", "show"]):
            result = run(*command, asked)
            assert (result.code, result.out) == (2, "") and " ".join(reason.split()) in result.err


def test_what_is_missing_beside_a_template(tmp_path, monkeypatch):
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / library.TEMPLATE_FILE).write_text(json.dumps({"fields": {}}))
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(library, "_root", lambda: str(tmp_path))
    assert library.available() == ["bare"]
    assert library.meta("bare") == {} and library.notes("bare") == ""


def test_a_generated_module_is_used_only_for_its_very_template(monkeypatch):
    name = NAMES[0]
    module = types.ModuleType(f"rtgen.generated.{name}")
    module.TEMPLATE_HASH = "ab12"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert library.generated(name, "ab12") is module
    assert library.generated(name, "cd34") is None
    monkeypatch.setitem(sys.modules, module.__name__, None)  # an import of it fails
    assert library.generated(name, "ab12") is None
    with pytest.raises(library.UnknownTemplateError):
        library.generated("os", "ab12")
