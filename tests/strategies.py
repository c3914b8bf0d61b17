"""Random templates, texts that exercise them, prefixes, tools and chunkings.

One generator serves both the fast seeded runs (`random.Random`) and hypothesis (whose `randoms()` it draws from). Each
delimiter remembers which of the four kinds of delimiters it is written as, so that a run can be counted under them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import regex
from hypothesis import strategies as st

from tests.random_bodies import content, plain_text, transform
from tests.random_delimiters import Delimiter, Sampler, blanks, delimiter

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
