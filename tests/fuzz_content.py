"""Random content parsers and regions, read by the emitted code and by transformers; a difference is a fault.

`python -m tests.fuzz_content --runs 20000 --seed 1` runs for long; the tests run a few hundred.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

from tests.content_code import compile_parser, outcome, parse_content
from tests.oracle import same

Damage = (None, True, False, 0, 1, 2.5, "", "x", "ab", [], ["a"], [["a", "b"]], {}, {"a": 1}, {"name": "int"}, [None])

DELIMS = (
    '<|"|>',
    "<escape>",
    "'",
    '"',
    "<s>",
    "</s>",
    "{",
    ",",
    "1",
    "0",
    "\\",
    " ",
    "\n",
    "a",
    ":",
    "",
    "ab",
    "\x01",
    "\x02",
)

PATTERNS = (
    r"<p=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</p>",
    r"<p=(?P<key>\w+)>\s*(?P<value>.*?)\s*</p>",
    r'<a name="(?P<key>[^"]+)">(?P<value>.*?)</a>',
    r"<k>(?P<key>.*?)</k>\s*<v>(?P<value>.*?)</v>",
    r"<k>(?P<key>[^<]+)</k>\s*\n<v>(?P<value>.*?)</v>",
    r"<k>(?P<key>[^<]*?)</k>\n?(?P<value>.*?)\n?</v>",
    r"<k>(?P<key>[^<]*)</k>\n?(?P<value>.*?)\s*</v>",
    r"<k>(?P<key>[^<]+)</k>\s*(?P<value>.*?)\n?</v>",
    r"<k>(?P<key>.*?)</k>\s*(?P<value>.*?)</v>",
    r"<k>(?P<key>.*?)</k>(?P<value>.*?)\s*</v>",
    r"<k>(?P<key>\S+)</k>\s*(?P<value>.*?)\s*</v>",
    r"<p=(?P<key>[^>]+)>\s*(?P<value>.*?)\n</p>",
    r"<p=(?P<key>[^>]+)>\n?(?P<value>.*?)\n</p>",
    r"<p=(?P<key>[^>]+)>\s*(?P<value>.*?)\s+</p>",
    r'<a name="(?P<key>[^"]+)">(?P<value>.*?)\n(?:</a>|(?=<a name="))',
    r'<a name="(?P<key>[^"]+)">\s*(?P<value>.*?)(?:</a>|\Z)',
    r'<a\b[^>]*?\bname="(?P<key>[^"]+)"[^>]*?>(?P<value>.*?)</a>',
    r"(?i)<p=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</p>",
    r"<p=(?P<key>[^>]+)(?:>(?P<value>\w*))?",
    r"<p=(?P<key>[^>]+)?>(?P<value>\w*)",
    r"<p=(?P<key>[^>]+)>",
    r"<p=(?P<value>[^>]+)>",
    r"(?P<key>\w+)=(?P<value>[^,)]*)",
    r"(?P<key>a)|(?P<value>b)",
    r"(?P<key>\w*)",
    r"(?P<key>\w)(?<=a)(?P<value>.)",
    r"<<(?P<key>[^=]+)=(?P<value>.*?)>>",
    r"aa(?P<key>[^b]+)b(?P<value>.*?)b",
    r"<p=(?P<key>[^>]+)>(?P<value>.*?)</p>\K",
    r"(?P<key>(?:a|aa)+)$(?P<value>)",
    "(",
    "[",
    "a{9999999999999}",
    "(?au)x",
)

PIECES = {
    "text": ("a", " ", "\n", "\x1c", "\u00a0", "B"),
    "int": ("1", "0", "-", "+", "_", " ", "\n", "\x1c", "\u0663", "x", "\u00a0", ".", "e"),
    "float": ("1", "0", "-", ".", "e", "inf", "nan", "_", " ", "\x1d", "\u0663", "x"),
    "bool": ("true", "TRUE", "1", "0", "false", " ", "\n", "\u0130", "T"),
    "json": (
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        '"a"',
        '"b c"',
        "a",
        "b1",
        "1",
        "-2.5",
        "true",
        "null",
        "NaN",
        " ",
        "\n",
        "\\",
        '\\"',
        "\\\n",
        "\x01",
        "\x02",
        "\x010\x02",
        '<|"|>',
        '<|"|>',
        "<escape>",
        "'",
        "<s>",
        "</s>",
        "\u00e9",
        "\x0b",
        "\x1c",
        '{"a": 1}',
        "{a: ",
        ", b:",
        "[1, ",
        '"x": "y"',
        "key",
        ":1",
    ),
    "xml-inline": (
        "<p=",
        "<p=a>",
        "<p=b>",
        "<P=a>",
        ">",
        "</p>",
        "</P>",
        '<a name="',
        '<a name="k">',
        '<a x name="j" y>',
        "</a>",
        '"',
        "<k>",
        "</k>",
        "<v>",
        "</v>",
        "<k>a</k>",
        "\n",
        " ",
        "\t",
        "\x1c",
        "\x85",
        "a",
        "b",
        "aa",
        "=",
        ",",
        ")",
        "1",
        "true",
        '{"x": 1}',
        "<<",
        ">>",
        "<",
        "\u00e9",
        "k: v",
    ),
    "kv-lines": ("a", "b", ":", ": ", "=", "\n", "\n", ";", " ", "\t", "1", "true", "\x1c", "ab", "\r"),
    "python-call-list": (
        "[",
        "]",
        "f(",
        "g.h(",
        ")",
        "a=",
        "b=",
        ",",
        ", ",
        "1",
        "-2.5",
        "1e5",
        "01",
        "True",
        "null",
        "None",
        "'x'",
        '"y"',
        "'a\\n'",
        "'\\u00e9'",
        "'\\ud83d\\ude00'",
        "'\\ud83d'",
        "'\\q'",
        "{",
        "}",
        "'k':",
        '"k": ',
        "x",
        " ",
        "\n",
        "=",
        ":",
        "9007199254740991",
        "9007199254740992",
        "-9007199254740992",
        "1e999",
        "\ud800",
        "'\ud800'",
        "\u00e9",
        "'\u00e9'",
        "-",
        ".",
    ),
}


def random_args(rng: random.Random, name: str, depth: int = 0) -> Any:
    """Content arguments, often sensible, sometimes damaged."""
    if rng.random() < 0.03:
        return rng.choice(Damage)
    args: dict[str, Any] = {}

    def maybe(key: str, chance: float, value: Any) -> None:
        if rng.random() < chance:
            args[key] = rng.choice(Damage) if rng.random() < 0.12 else value

    maybe("strip", 0.3, rng.choice([True, False]))
    if name == "json":
        maybe("unquoted_keys", 0.6, True)
        maybe("allow_non_json", 0.3, True)
        usual = [(d, d) for d in DELIMS[:4]] + [("<s>", "</s>")]
        count = rng.choice([1, 1, 1, 2, 3])
        pairs = [
            rng.choice(usual) if rng.random() < 0.7 else (rng.choice(DELIMS), rng.choice(DELIMS)) for _ in range(count)
        ]
        delims: list[Any] = [list(pair) for pair in pairs]
        if rng.random() < 0.08:
            delims.append(rng.choice(Damage))
        if rng.random() < 0.04:
            delims.append([["(a)", "b"], rng.choice(["b", ["c"], {"d": 1}, None])])
        maybe("string_delims", 0.6, delims)
    if name == "xml-inline":
        maybe("tag_pattern", 0.97, rng.choice(PATTERNS))
        maybe("merge_duplicates", 0.4, True)
    if name == "kv-lines":
        maybe("line_sep", 0.4, rng.choice(["\n", ";", ", ", "", "\r\n"]))
        maybe("kv_sep", 0.5, rng.choice([":", "=", ": ", " ", "", "::"]))
    if name in ("xml-inline", "kv-lines"):
        inner = rng.choice([*PIECES, "unknown"])
        parser: dict[str, Any] = {"name": inner}
        if rng.random() < 0.1:
            parser["name"] = rng.choice(Damage)
        if inner in PIECES and (depth < 2 or inner not in ("xml-inline", "kv-lines")):
            parser["args"] = random_args(rng, inner, depth + 1)
        maybe("value_parser", 0.6, parser)
    return args


def random_text(rng: random.Random, name: str, args: Any) -> str:
    """A region, from the pieces that matter to this parser and to the one of its values."""
    pieces = list(PIECES[name])
    inner = args.get("value_parser") if isinstance(args, dict) else None
    if isinstance(inner, dict) and isinstance(inner.get("name"), str) and inner["name"] in PIECES:
        pieces += rng.choices(PIECES[inner["name"]], k=8)
    if name == "json" and rng.random() < 0.5:
        return _lax_json(rng, args, 0)
    if name == "python-call-list" and rng.random() < 0.5:
        return _calls(rng)
    if name == "xml-inline" and rng.random() < 0.7 and isinstance(args, dict):
        return _tags(rng, str(args.get("tag_pattern")), pieces)
    return "".join(rng.choices(pieces, k=rng.choice([0, 1, 2, 4, 8, 16, 30])))


def _tags(rng: random.Random, pattern: str, pieces: list[str]) -> str:
    """Tags such as this pattern finds, some of them damaged."""
    forms = ("<p=K>SVS</p>", '<a name="K">SVS</a>', "<k>K</k>S<v>V</v>", "<k>K</k>SVS</v>", "<<K=V>>", "aaKbVb")
    forms = tuple(form for form in forms if form[:2] in pattern) or forms
    text = []
    for _ in range(rng.randrange(1, 6)):
        form = rng.choice(forms)
        for slot, choices in (
            ("K", ("a", "b", "ab", "\u00e9", " ", "", *pieces[:2])),
            ("V", ("".join(rng.choices(pieces, k=rng.choice([0, 1, 1, 2, 5]))), "1", "x", '{"a": 1}')),
        ):
            form = form.replace(slot, rng.choice(choices))
        while "S" in form:
            form = form.replace("S", rng.choice(["", "", " ", "\n", "\n\n", " \x1c", "\t\n "]), 1)
        if rng.random() < 0.15:
            cut = rng.randrange(len(form) + 1)
            form = form[:cut] + rng.choice(["", rng.choice(pieces)]) + form[cut + rng.randrange(2) :]
        text += [form, rng.choice(["", "", "\n", rng.choice(pieces)])]
    return "".join(text)


def _lax_json(rng: random.Random, args: Any, depth: int) -> str:
    """Nearly right text of a JSON dialect."""

    def quoted() -> str:
        body = "".join(
            rng.choices(["a", "b", " ", "{k: 1}", ",x:", "\\n", "\\\\", "'", "1", '\\"', "\u00e9"], k=rng.randrange(4))
        )
        delims = args.get("string_delims") if isinstance(args, dict) else None
        if isinstance(delims, list) and delims and isinstance(delims[0], list) and rng.random() < 0.6:
            pair = rng.choice(delims)
            if isinstance(pair, list) and len(pair) == 2 and all(isinstance(side, str) for side in pair):
                return f"{pair[0]}{body}{pair[1]}"
        return f'"{body}"'

    def space() -> str:
        return rng.choice(["", "", " ", "\n"])

    kind = rng.random()
    if depth > 3 or kind < 0.35:
        return rng.choice(["1", "-2.5e3", "true", "null", quoted(), quoted(), quoted()])
    inner = [_lax_json(rng, args, depth + 1) for _ in range(rng.randrange(4))]
    if rng.random() < 0.03:
        inner.append("")
    if kind < 0.55:
        return "[" + ",".join(space() + item + space() for item in inner) + "]"
    keys = [rng.choice([quoted(), "key", "k1", "\u00e9", "1"]) for _ in inner]
    return (
        "{" + ",".join(f"{space()}{key}{space()}:{space()}{item}" for key, item in zip(keys, inner, strict=True)) + "}"
    )


def _calls(rng: random.Random) -> str:
    """Nearly right call lists."""

    def value(depth: int) -> str:
        kind = rng.random()
        if depth > 3 or kind < 0.7:
            return rng.choice(PIECES["python-call-list"][9:24] if rng.random() < 0.95 else PIECES["python-call-list"])
        if kind < 0.85:
            return "[" + rng.choice([",", ", "]).join(value(depth + 1) for _ in range(rng.randrange(3))) + "]"
        return (
            "{"
            + ",".join(f"{rng.choice(['k', chr(97 + n)])!r}: {value(depth + 1)}" for n in range(rng.randrange(3)))
            + "}"
        )

    calls = []
    for _ in range(rng.randrange(3)):
        arguments = [
            f"{rng.choice(['a', 'b', 'c_1', 'd'])}{rng.choice(['=', ' = '])}{value(0)}" for _ in range(rng.randrange(3))
        ]
        calls.append(f"{rng.choice(['f', 'g.h', 'x-y'])}({', '.join(arguments)})")
    return rng.choice(["", " "]) + "[" + ",".join(calls) + "]" + rng.choice(["", "\n"])


def compare(name: str, args: Any, texts: list[str]) -> str | None:
    """The first difference on these regions, described; None if there is none."""
    parse = compile_parser(name, args)
    for text in texts:
        right = outcome(lambda text=text: parse_content(text, name, args))  # type: ignore[misc]
        got = outcome(lambda text=text: parse(text))  # type: ignore[misc]
        if right[0] != got[0] or not (got[1] is right[1] if got[0] == "error" else same(got[1], right[1])):
            return f"{name} {args!r}\non {text!r}\ngave {got}\nnot  {right}"
    return None


def run(runs: int, seed: int, texts: int = 12, only: str | None = None) -> int:
    """Compare that many random parsers on `texts` regions each; the number of comparisons. Raises AssertionError."""
    rng = random.Random(seed)
    for _ in range(runs):
        name = only or rng.choice(list(PIECES))
        args = random_args(rng, name)
        difference = compare(name, args, [random_text(rng, name, args) for _ in range(texts)])
        assert difference is None, difference
    return runs * texts


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=2000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", choices=list(PIECES))
    chosen = options.parse_args()
    print(run(chosen.runs, chosen.seed, only=chosen.only), "comparisons, no difference")
