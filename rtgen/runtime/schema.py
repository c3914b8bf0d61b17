"""JSON schemas of Python functions, from their type hints and Google docstrings.

The rules are those of `transformers.utils.get_json_schema` (transformers 5.24.0), so that a function passed as a tool
means the same to the chat template that shows it to the model and to the parser that casts its arguments.

`inspect`, `typing` and `json` are imported when a function is converted: most programs only ever pass dicts.
"""

from __future__ import annotations

from collections.abc import Callable


class TypeHintParsingException(Exception):
    """A parameter without a type hint, or with one that no JSON schema is known for."""


class DocstringParsingException(Exception):
    """A function without a docstring, or a parameter that its docstring does not describe."""


def function_to_schema(function: Callable[..., object]) -> dict[str, object]:
    """The schema of `function`, a function or method, in OpenAI's form.

    Returns `{"type": "function", "function": {"name", "description", "parameters"[, "return"]}}`. Each parameter has
    the schema of its hint and a `description`; those without a default are `required`. A description that ends in
    `(choices: [...])`, a JSON list, gives an `enum`. A first parameter `self` or `cls` without a hint is left out.

    Raises DocstringParsingException, TypeHintParsingException, json.JSONDecodeError (choices that are not JSON), and
    what `typing.get_type_hints` raises for annotations that cannot be evaluated (NameError, TypeError).
    """
    import inspect

    name: str = getattr(function, "__name__", "operation")
    docstring = inspect.getdoc(function)
    if not docstring:
        raise DocstringParsingException(f"function {name} needs a docstring, which describes it to the model")
    docstring = docstring.strip()
    described = _described_parameters(_section(docstring, "Args", ("Returns:", "Raises:")) or "")

    properties, returned, required = _hinted_parameters(function, name)
    for parameter, schema in properties.items():
        if parameter not in described:
            raise DocstringParsingException(
                f"function {name}: the Args section of its docstring has to describe the parameter {parameter!r}"
            )
        _describe(schema, described[parameter])

    parameters: dict[str, object] = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    result: dict[str, object] = {"name": name, "description": _summary(docstring), "parameters": parameters}
    if returned is not None:
        about = _section(docstring, "Returns", ("Raises:",))
        if about is not None:
            returned["description"] = about.strip()
        result["return"] = returned
    return {"type": "function", "function": result}


def _hinted_parameters(
    function: Callable[..., object], name: str
) -> tuple[dict[str, dict[str, object]], dict[str, object] | None, list[str]]:
    """The schemas of the parameters and of the returned value (None: no usable hint), and the required parameters."""
    import inspect
    import typing

    hints = typing.get_type_hints(function)
    signature = inspect.signature(function).parameters
    receiver = next(iter(signature), None)
    if receiver not in ("self", "cls") or signature[receiver].annotation is not inspect.Parameter.empty:
        receiver = None
    required = []
    for parameter, declared in signature.items():
        if parameter == receiver:
            continue
        if declared.annotation is inspect.Parameter.empty:
            raise TypeHintParsingException(f"function {name}: the parameter {parameter!r} has no type hint")
        if declared.default is inspect.Parameter.empty:
            required.append(parameter)

    properties: dict[str, dict[str, object]] = {}
    returned = None
    for parameter, hint in hints.items():
        if parameter == "return":
            try:  # the model never writes it, so it may be of any class
                returned = _hint_schema(hint)
            except TypeHintParsingException:
                pass
        elif parameter != receiver:
            properties[parameter] = _hint_schema(hint)
    return properties, returned, required


def _hint_schema(hint: object) -> dict[str, object]:
    """The JSON schema of a type hint, as a new dict; raises TypeHintParsingException if there is none."""
    import types
    import typing

    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return _class_schema(hint)
    if origin is typing.Union or origin is types.UnionType:
        return _union_schema(args)
    if origin is typing.Literal and args:
        return _enum_schema(list(args), "a Literal")
    if origin is list:
        return {"type": "array", "items": _hint_schema(args[0])} if args else {"type": "array"}
    if origin is tuple:
        if len(args) == 1 or ... in args:
            raise TypeHintParsingException(
                f"the hint {hint!r} is a tuple of one item or of any number of items; write list[...] instead"
            )
        return {"type": "array", "prefixItems": [_hint_schema(item) for item in args]} if args else {"type": "array"}
    if origin is dict:
        if len(args) == 2:
            return {"type": "object", "additionalProperties": _hint_schema(args[1])}
        return {"type": "object"}
    raise TypeHintParsingException(f"no JSON schema is known for the hint {hint!r}")


def _class_schema(hint: object) -> dict[str, object]:
    """The schema of a hint without arguments: a builtin class, an Enum, an image, a tensor, or Any."""
    import enum
    import typing

    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _enum_schema([member.value for member in hint], f"the Enum {hint.__name__}")
    names: dict[object, str] = {
        int: "integer",
        float: "number",
        str: "string",
        bool: "boolean",
        type(None): "null",
        list: "array",
        tuple: "array",
        dict: "object",
        typing.Any: "",
    }
    name = names.get(hint)
    if name is None:
        name = _media_type(hint)
    if name is None:
        raise TypeHintParsingException(
            f"no JSON schema is known for the hint {hint!r}; write a builtin class, an Enum, a Literal or a list, "
            "tuple, dict or union of these, or pass the tool as a JSON schema"
        )
    return {"type": name} if name else {}


def _media_type(hint: object) -> str | None:
    """The type of an image or audio class, None for any other hint.

    A hint can only be one of these classes if its library has been imported, and importing torch takes seconds.
    """
    import sys

    for module, attribute, name in (("PIL.Image", "Image", "image"), ("torch", "Tensor", "audio")):
        known = getattr(sys.modules.get(module), attribute, None)
        if known is not None and hint is known:
            return name
    return None


def _union_schema(args: tuple[object, ...]) -> dict[str, object]:
    """The schema of a union: one member, a sorted list of type names, or `anyOf`; None makes it `nullable`."""
    members = [_hint_schema(arg) for arg in args if arg is not type(None)]
    # Only members of nothing but a type can stand in a list of type names without losing something.
    bare = [member["type"] for member in members if member.keys() == {"type"}]
    plain = [name for name in bare if isinstance(name, str)]
    schema: dict[str, object]
    if len(members) == 1:
        schema = members[0]
    elif len(plain) == len(members):
        names = sorted(set(plain))
        schema = {"type": names[0] if len(names) == 1 else names}
    else:
        schema = {"anyOf": members}
    if type(None) in args:
        schema["nullable"] = True
    return schema


def _enum_schema(values: list[object], source: str) -> dict[str, object]:
    """The schema that allows just `values`, with the type or types of these; `source` is named in errors."""
    scalars: dict[object, str] = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}
    if not values:
        raise TypeHintParsingException(f"{source} has no values to choose from")
    for value in values:
        if type(value) not in scalars:
            raise TypeHintParsingException(f"{source} holds {value!r}; only int, float, str, bool and None are JSON")
    names = list(dict.fromkeys(scalars[type(value)] for value in values))
    return {"type": names[0] if len(names) == 1 else names, "enum": values}


def _summary(docstring: str) -> str:
    """What stands before the first section; a section's name counts wherever it stands."""
    return docstring[: _first(docstring, 0, ("Args:", "Returns:", "Raises:"))].strip()


def _section(docstring: str, title: str, following: tuple[str, ...]) -> str | None:
    """The text under the line `title:`, up to the first of `following`, or None. The first line is no such line."""
    heading = f"{title}:\n"
    at = docstring.find(heading)
    while at >= 0:
        margin = docstring[len(docstring[:at].rstrip()) : at]
        if "\n" in margin:
            start = at + len(heading)
            return docstring[start : _first(docstring, start, following)].rstrip()
        at = docstring.find(heading, at + 1)
    return None


def _first(text: str, start: int, words: tuple[str, ...]) -> int:
    """Where the first of `words` begins in `text`, from `start` on; the end of `text` if there is none."""
    return min((at for at in (text.find(word, start) for word in words) if at >= 0), default=len(text))


def _described_parameters(section: str) -> dict[str, str]:
    """The descriptions in an Args section: `name: text` or `name (type): text`, continued on deeper lines.

    Lines are joined by one space. Where nothing follows the colon, the next line belongs to the description however
    it looks; lines before the first name are skipped.
    """
    import re

    entry = re.compile(r"(?P<indent>[ \t]*)(?P<name>\w+)(?:[ \t]*\([^()\n]*\))?:")
    descriptions: dict[str, str] = {}
    name = None
    deeper: tuple[str, ...] = ()
    for line in section.split("\n"):
        if not line.strip():
            continue
        found = entry.match(line)
        if name is not None and (found is None or not descriptions[name] or line.startswith(deeper)):
            descriptions[name] = f"{descriptions[name]} {line.strip()}".lstrip()
        elif found is not None:
            name = found["name"]
            deeper = (found["indent"] + " ", found["indent"] + "\t")
            descriptions[name] = line[found.end() :].strip()
    return descriptions


def _describe(schema: dict[str, object], description: str) -> None:
    """Add `description` to the schema of a parameter, its `(choices: [...])` as an `enum`."""
    import json
    import re

    choices = re.search(r"\(choices:(.*)\)$", description, re.IGNORECASE)
    if choices:
        values = json.loads(choices[1].lstrip())
        schema["enum"] = [value.strip() if isinstance(value, str) else value for value in values]
        description = description[: choices.start()].strip()
    schema["description"] = description
