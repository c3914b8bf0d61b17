"""Call lists in Python's own syntax, for `repair=True`: read by Python's parser, written in the strict language."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

LONGEST_CALLS = 1_000_000
"""Characters of a call list that Python's parser is given at most."""

_STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_CONSTANTS = {"true": True, "false": False, "null": None}


def python_calls(body: str) -> Iterator[tuple[str, list[str]]]:
    """Call lists that `body` may have been meant as, each with the names of the repairs."""
    text = body.strip()
    if len(text) > LONGEST_CALLS:
        return
    names: list[str] = []
    escaped = _STRINGS.sub(lambda found: found[0].replace("\n", "\\n").replace("\r", "\\r"), text)
    if escaped != text:
        names, text = ["raw_newlines"], escaped
    tries = [(text, names)]
    if text.startswith("[") and text.endswith(")"):
        tries.append((text + "]", [*names, "missing_bracket"]))
    if text.endswith(("]]", ")]]", "),]", "])")):
        tries.append((text[:-1], [*names, "trailing_brackets"]))
    for attempt, given in tries:
        try:
            tree = ast.parse(attempt, mode="eval").body
            written = _written_calls(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        yield written, given if len(given) > len(names) or names else [*given, "call_syntax"]
        return


def _written_calls(tree: ast.expr) -> str:
    """Raises ValueError for anything but calls with keyword arguments."""
    items = tree.elts if isinstance(tree, (ast.List, ast.Tuple)) else [tree]
    return f"[{', '.join(map(_written_call, items))}]"


def _written_call(node: ast.expr) -> str:
    if not isinstance(node, ast.Call) or node.args:
        raise ValueError("not a call with keyword arguments")
    given = []
    for keyword in node.keywords:
        if keyword.arg is None:
            raise ValueError("a dict is unpacked")
        given.append(f"{keyword.arg}={_written_value(_value_of(keyword.value))}")
    return f"{ast.unparse(node.func)}({', '.join(given)})"


def _value_of(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (str, int, float, bool, type(None)):
        return node.value
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        number = _value_of(node.operand)
        if type(number) in (int, float):
            return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return list(map(_value_of, node.elts))
    if isinstance(node, ast.Dict):
        keys = [None if key is None else _value_of(key) for key in node.keys]
        if all(type(key) is str for key in keys):
            return dict(zip(keys, map(_value_of, node.values), strict=True))
    raise ValueError("not a plain value")


def _written_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written_value, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_written_value(item)}" for key, item in value.items()) + "}"
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise ValueError("no finite number")
    return json.dumps(value)
