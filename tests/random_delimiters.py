"""Random delimiters of each of the four kinds, with samplers of texts that they match."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import regex

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


Piece = tuple[str, Sampler]
"""A piece of a pattern: its source and its sampler."""


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
    least = {"?": 0, "*": 0}.get(loop[0], 1)
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
