"""`json`: JSON, and its dialects with bare keys and with strings between delimiters of their own.

A dialect is what transformers makes of it, pass by pass over the whole region: the strings of each pair of delimiters
in turn are taken out, leftmost and shortest, and a sentinel (their number between U+0001 and U+0002) put in; bare keys
after `{` or `,` get quotes, outside double-quoted strings; the strings are put back as JSON; Python's `json` reads it.

What is emitted for the usual case, a single pair, is the same with less work. One pass takes the strings out, so a
placeholder without a number will do, and as the region holds no sentinel, cutting at the placeholder finds the places
again: no key can contain it and no pass changes it. The sentinels of several pairs can be damaged by a later pair
(a delimiter `1`), so they are written out in full; they are still put back in one pass, because what is put in holds
neither U+0001 nor U+0002 and therefore makes no new sentinel, and no two sentinels overlap.
"""

from __future__ import annotations

from typing import Any

import regex

from rtgen.content import grammar
from rtgen.content.common import (
    Expr,
    call,
    kind,
    no_args,
    pattern_constant,
    raise_,
    shorten,
    string,
    stripped,
    value_constant,
)
from rtgen.emit.source import Module, Writer

NAME = "json"


def emit(out: Module, args: Any) -> Expr:
    """Write the reader; see `rtgen.content.emit`."""
    if not isinstance(args, dict):
        return no_args(out, args)
    delims = args.get("string_delims", [])
    passes, fault = read_delims(delims)
    keys = quote_keys(out) if args.get("unquoted_keys", False) else None
    out.use("json")
    body = Writer()
    body.doc(_doc(passes, keys is not None))
    if delims:
        with body.block(r'if "\x01" in text or "\x02" in text:'):
            raise_(body, "ValueError", "the text holds U+0001 or U+0002, which stand for strings here")
    if fault is not None:
        raise_(body, *fault)
        return call(out.function("json", "text", body))
    if not passes:
        working = f"{keys}(text)" if keys else "text"
    elif len(passes) == 1 and isinstance(passes[0], tuple) and all(passes[0]):
        working = _one_pair(out, body, passes[0], keys)
    else:
        working = _passes(out, body, passes, keys)
    decode = out.constant("decode", "json.JSONDecoder().raw_decode")
    body.line(rf'source = {working}.strip(" \t\n\r")')
    with body.block("try:"):
        body.line(f"value, end = {decode}(source)")
        with body.block("if end == len(source):"):
            body.line("return value")
    with body.block("except json.JSONDecodeError:"):
        body.line("pass")
    if args.get("allow_non_json"):
        body.line("return text.strip()" if stripped(args) else "return text")
    else:
        out.use_runtime("dialect", "json_fault")
        pairs = tuple(p for p in passes if isinstance(p, tuple))
        arguments = f", {_pairs_constant(out, pairs)}, {keys}" if pairs or keys else ""
        body.line(f"raise json_fault(text{arguments})")
    return call(out.function("json", "text", body))


def absent(args: Any) -> str | None:
    """See `rtgen.content.absent`."""
    return "TypeError" if isinstance(args, dict) else "AttributeError"


def read_delims(delims: Any) -> tuple[list[tuple[str, str] | str], tuple[str, str] | None]:
    """The passes that `string_delims` asks for, up to the first that cannot be carried out, and its error.

    A pass is a pair of delimiters, or a regex with one group where something else than a string stands for a
    delimiter: transformers takes any sequence of strings. The error is a builtin class's name and a fault.
    """
    passes: list[tuple[str, str] | str] = []
    if not isinstance(delims, (list, tuple, str, dict)):
        return passes, ("TypeError", f"string_delims is {kind(delims)}, it must be a list of pairs")
    for delim in delims:
        if not isinstance(delim, (list, tuple, str, dict)):
            return passes, ("TypeError", f"string_delims holds {kind(delim)}, it must be a list of pairs")
        if len(delim) != 2:
            return passes, ("ValueError", f"string_delims holds a group of {len(delim)}, it must be a list of pairs")
        opener, closer = list(delim)
        if isinstance(opener, str) and isinstance(closer, str):
            passes.append((opener, closer))
            continue
        try:
            pattern = str(regex.escape(opener) + "(.*?)" + regex.escape(closer))
            regex.compile(pattern, regex.DOTALL)
            passes.append(pattern)
        except (TypeError, AttributeError) as error:
            return passes, (type(error).__name__, "a delimiter in string_delims is not a string")
        except (regex.error, ValueError):
            return passes, ("ValueError", "a delimiter in string_delims is not a string")
    return passes, None


def quote_keys(out: Module) -> str:
    """Write the pass that puts quotes around bare keys; the name of its function."""
    text = grammar.read("json_dialect")
    char, space, inside = (grammar.terminal(text, name) for name in ("KEY_CHAR", "SPACE", "INSIDE"))
    bare = rf"(?={char})(?<=[{{,]{space}*+)({char}++)(?={space}*+:)"
    bare_key = pattern_constant(out, "bare_key", "regex", bare)
    quoted = rf'"(?>{inside})("?)'
    either = pattern_constant(out, "key_or_string", "regex", f"{bare}|{quoted}")
    each = Writer()
    each.doc("Write a bare key with quotes and a string as it is; an unclosed string is no string.")
    with each.block("if found[1]:"):
        each.line("""return f'"{found[1]}"'""")
    each.line(f"return found[0] if found[2] else '\"'.join({bare_key}.split(found[0]))")
    quote_key = out.function("quote_key", "found", each)
    body = Writer()
    body.doc("Put quotes around the bare keys that follow { or , outside double-quoted strings.")
    with body.block("""if "\\\\" in text or text.count('"') % 2:"""):
        body.line(f"return {either}.sub({quote_key}, text)")
    body.line("""parts = text.split('"')  # every other one is a string, and no backslash is taken""")
    body.line(f"""parts[::2] = "\\\\".join({bare_key}.split('"'.join(parts[::2]))).split('"')""")
    body.line("""return '"'.join(parts).replace("\\\\", '"')""")
    return out.function("quote_keys", "text", body)


def _one_pair(out: Module, body: Writer, pair: tuple[str, str], keys: str | None) -> str:
    """Write the passes for one pair; every other item of `parts` is a delimited string."""
    opener, closer = (string(out, "delimiter", text) for text in pair)
    if opener == closer:
        body.line(f"parts = text.split({opener})")
        with body.block("if len(parts) % 2 == 0:"):
            body.line(f"parts[-2:] = [{opener}.join(parts[-2:])]")
    else:
        out.use_runtime("dialect", "split_strings")
        body.line(f"parts = split_strings(text, {opener}, {closer})")
    if keys:
        body.line(rf'parts[::2] = {keys}("\x01".join(parts[::2])).split("\x01")')
    out.use_runtime("dialect", "encode_strings")
    body.line("parts[1::2] = encode_strings(parts[1::2])")
    return '"".join(parts)'


def _passes(out: Module, body: Writer, passes: list[tuple[str, str] | str], keys: str | None) -> str:
    """Write the passes one by one, with numbered sentinels."""
    body.line("captured: list[Any] = []")
    source = "text"
    for step in passes:
        if isinstance(step, tuple):
            out.use_runtime("dialect", "take_out")
            opener, closer = (string(out, "delimiter", text) for text in step)
            body.line(f"working = take_out({source}, {opener}, {closer}, captured)")
        else:
            out.use_runtime("dialect", "take_out_pattern")
            body.line(f"working = take_out_pattern({source}, {string(out, 'delimiter', step)}, captured)")
        source = "working"
    if keys:
        body.line(f"working = {keys}(working)")
    out.use_runtime("dialect", "put_back")
    return "put_back(working, captured)"


def _pairs_constant(out: Module, pairs: tuple[tuple[str, str], ...]) -> str:
    return value_constant(out, "string_delims", pairs) if pairs else "()"


def _doc(passes: list[tuple[str, str] | str], keys: bool) -> str:
    what = [f"strings between {p[0]} and {p[1]}" if isinstance(p, tuple) else f"strings like {p}" for p in passes]
    what += ["bare keys"] if keys else []
    return shorten(f"Read JSON{' with ' if what else ''}{', '.join(what)}") + "."
