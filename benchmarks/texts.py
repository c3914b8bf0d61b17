"""Texts to parse: prose, code dense with `<`, and CJK with emoji; always the same for the same arguments.

Lengths are in characters.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_WORDS = _split(
    "the of and a to in is that it was for on are with as they at be this from have or by one had not but what all "
    "were when we there can an your which their said if do will each about how up out them then she many some so "
    "these would other into has more her two like him see time could no make than first been its who now people my "
    "made over did down only way find use may water long little very after words called just where most know weather "
    "temperature forecast reservation database network probability inference approximation considerable interesting"
)
_NAMES = _split("value index result node items buffer offset request response cursor parser token left right depth")
_TYPES = _split("int float std::string std::vector<int> std::map<std::string,std::vector<int>> Node<T> size_t")
_CJK = (
    "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军"
    "今日は天気がとても良いので散歩に行きましょう東京の気温は二十度です安い券を探してください"
    "오늘서울의날씨는맑고기온은이십도입니다"
)
_EMOJI = _split("😀 🚀 🌧 ✅ 🎉 🇯🇵 👍🏽 🔥")


def prose(length: int, seed: int = 1) -> str:
    """English-looking sentences and paragraphs."""
    rng = random.Random(f"prose {seed}")
    parts: list[str] = []
    size = 0
    while size < length:
        sentence = " ".join(rng.choice(_WORDS) for _ in range(rng.randrange(5, 18))).capitalize()
        sentence += rng.choice((". ", ". ", ", though. ", "? ", ".\n\n"))
        parts.append(sentence)
        size += len(sentence)
    return "".join(parts)[:length]


def code(length: int, seed: int = 1) -> str:
    """Templates, comparisons, shifts and markup: what brings the most `<` into real output."""
    rng = random.Random(f"code {seed}")

    def name() -> str:
        return rng.choice(_NAMES)

    lines: Sequence[Callable[[], str]] = (
        lambda: f"    {rng.choice(_TYPES)} {name()} = {name()}[{rng.randrange(100)}];\n",
        lambda: f"    for (int i = 0; i < {name()}.size(); ++i) {name()} += {name()} << {rng.randrange(8)};\n",
        lambda: f"    if ({name()} < {name()} && {name()} <= {rng.randrange(1000)}) return {name()};\n",
        lambda: f'    std::cout << "{name()}: " << {name()} << std::endl;\n',
        lambda: f'<div class="{name()}"><span>{name()}</span></div>\n',
        lambda: f"template <typename T> {rng.choice(_TYPES)} {name()}(const Node<T>& {name()});\n\n",
        lambda: f"# {name()} of the {name()}, see <https://example.org/{name()}>\n",
    )
    parts: list[str] = []
    size = 0
    while size < length:
        line = rng.choice(lines)()
        parts.append(line)
        size += len(line)
    return "".join(parts)[:length]


def cjk(length: int, seed: int = 1) -> str:
    """Chinese, Japanese and Korean characters with emoji between them."""
    rng = random.Random(f"cjk {seed}")
    parts: list[str] = []
    size = 0
    while size < length:
        phrase = "".join(rng.choice(_CJK) for _ in range(rng.randrange(4, 20)))
        phrase += rng.choice(("，", "。", "。", "！", rng.choice(_EMOJI), "。\n"))
        parts.append(phrase)
        size += len(phrase)
    return "".join(parts)[:length]


TEXTS: dict[str, Callable[[int, int], str]] = {"prose": prose, "code": code, "CJK and emoji": cjk}

_TOKEN = re.compile(r" ?[A-Za-z]{1,7}| ?[0-9]{1,3}| ?[^\w\s]{1,2}|[^\W\d_]{1,2}|\s+|.", re.DOTALL)


def tokens(text: str, special: Sequence[str] = ()) -> list[str]:
    """`text` in pieces of the size of a tokenizer's tokens; each of `special` is one piece, as in a vocabulary."""
    if not special:
        return _TOKEN.findall(text)
    found: list[str] = []
    whole = frozenset(special)
    for piece in re.split("(" + "|".join(map(re.escape, sorted(special, key=len, reverse=True))) + ")", text):
        if piece in whole:
            found.append(piece)
        else:
            found.extend(_TOKEN.findall(piece))
    return found


def pieces(text: str, length: int) -> list[str]:
    """`text` in pieces of `length` characters."""
    return [text[at : at + length] for at in range(0, len(text), length)]
