"""Call lists in Python's own syntax, for `repair=True`: read by Python's parser, written in the strict language.

raw_newlines      line ends stand in a string as they are
unescaped_quotes  quotes in a string
missing_bracket   the list is not closed, behind complete calls
trailing_brackets a bracket too many
trailing_text     text behind the list
several_values    several lists, or calls, in one region
json_calls        the calls are written as JSON
call_syntax       whatever else Python reads and the strict language does not (tuples, a call without brackets, ...)
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator
from typing import Any

from rtgen.runtime.inner_quotes import begins_string
from rtgen.runtime.trees import read_tree

LONGEST_CALLS = 1_000_000
"""Characters of a call list that Python's parser is given at most."""

_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_STRINGS = re.compile(rf"'''.*?'''|\"\"\".*?\"\"\"|{_STRING}", re.DOTALL)
_TOKENS = re.compile(rf"({_STRING})|([^\W\d][\w.-]*)(?=\s*(?:\(|=(?!=)))", re.DOTALL)
_BRACKETS = re.compile(rf"{_STRING}|[()\[\]{{}}]", re.DOTALL)
_ESCAPE = re.compile(r"\\([^\n\r\\'\"abfnrtv0-7xNuU])|\\.", re.DOTALL)
_OPENING = re.compile(r"[=(\[,:{]\s*$")
_CLOSING = re.compile(r"\s*(?:[,\]}:]|\)\s*(?:[,)\];\n]|\Z)|\Z)")
_CLOSING_ARGUMENT = re.compile(r"\s*(?:,\s*[^\W\d][\w-]*\s*=|\)\s*(?:[,\];\n]|\Z)|\Z)")
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}


def python_calls(pieces: list[str], json_calls: list[dict[str, Any]] | None) -> Iterator[tuple[str, list[str], str]]:
    """Call lists that the pieces of a region may have been meant as, each with the names of the repairs and the text
    behind it. `json_calls` are the calls that the region holds as JSON, if it does."""
    if json_calls is not None:
        try:
            yield _written([_json_call(call) for call in json_calls]), ["json_calls"], ""
        except ValueError:
            return
        return
    texts = [piece.strip() for piece in pieces if piece.strip()]
    if not texts or sum(map(len, texts)) > LONGEST_CALLS:
        return
    names: list[str] = ["several_values"] if len(texts) > 1 else []
    calls: list[str] = []
    rest = ""
    for text in texts:
        read = _read(text)
        if read is None:
            return
        more, also, rest = read
        if rest and text is not texts[-1]:
            return
        calls += more
        names += [name for name in also if name not in names]
    specific = [name for name in names if name != "call_syntax"]
    yield _written(calls), specific or ["call_syntax"], rest


def _written(calls: list[str]) -> str:
    return f"[{', '.join(calls)}]"


def _read(text: str) -> tuple[list[str], list[str], str] | None:
    """The calls of a text, written in the strict language, the names of the repairs, and what stands behind them."""
    escaped = _STRINGS.sub(_one_line, text)
    names = ["raw_newlines"] if escaped != text else []
    tries = [(escaped, names, "")]
    if escaped.startswith("[") and escaped.endswith(")"):
        tries.append((escaped + "]", [*names, "missing_bracket"], ""))
    if escaped.endswith(("]]", ")]]", "),]", "])")):
        tries.append((escaped[:-1], [*names, "trailing_brackets"], ""))
    end = _list_end(escaped)
    if end < len(escaped) and escaped[end:].strip() and escaped[end:].lstrip()[0] not in "[({":
        tries.append((escaped[:end], [*names, "trailing_text"], escaped[end:]))
    requoted = _requoted(text)
    if requoted != text:
        tries.append((requoted, ["unescaped_quotes"], ""))
        if requoted.startswith("[") and requoted.endswith(")"):
            tries.append((requoted + "]", ["unescaped_quotes", "missing_bracket"], ""))
    for attempt, given, rest in tries:
        calls = _calls(attempt)
        if calls is not None:
            if len(calls) > 1 and not attempt.startswith("[") and not given:
                given = ["several_values"]
            return calls, given or ["call_syntax"], rest
    return None


def _one_line(found: re.Match[str]) -> str:
    text = found[0]
    if text[:3] in ("'''", '"""') and len(text) > 5:
        return text
    return text.replace("\n", "\\n").replace("\r", "\\r")


def _list_end(text: str) -> int:
    """Where the first bracket is closed."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
            if depth <= 0:
                return found.end()
    return len(text)


def _requoted(text: str) -> str:
    """The text with those quotes escaped that stand where no string begins or ends; as it is, where a string would go
    on over another argument."""
    done: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        done.append(char)
        at += 1
        if char not in "'\"" or not _OPENING.search(text, max(0, at - 40), at - 1):
            continue
        closing = _CLOSING_ARGUMENT if text[at - 2 : at - 1] == "=" else _CLOSING
        start, quotes = at, 0  # `quotes`: how many are characters of the string
        while at < len(text):
            inner = text[at]
            at += 1
            if inner == "\\" and at < len(text):
                done.append(inner + text[at])
                at += 1
            elif inner == char and closing.match(text, at):
                done.append(inner)
                break
            elif inner == char and begins_string(text, start, at - 1, quotes):
                return text
            else:
                quotes += inner == char
                done.append({"\n": "\\n", "\r": "\\r", char: "\\" + char}.get(inner, inner))
    return "".join(done)


def _calls(text: str) -> list[str] | None:
    """The calls that Python reads in a text; None if it reads anything else."""
    import ast

    stands_for: dict[str, str] = {}

    def plain(found: re.Match[str]) -> str:
        word = found[2]
        if word is None:
            return _ESCAPE.sub(_as_it_stands, found[0])
        if not ("-" in word or any(map(keyword.iskeyword, word.split(".")))):
            return found[0]
        name = f"name_{len(stands_for)}_"
        while name in text:
            name += "_"
        stands_for[name] = word
        return name

    try:
        body = read_tree(_TOKENS.sub(plain, text)).body
        expressions = [statement.value for statement in body if isinstance(statement, ast.Expr)]
        if not expressions or len(expressions) < len(body):
            return None
        items = [
            item for tree in expressions for item in (tree.elts if isinstance(tree, (ast.List, ast.Tuple)) else [tree])
        ]
        return [_call(item, stands_for) for item in items]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _as_it_stands(found: re.Match[str]) -> str:
    """A backslash that escapes nothing, escaped: Python takes it as it stands, but warns."""
    return found[0] if found[1] is None else "\\\\" + found[1]


def _call(node: Any, stands_for: dict[str, str]) -> str:
    """Raises ValueError for anything but a call with keyword arguments, or with one dict of them."""
    import ast

    if not isinstance(node, ast.Call):
        raise ValueError("not a call")
    name = ast.unparse(node.func)
    arguments: dict[str, Any] = {}
    if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.Dict):
        arguments = _value(node.args[0])
    elif node.args:
        raise ValueError("not a call with keyword arguments")
    for given in node.keywords:
        if given.arg is None:
            raise ValueError("a dict is unpacked")
        arguments[stands_for.get(given.arg, given.arg)] = _value(given.value)
    return _json_call({"name": stands_for.get(name, name), "arguments": arguments})


def _json_call(call: dict[str, Any]) -> str:
    """A call in the strict language. Raises ValueError for what it has no words for."""
    if not all(re.fullmatch(r"[^\W\d][\w-]*", key) for key in call["arguments"]):
        raise ValueError("not the name of an argument")
    given = [f"{key}={_written_value(value)}" for key, value in call["arguments"].items()]
    return f"{call['name']}({', '.join(given)})"


def _value(node: Any) -> Any:
    """Raises ValueError for what is no plain value."""
    import ast

    if isinstance(node, ast.Constant) and type(node.value) in (str, int, float, bool, type(None)):
        return node.value
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        number = _value(node.operand)
        if type(number) in (int, float):
            return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return list(map(_value, node.elts))
    if isinstance(node, ast.Dict):
        keys = [None if key is None else _value(key) for key in node.keys]
        if all(type(key) is str for key in keys):
            return dict(zip(keys, map(_value, node.values), strict=True))
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
