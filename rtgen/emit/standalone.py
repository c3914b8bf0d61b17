"""A module that needs no rtgen: the parts of the runtime that it imports, pasted in front of it.

What `string_aware` and `repair` take (`rtgen.runtime.lenient`) becomes the body of the function that imports it, so
that it costs nothing before it is asked for.
"""

from __future__ import annotations

import ast
import re
import textwrap
from functools import lru_cache
from pathlib import Path

import rtgen.runtime.lenient
from rtgen.emit.module import OVERLOADS

_TYPING = re.compile(r"^from (?:typing|collections\.abc) import .*(?=\n)", re.MULTILINE)
_IMPORT = re.compile(r"^from rtgen\.runtime\.(\w+) import .*\n", re.MULTILINE)

_LOADS = "    from rtgen.runtime import lenient\n\n    return lenient\n"


def include_runtime(source: str) -> str:
    """`source`, a generated module without its header, with all that it imports from `rtgen.runtime` included.

    The names of the module must not be names of the runtime: emit it with `runtime_names()` reserved.
    """
    parts: list[str] = []
    for part in _IMPORT.findall(source):
        _collect(part, parts)
    future = "from __future__ import annotations\n"
    module = _IMPORT.sub("", source).replace(future, "", 1).lstrip("\n")
    for line in OVERLOADS:
        module = module.replace(line + "\n", "", 1)
    pasted = "".join(_part(part) for part in parts)
    lenient = "".join(map(_part, lenient_parts(parts)))
    whole = f"{pasted}\n\n# The parser.\n\n{module}"
    typing = "".join(f"    from {module} import {', '.join(names)}\n" for module, names in _typing(whole + lenient))
    why = "importing typing would take longer than all the rest"
    guarded = f"\nTYPE_CHECKING = False  # {why}\nif TYPE_CHECKING:\n{typing}"
    whole = future + guarded + _TYPING.sub("", whole).replace("\n\n\n\n", "\n\n\n")
    assert whole.count(_LOADS) == 1
    return whole.replace(_LOADS, _loading(_TYPING.sub("", lenient)))


def lenient_parts(parts: list[str]) -> list[str]:
    """The parts of the runtime that `rtgen.runtime.lenient` takes besides `parts`, in the order in which they are
    pasted into the function that loads it."""
    every = list(parts)
    _collect("lenient", every)
    return [part for part in every if part not in (*parts, "lenient")]


def _loading(lenient: str) -> str:
    """The body of the function that loads `rtgen.runtime.lenient`, whose parts are `lenient`."""
    names = ", ".join(f"{name}={name}" for name in rtgen.runtime.lenient.__all__)
    return textwrap.indent(f"import types\n{lenient}\n\nreturn types.SimpleNamespace({names})\n", "    ")


def _part(part: str) -> str:
    return f"\n\n# rtgen.runtime.{part}\n\n{_body(part).strip()}\n"


def _typing(source: str) -> list[tuple[str, list[str]]]:
    """The names that are imported for annotations alone, by their modules."""
    found: dict[str, set[str]] = {}
    for line in _TYPING.findall(source):
        _, module, _, names = line.split(" ", 3)
        found.setdefault(module, set()).update(names.split(", "))
    return [(module, sorted(names - {"overload"})) for module, names in sorted(found.items())]


@lru_cache(1)
def runtime_names() -> frozenset[str]:
    """Every name that some part of the runtime defines or imports."""
    names: set[str] = set()
    for path in _folder().glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            else:
                names.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset(names)


def _folder() -> Path:
    return Path(rtgen.runtime.__path__[0])


def _collect(part: str, parts: list[str]) -> None:
    """Put the part behind all that it imports itself."""
    if part in parts:
        return
    for node in _tree(part).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rtgen.runtime."):
            assert node.module is not None
            _collect(node.module.rpartition(".")[2], parts)
    if part not in parts:
        parts.append(part)


@lru_cache(32)
def _source(part: str) -> str:
    return (_folder() / f"{part}.py").read_text(encoding="utf-8")


def _tree(part: str) -> ast.Module:
    return ast.parse(_source(part))


def _body(part: str) -> str:
    """The part's source without its docstring and its imports from the runtime."""
    lines = _source(part).splitlines(keepends=True)
    for index, node in enumerate(_tree(part).body):
        docstring = index == 0 and isinstance(node, ast.Expr)
        own = isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("rtgen", "__future__")
        if docstring or own:
            assert node.end_lineno is not None
            for number in range(node.lineno - 1, node.end_lineno):
                lines[number] = ""
    return "".join(lines)
