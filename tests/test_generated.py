"""`generated/`: one module for each bundled template, and each what the compiler writes now."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path
from typing import Any

import pytest

from rtgen import compiler, library, regenerate
from rtgen.compiler import generate
from rtgen.emit.header import format_source

NAMES = library.available()

ADVICE = f"\nif that is right, run: {regenerate.COMMAND}"


def test_there_are_templates() -> None:
    assert len(NAMES) > 8


def test_every_template_has_its_module() -> None:
    modules = {path.stem for path in regenerate.folder().glob("*.py")} - {"__init__"}
    assert modules == set(NAMES), f"generated/ and templates/ differ: {sorted(modules ^ set(NAMES))}{ADVICE}"
    assert regenerate.stale(NAMES) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_module_is_what_the_compiler_writes(name: str) -> None:
    path = regenerate.folder() / f"{name}.py"
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    now = generate(library.template(name), name=name)
    if kept != now:  # black is slow, and mostly has nothing to do
        now = format_source(now)
    diff = "".join(difflib.unified_diff(kept.splitlines(True), now.splitlines(True), f"{name}.py", "now"))
    assert not diff, f"{diff[:3000]}{ADVICE}"


@pytest.mark.parametrize("name", NAMES[:: len(NAMES) // 5])
def test_formatting_is_that_of_black(name: str) -> None:
    source = (regenerate.folder() / f"{name}.py").read_text(encoding="utf-8")
    assert format_source(source) == source


@pytest.mark.parametrize("name", NAMES)
def test_the_module_is_the_one_that_is_loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_known", {})
    compiled = compiler.load(name)
    assert compiled.path is not None and compiled.path.samefile(regenerate.folder() / f"{name}.py")
    module: Any = importlib.import_module(f"rtgen.generated.{name}")
    assert library.template(name) == module.RESPONSE_TEMPLATE


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two templates, and a folder that holds the module of the first, a stale one, and that of no template."""
    monkeypatch.setattr(regenerate, "folder", lambda: tmp_path)
    monkeypatch.setattr(library, "available", lambda: NAMES[:2])
    (tmp_path / "__init__.py").touch()
    (tmp_path / f"{NAMES[0]}.py").write_text(regenerate.module(NAMES[0]), encoding="utf-8")
    (tmp_path / f"{NAMES[1]}.py").write_text("old = 1\n", encoding="utf-8")
    (tmp_path / "gone.py").touch()
    return tmp_path


def test_check_writes_nothing(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.read_bytes() for path in small.iterdir()}
    assert regenerate.main(["--check"]) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        f"out of date: {small / NAMES[1]}.py",
        f"without a template: {small / 'gone.py'}",
    ]
    assert shown.err == f"run: {regenerate.COMMAND}\n"
    assert {path.name: path.read_bytes() for path in small.iterdir()} == before


def test_only_what_changes_is_written(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    untouched = (small / f"{NAMES[0]}.py").stat().st_mtime_ns
    assert regenerate.main([]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"written: {small / NAMES[1]}.py",
        f"removed: {small / 'gone.py'}",
    ]
    assert (small / f"{NAMES[0]}.py").stat().st_mtime_ns == untouched
    assert regenerate.main(["--check"]) == 0 == regenerate.main([])
    assert capsys.readouterr().out == ""


def test_another_checkout_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second checkout, run with the first one installed: the parsers that `rtgen.generated` names are not its own."""
    (tmp_path / "generated").mkdir()
    monkeypatch.setattr(regenerate, "__file__", str(tmp_path / "rtgen" / "regenerate.py"))
    with pytest.raises(RuntimeError, match="of another checkout"):
        regenerate.folder()
    with pytest.raises(SystemExit):
        regenerate.main([])
    assert "of another checkout" in capsys.readouterr().err
