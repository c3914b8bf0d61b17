"""`kv-lines`: one `key: value` pair a line, into an object; lines without the separator are passed over."""

from __future__ import annotations

from typing import Any

from rtgen.content import nested
from rtgen.content.common import Expr, call, kind, no_args, raise_, refuse, string, stripped
from rtgen.emit.source import Module, Writer

NAME = "kv-lines"


def emit(out: Module, args: Any) -> Expr:
    """Write the reader; see `rtgen.content.emit`."""
    if not isinstance(args, dict):
        return no_args(out, args)
    line_sep, kv_sep, strip = args.get("line_sep", "\n"), args.get("kv_sep", ":"), stripped(args)
    if line_sep is not None and not isinstance(line_sep, str):
        return refuse(out, "TypeError", f"line_sep is {kind(line_sep)}, it must be a string")
    if line_sep == "":
        return refuse(out, "ValueError", "line_sep is empty, there is nothing to split at")
    body = Writer()
    body.doc("Read lines of keys and values.")
    body.line("out: dict[str, Any] = {}")
    lines = "text.split()" if line_sep is None else f"text.split({string(out, 'line_sep', line_sep)})"
    with body.block(f"for line in {lines}:"):
        if not isinstance(kv_sep, str) or kv_sep == "":
            _refuse_line(body, kv_sep, strip)
        else:
            if strip and kv_sep.strip() != kv_sep:  # or else the separator, if there, survives the stripping
                body.line("line = line.strip()")
            body.line(f"key, sep, value = line.partition({string(out, 'kv_sep', kv_sep)})")
            with body.block("if sep:"):
                if strip:
                    body.line("key, value = key.strip(), value.strip()")
                value = nested.emit(out, args.get("value_parser"))
                body.line(f"out[key] = {value('value')}")
    body.line("return out")
    return call(out.function("kv_lines", "text", body))


def _refuse_line(body: Writer, kv_sep: Any, strip: bool) -> None:
    """Write what a line that is not empty meets when there is no usable separator."""
    with body.block(f"if line{'.strip()' if strip else ''}:"):
        if kv_sep == "":
            raise_(body, "ValueError", "kv_sep is empty, there is nothing to split at")
        else:
            raise_(body, "TypeError", f"kv_sep is {kind(kv_sep)}, it must be a string")


def absent(args: Any) -> str | None:
    """See `rtgen.content.absent`."""
    return "AttributeError"
