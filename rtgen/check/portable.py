"""What other regex engines cannot do, or do otherwise: RE2 (Go, C++), the regex crate of Rust, and JavaScript."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rtgen.check.findings import Finding
from rtgen.check.subject import Subject
from rtgen.errors import TemplateError
from rtgen.identity import step
from rtgen.pattern import facts
from rtgen.pattern.nodes import (
    Assertion,
    Atomic,
    BackReference,
    Conditional,
    Group,
    Look,
    Node,
    Opaque,
    Repeat,
)
from rtgen.pattern.parse import parse
from rtgen.template import compile_pattern

MOST_COUNTED = 1000
"""The largest count of a repeat that RE2 takes."""

RAW = (
    (r"\(\?<?[=!]", "lookaround", "lookaround: RE2 and Rust have none"),
    (r"\(\?>", "atomic-group", "atomic groups: RE2, Rust and JavaScript have none"),
    (r"(?<!\\)[*+?}]\+", "possessive", "possessive quantifiers: RE2, Rust and JavaScript have none"),
    (r"\(\?(?:R|\d+|&\w+|P>\w+)\)", "recursion", "recursion: RE2, Rust and JavaScript have none"),
    (r"\(\?P=\w+\)|\\g<|(?<!\\)\\[1-9]", "back-reference", "back-references: RE2 and Rust have none"),
)
"""For patterns whose tree is not known: what their source is searched for, the rule, and the sentence."""


def portable(subject: Subject) -> Iterator[Finding]:
    """Where the patterns of the template are not for every engine."""
    notes: dict[tuple[str, str], list[str]] = {}
    for where, source in _patterns(subject):
        for rule, what, grave in _unportable(source):
            if grave:
                yield Finding("warning", where, f"portable-{rule}", what)
            else:
                notes.setdefault((rule, what), []).append(where)
    for (rule, what), places in notes.items():
        more = f" (and in {len(places) - 1} more)" if len(places) > 1 else ""
        yield Finding("note", places[0], f"portable-{rule}", what + more)


def _patterns(subject: Subject) -> Iterator[tuple[str, str]]:
    """Every pattern of the template with its JSON path, those of content parsers included."""
    if subject.template.anchor.pattern is not None:
        yield "$.start_anchor_pattern", subject.template.anchor.pattern
    for field in subject.template.fields:
        for role, delimiter in (("open", field.open), ("close", field.close)):
            if delimiter is not None and delimiter.pattern is not None:
                yield subject.delimiter_path(field, role), delimiter.pattern
        yield from _tag_patterns(field.content_args, subject.path(field, "content_args"))


def _tag_patterns(args: Any, where: str) -> Iterator[tuple[str, str]]:
    """The `tag_pattern` of content arguments, and of the value parsers inside them."""
    while isinstance(args, dict):
        pattern = args.get("tag_pattern")
        if isinstance(pattern, str):
            path = step(where, "tag_pattern")
            try:
                compile_pattern(pattern, path)
            except TemplateError:
                pass  # an error by itself: `values` says so
            else:
                yield path, pattern
        parser = args.get("value_parser")
        if not isinstance(parser, dict):
            return
        args, where = parser.get("args"), step(step(where, "value_parser"), "args")


def _unportable(source: str) -> Iterator[tuple[str, str, bool]]:
    """Rule, sentence, and whether it is a warning (not a note), for each thing that engines disagree about."""
    node = parse(source)
    seen = dict.fromkeys(_seen(node, source))
    yield from seen
    yield from _classes(source, facts.is_opaque(node))
    if re.search(r"\(\?P<", source):
        yield "named-group", "named groups are written (?<name>…) in JavaScript; (?P<name>…) suits the others", False


def _seen(node: Node, source: str) -> Iterator[tuple[str, str, bool]]:
    for part in facts.walk(node):
        if isinstance(part, Opaque):
            yield from _raw(part)
        elif isinstance(part, Look):
            way = "lookahead" if part.ahead else "lookbehind"
            yield "lookaround", f"{way} {part.source}: RE2 and Rust's regex have no lookaround; write it without", True
        elif isinstance(part, BackReference):
            yield "back-reference", "back-references: RE2 and Rust's regex have none", True
        elif isinstance(part, Conditional):
            yield "conditional", "conditionals (?(group)…): RE2, Rust's regex and JavaScript have none", True
        elif isinstance(part, Atomic):
            yield "atomic-group", "atomic groups (?>…): RE2, Rust's regex and JavaScript have none", True
        elif isinstance(part, Repeat):
            if part.mode == "possessive":
                yield "possessive", "possessive quantifiers: RE2, Rust's regex and JavaScript have none", True
            if max(part.least, part.most or 0) > MOST_COUNTED:
                yield "counted", f"RE2 repeats at most {MOST_COUNTED} times", True
        elif isinstance(part, Assertion):
            yield from _assertion(part)
    names = Counter(part.name for part in facts.walk(node) if isinstance(part, Group) and part.name is not None)
    for name, count in names.items():
        if count > 1:
            yield "duplicate-name", f"two groups are named {name!r}: RE2, Rust's regex and JavaScript refuse that", True
    if re.search(r"\(\?[a-zA-Z0-9]*[imsxauLbefpw][a-zA-Z0-9]*(?:-[imsx]+)?[):]", source):
        yield "inline-flags", "inline flags such as (?i): JavaScript has them only in its newest versions", True


def _raw(opaque: Opaque) -> Iterator[tuple[str, str, bool]]:
    yield "only-regex", f"{opaque.what}: only Python's `regex` reads it this way", True
    for pattern, rule, what in RAW:
        if re.search(pattern, opaque.source):
            yield rule, what, True


def _assertion(part: Assertion) -> Iterator[tuple[str, str, bool]]:
    if part.kind == "final_end":
        yield "dollar", r"$ also holds before a newline at the end here, but not in RE2, Rust and JavaScript", True
    elif part.kind in ("word_start", "word_end"):
        yield "only-regex", r"\m and \M are known to Python's `regex` alone", True
    elif part.kind == "text_end":
        yield "text-end", r"\Z is written \z in RE2 and Rust, and JavaScript has none", True


def _classes(source: str, opaque: bool) -> Iterator[tuple[str, str, bool]]:
    """Classes whose characters differ: found in the source, where an escaped backslash hides nothing."""
    escapes = set(re.findall(r"\\(.)", source, re.DOTALL))
    wide = sorted(escapes & set("wWdDbB"))
    if wide:
        listed = ", ".join(f"\\{letter}" for letter in wide)
        yield (
            "unicode-class",
            f"{listed} mean{'s' if len(wide) == 1 else ''} Unicode characters here and in Rust's regex, but only ASCII "
            "ones in RE2 and JavaScript; write the characters out, such as [A-Za-z0-9_]",
            True,
        )
    if escapes & set("sS"):
        yield (
            "white-space",
            r"\s holds all white space of Unicode here, only that of ASCII in RE2; U+001C to U+001F in no other engine",
            False,
        )
    if escapes & set("pP") or "[:" in source:
        yield "unicode-property", r"\p{…} and [:…:] have other names, or none, in other engines", True
