"""Random templates, texts that exercise them, prefixes, tools and chunkings.

One generator serves both the fast seeded runs (`random.Random`) and hypothesis (whose `randoms()` it draws from). Each
delimiter remembers which of the four kinds of delimiters it is written as, so that a run can be counted under them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import regex
from hypothesis import strategies as st

Sampler = Callable[[random.Random], str]

BLANKS = (" ", "\n", "\t", "\r\n", "  ", "\n\n", "\x0b", "\x1c", "\x1f", "\x85", "\xa0", "\u2028", "\u3000")
NAMES = ("content", "thinking", "tool_calls", "reasoning_content", "x", "a b", "class", "self", "text", "\u00e9t\u00e9")
HOSTILE = ('"""\nimport os', "it's", "a\\", "{x}", "", "__class__", "\n", "#", "None", "\U0001f600")
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
TAGS = ("t", "f", "a", "call", "x", "ab")


@dataclass
class Delimiter:
    """One delimiter: its template keys for `open` or `close`, how to write text that it matches, and its kind."""

    value: str | list[str]
    is_pattern: bool
    sample: Sampler
    kind: int
    names: tuple[str, ...] = ()

    def keys(self, slot: str) -> dict[str, Any]:
        return {f"{slot}_pattern" if self.is_pattern else slot: self.value}


@dataclass
class Run:
    """One random run: a template, and what is parsed with it."""

    template: dict[str, Any]
    prefix: str
    text: str
    tools: Any = None
    kinds: frozenset[int] = frozenset()


@dataclass
class RandomTemplate:
    """A random template with what is needed to write texts for it."""

    template: dict[str, Any]
    kinds: frozenset[int]
    opens: dict[str, Delimiter] = field(default_factory=dict)
    closes: dict[str, Delimiter] = field(default_factory=dict)
    bodies: dict[str, Sampler] = field(default_factory=dict)
    anchor: Sampler = lambda rng: ""


# Pieces of patterns: (source, sampler)

Piece = tuple[str, Sampler]


def constant(text: str) -> Piece:
    return regex.escape(text), lambda rng: text


def blanks(rng: random.Random) -> str:
    return "".join(rng.choice(BLANKS) for _ in range(rng.choice((0, 0, 1, 1, 2, 4))))


def some_of(alphabet: str, least: int, most: int) -> Sampler:
    return lambda rng: "".join(rng.choice(alphabet) for _ in range(rng.randint(least, most)))


def literal(rng: random.Random) -> str:
    tag = rng.choice(TAGS)
    return rng.choice(
        (
            f"<{tag}>",
            f"</{tag}>",
            f"<|{tag}|>",
            f"[{tag}]",
            f"<{tag}>\n",
            f"\n<{tag}>",
            tag,
            "<<",
            "\n\n",
            "\u00ab" + tag,
            "``",
            "<a><a>b",
            "aab",
            "a",
            "e\u0301",
            "\U0001f600\U0001f600",
        )
    )


def white_space(rng: random.Random) -> Piece:
    source = rng.choice((r"\s*", r"\s*", r"\s+", r"\n?", r"\s?", r"\n*", r"[ \t]*", r"\s{0,3}", r" *", r"\s*?"))
    if source == r"\s+":
        return source, lambda rng: rng.choice(BLANKS) + blanks(rng)
    return source, blanks


def class_loop(rng: random.Random) -> Piece:
    words = some_of("ab1_", 1, 3)
    anything = some_of("ab <>\n/", 0, 4)
    return rng.choice(
        (
            (r"\w+", words),
            (r"\S+?", words),
            (r"[^<]*", some_of("ab >\n", 0, 3)),
            (r"[^>\n]+", words),
            (r"[a-z_]+", some_of("ab_", 1, 3)),
            (r"\d{1,3}", some_of("0129\u0663", 1, 3)),
            (r".*?", anything),
            (r"(?:a|b|ab)+", some_of("ab", 1, 4)),
            (r"(?i:ab)", lambda rng: rng.choice(("ab", "AB", "aB"))),
            (r"\w*", some_of("ab", 0, 2)),
            (r"[^<>]{0,2}", some_of("ab", 0, 2)),
            (r".", some_of("ab<\n", 1, 1)),
        )
    )


def tiny_pattern(rng: random.Random, depth: int = 2) -> Piece:
    """A small regular pattern over very few characters, so that random texts hit it often."""
    pick = rng.random()
    if depth == 0 or pick < 0.35:
        text = rng.choice(("a", "b", "<", ">", "ab", "<a", "\n", " ", "aa"))
        return rng.choice(
            (constant(text), constant(text), (r"[ab]", some_of("ab", 1, 1)), (r"\s", some_of(" \n", 1, 1)))
        )
    if pick < 0.65:
        parts = [tiny_pattern(rng, depth - 1) for _ in range(rng.randint(1, 3))]
        return "".join(source for source, _ in parts), lambda rng: "".join(sample(rng) for _, sample in parts)
    if pick < 0.8:
        parts = [tiny_pattern(rng, depth - 1) for _ in range(rng.randint(2, 3))]
        return "(?:" + "|".join(source for source, _ in parts) + ")", lambda rng: rng.choice(parts)[1](rng)
    source, sample = tiny_pattern(rng, depth - 1)
    loop = rng.choice(("?", "*", "+", "??", "*?", "+?", "{1,2}", "{2}", "{0,2}?"))
    least = {"?": 0, "*": 0, "?": 0}.get(loop[0], 1)
    return f"(?:{source}){loop}", lambda rng: "".join(sample(rng) for _ in range(rng.randint(least, 2)))


def delimiter(rng: random.Random, kind: int, *, names: bool) -> Delimiter:
    """A random delimiter written as one of the given kind; `names` allows named captures."""
    if kind == 1:
        if rng.random() < 0.6:
            text = literal(rng)
            if rng.random() < 0.1:
                return Delimiter(regex.escape(text), True, lambda rng: text, 1)
            return Delimiter(text, False, lambda rng: text, 1)
        texts = [literal(rng) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.5:
            texts.append(texts[0] + rng.choice(("a", ">", "\n", "<", texts[0])))
        if rng.random() < 0.2:
            texts.append(texts[0])
        rng.shuffle(texts)
        return Delimiter(texts, False, lambda rng: rng.choice(texts), 1)
    if kind == 2:
        before = white_space(rng) if rng.random() < 0.6 else constant("")
        after = white_space(rng) if rng.random() < 0.6 or not before[0] else constant("")
        if rng.random() < 0.7:
            middle = constant(literal(rng))
        else:
            options = [literal(rng) for _ in range(rng.randint(2, 3))]
            middle = "(?:" + "|".join(map(regex.escape, options)) + ")", lambda rng: rng.choice(options)
        parts = [before, middle, after]
        return Delimiter("".join(part[0] for part in parts), True, lambda rng: "".join(p[1](rng) for p in parts), 2)
    if kind == 3:
        return regular(rng, names=names)
    return irregular(rng)


def regular(rng: random.Random, *, names: bool) -> Delimiter:
    pick = rng.random()
    found: list[str] = []
    if pick < 0.3:
        source, sample = tiny_pattern(rng)
        parts = [(source, sample)]
    elif pick < 0.4:
        parts = [
            rng.choice(
                (("^", lambda rng: ""), ("(?:^|<t>)", lambda rng: rng.choice(("", "<t>"))), ("", lambda rng: ""))
            )
        ]
        if rng.random() < 0.5:
            parts.append(constant(literal(rng)))
    else:
        parts = [constant(literal(rng))]
        for _ in range(rng.randint(1, 3)):
            step = rng.random()
            if step < 0.25:
                parts.append(class_loop(rng))
            elif step < 0.4 and names and len(found) < 2:
                name = "nk"[len(found)]
                source, sample = class_loop(rng)
                found.append(name)
                if rng.random() < 0.25:
                    parts.append((f"(?:(?P<{name}>{source})|<)", lambda rng, s=sample: rng.choice(("<", s(rng)))))
                else:
                    parts.append((f"(?P<{name}>{source})", sample))
            elif step < 0.55:
                tail = [white_space(rng), constant(literal(rng))]
                loop = rng.choice(("?", "?", "??", "*"))
                parts.append(
                    (
                        f"(?:{tail[0][0]}{tail[1][0]}){loop}",
                        lambda rng, t=tail: rng.choice(("", t[0][1](rng), t[0][1](rng) + t[1][1](rng))),
                    )
                )
            elif step < 0.7:
                parts.append(white_space(rng))
            elif step < 0.8:
                options = [literal(rng), literal(rng), "a", "ab"]
                rng.shuffle(options)
                parts.append(("(?:" + "|".join(map(regex.escape, options)) + ")", lambda rng, o=options: rng.choice(o)))
            elif step < 0.88:
                parts.append((rng.choice((r"\b", r"\b", r"\B")), lambda rng: rng.choice(("", " "))))
            else:
                parts.append(constant(literal(rng)))
    ending = rng.random()
    source = "".join(part[0] for part in parts)
    if ending < 0.12:
        source += "|$"
    elif ending < 0.16:
        source += rng.choice(("$", r"\Z", r"(?:\n|$)"))
    return Delimiter(source, True, lambda rng: "".join(part[1](rng) for part in parts), 3, tuple(found))


def irregular(rng: random.Random) -> Delimiter:
    text = literal(rng)
    other = literal(rng)
    here, there = regex.escape(text), regex.escape(other)
    source, sample = rng.choice(
        (
            (f"{here}(?={there})", lambda rng: text + other),
            (f"{here}(?!{there})", lambda rng: text + rng.choice(("", "a", other))),
            (f"(?={there})", lambda rng: other),
            (f"(?<={there}){here}", lambda rng: other + text),
            (f"(?<!{there}){here}", lambda rng: rng.choice(("", "a", other)) + text),
            (f"(?>{here}|{there}){there}", lambda rng: text + other),
            (f"(a|b|ab)\\1{here}", lambda rng: rng.choice(("aa", "bb", "abab", "ab")) + text),
            (f"(?=[\\s\\S]*?{here})", lambda rng: ""),
            (f"{here}\\s*(?=\\S|$)", lambda rng: text + blanks(rng)),
            (f"{here}(?=\\s*(?:{there}|$))", lambda rng: text + blanks(rng)),
            (f"(?<=a){here}(?:{there})?", lambda rng: rng.choice(("", "a")) + text + rng.choice(("", other))),
            (f"{here}(?!\\Z)", lambda rng: text),
            (f"(?<![a-z]){here}\\b", lambda rng: text),
            (f"{here}(?:(?!{there}).)*{there}", lambda rng: text + rng.choice(("", "a b", text)) + other),
        )
    )
    return Delimiter(source, True, sample, 4)


# Bodies


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
        f"{rng.choice(('f', 'g.h', 'a-b'))}({', '.join(f'{k}={rng.choice(values)}' for k in rng.sample('abk', rng.randint(0, 2)))})"
        for _ in range(rng.randint(0, 2))
    ]
    return rng.choice(("", " ")) + "[" + ", ".join(calls) + "]" + rng.choice(("", "\n", "", "", "", " x"))


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


# Templates


def template(rng: random.Random, kind: int | None = None) -> RandomTemplate:
    """A random template; `kind` makes most of its delimiters of that kind."""
    fields: dict[str, Any] = {}
    made = RandomTemplate({}, frozenset())
    kinds: set[int] = set()
    names = list(NAMES if rng.random() < 0.85 else NAMES[:3] + HOSTILE)
    rng.shuffle(names)
    explicit = rng.choice((0, 1, 1, 2, 2, 3, 4))
    implicit = explicit == 0 or rng.random() < 0.65

    def draw(captures: bool) -> Delimiter:
        chosen = kind if kind is not None and rng.random() < 0.8 else rng.choice((1, 1, 1, 2, 2, 3, 3, 4))
        found = delimiter(rng, chosen, names=captures)
        kinds.add(found.kind)
        return found

    order = [(name, False) for name in names[:explicit]]
    if implicit:
        order.insert(rng.randint(0, len(order)), (names[explicit], True))
    for name, is_implicit in order:
        keys: dict[str, Any] = {}
        captured: tuple[str, ...] = ()
        captures = rng.random() < 0.5
        if not is_implicit:
            made.opens[name] = opener = draw(captures)
            keys |= opener.keys("open")
            captured += opener.names
        if rng.random() < (0.6 if is_implicit else 0.9):
            made.closes[name] = closer = draw(captures)
            keys |= closer.keys("close")
            captured += closer.names
        parser, made.bodies[name] = content(rng, plain=is_implicit)
        keys |= parser
        if captured or rng.random() < (0.06 if is_implicit else 0.25):
            keys["transform"] = transform(rng, tuple(dict.fromkeys(captured)))
            if (
                keys["transform"] is not None
                and rng.random() < 0.2
                and keys.get("content") in ("python-call-list", "json")
            ):
                keys["transform_each"] = True
                keys["transform"] = {"function": {"name": "{name}", "arguments": "{arguments}"}}
        if keys.get("transform", 0) is None and captured:
            keys["transform"] = "{content}"
        if rng.random() < 0.35:
            keys["repeats"] = rng.choice((True, True, 1, "yes", False))
            text = keys.get("content", "text") == "text" and "transform" not in keys
            if keys["repeats"] and rng.random() < (0.5 if text else 0.06):
                keys["join"] = rng.choice(("", "\n", ", "))
        if rng.random() < 0.06:
            keys["optional"] = rng.choice((False, False, True))
        items = list(keys.items())
        rng.shuffle(items)
        fields[name] = dict(items)
    whole: dict[str, Any] = {}
    if rng.random() < 0.7:
        whole["defaults"] = defaults(rng, [name for name, _ in order])
    if rng.random() < 0.1:
        whole["version"] = 1
    anchor, made.anchor = random_anchor(rng)
    whole |= anchor
    whole["fields"] = fields
    made.template, made.kinds = whole, frozenset(kinds)
    return made


def defaults(rng: random.Random, names: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {"role": "assistant"} if rng.random() < 0.8 else {}
    if rng.random() < 0.2:
        values[rng.choice(names)] = rng.choice(("", "d", [], ["d"], None, {}, {"a": [1]}, 0))
    if rng.random() < 0.1:
        values["extra"] = rng.choice((None, [], {"n": [1, {"m": 2.0}]}, True, ""))
    return values


def random_anchor(rng: random.Random) -> tuple[dict[str, Any], Sampler]:
    pick = rng.random()
    if pick < 0.5:
        return {"start_anchor": "<|im|>"}, lambda rng: "<|im|>"
    if pick < 0.65:
        texts = ["<A>", "<A>\n", "B:"]
        rng.shuffle(texts)
        return {"start_anchor": texts}, lambda rng: rng.choice(texts)
    pattern, options = rng.choice(
        (
            (r"<A>\n?", ("<A>", "<A>\n")),
            (r"(?:^|\n)A:", ("A:", "\nA:")),
            (r"\s*A:\s*", ("A:", " A:\n", "A:\n\n")),
            (r"(?<=\n)A:", ("A:", "\nA:")),
            (r"A+", ("A", "AA", "AAA")),
            (r"AA", ("A", "AA", "AAA")),
            (r"$", ("",)),
            (r"^", ("",)),
            (r"A:|$", ("A:",)),
            (r"<A>(?:\n|</t>)?", ("<A>", "<A></t>", "<A></")),
            (r"A\b", ("A ", "A", "Ab")),
        )
    )
    return {"start_anchor_pattern": pattern}, lambda rng: rng.choice(options)


# Texts


def near_miss(rng: random.Random, text: str) -> str:
    """Almost `text`: cut short, or with one character taken out, doubled or changed."""
    if not text:
        return ""
    at = rng.randrange(len(text))
    return rng.choice(
        (text[: at + 1], text[:at], text[at:], text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:])
    )


def text_for(rng: random.Random, made: RandomTemplate, most: int = 7) -> str:
    """A text that opens and closes the regions of the template, more or less."""
    opens, closes = list(made.opens), list(made.closes)
    pieces: list[str] = []
    for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, most)):
        pick = rng.random()
        if pick < 0.5 and opens:
            name = rng.choice(opens)
            pieces.append(made.opens[name].sample(rng))
            pieces.append(rng.choice(("", "", blanks(rng))) + made.bodies[name](rng))
            if name in made.closes and rng.random() < 0.9:
                pieces.append(made.closes[name].sample(rng))
        elif pick < 0.6 and closes:
            pieces.append(made.closes[rng.choice(closes)].sample(rng))
        elif pick < 0.72:
            every = [*made.opens.values(), *made.closes.values()]
            if every:
                pieces.append(near_miss(rng, rng.choice(every).sample(rng)))
        elif pick < 0.8:
            pieces.append(blanks(rng))
        elif pick < 0.86 and made.bodies:
            pieces.append(made.bodies[rng.choice(list(made.bodies))](rng))
        else:
            pieces.append(plain_text(rng))
    text = "".join(pieces)
    if rng.random() < 0.15:
        text = text[: rng.randint(0, len(text))]
    if rng.random() < 0.15:
        text += "\n"
    return text


def prefix_for(rng: random.Random, made: RandomTemplate) -> str:
    if rng.random() < 0.4:
        return ""
    parts = []
    for _ in range(rng.randint(0, 2)):
        parts.append(plain_text(rng) + made.anchor(rng) + text_for(rng, made, 2))
    parts.append(made.anchor(rng))
    if rng.random() < 0.6:
        parts.append(text_for(rng, made, 2))
    return "".join(parts)


TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {
                "properties": {
                    "k": {"type": "integer"},
                    "a": {"type": ["number", "null"]},
                    "b": {"anyOf": [{"type": "boolean"}, {"type": "string"}]},
                    "n": {"type": "array"},
                }
            },
        },
    },
    {"name": "x", "parameters": {"properties": {"k": {"type": "object"}, "a": {"type": "string"}}}},
    {"type": "function", "function": {"name": "ab"}},
    {"function": {"name": "f", "parameters": {"properties": {"k": {"type": "integer", "nullable": True}}}}},
    {"name": 5},
    "not a tool",
]


def f(k: int, a: float | None = None, b: bool = False) -> None:
    """A tool.

    Args:
        k: A whole number.
        a: A number.
        b: A switch.
    """


def tools_for(rng: random.Random) -> Any:
    if rng.random() < 0.7:
        return None
    return rng.sample([*TOOLS, f], rng.randint(0, 3))


def run(rng: random.Random, made: RandomTemplate) -> Run:
    return Run(made.template, prefix_for(rng, made), text_for(rng, made), tools_for(rng), made.kinds)


# Chunkings


def random_chunks(rng: random.Random, text: str, most: int) -> list[str]:
    chunks, at = [], 0
    while at < len(text):
        size = rng.randint(1, most)
        chunks.append(text[at : at + size])
        at += size
    return chunks


TOKEN = regex.compile(r"\s?\w+|\s+|[^\w\s]{1,3}")


def token_chunks(text: str) -> list[str]:
    return TOKEN.findall(text)


def chunkings(rng: random.Random, text: str, *, splits: int = 12) -> list[list[str]]:
    """Whole, character by character, like tokens, at random; every two-way split of a text up to `splits` long."""
    found = [[text], list(text), token_chunks(text), random_chunks(rng, text, 3), random_chunks(rng, text, 9)]
    if len(text) <= splits:
        found += [[text[:at], text[at:]] for at in range(1, len(text))]
    elif len(text) > 1:
        at = rng.randrange(1, len(text))
        found.append([text[:at], "", text[at:]])
    return found


# Hypothesis


@st.composite
def runs(draw: st.DrawFn, kind: int | None = None) -> tuple[Run, list[list[str]]]:
    """A run and its chunkings; hypothesis controls, and shrinks, every random choice."""
    rng = draw(st.randoms(use_true_random=False))
    made = run(rng, template(rng, kind))
    return made, chunkings(rng, made.text)
