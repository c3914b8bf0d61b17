"""`literal()` matters at each of its call sites: put something naive in its place, and the hostile templates show it.

The sites are found in the syntax trees of `rtgen.emit` and `rtgen.content`, so a new one is tested without being named
here. The emitter is loaded a second time with each site instrumented; hostile templates are emitted, and at each site
through which hostile text went the naive way is taken, for those templates alone, until one of them is wrong: it is
not emitted, refused by the gate, or does not parse as the reference does.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import rtgen
from rtgen import compiler
from rtgen.identity import template_hash
from tests.trust.hostile import SLOTS, STRINGS, Case
from tests.trust.running import Canary, oracle, problem

PACKAGE = Path(rtgen.__file__).parent
WRITERS = ("rtgen.emit", "rtgen.content")
GUARDS = ("literal", "_string", "_key")
"""The functions through which a template's strings become source."""

NEVER_HOSTILE = {
    "emit/module.py: literal(list(PUBLIC))": "names of the emitter",
    "emit/module.py: literal(template_hash)": "hexadecimal digits",
    "emit/cores.py: literal(numbers)": "numbers of groups",
    "content/python_call_list.py: literal('expected ' + what)": "words of the emitter",
    "emit/searches.py: literal(stem)": "an identifier that `Names` made",
}
"""The sites where no text of a template arrives, and what does. The test fails if any does."""

NAMES_USED = (
    "quotes of both kinds",
    "a backslash at the end",
    "a newline",
    "double quotes",
    "a composed letter",
    "an emoji",
)
"""The strings that are tried first, the fast and telling ones."""


class Sites(ast.NodeTransformer):
    """Replaces each use of a guard in a module by `__site__(number, guard)`."""

    def __init__(self, name: str, found: list[str]) -> None:
        self.name, self.found = name, found
        self.parents: dict[ast.AST, ast.AST] = {}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in GUARDS or not isinstance(node.ctx, ast.Load):
            return node
        parent = self.parents[node]
        shown = ast.unparse(parent) if isinstance(parent, ast.Call) else node.id
        self.found.append(f"{self.name}: {shown}")
        site = ast.Call(ast.Name("__site__", ast.Load()), [ast.Constant(len(self.found) - 1), node], [])
        return ast.fix_missing_locations(ast.copy_location(site, node))


class Instrumented(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads the emitter's modules with their sites replaced."""

    def __init__(self) -> None:
        self.sites: list[str] = []
        self.naive: set[int] = set()
        self.seen: dict[int, set[str]] = {}  # the strings that went through each site
        self.recording = False
        self.modules: dict[str, ModuleType] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith(WRITERS):
            return None
        at = PACKAGE.joinpath(*name.split(".")[1:])
        package = at.is_dir()
        file = at / "__init__.py" if package else at.with_suffix(".py")
        where = [str(at)] if package else None
        return importlib.util.spec_from_file_location(name, file, loader=self, submodule_search_locations=where)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__file__ is not None
        self.modules[module.__name__] = module
        path = Path(module.__file__)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        sites = Sites(path.relative_to(PACKAGE).as_posix(), self.sites)
        sites.parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
        module.__dict__["__site__"] = self.site
        exec(compile(sites.visit(tree), str(path), "exec"), module.__dict__)

    def site(self, number: int, guard: Callable[[Any], str]) -> Callable[[Any], str]:
        def write(value: Any) -> str:
            if number in self.naive:
                return naively(value)
            if self.recording:
                self.seen.setdefault(number, set()).update(strings(value))
            return guard(value)

        return write


def naively(value: Any) -> str:
    """What a careless emitter would write."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{naively(key)}: {naively(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        shown = "".join(f"{naively(item)}, " for item in value)
        return f"[{shown}]" if isinstance(value, list) else f"({shown})"
    return str(value)


def strings(value: Any) -> Iterator[str]:
    """The strings in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (key, *strings(item))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from strings(item)


def telling(text: str) -> bool:
    """Whether the naive way of writing `text` means something else, or nothing."""
    try:
        return bool(ast.literal_eval(naively(text)) != text) or not naively(text).isascii()
    except (SyntaxError, ValueError):
        return True


def module_name(path: Path) -> str:
    parts = ("rtgen", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


Emit = Callable[[dict[str, Any]], str]


@pytest.fixture(scope="module")
def emitter() -> Iterator[tuple[Instrumented, Emit]]:
    """The instrumented emitter: its sites, and the function from a template to a module's source."""
    loader = Instrumented()
    for path in sorted(path for folder in ("emit", "content") for path in PACKAGE.joinpath(folder).rglob("*.py")):
        importlib.import_module(module_name(path))  # its own form, so that it is there to be put back
    own = {name: module for name, module in sys.modules.items() if name.startswith(WRITERS)}
    for name in own:
        del sys.modules[name]
    for package in WRITERS:  # else `from rtgen import content` would still give the old one
        delattr(rtgen, package.partition(".")[2])
    sys.meta_path.insert(0, loader)
    try:
        emit_module = importlib.import_module("rtgen.emit.module").emit_module
        for name in own:
            importlib.import_module(name)
    finally:
        sys.meta_path.remove(loader)
        for name in [name for name in sys.modules if name.startswith(WRITERS)]:
            del sys.modules[name]
        sys.modules.update(own)
        for package in WRITERS:
            setattr(rtgen, package.partition(".")[2], sys.modules[package])
    yield loader, lambda template: emit_module(compiler.program(template), template_hash(template))


def cases() -> Iterator[Case]:
    for name in NAMES_USED:
        for make in SLOTS.values():
            case = make(STRINGS[name])
            if oracle(case.template) is not None:
                yield case


def code_of(source: str) -> str:
    """The syntax tree of a module without its docstrings, as text."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node, clean=False) is not None:
            node.body[:1] = []
    return ast.dump(tree)


def beside_code(loader: Instrumented, emit: Emit, number: int, through: list[Case]) -> bool:
    """Whether what the site writes is no code: a docstring, or a measure of how long a line will be.

    The text of a docstring is `Writer.doc`'s to guard; see the test of that.
    """
    loader.naive = {number}
    naive = [code_of(emit(case.template)) for case in through]
    loader.naive = set()
    return naive == [code_of(emit(case.template)) for case in through]


def wrong(emit: Emit, case: Case) -> bool:
    """Whether the module that is emitted for the case fails in any way."""
    try:
        source = "# header\n" + emit(case.template)
        compiled = compiler.execute(source, None, template_hash(case.template))
        right = oracle(case.template)
        assert right is not None
        return compiled.template != case.template or problem(compiled, right, case) is not None
    except Exception:
        return True


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_every_site_is_guarded(emitter: tuple[Instrumented, Emit]) -> None:
    loader, emit = emitter
    through: dict[int, list[Case]] = {}  # the cases whose text goes through a site, where it would be telling
    hostile: set[int] = set()
    all_cases = list(cases())
    for case in all_cases:
        loader.seen.clear()
        loader.recording = True
        source = emit(case.template)
        loader.recording = False
        assert source == compiler.source(case.template)
        for number, texts in loader.seen.items():
            if any(map(telling, texts)):
                through.setdefault(number, []).append(case)
    assert not any(wrong(emit, case) for case in all_cases[::25])
    survivors, unreached, beside = [], [], []
    with Canary():
        for number, site in enumerate(loader.sites):
            if site in NEVER_HOSTILE:
                assert number not in through, f"hostile text reaches {site}"
                continue
            if number not in through:
                unreached.append(site)
                continue
            hostile.add(number)
            loader.naive = {number}
            found = any(wrong(emit, case) for case in through[number])
            loader.naive = set()
            if not found and beside_code(loader, emit, number, through[number]):
                beside.append(site)
            elif not found:
                survivors.append(site)
    assert not unreached, f"strengthen tests.trust.hostile: no hostile text reaches {unreached}"
    assert not survivors, f"strengthen tests.trust.hostile: nothing fails without {survivors}"
    assert len(hostile) - len(beside) > 50 > 5 * len(beside)
    assert builtins.__dict__.get("canary") is None


@pytest.mark.parametrize("part", ["doc", "make"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_the_other_guards(emitter: tuple[Instrumented, Emit], part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Docstrings and identifiers."""
    loader, emit = emitter
    source = loader.modules["rtgen.emit.source"]
    if part == "doc":
        monkeypatch.setattr(source.Writer, "doc", lambda self, text: self.line(f'"""{text}"""'))
    else:
        monkeypatch.setattr(source.Names, "make", lambda self, hint: self._taken.add(hint) or hint)
    with Canary():
        assert any(wrong(emit, case) for case in cases())


def test_every_use_of_the_guards_is_found(emitter: tuple[Instrumented, Emit]) -> None:
    """As many as a search for their names finds, their definitions and imports aside."""
    loader, _ = emitter
    count = 0
    for folder in ("emit", "content"):
        for path in PACKAGE.joinpath(folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                count += isinstance(node, ast.Name) and node.id in GUARDS
    assert count == len(loader.sites)
