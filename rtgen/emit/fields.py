"""For each field the function that turns a region's text into its value and puts it into the message.

Its order is the order of meaning: content parser, transform, cast by the tools' schemas, then `join`, `repeats` or
overwriting.  The streaming class and the batch function call the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rtgen import content
from rtgen.delimiters.classify import classify
from rtgen.emit.source import Module, Writer, literal
from rtgen.emit.values import display
from rtgen.pattern import facts
from rtgen.template import PLACEHOLDER, Field


@dataclass(frozen=True, slots=True)
class Store:
    """How a field's region is stored: `call` gives the expression of its value.

    `call(message, body, start, tools, captures)` takes names of variables: the message, the region's text, where it
    began, the tools' parameters, the captures of its delimiters.
    """

    function: str
    captures: bool

    def call(self, message: str, body: str, start: str, tools: str, captures: str) -> str:
        given = [message, body, start, tools] + ([captures] if self.captures else [])
        return f"{self.function}({', '.join(given)})"


def emit_store(out: Module, field: Field, defaults: dict[str, Any]) -> Store:
    """Write the function that stores a region of `field`; it returns the value, as `region_close` reports it."""
    groups = _groups(field)
    captures = field.transform is not None and bool(groups)
    expression = content.emit(out, field.content, field.content_args)
    body = Writer()
    body.doc(f"Put a region of {literal(field.name)} into the message: {_summary(field)}.")
    if field.transform is None and field.content == "text" and not _may_fail(field):
        body.line(f"value: Any = {expression('body')}")
    else:
        out.use_runtime("errors", "FAULTS", "located")
        with body.block("try:"):
            _value(out, body, field, expression("body"), groups, captures)
        with body.block("except FAULTS as error:"):
            body.line(f"raise located(error, {literal(field.name)}, start, body) from error")
    _put(out, body, field, defaults)
    body.line("return value")
    parameters = "message, body, start, tools" + (", captures" if captures else "")
    return Store(out.function("store_" + field.name, parameters, body), captures)


def _may_fail(field: Field) -> bool:
    return not isinstance(field.content_args, dict)


def _summary(field: Field) -> str:
    how = field.content + (", transformed" if field.transform is not None else "")
    if field.transform_each:
        how = field.content + ", each item transformed"
    if field.join is not None:
        return f"{how}, joined to the earlier ones by {literal(field.join)}"
    return f"{how}, {'one more of a list' if field.repeats else 'the last one counts'}"


def _groups(field: Field) -> dict[str, bool]:
    """The named groups of the field's delimiters; True for those that every match captures."""
    groups: dict[str, bool] = {}
    for delimiter in (field.open, field.close):
        if delimiter is not None and delimiter.pattern is not None:
            kind = classify(delimiter)
            for name in kind.groups:
                # Only an explicit region's closer may be missing: the end of the text closes the region too.
                certain = delimiter is field.open and facts.always_participates(kind.node, name)
                groups[name] = groups.get(name, False) or certain
    return groups


def _value(out: Module, body: Writer, field: Field, parsed: str, groups: dict[str, bool], captures: bool) -> None:
    """The lines that leave the region's value in `value`."""
    if field.transform is None:
        body.line(f"value: Any = {parsed}")
    elif field.transform_each:
        body.line(f"items = {parsed}")
        each = _emit_each(out, field, captures)
        given = "items, captures" if captures else "items"
        body.line(f"value: Any = {each}({given})")
    else:
        body.line(f"content = {parsed}")
        parameters = "content, captures" if captures else "content"
        leaf = lambda value: _leaf(out, value, groups)  # noqa: E731
        body.line(f"value: Any = {display(out, field.transform, parameters, leaf)}")
    if field.transform is not None or field.content not in content.STREAMABLE:
        out.use_runtime("tools", "cast_arguments")
        with body.block("if tools:"):
            body.line("value = cast_arguments(value, tools)")


def _leaf(out: Module, value: Any, groups: dict[str, bool]) -> str:
    """A leaf of a transform: a placeholder looked up among `content` and the captures, or the value itself."""
    whole = PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
    if whole is None:
        return literal(value)
    path = whole.group(1)
    root, *keys = path.split(".")
    if root == "content":
        found = "content"
    elif root not in groups:
        out.use_runtime("fields", "undefined")
        return f"undefined({literal(path)})"
    elif groups[root]:
        found = f"captures[{literal(root)}]"
    else:
        out.use_runtime("fields", "capture")
        found = f"capture(captures, {literal(root)}, {literal(path)})"
    return _reach(out, found, keys, path)


def _reach(out: Module, found: str, keys: list[str], path: str) -> str:
    if not keys:
        return found
    out.use_runtime("fields", "reach")
    return f"reach({found}, {literal(tuple(keys))}, {literal(path)})"


def _emit_each(out: Module, field: Field, captures: bool) -> str:
    """The function that applies the transform to each item, whose keys are the placeholders (before the captures)."""
    out.use_runtime("fields", "item_value", "require_items")
    parameters = "items, captures" if captures else "items"

    def leaf(value: Any) -> str:
        whole = PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
        if whole is None:
            return literal(value)
        root, *keys = whole.group(1).split(".")
        found = f"item_value(item, {'captures' if captures else '{}'}, {literal(root)}, {literal(whole.group(1))})"
        return _reach(out, found, keys, whole.group(1))

    body = Writer()
    body.doc("Transform each item of the list.")
    body.line("require_items(items)")
    body.line("values = []")
    with body.block("for item in items:"):
        body.line("require_item(item)")
        out.use_runtime("fields", "require_item")
        shown = display(out, field.transform, "item, captures" if captures else "item", leaf)
        body.line(f"values.append({shown})")
    body.line("return values")
    return out.function("each_of_" + field.name, parameters, body)


def _put(out: Module, body: Writer, field: Field, defaults: dict[str, Any]) -> None:
    """The lines that put `value` under the field's key: joined, appended or overwriting."""
    key = literal(field.name)
    if field.join is not None:
        out.use_runtime("fields", "joined")
        body.line(f"message[{key}] = joined(message.get({key}), {literal(field.join)}, value, {key}, start)")
    elif field.repeats and not isinstance(defaults.get(field.name, []), list):
        out.use_runtime("fields", "cannot_repeat")
        body.line(f"raise cannot_repeat({key}, start, message[{key}])")
    elif field.repeats:
        with body.block(f"if {key} in message:"):
            body.line(f"message[{key}].append(value)")
        with body.block("else:"):
            body.line(f"message[{key}] = [value]")
    else:
        body.line(f"message[{key}] = value")
