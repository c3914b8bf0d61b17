"""Random bodies of regions for each content parser, content parsers with arguments, and transforms."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.random_delimiters import BLANKS, Sampler, blanks

WORDS = (
    "hello",
    "a",
    "b",
    "ab",
    "x1",
    "The",
    "caf\u00e9",
    "\u4f60\u597d",
    "\U0001f600",
    "<",
    ">",
    "</",
    "|",
    "{",
    "}",
    "0",
    "_",
)


def json_text(rng: random.Random) -> str:
    if rng.random() < 0.12:
        return rng.choice(
            ("", "{", "[1,]", "nul", "{'a': 1}", '{"a": 1} x', "NaN", "-0.0", "1e999", "\x01", '"\\ud800"')
        )
    return json.dumps(json_value(rng, 2), ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 1)))


def json_value(rng: random.Random, depth: int) -> Any:
    if depth and rng.random() < 0.6:
        if rng.random() < 0.8:
            keys = ("name", "arguments", "n", "function", "a b", "k")
            return {rng.choice(keys): json_value(rng, depth - 1) for _ in range(rng.randint(0, 3))}
        return [json_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    return rng.choice((1, 0, True, False, None, 1.5, "x", "", "</a>", "a: b", "{k:1}", "f", "\u00e9\n", '"q"', "7", -3))


def lax_json(rng: random.Random) -> str:
    value = rng.choice(("`x`", "`</a>`", '`a "q"`', "1", '"s"', "true", "[`a`,`b`]", "{k: `v`}", '"`"', "`{k:1}`"))
    return rng.choice(("{k: %s}", "{name:%s, arguments:{k: 1}}", '{"k": %s}', "[%s]", "%s", "{ k : %s,n:2}")) % value


def xml_text(rng: random.Random) -> str:
    return blanks(rng).join(
        f"<p={rng.choice('abk')}>{rng.choice(('1', 'x', ' y ', '[1, 2]', '', 'true', 'a<b', '3.0'))}</p>"
        for _ in range(rng.randint(0, 3))
    )


def lines_text(rng: random.Random) -> str:
    lines = ("a: 1", "b:x:y", "", "  k : v ", "no", "n: 2.5", "\x1c", "a:", ":")
    return "\n".join(rng.choice(lines) for _ in range(rng.randint(0, 4)))


def calls_text(rng: random.Random) -> str:
    values = ("1", "'x'", '"a\\n"', "[1, 2.5]", "{'k': True}", "None", "-0", "1e3", "x", "'\\u00e9'", "01", "9" * 20)
    calls = [
        (rng.choice(("f", "g.h", "a-b")), [f"{k}={rng.choice(values)}" for k in rng.sample("abk", rng.randint(0, 2))])
        for _ in range(rng.randint(0, 2))
    ]
    written = ", ".join(f"{name}({', '.join(arguments)})" for name, arguments in calls)
    return rng.choice(("", " ")) + "[" + written + "]" + rng.choice(("", "\n", "", "", "", " x"))


def plain_text(rng: random.Random) -> str:
    return "".join(rng.choice((*WORDS, *BLANKS[:6], " ")) for _ in range(rng.randint(0, 5)))


def content(rng: random.Random, *, plain: bool = False) -> tuple[dict[str, Any], Sampler]:
    """Template keys for a content parser, and a sampler of bodies for it; `plain` makes it mostly text."""
    name = (
        "text"
        if plain and rng.random() < 0.9
        else rng.choice(
            ("text",) * 6 + ("json",) * 3 + ("int", "float", "bool", "xml-inline", "kv-lines", "python-call-list")
        )
    )
    args: dict[str, Any] = {}
    sample: Sampler = plain_text
    if name in ("text", "int", "float", "bool"):
        if rng.random() < 0.3:
            args["strip"] = rng.choice((True, False, False, 0, "yes"))
        if name != "text":
            numbers = ("7", " -3 ", "10", "1", "0", "1.5", "true", "x", "\x1c4", "1_0", "inf", "\u0663")
            sample = lambda rng: rng.choice(numbers)  # noqa: E731
    elif name == "json":
        sample = json_text
        if rng.random() < 0.4:
            args["unquoted_keys"] = True
            args["string_delims"] = rng.choice(([["`", "`"]], [["<|", "|>"]], [["'", "'"], ["`", "`"]], []))
            sample = lax_json
        if rng.random() < 0.6:
            args["allow_non_json"] = True
            if rng.random() < 0.3:
                args["strip"] = False
    elif name == "xml-inline":
        sample = xml_text
        args["tag_pattern"] = rng.choice(
            (
                r"<p=(?P<key>\w+)>(?P<value>.*?)</p>",
                r"<p=(?P<key>[^>]+)>\s*(?P<value>.*?)\s*</p>",
                r"<p=(?P<key>\w+)>",
                r"<p=(?P<key>\w+)>(?P<value>.*?)(?:</p>|(?=<p=))",
            )
        )
        if rng.random() < 0.6:
            args["value_parser"] = value_parser(rng)
        if rng.random() < 0.4:
            args["merge_duplicates"] = True
        if rng.random() < 0.05:
            args = rng.choice(({}, {"tag_pattern": "(a)"}, {"tag_pattern": "("}))
    elif name == "kv-lines":
        sample = lines_text
        if rng.random() < 0.4:
            args["kv_sep"] = rng.choice((":", "=", ": "))
        if rng.random() < 0.2:
            args["line_sep"] = rng.choice((";", "\r\n"))
        if rng.random() < 0.4:
            args["value_parser"] = value_parser(rng)
        if rng.random() < 0.2:
            args["strip"] = False
    else:
        sample = calls_text
    keys: dict[str, Any] = {}
    if name != "text" or rng.random() < 0.5:
        keys["content"] = name
    if args or rng.random() < 0.1:
        keys["content_args"] = args
    return keys, sample


def value_parser(rng: random.Random) -> dict[str, Any]:
    return rng.choice(
        (
            {"name": "json", "args": {"allow_non_json": True}},
            {"name": "json"},
            {"name": "text"},
            {"name": "text", "args": {"strip": False}},
            {"name": "int"},
            {"name": "float", "args": {}},
            {"name": "kv-lines", "args": {"kv_sep": "="}},
            {},
            {"name": "nothing"},
        )
    )


def transform(rng: random.Random, names: tuple[str, ...]) -> Any:
    values: list[Any] = ["{content}", "{content}", "call", 1, None, True, {"k": "{content}"}, ["{content}", 2.5]]
    if rng.random() < 0.1:
        values.append("{content.k}")
    values += [f"{{{name}}}" for name in names] * 4
    pick = rng.random()
    if pick < 0.5:
        head = f"{{{names[0]}}}" if names else rng.choice(("f", "{content.name}", "f", "f", "x"))
        return {"type": "function", "function": {"name": head, "arguments": rng.choice(values)}}
    if pick < 0.6:
        return {"function": "{content}"}
    if pick < 0.7:
        return rng.choice(values)
    if pick < 0.75:
        return "{missing}"
    return {rng.choice(("a", "b", "", "k k")): rng.choice(values) for _ in range(rng.randint(0, 3))}
