"""The driver: the one place that knows the order of the stages.

    validate → lower → emit → gate → (header → cache) → execute

One can stop between any two: `program(raw)` after lowering, `source(raw)` after emitting, `generate(raw)` with the
header.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import marshal
import os
import weakref
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any, overload

from rtgen import cache, gate
from rtgen.errors import GateError, TemplateError
from rtgen.identity import template_hash

MOST_KNOWN = 256
"""Compiled templates that a process keeps at hand."""

_known: dict[bytes, CompiledTemplate] = {}


def program(raw: object) -> Any:
    """The `lower.Program` of a template. Raises TemplateError."""
    from rtgen.lower import lower
    from rtgen.template import validate

    return lower(validate(raw))


def source(raw: dict[str, Any]) -> str:
    """The generated module's source without a header. Raises TemplateError."""
    from rtgen.emit.module import emit_module

    return emit_module(program(raw), template_hash(raw))


def generate(raw: dict[str, Any], *, name: str | None = None, standalone: bool = False) -> str:
    """The generated module's source with its header, as it is cached (not formatted). Raises TemplateError.

    `name` is what the header calls the template; with `standalone` the module needs no rtgen.
    """
    from rtgen.emit import header

    if standalone:
        from rtgen.emit.module import emit_module
        from rtgen.emit.standalone import include_runtime, runtime_names

        text = include_runtime(emit_module(program(raw), template_hash(raw), runtime_names()))
    else:
        text = source(raw)
    return header.header(name, template_hash(raw), header.compile_command(name, standalone=standalone)) + text


def kinds(raw: object) -> dict[tuple[str, str], int]:
    """The kind (1 to 4) of each delimiter: (field, "open" or "close") -> kind. Raises TemplateError."""
    from rtgen.delimiters.classify import classify
    from rtgen.template import validate

    found = {}
    for field in validate(raw).fields:
        for role, delimiter in (("open", field.open), ("close", field.close)):
            if delimiter is not None:
                found[field.name, role] = classify(delimiter).number
    return found


class CompiledTemplate:
    """A template with its generated parser.

    `template` is a copy of the template, `template_hash` identifies it, `source` is the generated module's source and
    `path` its file (None: in memory alone). It may be shared by threads; pickling it carries the template, not code.
    """

    def __init__(self, module: ModuleType, source: str, path: Path | None) -> None:
        self._module = module
        self.source = source
        self.path = path
        self.template_hash: str = module.TEMPLATE_HASH
        self._parse = module.parse_response
        self.ResponseParser = module.ResponseParser

    @property
    def template(self) -> dict[str, Any]:
        """A copy of the response template."""
        copy: dict[str, Any] = deepcopy(self._module.RESPONSE_TEMPLATE)
        return copy

    @overload
    def parse_response(
        self, text: str, *, prefix: str | None = None, tools: Sequence[Any] | None = None, **serving: Any
    ) -> dict[str, Any]: ...

    @overload
    def parse_response(
        self,
        text: list[str] | tuple[str, ...],
        *,
        prefix: str | Sequence[str] | None = None,
        tools: Sequence[Any] | None = None,
        **serving: Any,
    ) -> list[dict[str, Any]]: ...

    def parse_response(self, text: Any, *, prefix: Any = None, tools: Any = None, **serving: Any) -> Any:
        """Parse a whole response; see `rtgen.parse_response`."""
        if serving:
            return self._parse(text, prefix=prefix, tools=tools, **serving)
        return self._parse(text, prefix=prefix, tools=tools)

    def __reduce__(self) -> Any:
        return compile, (self.template,)

    def __repr__(self) -> str:
        return f"<CompiledTemplate {self.template_hash[:12]} {self.path or 'in memory'}>"


def compile(template: Any) -> CompiledTemplate:
    """The compiled form of a template: of a dict, a CompiledTemplate, a path object, or a string that is a bundled
    name, else an existing file, else JSON text.

    Known templates are found again in this process, then in the cache; others are compiled. Raises TemplateError for a
    template that is refused, `read.SourceError` for a file or name that holds none.
    """
    if type(template) is dict:
        try:
            key = marshal.dumps(template, 2)
        except ValueError:  # no JSON: let the template be refused with a sentence
            return compile_template(template)
        known = _known.get(key)
        if known is None:
            known = compile_template(template)
            if len(_known) >= MOST_KNOWN:
                oldest, *_ = _known  # in one step, whatever other threads do
                _known.pop(oldest, None)
            _known[key] = known
        return known
    if isinstance(template, CompiledTemplate):
        return template
    if isinstance(template, (str, os.PathLike)):
        from rtgen import library, read

        if isinstance(template, str) and library.exists(template):
            return load(template)
        return compile(read.read_any(template).template)
    raise TemplateError(f"a template is a dict, a path, a string or a CompiledTemplate, not {type(template).__name__}")


def compile_template(raw: Any) -> CompiledTemplate:
    """Compile a decoded template, or take its module from the cache. Raises TemplateError."""
    if not isinstance(raw, dict):
        program(raw)  # refuses it with a sentence
    digest = template_hash(raw)
    trees: list[ast.Module] = []

    def accept(text: str) -> bool:
        """Whether a cached source passes the gate and is this template's."""
        try:
            trees[:] = [gate.check(text, name=_module_name(digest))]
        except GateError:
            return False
        return f'TEMPLATE_HASH = "{digest}"' in text

    text, path = cache.load(digest, lambda: generate(raw), accept)
    return execute(text, Path(path) if path else None, digest, trees[0] if trees else None)


def load(name: str) -> CompiledTemplate:
    """A bundled template, with the generated parser that is shipped with it. Raises TemplateError: no such name."""
    from rtgen import library

    raw = library.template(name)
    key = marshal.dumps(raw, 2)
    own = name.encode() + key  # two families may have equal templates, and each its own module
    known = _known.get(own)
    if known is None:
        shipped = library.generated(name, template_hash(raw))
        if shipped is None:
            return compile(raw)
        assert shipped.__file__ is not None
        path = Path(shipped.__file__)
        known = _known[own] = CompiledTemplate(shipped, path.read_text(encoding="ascii"), path)
        _known.setdefault(key, known)
    return known


def execute(text: str, path: Path | None, digest: str, tree: ast.Module | None = None) -> CompiledTemplate:
    """Run a generated module's source; `tree` is its syntax tree, if the gate has passed it. Raises GateError."""
    name = _module_name(digest)
    if tree is None:
        tree = gate.check(text, name=name)
    filename = str(path) if path is not None else f"<{name}>"
    # Overloads are for type checkers; `typing` would keep each of them, and its module with it, for ever.
    tree.body = [node for node in tree.body if not _is_overload(node)]
    module = ModuleType(name)
    module.__file__ = filename
    exec(builtins.compile(tree, filename, "exec"), module.__dict__)
    if path is None:
        lines = (len(text), None, text.splitlines(keepends=True), filename)
        linecache.cache[filename] = lines
        weakref.finalize(module.__dict__["ResponseParser"], _forget_lines, filename, lines).atexit = False
    return CompiledTemplate(module, text, path)


def _is_overload(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in node.decorator_list
    )


def _forget_lines(filename: str, lines: object) -> None:
    """The parser is gone, and no traceback shows its lines any more, unless it was compiled again."""
    if linecache.cache.get(filename) is lines:
        del linecache.cache[filename]


def _module_name(digest: str) -> str:
    return f"rtgen_parser_{digest[:12]}"
