"""Tool schemas: which parameters each tool has, and the arguments of a parsed tool call cast to their types.

The rules are those of transformers 5.24.0 (`transformers.utils.chat_parsing`): what `tools` may hold, which of the
types of a schema is tried first, and what a text must look like to become a value of that type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType, MethodType

from rtgen.runtime.schema import function_to_schema


def tool_parameters(tools: Iterable[object] | None) -> dict[str, dict[str, object]]:
    """The parameters of each tool: its name -> its `properties`, parameter name -> JSON schema.

    `tools` holds dicts in OpenAI's form (`{"type": "function", "function": {...}}`), bare function schemas, or Python
    functions and methods, which are converted; anything else in it is ignored. None and other false values are no
    tools. Of two tools of one name the later counts. The `properties` are the caller's own dicts, not copies.

    Raises what `function_to_schema` raises for a function, and TypeError if `tools` cannot be iterated over.
    """
    parameters: dict[str, dict[str, object]] = {}
    plain, text = dict, str
    for tool in tools or ():
        # Servers pass complete dicts in OpenAI's form, dozens with every request; `_add_tool` does the same for all.
        try:
            if tool.__class__ is plain:
                function = tool["function"]
                if function.__class__ is plain:
                    schema = function["parameters"]
                    if schema.__class__ is plain:
                        properties = schema["properties"]
                        if properties.__class__ is plain:
                            name = function["name"]
                            if name.__class__ is text:
                                parameters[name] = properties
                                continue
        except KeyError:
            pass
        _add_tool(parameters, tool)
    return parameters


def _add_tool(parameters: dict[str, dict[str, object]], tool: object) -> None:
    """Enter one tool of any accepted form into `parameters`, or ignore it."""
    if isinstance(tool, (FunctionType, MethodType)):
        tool = function_to_schema(tool)
    if not isinstance(tool, dict):
        return
    function = tool.get("function", tool)
    if not isinstance(function, dict):
        return
    name = function.get("name")
    if isinstance(name, str):
        schema = function.get("parameters")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        parameters[name] = properties if isinstance(properties, dict) else {}


def cast_arguments(value: object, parameters: dict[str, dict[str, object]]) -> object:
    """`value`, the parsed value of a region, with the arguments of its tool calls cast by the tools' schemas.

    `parameters` comes from `tool_parameters`. A tool call is a dict whose `function` is a dict with a `name` and an
    `arguments` dict; its arguments are replaced in place, and the dict itself is returned. A list is replaced by a
    new list of its items, each treated so. Any other value is returned as it is. A text that fits none of its types
    stays as it is.

    Raises TypeError or RecursionError for a schema that no JSON schema can be (a number as `anyOf`, one that holds
    itself), and RecursionError for a value nested too deeply.
    """
    if isinstance(value, list):
        return [cast_arguments(item, parameters) for item in value]
    if not isinstance(value, dict):
        return value
    function = value.get("function")
    if not isinstance(function, dict):
        return value
    name, arguments = function.get("name"), function.get("arguments")
    if isinstance(name, str) and isinstance(arguments, dict):
        properties = parameters.get(name)
        if properties:
            _cast_all(arguments, properties)
    return value


def _cast_all(arguments: dict[object, object], properties: dict[str, object]) -> None:
    """Cast each of `arguments` that `properties` describes, in place."""
    for key, argument in arguments.items():
        if key not in properties:
            continue
        schema = properties[key]
        if isinstance(argument, str):
            arguments[key] = _cast(argument, schema_types(schema))
        elif isinstance(argument, list):
            types = schema_types(schema)
            if types and "array" not in types:  # the values of a key that was given several times
                arguments[key] = [_cast(item, types) if isinstance(item, str) else item for item in argument]
        elif isinstance(schema, dict) and ("anyOf" in schema or "oneOf" in schema):
            schema_types(schema)  # nothing to cast, but a schema that cannot be read is an error for every argument


def castable(schema: object) -> tuple[bool, bool]:
    """Whether an argument with this schema may be changed by `cast_arguments`: a text, and the texts in a list.

    Raises TypeError or RecursionError for a schema that no JSON schema can be.
    """
    types = schema_types(schema)
    text = any(name in _CASTS for name in types)
    return text, text and "array" not in types


def schema_types(schema: object) -> dict[str, None]:
    """The type names that `schema` allows, in the order in which they are tried (a dict, as an ordered set)."""
    names: dict[str, None] = {}
    _collect_types(schema, names)
    return names


def _collect_types(schema: object, names: dict[str, None]) -> None:
    """Add the types of `schema` to `names`: its own first, then those of its alternatives, then null if nullable."""
    if not isinstance(schema, dict):
        return
    declared = schema.get("type")
    if isinstance(declared, str):
        names[declared] = None
    elif isinstance(declared, list):
        for name in declared:
            if isinstance(name, str):
                names[name] = None
    for keyword in ("anyOf", "oneOf"):
        alternatives = schema.get(keyword)
        if alternatives:
            for alternative in alternatives:
                _collect_types(alternative, names)
    if schema.get("nullable"):  # how `function_to_schema` writes an Optional
        names["null"] = None


def _cast(text: str, types: Iterable[str]) -> object:
    """`text` as a value of the first of `types` that it can be read as; the text itself if there is none."""
    for name in types:
        cast = _CASTS.get(name)  # "string" and unknown types have none: only another type can change the text
        if cast is not None:
            try:
                return cast(text)
            except ValueError:
                continue
    return text


def _to_integer(text: str) -> int:
    """An integer, also from a whole number written as a float; ValueError for anything else."""
    try:
        return int(text)
    except ValueError:  # also for more digits than `sys.get_int_max_str_digits` allows
        number = float(text)
        if not number.is_integer():  # a fraction, NaN or infinite
            raise
        return int(number)


def _to_number(text: str) -> int | float:
    """A finite number, an int if it is whole and written without a point; ValueError for anything else."""
    number = float(text)
    if number - number != 0:  # only finite numbers give zero
        raise ValueError("NaN and infinity are not JSON numbers")
    return int(number) if number.is_integer() and "." not in text else number


EXACT_NUMBER = "number\0exact"
"""The type that `rtgen.runtime.mending.exact_tools` writes for `number`; no schema's own word."""


def _to_exact_number(text: str) -> int | float:
    """As `_to_number`, but a whole number keeps all its digits."""
    number = _to_number(text)
    if type(number) is int:
        try:
            return int(text)
        except ValueError:  # an exponent
            pass
    return number


def _to_boolean(text: str) -> bool:
    """True for true and 1, False for false and 0, in any case; ValueError for anything else."""
    word = text.strip().lower()
    if word in ("true", "1"):
        return True
    if word in ("false", "0"):
        return False
    raise ValueError("not a boolean")


def _to_null(text: str) -> None:
    """None for null and None; ValueError for anything else."""
    if text.strip() not in ("null", "None"):
        raise ValueError("not a null")


def _to_object(text: str) -> dict[str, object]:
    """A JSON object; ValueError for anything else, RecursionError for one nested too deeply."""
    import json

    value = json.loads(text)
    if isinstance(value, dict):
        return value
    raise ValueError("not an object")


def _to_array(text: str) -> list[object]:
    """A JSON array; ValueError for anything else, RecursionError for one nested too deeply."""
    import json

    value = json.loads(text)
    if isinstance(value, list):
        return value
    raise ValueError("not an array")


_CASTS: dict[str, Callable[[str], object]] = {
    "integer": _to_integer,
    "number": _to_number,
    EXACT_NUMBER: _to_exact_number,
    "boolean": _to_boolean,
    "null": _to_null,
    "object": _to_object,
    "array": _to_array,
}
