"""The response template: what is accepted, what is refused, and the frozen form that later stages read.

The rules are those of transformers 5.24.0 (`transformers.utils.chat_parsing`); whatever is refused is refused here.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import Any

import regex

from rtgen.errors import TemplateError
from rtgen.identity import canonical, step

CONTENT_PARSERS = ("text", "int", "float", "bool", "json", "xml-inline", "kv-lines", "python-call-list")

TEMPLATE_KEYS = ("version", "defaults", "fields", "start_anchor", "start_anchor_pattern")

FIELD_KEYS = (
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
    "repeats",
    "join",
    "optional",
    "transform",
    "transform_each",
)

PLACEHOLDER = regex.compile(r"\{(\w+(?:\.\w+)*)\}")
"""A string of a transform that stands for a value: `{content}`, `{name}`, `{content.args}`."""


@dataclass(frozen=True, slots=True)
class Delimiter:
    """An opener, a closer or the anchor: one or several literals (each once, in the template's order), or a pattern."""

    literals: tuple[str, ...]
    pattern: str | None

    @property
    def source(self) -> str:
        """The regex source with the delimiter's meaning; of several literals the longest that fits wins."""
        if self.pattern is not None:
            return self.pattern
        return "|".join(map(regex.escape, sorted(self.literals, key=len, reverse=True)))


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the message. Without `open` it is the implicit field, without `close` it ends with the text."""

    name: str
    open: Delimiter | None
    close: Delimiter | None
    content: str
    content_args: Any
    repeats: bool
    join: str | None
    optional: bool
    transform: Any
    transform_each: bool


@dataclass(frozen=True, slots=True)
class Template:
    """A valid template. `raw` is a private copy of what was given, `implicit` the field without an opener."""

    raw: dict[str, Any]
    defaults: dict[str, Any]
    anchor: Delimiter
    fields: tuple[Field, ...]
    implicit: Field | None


def validate(raw: object) -> Template:
    """Check a template (a dict as JSON gives it) and freeze it.

    Raises TemplateError, naming the JSON path of the first fault found and what would be right there.
    """
    if not isinstance(raw, dict):
        raise TemplateError(f"a response template is an object, not {_type_name(raw)}", path="$")
    copy: dict[str, Any] = json.loads(canonical(raw))
    return _validate(copy)


def _validate(raw: dict[str, Any]) -> Template:
    if raw.get("version", 1) != 1:
        raise TemplateError(f"version {raw['version']!r} is not supported; the only version is 1", path="$.version")
    _refuse_unknown_keys(raw, TEMPLATE_KEYS, "$")
    defaults = raw.get("defaults", {})
    if not isinstance(defaults, dict):
        raise TemplateError(f"must be an object, not {_type_name(defaults)}", path="$.defaults")
    fields = raw.get("fields", {})
    if not isinstance(fields, dict) or not fields:
        raise TemplateError("must be an object with at least one field", path="$.fields")
    read = tuple(_field(name, field) for name, field in fields.items())
    implicit = [field for field in read if field.open is None]
    if len(implicit) > 1:
        names = ", ".join(repr(field.name) for field in implicit)
        raise TemplateError(
            f"only one field may be without 'open' and 'open_pattern' (the implicit field); these are: {names}",
            path="$.fields",
        )
    anchor = _delimiter(raw, "start_anchor", "start_anchor_pattern", "$")
    if anchor is None:
        raise TemplateError("needs 'start_anchor' or 'start_anchor_pattern'", path="$")
    return Template(raw, defaults, anchor, read, implicit[0] if implicit else None)


def _type_name(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    names.update({int: "a number", float: "a number"})
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _refuse_unknown_keys(found: dict[str, Any], known: tuple[str, ...], path: str) -> None:
    unknown = sorted(set(found) - set(known))
    if "$schema" in unknown:
        raise TemplateError(
            "'$schema' is no key of a response template, and transformers refuses it too; leave it out, and tell your "
            "editor in its settings which files rtgen/response_template.schema.json is for (VS Code: json.schemas)",
            path=step(path, "$schema"),
        )
    if unknown:
        raise TemplateError(f"unknown key {unknown[0]!r}; known are {', '.join(known)}", path=step(path, unknown[0]))


def _field(name: str, raw: object) -> Field:
    path = step("$.fields", name)
    if not isinstance(raw, dict):
        raise TemplateError(f"a field is an object, not {_type_name(raw)}", path=path)
    _refuse_unknown_keys(raw, FIELD_KEYS, path)
    content = raw.get("content", "text")
    if not isinstance(content, str) or content not in CONTENT_PARSERS:
        raise TemplateError(
            f"unknown content parser {content!r}; there are {', '.join(CONTENT_PARSERS)}", path=step(path, "content")
        )
    opener = _delimiter(raw, "open", "open_pattern", path)
    closer = _delimiter(raw, "close", "close_pattern", path)
    join = raw.get("join")
    if join is not None and not isinstance(join, str):
        raise TemplateError(f"must be a string, not {_type_name(join)}", path=step(path, "join"))
    if join is not None and not raw.get("repeats", False):
        raise TemplateError("'join' requires 'repeats': true", path=step(path, "join"))
    transform, each = raw.get("transform"), raw.get("transform_each", False)
    if not isinstance(each, bool):
        raise TemplateError(f"must be true or false, not {_type_name(each)}", path=step(path, "transform_each"))
    if each and transform is None:
        raise TemplateError("needs a 'transform' to apply to each item", path=step(path, "transform_each"))
    if transform is None:
        _refuse_unused_groups(opener, "open_pattern", path)
        _refuse_unused_groups(closer, "close_pattern", path)
    else:
        _check_transform(transform, step(path, "transform"))
    return Field(
        name=name,
        open=opener,
        close=closer,
        content=content,
        content_args=raw.get("content_args", {}),
        repeats=bool(raw.get("repeats", False)),
        join=join,
        optional=bool(raw.get("optional", True)),
        transform=transform,
        transform_each=each,
    )


def _delimiter(raw: dict[str, Any], literal_key: str, pattern_key: str, path: str) -> Delimiter | None:
    if literal_key in raw and pattern_key in raw:
        raise TemplateError(f"has both {literal_key!r} and {pattern_key!r}; keep one", path=path)
    if literal_key in raw:
        given, where = raw[literal_key], step(path, literal_key)
        literals = [given] if isinstance(given, str) else given
        if not isinstance(literals, list):
            raise TemplateError(f"must be a string or a list of strings, not {_type_name(given)}", path=where)
        for index, text in enumerate(literals):
            if not isinstance(text, str):
                raise TemplateError(f"must be a string, not {_type_name(text)}", path=f"{where}[{index}]")
        if not literals:
            raise TemplateError("the list is empty; it needs at least one string", path=where)
        if "" in literals:
            raise TemplateError("an empty string delimits nothing; leave it out", path=where)
        return Delimiter(tuple(dict.fromkeys(literals)), None)
    if pattern_key in raw:
        pattern, where = raw[pattern_key], step(path, pattern_key)
        if not isinstance(pattern, str):
            raise TemplateError(f"must be a string, not {_type_name(pattern)}", path=where)
        compile_pattern(pattern, where)
        return Delimiter((), pattern)
    return None


def compile_pattern(pattern: str, path: str) -> regex.Pattern[str]:
    """The pattern as transformers compiles it (`regex`, version 0, DOTALL). Raises TemplateError naming `path`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return regex.compile(pattern, regex.DOTALL)
    except Exception as error:  # `regex` lets KeyError, OverflowError and others out for some damaged patterns
        raise TemplateError(f"not a valid regular expression: {error}", path=path) from error


def _refuse_unused_groups(delimiter: Delimiter | None, key: str, path: str) -> None:
    if delimiter is None or delimiter.pattern is None:
        return
    names = sorted(compile_pattern(delimiter.pattern, step(path, key)).groupindex)
    if names:
        raise TemplateError(
            f"the named group {names[0]!r} would reach nothing: add a 'transform' that uses it, or make it (?:…)",
            path=step(path, key),
        )


def _check_transform(transform: Any, path: str) -> None:
    if isinstance(transform, dict):
        for key, value in transform.items():
            _check_transform(value, step(path, key))
    elif isinstance(transform, list):
        for index, value in enumerate(transform):
            _check_transform(value, f"{path}[{index}]")
    elif isinstance(transform, str) and PLACEHOLDER.search(transform) and not PLACEHOLDER.fullmatch(transform):
        raise TemplateError(
            f"{transform!r} mixes a placeholder with other text; there is no interpolation, a placeholder is the whole "
            f"string",
            path=path,
        )
