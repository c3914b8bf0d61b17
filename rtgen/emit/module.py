"""The generated module, put together: imports, constants, functions, the batch function, the streaming class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rtgen.emit import opaque
from rtgen.emit.anchor import emit_after_anchor
from rtgen.emit.batch import BatchEmitter
from rtgen.emit.fields import emit_store
from rtgen.emit.searches import Searches
from rtgen.emit.source import Module, Writer, literal, signature
from rtgen.emit.stream import StreamEmitter
from rtgen.emit.values import display, laid_out
from rtgen.lower import Program
from rtgen.runtime.parser import RUNTIME_INTERFACE

PUBLIC = ("RESPONSE_TEMPLATE", "TEMPLATE_HASH", "ResponseParser", "parse_response")

PARSE_RESPONSE = "def parse_response(text: Any, *, prefix: Any = None, tools: Any = None, **serving: Any) -> Any:"

OVERLOADS = (
    "@overload",
    "def parse_response("
    "text: str, *, prefix: str | None = None, tools: Any = None, **serving: Any) -> dict[str, Any]: ...",
    "@overload",
    "def parse_response(",
    "    text: list[str] | tuple[str, ...],",
    "    *,",
    "    prefix: str | Sequence[str] | None = None,",
    "    tools: Any = None,",
    "    **serving: Any,",
    ") -> list[dict[str, Any]]: ...",
)
"""What type checkers are told: a str in, a dict out; a sequence in, a list out."""

RESERVED = (
    "Any",
    "Sequence",
    "overload",
    *PUBLIC,
    "_new_message",
    "_after_anchor",
    "_finish",
    "_parse",
    "annotations",
    "at",
    "before",
    "begin",
    "captures",
    "closer",
    "closing",
    "content",
    "core",
    "cut",
    "empty",
    "end",
    "error",
    "events",
    "final",
    "found",
    "held",
    "here",
    "item",
    "items",
    "kept",
    "look",
    "message",
    "one",
    "parameters",
    "pattern",
    "prefix",
    "regex",
    "search",
    "searches",
    "messages",
    "self",
    "serving",
    "settled",
    "size",
    "start",
    "text",
    "texts",
    "tools",
    "value",
    "values",
    "verdict",
    "which",
)
"""Names that the emitted functions use themselves."""


def emit_module(program: Program, template_hash: str, reserved: Iterable[str] = ()) -> str:
    """The source of the module that parses responses of the program's template, without its header.

    No identifier in it is made to be one of `reserved`. Warns of patterns that are outside the promise.
    """
    opaque.warn(program)
    out = Module((*RESERVED, *reserved))
    template = program.template
    out.use_runtime("parser", "MISSING_PREFIX", "pairs", "require_interface")
    out.use_runtime("tools", "tool_parameters")
    searches = Searches(out)
    stores = {field.name: emit_store(out, field, template.defaults) for field in template.fields}
    own = Writer()
    _function(own, signature("_new_message", "", "dict[str, Any]"), _new_message(out, template.defaults))
    _function(own, signature("_after_anchor", "prefix", "str"), emit_after_anchor(out, program.anchor, searches))
    _function(own, signature("_finish", "message", "dict[str, Any]"), _finish(out, program))
    batch = BatchEmitter(out, program, stores, searches).emit()
    _function(own, signature("_parse", "text, tools", "dict[str, Any]"), batch)
    for line in OVERLOADS:
        if line == "@overload":
            own.line()
            own.line()
        own.line(line)
    _function(own, PARSE_RESPONSE, _parse_response(out))
    stream = StreamEmitter(out, program, stores, searches).emit()
    return _assemble(out, template.raw, template_hash, own, stream)


def _assemble(out: Module, raw: dict[str, Any], template_hash: str, own: Writer, stream: Writer) -> str:
    top = Writer()
    top.line("from __future__ import annotations")
    top.line()
    for name in sorted(out.imports - {"regex"}):
        top.line(f"import {name}")
    top.line("from collections.abc import Sequence")
    top.line("from typing import Any, overload")
    top.line()
    if "regex" in out.imports:
        top.line("import regex")
        top.line()
    for part, names in sorted(out.runtime.items()):
        top.line(f"from rtgen.runtime.{part} import {', '.join(sorted(names, key=_import_order))}")
    top.line()
    top.line(f"__all__ = {literal(list(PUBLIC))}")
    top.line()
    for line in laid_out("RESPONSE_TEMPLATE = ", raw):
        top.line(line)
    top.line(f"TEMPLATE_HASH = {literal(template_hash)}")
    top.line()
    top.line(f"require_interface({RUNTIME_INTERFACE})")
    if out.constants.lines:
        top.line()
    rest = Writer()
    rest.line()
    rest.line()
    return top.text() + out.constants.text() + out.functions.text() + own.text() + rest.text() + stream.text()


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, each by name, as import sorters have it."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name.lower()


def _function(own: Writer, header: str, body: Writer) -> None:
    own.line()
    own.line()
    with own.block(header):
        for line in body.lines:
            own.line(line)


def _new_message(out: Module, defaults: dict[str, Any]) -> Writer:
    body = Writer()
    body.doc("A message with the defaults of the template.")
    body.line(f"return {display(out, defaults)}")
    return body


def _finish(out: Module, program: Program) -> Writer:
    body = Writer()
    required = [field.name for field in program.template.fields if not field.optional]
    body.doc("The message without empty values" + (", if the required fields are there." if required else "."))
    if required:
        out.use_runtime("fields", "missing_fields")
        body.line(f"missing = [name for name in {literal(tuple(required))} if name not in message]")
        with body.block("if missing:"):
            body.line("raise missing_fields(missing)")
    out.use_runtime("fields", "drop_empty")
    body.line(f"return drop_empty(message, {literal(tuple(program.template.defaults))})")
    return body


def _parse_response(out: Module) -> Writer:
    body = Writer()
    out.use_runtime("serving", "parse_serving")
    body.doc("Parse a whole response into a message; a sequence of responses into a list of messages.")
    with body.block("if prefix is None:"):
        body.line("raise ValueError(MISSING_PREFIX)")
    with body.block("if serving:"):
        body.line("texts = [(text, prefix)] if isinstance(text, str) else pairs(text, prefix)")
        body.line("messages = parse_serving(ResponseParser, texts, tools, serving)")
        body.line("return messages[0] if isinstance(text, str) else messages")
    body.line("parameters = tool_parameters(tools) if tools else None")
    with body.block("if isinstance(text, str) and isinstance(prefix, str):"):
        body.line("return _parse(_after_anchor(prefix) + text, parameters)")
    body.line("return [_parse(_after_anchor(before) + one, parameters) for one, before in pairs(text, prefix)]")
    return body
