"""How a region is stored where repairs are asked for: the value, or the fault where none of them helps.

`Mender` goes round the function that stores a region's text in the message. Besides what the content parser refuses,
it repairs values that no reader of calls can use:

    double_encoding, argument_key, name_key, missing_arguments, nested_function
                      calls whose arguments are no object under `arguments` (`rtgen.runtime.repaired.called`)
    schema_values     text that a tool's schema has for a list or an object and that is no JSON (Python's literals, ...)
    trimmed_name      a name in white space or quotes
    exact_numbers     whole numbers of the type `number` that no float can hold
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen.runtime.errors import FAULTS
from rtgen.runtime.json_repair import is_envelope
from rtgen.runtime.loose_json import Beyond, LooseReader, read
from rtgen.runtime.mask import pattern_of
from rtgen.runtime.repair import repairs
from rtgen.runtime.repaired import called, decode
from rtgen.runtime.tag_repair import cut_closer, reread, restore, split_regions
from rtgen.runtime.tags import TagShape, tag_shape
from rtgen.runtime.tools import EXACT_NUMBER, cast_arguments, schema_types


class Stored:
    """What a region has become: its value, the repairs, text left over for the implicit region, and a part that stays
    malformed with its fault."""

    __slots__ = ("broken", "error", "repairs", "rest", "value")

    def __init__(self, value: Any, names: list[str], rest: str = "") -> None:
        self.value, self.repairs, self.rest = value, names, rest
        self.broken = ""
        self.error: BaseException | None = None


class Mender:
    """What the options need to know of one field.

    `takes_rest` says that there is an implicit text field, `undo` takes back what the last call of a storing function
    has put into the message.
    """

    def __init__(self, field: dict[str, Any], string_aware: bool, repair: bool, takes_rest: bool) -> None:
        import regex

        self._field, self._aware, self._repair, self._takes_rest = field, string_aware, repair, takes_rest
        self._kind = field.get("content", "text")
        transform = field.get("transform")
        self._makes_calls = isinstance(transform, dict) and "function" in transform
        opener = pattern_of(field, "open")
        self._opener = regex.compile(opener, regex.DOTALL) if opener else None
        self._closer_groups = set(regex.compile(pattern_of(field, "close") or "").groupindex)
        self._shape: TagShape | None = None
        if self._kind == "xml-inline" and (string_aware or repair):
            self._shape = tag_shape(field)

    def store(
        self,
        put: Callable[..., Any],
        body: str,
        tools: Any,
        captures: dict[str, str],
        cut_off: bool,
        undo: Callable[[], None],
    ) -> Stored:
        """Store the text of a region with `put(text, captures or None)`. `cut_off`: the end of the text has closed it.
        Raises what `put` raises where no repair helps."""
        if self._shape is not None:
            stored = self._store_tags(put, body, captures, cut_off, self._shape)
        else:
            try:
                stored = Stored(put(body, None), [])
                if self._repair and self._makes_calls and self._kind == "json" and _holds_no_call(stored.value):
                    error = ValueError("the region holds a list or a string in place of a call")
                    stored = self._mended(put, body, captures, cut_off, undo, error) or Stored(put(body, None), [])
            except FAULTS as error:
                mended = self._mended(put, body, captures, cut_off, undo, error) if self._repair else None
                if mended is None:
                    raise
                stored = mended
        if self._repair and self._makes_calls and self._kind != "text":
            self._complete(stored, tools)
        return stored

    def _mended(
        self,
        put: Callable[..., Any],
        body: str,
        captures: dict[str, str],
        cut_off: bool,
        undo: Callable[[], None],
        error: BaseException,
    ) -> Stored | None:
        if cut_off and not body.strip():
            return None
        ending = self._of_closer(captures)
        for repair in repairs(self._field, body, self._opener, captures):
            undo()
            try:
                values = [put(text, None if own is None else {**ending, **own}) for text, own in repair.texts]
            except FAULTS:
                continue
            stored = Stored(values[0] if len(values) == 1 else values, repair.names, repair.rest)
            if not self._takes_rest:
                stored.rest = ""
            if repair.broken:
                stored.broken, stored.error = repair.broken, error
            return stored
        undo()
        return None

    def _store_tags(
        self, put: Callable[..., Any], body: str, captures: dict[str, str], cut_off: bool, shape: TagShape
    ) -> Stored:
        regions: list[tuple[str, dict[str, str] | None]] = [(body, None)]
        if self._repair and self._opener is not None and self._field.get("repeats"):
            regions = split_regions(shape, self._opener, body)
        stored = Stored(None, ["several_values"] if len(regions) > 1 else [])
        values: list[Any] = []
        for number, (text, own) in enumerate(regions):
            last = number == len(regions) - 1
            closed = last and not cut_off
            tags, names, ending = text, [], self._of_closer(captures)
            if self._repair and self._opener is not None and not closed:
                tags, behind, halved = cut_closer(shape, self._opener, text)
                if halved:
                    names.append("missing_region_close")
                    stored.rest += behind if self._takes_rest and behind.strip() else ""
                if halved or not last:
                    ending, closed = shape.captured, True
            given = {**ending, **(captures if own is None else own)}
            try:
                value, more = self._store_tag_region(put, tags, given, shape, not closed)
            except FAULTS as error:
                stored.error, stored.broken = error, text
                continue
            stored.repairs += [name for name in names + more if name not in stored.repairs]
            values.append(value)
        if stored.error is not None and not values:
            raise stored.error
        stored.value = values[0] if len(values) == 1 else values
        return stored

    def _of_closer(self, captures: dict[str, str]) -> dict[str, str]:
        """Those captures of a region that are its closer's."""
        return {name: text for name, text in captures.items() if name in self._closer_groups}

    def _store_tag_region(
        self, put: Callable[..., Any], text: str, captures: dict[str, str], shape: TagShape, cut_off: bool
    ) -> tuple[Any, list[str]]:
        """The value of one region of tags, and the repairs. Raises what `put` raises, and CutOff."""
        mended, standin, names = reread(shape, text, self._aware, self._repair, cut_off)
        try:
            value = put(mended, captures)
        except FAULTS:
            if not names:
                raise
            mended, standin, names = reread(shape, text, self._aware, False, cut_off)  # what was mended is no value
            value = put(mended, captures)
        if self._repair and _takes_json(value, text):
            names.append("json_arguments")
        return restore(value, standin, shape.close) if standin else value, names

    def _complete(self, stored: Stored, tools: Any) -> None:
        """Make the calls of the value such as can be used, in place."""
        for item in stored.value if isinstance(stored.value, list) else [stored.value]:
            function = item.get("function") if isinstance(item, dict) else None
            if not isinstance(function, dict):
                continue
            names: list[str] = []
            if self._kind == "json":
                names = _complete_call(function, is_envelope(self._field))
                if names and tools:
                    cast_arguments(item, tools)
            arguments = function.get("arguments")
            name = function.get("name")
            if isinstance(name, str) and name != (plain := name.strip(" \t\r\n\"'")) and plain:
                name = function["name"] = plain
                names.append("trimmed_name")
                if tools:
                    cast_arguments(item, tools)
            if tools and isinstance(arguments, dict) and isinstance(name, str):
                names += _by_schema(arguments, tools.get(name) or {}, self._shape is not None)
            stored.repairs += [name for name in names if name not in stored.repairs]


def _holds_no_call(value: Any) -> bool:
    """Whether a list or a string of JSON stands where a call belongs."""
    function = value.get("function") if isinstance(value, dict) else None
    return isinstance(function, list) or (isinstance(function, str) and decode(function) is not None)


def _takes_json(value: Any, body: str) -> bool:
    """Whether a call without tags has been given the arguments that its body holds as JSON."""
    function = value.get("function") if isinstance(value, dict) else None
    if not isinstance(function, dict) or function.get("arguments") != {} or not body.lstrip().startswith("{"):
        return False
    arguments = _loose(body)
    if not isinstance(arguments, dict):
        return False
    function["arguments"] = arguments
    return bool(arguments)


def _complete_call(function: dict[str, Any], envelope: bool) -> list[str]:
    """Give a call its arguments as an object under `arguments`; returns the repairs."""
    names: list[str] = []
    if envelope:
        call, names = called(function, "arguments")
        if names:
            function.clear()
            function.update(call)
    elif "arguments" in function and function["arguments"] in (None, ""):
        function["arguments"] = {}
        names = ["missing_arguments"]
    arguments = function.get("arguments")
    decoded = decode(arguments) if isinstance(arguments, str) else None
    if isinstance(decoded, dict):
        function["arguments"] = decoded
        names.append("double_encoding")
    return names


def _by_schema(arguments: dict[str, Any], properties: dict[str, Any], were_texts: bool) -> list[str]:
    """Read texts for which the schema has a list or an object; returns the repairs, also that of `exact_tools` where
    all arguments `were_texts`."""
    names: list[str] = []
    for key, value in arguments.items():
        if not isinstance(value, (str, int)) or key not in properties:
            continue
        types = schema_types(properties[key])
        if type(value) is int and were_texts:
            if next(iter(types), "") == EXACT_NUMBER and abs(value) > 2**53 and int(float(value)) != value:
                names.append("exact_numbers")
        elif isinstance(value, str) and "string" not in types and ("array" in types or "object" in types):
            wanted = tuple(kind for name, kind in (("array", list), ("object", dict)) if name in types)
            found = _loose(value) if value.lstrip()[:1] in ("[", "{", '"') else None
            found = decode(found) if isinstance(found, str) else found
            if isinstance(found, wanted):
                arguments[key] = found
                names.append("schema_values")
    return names


def _loose(text: str) -> Any:
    """The value of a text as models write it; None if it is none."""

    def whole(reader: LooseReader) -> Any:
        value = reader.value()
        if reader.blanks():
            raise Beyond
        return value

    try:
        return read(lambda data: LooseReader(text, [], False, False, data), whole)[0]
    except (Beyond, RecursionError):
        return None


def exact_tools(tools: Any) -> Any:
    """The tools' parameters (`rtgen.runtime.tools.tool_parameters`), where a schema's `number` is read as a whole
    number first, if it is written as one: so none is rounded."""
    exact: dict[str, dict[str, Any]] = {}
    for name, properties in tools.items():
        exact[name] = {}
        for key, schema in properties.items():
            exact[name][key] = schema
            try:
                types = schema_types(schema)
            except (TypeError, RecursionError):
                continue
            if "number" in types:
                exact[name][key] = {"type": [EXACT_NUMBER if kind == "number" else kind for kind in types]}
    return exact
