"""Hostile strings, and templates that hold one in each place where a template holds a string.

`SLOTS` maps the name of a place to a function from a string to a `Case`: the template, and texts in which the string
matters. `STRINGS` are the strings. Code that ran would append to `builtins.canary`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import regex

RUN = "__import__('builtins').canary.append(1)"
RUN_DOUBLE = RUN.replace("'", '"')

STRINGS: dict[str, str] = {
    "code": RUN,
    "double quotes": f'"+{RUN}+"',
    "single quotes": f"'+{RUN_DOUBLE}+'",
    "triple double quotes": f'"""\n{RUN}\n"""',
    "triple single quotes": f"'''\n{RUN_DOUBLE}\n'''",
    "quotes of both kinds": '"\'"\'\'\'"""',
    "quotes after a backslash": f'\\"+{RUN}+\\"',
    "single quotes after a backslash": f"\\'+{RUN_DOUBLE}+\\'",
    "a backslash at the end": 'a"\\',
    "two backslashes": "a'\"\\\\",
    "a newline": f"a\n{RUN}\n#\"'",
    "a carriage return": f"a\r{RUN}\r#\"'",
    "other line ends": f"a\u2028{RUN}\u2029{RUN}\u0085{RUN}\x0b\x0c\x1c#\"'",
    "an indented block": f"\n    {RUN}\nif 1:\n\t{RUN}\n\"'",
    "braces": f"{{{RUN}}}\"'",
    "one brace": "{\"'",
    "a placeholder": "{content}",
    "an unknown placeholder": "{x}",
    "a placeholder with attributes": "{content.__class__.__init__}",
    "a name of a character": "\\N{DIGIT ONE}\"'",
    "escapes": "\\x41\\u0041\\101\\U00000041\\'\\\"",
    "null characters": "a\0b\"'",
    "a high surrogate": "\ud83d\"'",
    "a low surrogate": "\ude00\"'",
    "surrogates in the wrong order": "\ude00\ud83d",
    "an emoji": "\U0001f600\"'",
    "a keyword": "class",
    "a soft keyword": "match",
    "a dunder": "__class__",
    "another dunder": "__builtins__",
    "a name of the module": "parse_response",
    "a method": "_parse",
    "self": "self",
    "text": "text",
    "message": "message",
    "a composed letter": "\u00e9",
    "a decomposed letter": "e\u0301",
    "a coding comment": "# -*- coding: utf-7 -*-\n\"'",
    "percent": "%s%(a)s%n\"'",
    "a format": "{0.__class__}{}\"'",
    "a comment": f"a # \"' {RUN}",
    "a semicolon": f'"; {RUN}; "',
    "a bracket": f"\"), {RUN}, ('",
    "an end of a dict": f"\"]}}}}\n{RUN}\n#'",
    "a byte order mark": "\ufeff\"'",
    "the right-to-left mark": "\u202e\"'",
    "white space": " \t\u00a0\u3000",
    "digits": "1",
    "underscores": "_",
    "a long one": "\"'\\" * 400,
}
"""Each hostile string by its name; most hold both quotes, so that no naive way of quoting them is right."""

PLAIN = {"start_anchor": "A:"}


@dataclass(frozen=True)
class Case:
    """A template, and the outputs it is tried on: (prefix, text)."""

    template: dict[str, Any]
    runs: list[tuple[str, str]]


def _fields(fields: dict[str, Any], *texts: str, **more: Any) -> Case:
    return Case({**PLAIN, **more, "fields": fields}, [("A:", text) for text in texts])


def _twin(s: str) -> str:
    """Another name that becomes the same identifier."""
    return s + "-"


def _name(s: str) -> Case:
    return _fields({s: {}, _twin(s): {"open": "<", "close": ">"}}, "a<b>c", "<b>")


def _implicit_name(s: str) -> Case:
    """Beside a delimiter that looks around itself."""
    return _fields({s: {}, "a": {"open_pattern": "(?<=x)<a+(?=b)", "close": ">"}}, "ax<aab>c<a", "<aab>")


def _data_name(s: str) -> Case:
    field = {"open": "<", "close": ">", "content": "json", "repeats": True}
    return _fields({s: field, "c": {}}, "a<1>b<[2]>", "<{>", "<1")


def _joined_name(s: str) -> Case:
    return _fields({s: {"open": "<", "close": ">", "repeats": True, "join": "-"}, "c": {}}, "<a>b<c>", "<1")


def _pattern_name(s: str) -> Case:
    field = {
        "open_pattern": "<(?P<n>[a-z])(?P=n)*>(?=x|y)",
        "close_pattern": "(.)\\1>|;(?!!)",
        "transform": {"n": "{n}"},
    }
    broken = {"open_pattern": r"(?P<q>[(])(?:(?P<m>!)|\?)", "close": ")", "transform": ["{m}", "{q.a}"]}
    return _fields(
        {s: {"open_pattern": "\\[a*b?", "close_pattern": "\\]+"}, "n" + s: field, "b" + s: broken, "c": {}},
        "a[aab x]] <aa>x;!;y<b>y=>>",
        "(!)",
        "(?)",
        "[ab",
    )


def _required_name(s: str) -> Case:
    return _fields({s: {"open": "<", "close": ">", "optional": False}, "c": {}}, "a<b>", "a")


def _each_name(s: str) -> Case:
    field = {"open": "<", "close": ">", "content": "json", "transform": {"a": "{a}"}, "transform_each": True}
    return _fields({s: field}, '<[{"a": 1}]>', "<[1]>", "<3>")


def _repeating_default_name(s: str) -> Case:
    return _fields({s: {"open": "<", "close": ">", "repeats": True}}, "<a>", "b", defaults={s: "x"})


def _empty_name(s: str) -> Case:
    return _fields({s: {"open_pattern": "(?=a)", "close_pattern": "(?=b|a)"}, "c": {}}, "xxb", "xa")


def _anchor(s: str) -> Case:
    return Case({"start_anchor": s, "fields": {"c": {}}}, [(f"x{s}y{s}", "z"), ("x", "y"), (s + s, s)])


def _anchors(s: str) -> Case:
    return Case({"start_anchor": [s, "B:", s + s + "!"], "fields": {"c": {}}}, [(f"B:x{s}y", "z"), (s + s + "!q", s)])


def _anchor_pattern(s: str) -> Case:
    return Case({"start_anchor_pattern": s, "fields": {"c": {}}}, [(f"x{s}y{s}z", "t"), ("x", "y")])


def _quoted_anchor_pattern(s: str) -> Case:
    pattern = f"(?:{regex.escape(s)}|b+)c?"
    return Case({"start_anchor_pattern": pattern, "fields": {"c": {}}}, [(f"x{s}cy{s}z", "t"), ("x", "y")])


def _final_anchor_pattern(s: str) -> Case:
    pattern = f"(?V1)(?:{regex.escape(s)}|b+)"
    return Case({"start_anchor_pattern": pattern, "fields": {"c": {}}}, [(f"x{s}y{s}z", "t"), ("x", "y")])


def _blank_anchor(s: str) -> Case:
    pattern = regex.escape(s) + r"\s*"
    return Case({"start_anchor_pattern": pattern, "fields": {"c": {}}}, [(f"x{s} \ny", "t"), ("x", "y")])


def _looking_anchor(s: str) -> Case:
    pattern = f"(?:{regex.escape(s)})(?!!)(?=.)"
    return Case({"start_anchor_pattern": pattern, "fields": {"c": {}}}, [(f"x{s}!{s}y", "t"), ("x", "y")])


def _open(s: str) -> Case:
    return _fields({"a": {"open": s, "close": "</a>"}, "c": {}}, f"x{s}y</a>z{s}", s, s[:-1], f"x{s[:1]}y")


def _opens(s: str) -> Case:
    fields = {"a": {"open": [s, "<a>", s + "!"], "close": "</a>"}, "b": {"open": ["<b>", s + "?"]}, "c": {}}
    return _fields(fields, f"x{s}y</a>z{s}!", f"{s}?", f"<a>{s}</a>{s}y</a><b>")


def _close(s: str) -> Case:
    return _fields({"a": {"open": "<a>", "close": s}, "c": {}}, f"x<a>y{s}z<a>{s[:-1]}", f"<a>{s}")


def _closes(s: str) -> Case:
    fields = {"a": {"open": "<a>", "close": [s, "</a>", s + "!"]}, "c": {"close": ["<end>", s + "?"]}}
    return _fields(fields, f"x<a>y{s}z<a>1</a>", f"<a>{s}!", f"a{s}?b")


def _implicit_close(s: str) -> Case:
    return _fields({"c": {"close": s}, "a": {"open": "<a>", "close": "</a>"}}, f"x{s}y<a>b</a>c{s}", f"<a>{s}")


def _three_openers(s: str) -> Case:
    """Several openers that begin alike."""
    fields = {"a": {"open": s + "a"}, "b": {"open": s + "b"}, "d": {"open_pattern": regex.escape(s) + r"\s*d\s*"}}
    return _fields({**fields, "c": {"close": s + "!"}}, f"x{s}{s}b y", f"{s} d z", f"1{s}!2", f"{s}{s}")


def _edge(s: str) -> Case:
    """Delimiters with white space around them."""
    closer = r"\s*" + regex.escape(s)
    opener = r"\s*" + regex.escape(s + "<") + r"\s*"
    return _fields(
        {"a": {"open_pattern": opener, "close_pattern": closer}, "c": {}}, f"x {s}< y {s} z", f" {s}< ", f"{s}<"
    )


def _two_edges(s: str) -> Case:
    """Openers that begin differently, one of them behind white space."""
    opener = r"\s*" + regex.escape(s + "a")
    fields = {"a": {"open_pattern": opener, "close": "</a>"}, "b": {"open": "~b", "close": "</b>"}, "c": {}}
    return _fields(fields, f"x {s}ay</a> ~bz</b>", f"x {s}", f"x~{s}", f"x {s}~", "x ~")


def _blank_openers(s: str) -> Case:
    """White space before many cores, and none before another."""
    cores = "|".join(regex.escape(s + mark) for mark in "<[(=!?")
    fields = {"a": {"open_pattern": rf"\s*(?:{cores})", "close": "</a>"}, "b": {"open": s + ">"}, "c": {}}
    return _fields(fields, f"x {s}< y</a> {s}>z", f"  {s}>", f"x {s}")


def _optional_tail(s: str) -> Case:
    closer = f"{regex.escape(s)}(?:\\s*</t>)?"
    return _fields({"a": {"open": "<", "close_pattern": closer}, "c": {}}, f"x< y{s} </t> z", f"<{s}", f"<{s}{s}")


def _final(s: str) -> Case:
    closer = f"(?:{regex.escape(s)}|\\n)$"
    return _fields({"a": {"open": "<", "close_pattern": closer}, "c": {}}, f"x< y{s} z", f"<{s}", f"<{s}{s}\n")


def _open_pattern(s: str) -> Case:
    return _fields({"a": {"open_pattern": s, "close": "</a>"}, "c": {}}, f"x{s}y</a>z", "ab")


def _close_pattern(s: str) -> Case:
    return _fields({"a": {"open": "<a>", "close_pattern": s}, "c": {}}, f"x<a>y{s}z", "<a>b")


def _quoted_patterns(s: str) -> Case:
    e = regex.escape(s)
    fields = {
        "a": {"open_pattern": f"(?:{e}|b+)c?", "close_pattern": f"(?:{e}|</a>)+"},
        "b": {"open_pattern": f"<(?={e})", "close_pattern": rf"(?<!x){e}"},
        "d": {"open_pattern": rf"\[(.)\1{e}", "close_pattern": rf"(?V1){e}"},
        "c": {},
    }
    return _fields(fields, f"x{s}cy</a>z<{s}x{s}", f"[bb{s}{s}", f"bbb{s}{s}", f"<{s}{s}")


def _captured(s: str) -> Case:
    """The string is captured, and what captures it is a pattern with it."""
    field = {
        "open_pattern": f"<(?P<n>{regex.escape(s)}|\\w+)>",
        "close": "</>",
        "transform": {"n": "{n}", "t": "{content}"},
    }
    return _fields({"a": field, "c": {}}, f"<{s}>x</>", "<ab>")


def _group_name(s: str) -> Case:
    field = {
        "open_pattern": f"<(?P<{s}>\\w+)(?:!|(?P<x{s}>z))?>",
        "close": "</>",
        "transform": {"n": f"{{{s}}}", "t": f"{{{s}.a}}", "u": f"{{x{s}}}"},
    }
    plain = {
        "open_pattern": f"=(?P<{s}>\\w+)=",
        "close_pattern": f"/(?P<y{s}>q)?",
        "transform": [f"{{{s}}}", f"{{y{s}}}"],
    }
    return _fields({"a": field, "b": plain, "c": {}}, "<ab>x</>", "=k=v/q", "=k=v/", "<az>")


def _transform_key(s: str) -> Case:
    field = {"open": "<", "close": ">", "transform": {s: "{content}", "b": {s: [{s: 1}]}}}
    return _fields({"a": field, "c": {}}, "<x>y")


def _transform_value(s: str) -> Case:
    field = {"open": "<", "close": ">", "transform": {"k": s, "l": [s, {"m": s}]}}
    return _fields({"a": field, "b": {"open": "[", "close": "]", "transform": s}, "c": {}}, "<x>y[z]")


def _placeholder(s: str) -> Case:
    field = {
        "open": "<",
        "close": ">",
        "content": "json",
        "transform": {"k": f"{{content.{s}}}", "l": f"{{content.{s}.{s}}}"},
    }
    return _fields({"a": field, "c": {}}, f"<{json.dumps({s: {s: 1}})}>", "<{}>", f"<{json.dumps({s: 1})}>")


def _unknown_placeholder(s: str) -> Case:
    return _fields({"a": {"open": "<", "close": ">", "transform": {"k": f"{{{s}}}"}}}, "<x>")


def _each_key(s: str) -> Case:
    field = {
        "open": "<",
        "close": ">",
        "content": "json",
        "transform": {s: "{a}", "l": [s, {s: s}]},
        "transform_each": True,
    }
    return _fields({"a": field, "c": {}}, '<[{"a": 1}, {"a": 2}]>', "<[{}]>")


def _each_placeholder(s: str) -> Case:
    field = {
        "open": "<",
        "close": ">",
        "content": "json",
        "transform": {"x": f"{{{s}}}", "y": f"{{{s}.{s}}}"},
        "transform_each": True,
    }
    return _fields({"a": field, "c": {}}, f"<[{json.dumps({s: {s: 1}})}]>", "<[{}]>", f"<[{json.dumps({s: 1})}]>")


def _defaults(s: str) -> Case:
    return _fields({"c": {}}, "x", "", defaults={s: s, "d": [s, {s: {"e": s}}], "role": s})


def _join(s: str) -> Case:
    return _fields({"a": {"open": "<", "close": ">", "repeats": True, "join": s}, "c": {}}, "<x>y<z>", "<x>")


def _string_delims(s: str) -> Case:
    def field(delims: Any, **more: Any) -> dict[str, Any]:
        return {"open": "<", "close": ">", "content": "json", "content_args": {"string_delims": delims, **more}}

    fields = {
        "a": field([s]),
        "b": {**field([s, "`"], unquoted_keys=True), "open": "["},
        "d": {**field([[s, s], ["q", s]]), "open": "("},
    }
    return _fields(fields, f"<[{s}x{s}]>", f"[{{a: {s}x{s}, b: `y`}}>", f"([qx{s}]>", "<1>", f"<{s}>")


def _kv_lines(s: str) -> Case:
    fields: dict[str, Any] = {}
    for name, opener, args in (
        ("a", "<", {"line_sep": s}),
        ("b", "[", {"kv_sep": s}),
        ("d", "(", {"line_sep": s, "kv_sep": s, "strip": False, "value_parser": "json"}),
    ):
        fields[name] = {"open": opener, "close": "\x01>", "content": "kv-lines", "content_args": args}
    return _fields(fields, f"<a: b{s}c: d\x01>", f"[a{s}b\nc {s} d\x01>", f"(a{s}1{s}\x01>")


def _tag_pattern(s: str) -> Case:
    return _xml(s, s)


def _quoted_tag_pattern(s: str) -> Case:
    return _xml(f"<(?P<key>\\w+)={regex.escape(s)}>(?P<value>.*?){regex.escape(s)}", s)


def _lazy_tag_pattern(s: str) -> Case:
    e = regex.escape(s)
    return _xml(f"<(?P<key>.*?){e}\\s*{e}(?P<value>.*?)(?:{e}|</>)", s)


def _gap_tag_pattern(s: str) -> Case:
    e = regex.escape(s)
    return _xml(f"{e}(?P<key>\\w+){e}(?:{e})?(?P<value>.*?)(?:{e})?/", s)


def _odd_tag_pattern(s: str) -> Case:
    e = regex.escape(s)
    return _xml(f"(?:(?P<key>[a-z]+)|(?P<value>{e}))\\s?(?:{e})*", s)


def _back_tag_pattern(s: str) -> Case:
    return _xml(f"<(?P<key>\\w+){regex.escape(s)}>(?P<value>.*?)</(?P=key)>", s)


def _xml(pattern: str, s: str) -> Case:
    args = {"tag_pattern": pattern}
    field = {"open": "\x01(", "close": "\x01)", "content": "xml-inline", "content_args": args}
    merged = {**field, "open": "\x01[", "content_args": {**args, "merge_duplicates": True, "value_parser": "json"}}
    bodies = [
        f"<a={s}>1{s}<b={s}>2{s}",
        f"<a{s}{s}1{s}",
        f"<a{s} {s}1</>",
        f"{s}a{s}{s} 1{s}/",
        f"ab{s}{s}",
        f"<a{s}>1</a>",
    ]
    texts = [f"\x01{opener}{body}\x01)" for body in bodies for opener in "(["]
    return _fields({"a": field, "b": merged, "c": {}}, *texts)


def _other_args(s: str) -> Case:
    fields = {}
    for opener, content in zip("<[(=", ("text", "json", "python-call-list", "xml-inline"), strict=True):
        args = {s: s, "strip": s, "value_parser": s, "allow_non_json": s, "merge_duplicates": s}
        fields[content] = {"open": opener, "close": ">", "content": content, "content_args": args}
    return _fields(fields, "< x >", "[1>", "[x>", "([f(a=1)]>", "=x>")


def _value_parser(s: str) -> Case:
    xml = {"tag_pattern": "<(?P<key>\\w+)>(?P<value>\\w+)", "value_parser": s}
    kv = {"value_parser": {"name": s}}
    return _fields(
        {
            "a": {"open": "[", "close": "]", "content": "xml-inline", "content_args": xml},
            "b": {"open": "(", "close": ")", "content": "kv-lines", "content_args": kv},
        },
        "[<a>1]",
        "(a: 1)",
    )


def _args(s: str) -> Case:
    fields = {}
    for opener, content in zip("<[(=", ("text", "json", "kv-lines", "xml-inline"), strict=True):
        fields[content] = {"open": opener, "close": ">", "content": content, "content_args": s}
    return _fields(fields, "< x >", "[1>", "(a: 1>", "=x>")


def _content(s: str) -> Case:
    return _fields({"a": {"content": s}}, "x")


def _field_key(s: str) -> Case:
    return _fields({"a": {s: s}}, "x")


def _template_key(s: str) -> Case:
    return _fields({"a": {}}, "x", **{s: s})


SLOTS: dict[str, Callable[[str], Case]] = {
    name.removeprefix("_").replace("_", " "): make
    for name, make in list(globals().items())
    if name.startswith("_") and getattr(make, "__annotations__", {}) == {"s": "str", "return": "Case"}
}
"""Each place of a string in a template, by its name."""
