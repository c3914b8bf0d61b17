"""What goes wrong with a region's value: placeholders without one, parsers that cannot give what the field needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import regex

from rtgen.check.findings import Finding, quote
from rtgen.check.samples import samples
from rtgen.check.subject import Subject, placeholders
from rtgen.content.xml_inline import pattern_fault
from rtgen.delimiters.classify import Kind
from rtgen.emit.opaque import tag_patterns
from rtgen.pattern import facts
from rtgen.pattern.parse import parse
from rtgen.template import Field

TEXTS = ("text",)
SCALARS = ("int", "float", "bool")
OBJECTS = ("xml-inline", "kv-lines")
LISTS = ("python-call-list",)


def values(subject: Subject) -> Iterator[Finding]:
    """What is wrong with the fields' content parsers and transforms."""
    for field in subject.template.fields:
        yield from _captures(subject, field)
        yield from _shapes(subject, field)
        if field.content == "xml-inline":
            yield from _tags(subject, field)
        for where, reasons in tag_patterns(field):
            yield Finding(
                "warning",
                where,
                "opaque",
                f"only `regex` can read it ({', '.join(reasons)}), and how long that takes is not promised; write it "
                f"without that",
            )


def _captures(subject: Subject, field: Field) -> Iterator[Finding]:
    if field.transform is None:
        return
    where = subject.path(field, "transform")
    opener, closer = (subject.kinds.get((field.name, role)) for role in ("open", "close"))
    groups = {name for kind in (opener, closer) if kind is not None for name in kind.groups}
    for path in dict.fromkeys(placeholders(field.transform)):
        root = path.split(".")[0]
        if _from_content(field, root):
            continue
        if root not in groups:
            if not field.transform_each:
                yield _undefined(where, path, sorted(groups | {"content"}))
            elif field.content == "python-call-list":
                yield _undefined(where, path, sorted(groups | {"name", "arguments"}))
        elif opener is not None and root in opener.groups:
            if not facts.always_participates(opener.whole, root) and (closer is None or root not in closer.groups):
                yield _may_be_missing(where, path, "opener", opener)
        elif closer is not None and field.open is None:
            yield Finding(
                "warning",
                where,
                "capture-of-closer",
                f"the placeholder {{{path}}} is a capture of the closer, but the implicit field is closed by other "
                f"fields' openers too, and then does not parse",
            )
        elif closer is not None and not facts.always_participates(closer.whole, root):
            yield _may_be_missing(where, path, "closer", closer)
        elif closer is not None:
            yield Finding(
                "note",
                where,
                "capture-of-closer",
                f"the placeholder {{{path}}} is a capture of the closer, so an output that is cut off inside the "
                f"region does not parse",
            )


def _from_content(field: Field, root: str) -> bool:
    if field.transform_each:
        return field.content == "python-call-list" and root in ("name", "arguments")
    return root == "content"


def _undefined(where: str, path: str, known: list[str]) -> Finding:
    return Finding(
        "error",
        where,
        "placeholder-undefined",
        f"the placeholder {{{path}}} never has a value, so no region of the field parses; "
        f"there {'is' if len(known) == 1 else 'are'} {', '.join(f'{{{name}}}' for name in known)}",
    )


def _may_be_missing(where: str, path: str, role: str, kind: Kind) -> Finding:
    """`kind` is the delimiter; a text of it that captures nothing is the example."""
    root = path.split(".")[0]
    pattern = regex.compile(kind.source, regex.DOTALL)
    matches = ((text, pattern.match(text, timeout=0.1)) for text in samples(kind))
    shown = next((text for text, match in matches if match is not None and match[root] is None), None)
    example = "" if shown is None else f", such as {quote(shown)}"
    return Finding(
        "warning",
        where,
        "capture-may-be-missing",
        f"the placeholder {{{path}}} is a group that not every match of the {role} captures{example}, and a region "
        f"without it does not parse; let every alternative capture it (an empty text is fine)",
    )


def _shapes(subject: Subject, field: Field) -> Iterator[Finding]:
    """Values of the wrong type for what the field does with them."""
    if field.transform_each and field.content in (*TEXTS, *SCALARS, *OBJECTS):
        yield Finding(
            "error",
            subject.path(field, "transform_each"),
            "each-needs-a-list",
            f"transform_each needs a list, which {field.content!r} never gives, so no region of it parses; leave "
            f"it out, or use 'json' or 'python-call-list'",
        )
    if field.transform is not None and not field.transform_each and field.content in (*TEXTS, *SCALARS):
        for path in placeholders(field.transform):
            if path.startswith("content."):
                yield Finding(
                    "error",
                    subject.path(field, "transform"),
                    "placeholder-undefined",
                    f"the placeholder {{{path}}} reaches into a value of 'content': {quote(field.content)}, which has "
                    f"no keys, so no region of the field parses; use 'json', or {{content}}",
                )
                break
    if field.join is not None and _never_text(field):
        yield Finding(
            "error",
            subject.path(field, "join"),
            "join-needs-text",
            "'join' joins texts, which this field's values never are, so no region of it parses; leave 'join' out",
        )
    if field.repeats and field.join is None and not isinstance(subject.template.defaults.get(field.name, []), list):
        yield Finding(
            "error",
            f"$.defaults.{field.name}" if field.name.isidentifier() else "$.defaults",
            "default-needs-a-list",
            "a field with 'repeats' extends its default, which must be a list then, so no region of the field parses",
        )
    if field.name not in subject.template.defaults and not field.optional:
        yield Finding(
            "note",
            subject.path(field, "optional"),
            "required",
            f"an output without a region of {field.name!r} does not parse at all",
        )


def _never_text(field: Field) -> bool:
    if field.transform is not None:
        return isinstance(field.transform, (dict, list)) or field.transform_each
    return field.content in (*SCALARS, *OBJECTS, *LISTS)


def _tags(subject: Subject, field: Field) -> Iterator[Finding]:
    args: Any = field.content_args
    if not isinstance(args, dict):
        return
    pattern: Any = args.get("tag_pattern")
    fault = pattern_fault(pattern)
    if fault is not None:
        where = subject.path(field, "content_args")
        yield Finding("error", where, "tag-pattern", f"{fault[1]}, so no region of the field parses")
        return
    missing = [name for name in ("key", "value") if name not in facts.named_groups(parse(pattern))]
    if missing and not facts.is_opaque(parse(pattern)):
        yield Finding(
            "error",
            subject.path(field, "content_args", "tag_pattern"),
            "tag-pattern",
            f"it has no group {missing[0]!r}, so a region with a tag does not parse; write (?P<{missing[0]}>…) around "
            f"the tag's {missing[0]}",
        )
    if args.get("value_parser") is None and _is_call(field):
        yield Finding(
            "note",
            subject.path(field, "content_args"),
            "values-are-strings",
            "without a 'value_parser' every argument is a string, unless the parser is given the request's tools; "
            '{"name": "json", "args": {"allow_non_json": true}} reads numbers, lists and objects too, '
            "and a string that looks like one as well",
        )


def _is_call(field: Field) -> bool:
    return isinstance(field.transform, dict) and "function" in field.transform
