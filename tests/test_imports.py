"""What imports what: stages import only those before them, and starting up imports only what is needed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import rtgen

PACKAGE = Path(rtgen.__file__).parent

ORDER = """
    runtime errors identity files library read template pattern delimiters lower emit.source emit.values
    emit.header listing content emit gate cache compiler api openai serve regenerate show
    check chat integrations roundtrip cli __main__
""".split()  # noqa: SIM905
"""The stages and what serves them, in their order: a module may import its own stage and those on its left. Inside a
package some modules have a place of their own (`emit.source`, which content parsers write with)."""

EXCEPTIONS = {
    (
        "rtgen.runtime.content",
        "rtgen.content.explain",
    ): "a region that fails is explained by its grammar, where installed",
}
"""Imports against the order that are meant; each must stand inside a function."""

HEAVY = {"black", "click", "jinja2", "jsonschema", "lark", "platformdirs", "transformers", "numpy", "tqdm", "rich"}


def modules() -> dict[str, Path]:
    """The modules of the package by their full names."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("rtgen", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def stage(module: str) -> int:
    """The place of a module in ORDER."""
    name = module.removeprefix("rtgen.")
    while name not in ORDER:
        assert "." in name, f"{module} has no place in the order of stages: give it one in {Path(__file__).name}"
        name = name.rpartition(".")[0]
    return ORDER.index(name)


def imports(module: str) -> list[tuple[str, int, bool]]:
    """What a module imports from the package: name, line, and whether that happens when it is imported itself."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    late = {
        id(node)
        for outer in ast.walk(tree)
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)) or _type_checking(outer)
        for node in ast.walk(outer)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: imports are written in full"
            names = []
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                names.append(below if below in MODULES else str(node.module))
        else:
            continue
        found += [(name, node.lineno, id(node) not in late) for name in names if name.split(".")[0] == "rtgen"]
    return found


def _type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_the_order_names_what_exists():
    names = {module.removeprefix("rtgen.") for module in MODULES}
    assert len(MODULES) > 20
    assert [name for name in ORDER if name not in names and not (PACKAGE / name).is_dir()] == []


@pytest.mark.parametrize("module", [name for name in MODULES if name != "rtgen"])
def test_stages_import_only_earlier_ones(module):
    for imported, line, at_once in imports(module):
        if (module, imported) in EXCEPTIONS:
            assert not at_once, f"{module}:{line} imports {imported} at once"
            continue
        if imported == "rtgen":
            assert stage(module) >= ORDER.index("chat"), f"{module}:{line} imports the package's front"
            continue
        assert stage(imported) <= stage(module), f"{module}:{line} imports {imported}, a later stage"


def test_exceptions_are_in_use():
    for module, imported in EXCEPTIONS:
        assert imported in {name for name, _, _ in imports(module)}


def test_no_module_imports_itself_around_a_corner():
    """Imports at import time form no cycle, so any module can be imported first."""
    edges = {module: {name for name, _, at_once in imports(module) if at_once} - {module} for module in MODULES}
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path, module))
        if module not in done:
            for imported in sorted(edges[module]):
                if not module.startswith(f"{imported}."):  # a package that is being imported already
                    visit(imported, (*path, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has imported after running the code."""
    program = f"{code}\nimport sys; sys.stderr.write('\\n' + repr(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(ast.literal_eval(done.stderr.splitlines()[-1])) - baseline()


@cache
def baseline() -> set[str]:
    """What an interpreter imports for itself, for editable installs and coverage tools too."""
    program = "import sys; print(repr(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(ast.literal_eval(done.stdout))


def tops(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_importing_the_package_imports_nothing_else():
    names = loaded("import rtgen")
    assert {name for name in names if name.startswith("rtgen")} == {"rtgen"}
    assert not tops(names) & (HEAVY | {"regex", "json", "re", "inspect", "pathlib", "dataclasses", "typing_extensions"})


def test_the_package_gives_what_it_names():
    names = loaded(
        "import rtgen\nfor name in rtgen.__all__: getattr(rtgen, name)\nassert set(rtgen.__all__) <= set(dir(rtgen))"
    )
    assert not tops(names) & HEAVY


@pytest.mark.parametrize("use", ["rtgen.openai.Stream", "rtgen.openai.to_completion", "rtgen.chat.load"])
def test_modules_are_attributes_of_the_package(use):
    names = loaded(f"import rtgen; rtgen.__all__; {use}")
    assert not tops(names) & HEAVY


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("rtgen.runtime.")])
def test_the_runtime_imports_nothing_heavy(module):
    names = loaded(f"import {module}")
    assert not tops(names) & HEAVY
    assert {name for name in names if name.startswith("rtgen.")} <= {
        name for name in names if name.startswith("rtgen.runtime")
    }
    if module in ("rtgen.runtime.errors", "rtgen.runtime.parser", "rtgen.runtime.tools", "rtgen.runtime.schema"):
        assert not tops(names) & {"regex", "inspect", "json"}


@pytest.mark.parametrize("arguments", ([], ["--help"], ["--version"], ["cache", "dir"]), ids=" ".join)
def test_a_small_command_imports_little(arguments):
    names = loaded(f"from rtgen.cli import main; main({arguments!r})")
    assert not tops(names) & (HEAVY - {"click"} | {"regex", "asyncio"})
    assert not names & {"rtgen.compiler", "rtgen.template"}


def test_the_first_use_of_a_cached_template_imports_little(tmp_path, monkeypatch):
    template = {"start_anchor": "<a>", "fields": {"content": {"close": "<e>", "content": "text"}}}
    monkeypatch.setenv("RTGEN_CACHE_DIR", str(tmp_path / "cache"))
    code = f"import json, rtgen; rtgen.parse_response('x', json.loads({json.dumps(template)!r}), prefix='')"
    first, second = loaded(code), loaded(code)
    assert "rtgen.emit.module" in first
    assert not tops(first | second) & HEAVY
    assert not second & {
        "rtgen.emit",
        "rtgen.lower",
        "rtgen.files",
        "rtgen.cli",
        "rtgen.emit.module",
        "tempfile",
        "random",
    }


def test_a_malformed_region_is_explained_when_its_error_is_shown_first():
    code = """
import rtgen
text = "<tool_call>{a b}</tool_call>"
malformed = []
rtgen.load("qwen3").parse_response(text, prefix="", on_malformed="event", malformed=malformed)
parser = rtgen.load("qwen3").ResponseParser("")
try:
    parser.feed(text)
except ValueError as error:
    caught = error
"""
    assert not tops(loaded(code)) & HEAVY
    shown = code + "assert str(malformed[0]['error']) == str(caught) and \"expected '}' or a string\" in str(caught)"
    assert tops(loaded(shown)) & HEAVY == {"lark"}
