"""Calls written in the formats of bundled templates, for the tests of what OpenAI's clients are told."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

Call = tuple[str, dict[str, Any]]
"""A name and its arguments."""

TYPES = ["string", "integer", "number", "boolean", "object", "array", "null"]
PIECES = [
    *("a", "x y", "1", "true", "é", "😀", "\n", "\t", "\r", " ", "  ", "\u2028", "\x7f", '"', "'", "\\", "\\n", "/"),
    *("{", "}", "[", "]", ":", ",", "<", "|", "</", "<|", '<|"', "<escape", "</arg_value>", "</parameter>", "]]>"),
]
PLAIN = ["5", "1.0", "true", "null", "[1]", '{"a": 1}', "x"]
KEYS = ["a", "b", "c1", "key", "x_y"]


def random_calls(rng: random.Random) -> list[Call]:
    return [(rng.choice("fgh"), random_object(rng, 0)) for _ in range(rng.randrange(1, 4))]


def random_object(rng: random.Random, depth: int) -> dict[str, Any]:
    return {rng.choice(KEYS): random_value(rng, depth) for _ in range(rng.randrange(4))}


def random_value(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(8 if depth < 3 else 6)
    if kind < 2:
        return "".join(rng.choice(PIECES) for _ in range(rng.randrange(6)))
    if kind == 2:
        return rng.choice(PLAIN)
    if kind == 3:
        return rng.randrange(-50, 1000)
    if kind == 4:
        return rng.choice([1.0, -0.5, 1e20, 1.5e-7, 0])
    if kind == 5:
        return rng.choice([True, False, None])
    if kind == 6:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(3))]
    return random_object(rng, depth + 1)


def random_tools(rng: random.Random) -> list[dict[str, Any]] | None:
    """Tools `f` and `g` with schemas for some of the keys; None: no tools."""
    if rng.random() < 0.4:
        return None

    def schema() -> dict[str, Any]:
        one = {"type": rng.choice(TYPES)}
        return one if rng.random() < 0.7 else {"anyOf": [one, {"type": "string"}]}

    made = []
    for name in "fg":
        properties = {key: schema() for key in KEYS[:4] if rng.random() < 0.6}
        parameters = {"type": "object", "properties": properties}
        made.append({"type": "function", "function": {"name": name, "parameters": parameters}})
    return made


def damaged(rng: random.Random, text: str) -> str:
    """A text that is cut off, or of which a part is missing, doubled, or put in."""
    for _ in range(rng.randrange(1, 3)):
        at, then = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            more = [*PIECES, '"a": 1, ', '"name": "g", ', '"arguments": {}, ', "a=1, ", '<|"|>', "<escape>"]
            text = text[:at] + rng.choice(more) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at + rng.randrange(1, 4) :]
        else:
            text = text[:then] + text[at:]
    return text


def _json(rng: random.Random, value: Any) -> str:
    return json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, None, 1]))


def _dialect(rng: random.Random, value: Any, delimiter: str) -> str:
    if isinstance(value, str):
        return f"{delimiter}{value}{delimiter}" if rng.random() < 0.8 else json.dumps(value)
    if isinstance(value, list):
        return "[" + ",".join(_dialect(rng, item, delimiter) for item in value) + "]"
    if isinstance(value, dict):
        keys = [key if rng.random() < 0.8 else json.dumps(key) for key in value]
        values = [_dialect(rng, item, delimiter) for item in value.values()]
        return "{" + rng.choice([",", ", "]).join(map(rng.choice(["{}:{}", "{} : {}"]).format, keys, values)) + "}"
    return json.dumps(value)


def _python(rng: random.Random, value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_python(rng, item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_python(rng, key)}: {_python(rng, item)}" for key, item in value.items()) + "}"
    return repr(value) if rng.random() < 0.5 else json.dumps(value, ensure_ascii=rng.random() < 0.5)


def _call_list(rng: random.Random, calls: list[Call], write: Callable[[random.Random, Any], str]) -> str:
    made = [
        f"{name}({', '.join(f'{key}={write(rng, value)}' for key, value in given.items())})" for name, given in calls
    ]
    return f"[{', '.join(made)}]"


def _objects(rng: random.Random, calls: list[Call], name_key: str, arguments_key: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{name_key: name, arguments_key: given} for name, given in calls]
    return [call if rng.random() < 0.8 else dict(reversed(call.items())) for call in made]


def _each(rng: random.Random, calls: list[Call], shape: str, write: Callable[[dict[str, Any]], str]) -> str:
    """Each call in a region of its own; `shape` has places for the name and the arguments."""
    return "".join(shape.format(name, write(given)) for name, given in calls)


def _tags(shape: str) -> Callable[[dict[str, Any]], str]:
    def write(given: dict[str, Any]) -> str:
        return "".join(shape.format(key, v if isinstance(v, str) else json.dumps(v)) for key, v in given.items())

    return write


Format = Callable[[random.Random, list[Call]], str]

FORMATS: dict[str, Format] = {
    "qwen3": lambda rng, calls: "".join(
        f"<tool_call>\n{_json(rng, call)}\n</tool_call>" for call in _objects(rng, calls, "name", "arguments")
    ),
    "kimi_k2": lambda rng, calls: _each(
        rng,
        calls,
        "<|tool_call_begin|>functions.{}:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
        lambda given: _json(rng, given),
    ),
    "gemma4": lambda rng, calls: _each(
        rng, calls, "<|tool_call>call:{}{}<tool_call|>", lambda given: _dialect(rng, given, '<|"|>')
    ),
    "functiongemma": lambda rng, calls: _each(
        rng,
        calls,
        "<start_function_call>call:{}{}<end_function_call>",
        lambda given: _dialect(rng, given, "<escape>"),
    ),
    "mistral_nemo_v3": lambda rng, calls: (f"[TOOL_CALLS]{_json(rng, _objects(rng, calls, 'name', 'arguments'))}</s>"),
    "cohere_r7b": lambda rng, calls: (
        f"<|START_ACTION|>{_json(rng, _objects(rng, calls, 'tool_name', 'parameters'))}<|END_ACTION|>"
    ),
    "lfm2_lfm2_5": lambda rng, calls: f"<|tool_call_start|>{_call_list(rng, calls, _python)}<|tool_call_end|>",
    "pythonic_llama3_2_llama4_gemma3": lambda rng, calls: (
        f"<|python_start|>{_call_list(rng, calls, _python)}<|python_end|>"
    ),
    "toolace": lambda rng, calls: _call_list(rng, calls, lambda _, value: json.dumps(value)),
    "glm4_7": lambda rng, calls: _each(
        rng,
        calls,
        "<tool_call>{}\n{}</tool_call>",
        _tags("<arg_key>{}</arg_key>\n<arg_value>{}</arg_value>\n"),
    ),
    "qwen3_coder": lambda rng, calls: _each(
        rng,
        calls,
        "<tool_call>\n<function={}>\n{}</function>\n</tool_call>",
        _tags("<parameter={}>\n{}\n</parameter>\n"),
    ),
    "minicpm5": lambda rng, calls: _each(
        rng, calls, '<function name="{}">{}</function>', _tags('<param name="{}">{}</param>')
    ),
}
"""By the name of a template: how it writes calls. Strings may hold what the format gives another meaning."""
