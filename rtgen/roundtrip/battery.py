"""The messages that a pair of templates must carry there and back.

Each example is a conversation whose last message is the assistant's; that one is compared. Texts have no white space
at their ends, which many formats do not keep; arguments of calls have, since nothing that the model meant is stripped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]

WITHOUT_TOOLS = " (tools not given)"
"""How the name of an example ends that is parsed without the request's tools."""


@dataclass(frozen=True, slots=True)
class Example:
    """A conversation and the tools of its request. `tools` are rendered; `cast` says whether the parser gets them."""

    name: str
    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...] = ()
    cast: bool = True

    @property
    def final(self) -> Message:
        """The message that is compared."""
        return self.messages[-1]


def _tool(name: str, required: Sequence[str] = (), **properties: Any) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {key: {"description": f"The {key}.", **schema} for key, schema in properties.items()},
        "required": list(required),
    }
    return {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": parameters}}


_STRING, _INTEGER = {"type": "string"}, {"type": "integer"}

TOOLS = (
    _tool("get_weather", ["city"], city=_STRING, days=_INTEGER),
    _tool("write_file", ["path", "text"], path=_STRING, text=_STRING),
    _tool(
        "configure",
        options={"type": "object", "additionalProperties": {"type": "string"}},
        flags={"type": "array", "items": {"type": "string"}},
        ratio={"type": "number"},
        active={"type": "boolean"},
        note={"type": "string", "nullable": True},
        count=_INTEGER,
        label=_STRING,
    ),
    _tool("now"),
    _tool("files.read_text", ["path"], path=_STRING),
    _tool("get-time", ["zone"], zone=_STRING),
)

QUESTION = {"role": "user", "content": "What is the weather in Paris, and what is 17 * 23?"}

CODE = "def f(x):\n    if x < 1:\n        return [x, {'k': \"v\"}]\n\n    return x & 1"

TEXTS = {
    "plain": "It is 391.",
    "one word": "Yes",
    "lines": "First line.\n\nThird line,\n  - indented\n\n\tand a tab.",
    "JSON": '{"answer": 391, "steps": ["17 * 23", null], "nested": {"ok": true}}',
    "JSON list": '[{"a": 1}, {"b": [2, 3]}]',
    "tags": 'Use <b>bold</b>, <div class="x">a</div>, <br/> and a < b > c.',
    "code": f"Like this:\n\n```python\n{CODE}\n```\n\nand so on.",
    "emoji": "\u4f60\u597d, caf\u00e9 \U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 \u0639\u0631\u0628",
    "braces": "A set {a, b} [c] (d) | e $x^2$ \\frac{1}{2} 100% #1 @home `tick`",
}

STRINGS = {
    "plain": "Paris",
    "words": "New York, NY (USA)",
    "empty": "",
    "number": "75001",
    "true": "true",
    "JSON": '{"a": [1, "two"]}',
    "quotes": 'He said "it\'s" and `x`; \'single\', ""double""',
    "backslashes": 'C:\\new\\table \\"quoted\\" \\\\ \\u0041',
    "lines": "one\ntwo\n\nfour",
    "code": CODE,
    "edges": "  indented\n    more\n ",
    "tags": '<a href="x">y</a> </b> <br/> a < b & c > d',
    "emoji": "caf\u00e9 \U0001f600 \u4f60\u597d",
    "brackets": "}]) {[( }} ]] , : ; = |",
    "call": '{"name": "get_weather", "arguments": {"city": "Rome"}}',
}

VALUES: dict[str, dict[str, Any]] = {
    "integer": {"count": 3},
    "negative": {"count": -17},
    "float": {"ratio": 0.5},
    "boolean": {"active": True},
    "false": {"active": False},
    "null": {"note": None},
    "list": {"flags": ["a", 1, None, {"b": False}]},
    "nested": {"options": {"deep": {"list": [1, {"x": "y z"}], "text": "a, b: c"}, "empty": {}}},
    "empty object": {"options": {}},
    "empty list": {"flags": []},
    "many": {"label": "all", "count": 2, "ratio": 1.25, "active": True, "flags": [1, 2], "options": {"a": "b"}},
}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """A call as it stands in a message."""
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(content: str = "", reasoning: str = "", calls: Sequence[dict[str, Any]] = ()) -> Message:
    """An assistant's message; what is empty is left out, save that content stands where nothing else does."""
    message: Message = {"role": "assistant"}
    if reasoning:
        message["reasoning_content"] = reasoning
    if content or not calls:
        message["content"] = content
    if calls:
        message["tool_calls"] = list(calls)
    return message


def battery(delimiters: Sequence[str] = ()) -> list[Example]:
    """The examples; `delimiters` are texts that stand inside of arguments, one example for each."""
    found = [
        *(Example(f"content: {name}", (QUESTION, assistant(text))) for name, text in TEXTS.items()),
        *_reasoning(),
        *_calls(),
        *_arguments(delimiters),
        *_turns(),
    ]
    return [variant for each in found for variant in _with_and_without_tools(each)]


def _with_and_without_tools(example: Example) -> Iterator[Example]:
    yield example
    if example.final.get("tool_calls"):
        yield Example(example.name + WITHOUT_TOOLS, example.messages, example.tools, False)


def _reasoning() -> Iterator[Example]:
    thought = "The user asks for 17 * 23.\n\n1. 17 * 20 = 340\n2. 17 * 3 = 51\n\nSo it is 391."
    for name, text in {"plain": "Let me see.", "lines": thought, "JSON": '{"plan": ["a", 1]}', "code": CODE}.items():
        yield Example(f"reasoning: {name}", (QUESTION, assistant("It is 391.", text)))
    yield Example("reasoning: emoji", (QUESTION, assistant(TEXTS["emoji"], "\u60f3 \U0001f914, a < b")))
    weather = call("get_weather", city="Paris")
    yield Example("reasoning: then a call", (QUESTION, assistant("", thought, [weather])), TOOLS)
    yield Example("reasoning: then text and a call", (QUESTION, assistant("I look.", thought, [weather])), TOOLS)
    yield Example("reasoning: then two calls", (QUESTION, assistant("", thought, [weather, call("now")])), TOOLS)


def _calls() -> Iterator[Example]:
    paris, rome = call("get_weather", city="Paris", days=2), call("get_weather", city="Rome")
    for name, content, calls in (
        ("one", "", [paris]),
        ("after text", "I look it up.\nOne moment:", [paris]),
        ("two", "", [paris, rome]),
        ("two tools", "", [paris, call("write_file", path="a.txt", text="x")]),
        ("three after text", "Three things.", [rome, paris, call("now")]),
        ("the same twice", "", [rome, rome]),
        ("no arguments", "", [call("now")]),
        ("no arguments, twice", "", [call("now"), call("now")]),
        ("dotted name", "", [call("files.read_text", path="/tmp/a b.txt")]),
        ("dashed name", "", [call("get-time", zone="Europe/Paris")]),
    ):
        yield Example(f"calls: {name}", (QUESTION, assistant(content, "", calls)), TOOLS)


def _arguments(delimiters: Sequence[str]) -> Iterator[Example]:
    for name, arguments in VALUES.items():
        yield Example(f"argument: {name}", (QUESTION, assistant("", "", [call("configure", **arguments)])), TOOLS)
    for name, text in STRINGS.items():
        calls = [call("write_file", path="a", text=text), call("write_file", path=text or "b", text="end")]
        yield Example(f"string: {name}", (QUESTION, assistant("", "", calls)), TOOLS)
    for text in delimiters:
        calls = [call("write_file", path="a", text=f"before {text} after"), call("now")]
        yield Example(f"string: holds {text!r}", (QUESTION, assistant("", "", calls)), TOOLS)


def _turns() -> Iterator[Example]:
    asked = assistant("I look.", "", [call("get_weather", city="Paris", days=2)])
    twice = assistant("", "I need both.", [call("get_weather", city="Paris"), call("now")])
    result = {"role": "tool", "name": "get_weather", "content": '{"sky": "clear", "degrees": 21}'}
    clock = {"role": "tool", "name": "now", "content": "12:00"}
    more = {"role": "user", "content": "And in Rome?"}
    system = {"role": "system", "content": "You are terse."}
    final = assistant("Clear, 21 degrees.")
    rome = assistant("", "Rome is another city.", [call("get_weather", city="Rome")])
    yield Example("turns: system", (system, QUESTION, assistant("Yes.")))
    yield Example("turns: second answer", (QUESTION, assistant("It is 391."), more, assistant("Rain.", "Hm, Rome.")))
    yield Example("turns: after a tool result", (QUESTION, asked, result, final), TOOLS)
    yield Example("turns: after two tool results", (QUESTION, twice, result, clock, assistant("Noon.", "Both.")), TOOLS)
    yield Example("turns: another call", (QUESTION, asked, result, assistant("", "", [call("now")])), TOOLS)
    yield Example("turns: a call after an answer", (system, QUESTION, asked, result, final, more, rome), TOOLS)
