"""`xml-inline`: the tags that `tag_pattern` finds, into an object from their groups `key` to their groups `value`."""

from __future__ import annotations

from typing import Any

import regex

from rtgen.content import nested
from rtgen.content.common import (
    Expr,
    call,
    kind,
    no_args,
    pattern_constant,
    raise_,
    refuse,
    shorten,
    string,
    value_constant,
)
from rtgen.content.xml_shape import Shape, recognise, source
from rtgen.emit.source import Module, Writer
from rtgen.pattern import facts
from rtgen.pattern.nodes import Node
from rtgen.pattern.parse import parse
from rtgen.pattern.program import compile_program

NAME = "xml-inline"

BUDGET = 1_000_000
"""Steps (besides some for each character) that a pattern with back-references or long counted loops may take."""


def emit(out: Module, args: Any) -> Expr:
    """Write the reader; see `rtgen.content.emit`."""
    if not isinstance(args, dict):
        return no_args(out, args)
    pattern = args.get("tag_pattern")
    fault = pattern_fault(pattern)
    if fault is not None:
        return refuse(out, *fault)
    assert isinstance(pattern, str)
    node = parse(pattern)
    tags = _Tags(out, args, node)
    shape = recognise(node)
    body = Writer()
    body.doc(f"Read tags: {shorten(pattern)}")
    body.line("out: dict[str, Any] = {}")
    if tags.merge:
        body.line("merged: set[str] = set()")
    if shape is not None:
        _write_scan(out, body, shape, tags)
    else:
        _write_matches(out, body, pattern, node, tags)
    body.line("return out")
    return call(out.function("xml_inline", "text", body))


def absent(args: Any) -> str | None:
    """See `rtgen.content.absent`."""
    if not isinstance(args, dict):
        return "AttributeError"
    fault = pattern_fault(args.get("tag_pattern"))
    return "TypeError" if fault is None else fault[0]


def pattern_fault(pattern: Any) -> tuple[str, str] | None:
    """What is wrong with a `tag_pattern`, if anything: the name of the builtin error class, and the fault."""
    if pattern is None:
        return "ValueError", "content_args lacks tag_pattern"
    if not isinstance(pattern, str):
        return "TypeError", f"tag_pattern is {kind(pattern)}, it must be a string"
    try:
        regex.compile(pattern, regex.DOTALL)
    except (RecursionError, TypeError, KeyError, AttributeError) as error:
        return type(error).__name__, "tag_pattern is no regular expression"
    except Exception as error:  # regex.error is no ValueError, and odd patterns raise other classes
        return "ValueError", f"tag_pattern is no regular expression: {error}"
    return None


class _Tags:
    """What becomes of a tag, whichever way it was found."""

    def __init__(self, out: Module, args: dict[str, Any], node: Node) -> None:
        self.value_parser = args.get("value_parser")
        self.merge = bool(args.get("merge_duplicates", False))
        self.value = nested.emit(out, self.value_parser)

    def write(self, body: Writer) -> None:
        """Write how `key` and `value` enter `out`."""
        value = self.value("value")
        if not self.merge:
            body.line(f"out[key] = {value}")
            return
        if value != "value":
            body.line(f"value = {value}")
        with body.block("if key not in out:"):
            body.line("out[key] = value")
        with body.block("elif key in merged:"):
            body.line("out[key].append(value)")
        with body.block("else:"):
            body.line("out[key] = [out[key], value]")
            body.line("merged.add(key)")


def _write_scan(out: Module, body: Writer, shape: Shape, tags: _Tags) -> None:
    """Write string searches for a pattern of the usual shape; `xml_shape` shows why they find the same."""
    lead, width = string(out, "tag", shape.lead), len(shape.lead)
    body.line(f"at = text.find({lead})")
    with body.block("while at >= 0:"):
        body.line(f"start = at + {width}")
        if shape.run is None:
            _write_lazy_key(out, body, shape)
            _write_value(out, body, shape, lead, tags)
            return
        run = pattern_constant(out, "key", "regex", shape.run[:-2] + "*+")
        body.line(f"run = {run}.match(text, start)")
        body.line("stop = run.end() if run else start")
        first, *last = (string(out, "middle", part) for part in shape.middle)
        test = f"text.startswith({first}, stop)"
        if shape.run.endswith("++"):
            test = f"stop > start and {test}"
        begin = f"stop + {len(shape.middle[0])}"
        if last:
            out.use_runtime("blanks", "after_blanks")
            begin = f"after_blanks(text, {begin})"
            inner = shape.middle[1]
            kept = len(inner) - len(inner.lstrip(" \t\n\r"))
            body.line(f"begin = {begin}{f' - {kept}' if kept else ''}")
            at_least = f"begin >= stop + {len(shape.middle[0])} and " if kept else ""
            test = f"{test} and {at_least}text.startswith({last[0]}, begin)"
            begin = f"begin + {len(inner)}"
        with body.block(f"if {test}:"):
            body.line(f"key, start = text[start:stop], {begin}")
            _write_value(out, body, shape, lead, tags)
        with body.block("else:  # a tag that begins in the same run ends it at the same place"):
            body.line(f"at = text.find({lead}, max(at + 1, stop - {width - 1}))")


def _write_lazy_key(out: Module, body: Writer, shape: Shape) -> None:
    """Write the search for what ends a key that may be anything."""
    if len(shape.middle) == 1:
        body.line(f"stop = text.find({string(out, 'middle', shape.middle[0])}, start)")
        with body.block("if stop < 0:"):
            body.line("break")
        body.line(f"key, start = text[start:stop], stop + {len(shape.middle[0])}")
        return
    middle = pattern_constant(out, "middle", "regex", r"\s*".join(map(source, shape.middle)))
    body.line(f"found = {middle}.search(text, start)")
    with body.block("if found is None:"):
        body.line("break")
    body.line("key, start = text[start : found.start()], found.end()")


def _write_value(out: Module, body: Writer, shape: Shape, lead: str, tags: _Tags) -> None:
    """Write the search for the value's end, from `start` on, and what becomes of the tag."""
    if isinstance(shape.close, str):
        body.line(f"end = text.find({string(out, 'close', shape.close)}, start)")
        with body.block("if end < 0:"):
            body.line("break")
        end, after = "end", f"end + {len(shape.close)}"
    else:
        body.line(f"found = {pattern_constant(out, 'close', 'regex', source(shape.close))}.search(text, start)")
        with body.block("if found is None:"):
            body.line("break")
        end, after = "found.start()", "found.end()"
    value = "text[start:end]" if end == "end" else f"text[start : {end}]"
    if r"\s" in (shape.gap, shape.trail):
        out.use_runtime("blanks", "BLANKS")
    if shape.gap == shape.trail == r"\s":
        value += ".strip(BLANKS)"
    else:
        for part, blanks, one in ((shape.gap, "lstrip", "removeprefix"), (shape.trail, "rstrip", "removesuffix")):
            if part == r"\s":
                value += f".{blanks}(BLANKS)"
            elif part:
                value += f".{one}({string(out, 'gap', part)})"
    body.line(f"value = {value}")
    tags.write(body)
    body.line(f"at = text.find({lead}, {after})")


def _write_matches(out: Module, body: Writer, pattern: str, node: Node, tags: _Tags) -> None:
    """Write a loop over the matches of any pattern."""
    groups = regex.compile(pattern, regex.DOTALL).groupindex
    opaque = facts.is_opaque(node)
    if opaque:
        out.use_runtime("pattern", "FinalSearch")
        found = f"FinalSearch({string(out, 'tags', pattern)}, budget={BUDGET}).finditer(text)"
    elif facts.needs_budget(node):  # no quick way: which way is taken must not depend on the clock
        out.use_runtime("pattern", "Search")
        found = f"Search({value_constant(out, 'tags', compile_program(node))}, budget={BUDGET}).finditer(text)"
    else:
        tags_pattern = pattern_constant(out, "tags", "regex", pattern, "regex.DOTALL")
        found = f"{tags_pattern}.finditer(text)"
        if not facts.linear_in_regex(node):
            out.use_runtime("content", "quick_matches")
            out.use_runtime("pattern", "Search")
            program = value_constant(out, "tags", compile_program(node))
            body.line(f"tags: Any = quick_matches({tags_pattern}, text)")
            with body.block("if tags is None:"):
                body.line(f"tags = Search({program}).finditer(text)")
            found = "tags"
    with body.block(f"for found in {found}:"):
        if "key" not in groups:
            raise_(body, "ValueError", "tag_pattern has no group named key")
            return
        body.line("groups = found.groupdict()")
        body.line('key = groups.get("key")')
        if opaque or not facts.always_participates(node, "key"):
            with body.block("if key is None:"):
                raise_(body, "ValueError", "the group key of tag_pattern took no part in a match")
        if "value" not in groups:
            body.line('value = ""')
        else:
            body.line('value = groups.get("value")')
            error = nested.absent(tags.value_parser)
            if error is not None and (opaque or not facts.always_participates(node, "value")):
                with body.block("if value is None:"):
                    raise_(body, error, "the group value of tag_pattern took no part in a match")
        tags.write(body)
