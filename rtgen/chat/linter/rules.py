"""The rules of the lint, as data: what breaks on which engine, and what to write instead.

What breaks was measured on transformers 5.24.0, minijinja 3.1.0 (without and with the methods of Python strings, its
`pycompat`), Text Generation Inference (that minijinja without `trim_blocks` and `lstrip_blocks`), @huggingface/jinja
0.5.11, llama.cpp's own engine, and minja, which llama.cpp had before. tests/chat/lint_truth.json holds the measurements
that can be repeated on any machine with minijinja and node; those of llama.cpp and minja are repeated nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

Effect = Literal["error", "differs", "may differ"]
"""What becomes of a template on an engine: it is refused, its text is another, or that depends on the values."""

ENGINES = {
    "t": "transformers",
    "m": "minijinja",
    "p": "minijinja-pycompat",
    "g": "tgi",
    "h": "huggingface.js",
    "l": "llama.cpp",
    "j": "minja",
}
"""The engines, by the letters that stand for them below."""

MARKS: dict[str, Effect] = {"!": "error", "~": "differs", "?": "may differ"}
"""The effects, by the marks that stand for them below."""


def effects(marks: str) -> dict[str, Effect]:
    """The effects by engine that marks such as `"m! h~"` mean. TGI breaks where the minijinja in it does."""
    result = {ENGINES[mark[0]]: MARKS[mark[1]] for mark in marks.split()}
    if "minijinja-pycompat" in result:
        result.setdefault("tgi", result["minijinja-pycompat"])
    return result


_Value = TypeVar("_Value")


def each(names: str, value: _Value) -> dict[str, _Value]:
    """The same value for each of the names."""
    return dict.fromkeys(names.split(), value)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. `marks` is what it breaks, unless a table below knows that better for the name at hand.

    `text` says what is wrong ({} is what was found), `instead` what to write; it is empty where there is nothing.
    """

    id: str
    marks: str
    text: str
    instead: str


RULES = {
    rule.id: rule
    for rule in (
        Rule("J00", "t! m! p! h! l! j!", "this is no template: {}", ""),
        Rule("J01", "", "{} is spelled as in Python", "true, false, none"),
        Rule("J02", "t! m! p! h!", "{} changes a list or dict, which the sandbox forbids", "x = x + [y]; a namespace"),
        Rule("J03", "m! p! h! l! j!", "only Python has the method {}", "split, or a slice"),
        Rule("J04", "m! h! l! j!", "few engines have the method {}", "a filter (|join), `in`, or ~"),
        Rule(
            "J05", "m!", "minijinja without pycompat has no method {}", "a filter: |trim |lower |upper |title; slices"
        ),
        Rule("J06", "h~", "{} ignores its argument", "split at a whole token"),
        Rule("J07", "m! j!", "{} has another number of arguments than one", "one separator"),
        Rule("J08", "l!", "{} has a count", ""),
        Rule("J09", "m! l! j!", "{} has a tuple", "two tests with `or`"),
        Rule("J10", "m?", "{} fails where the dict has a key of that name", "d|items, `for k in d`, d['k'], `k in d`"),
        Rule("J11", "h! l!", "few engines have {}", "arithmetic with loop.index0"),
        Rule("J12", "h! l! j!", "few engines have {}()", "a literal; loop.first"),
        Rule("J13", "l! j!", "{} has a positional argument", "keyword arguments"),
        Rule(
            "J14",
            "m? p? h? l? j?",
            "{} is the method in transformers even where the dict has this key",
            "['...'] with the key",
        ),
        Rule("J15", "t! m! p! h! l! j!", "no engine has {}", ""),
        Rule("J16", "", "few engines have the filter {}", ""),
        Rule(
            "J17",
            "m~ p~ j~",
            "the first argument of {} is ensure_ascii in transformers, indent elsewhere",
            "indent=...",
        ),
        Rule(
            "J18", "m! p! j!", "few engines know the argument {} of tojson", "leave it out: ensure_ascii=false is usual"
        ),
        Rule("J18b", "m~ p~ h? l?", "minijinja writes <>&' as \\u003c..., others write 1.0 as 1", ""),
        Rule("J19", "m! p!", "{} has the keyword boolean", "default('x', true)"),
        Rule("J19b", "l? j?", "{} replaces none too, on some engines", "`is none`"),
        Rule("J20", "h! l!", "{} applies a filter", "map(attribute=...), or a loop"),
        Rule("J21", "l! j!", "{} has another test than ('key', 'equalto', value)", "('key', 'equalto', value)"),
        Rule("J22", "h! j!", "{} has an argument", "split at a whole token"),
        Rule("J23", "h!", "{} fails for what is neither a string nor a number", "tojson, or a test before it"),
        Rule("J24", "h! l! j!", "few engines have the test {}", "an operator"),
        Rule("J25", "h! l! j!", "few engines read a test with an argument, {}", "an operator"),
        Rule("J26", "m? p? h? l? j?", "engines disagree on {} of dicts and strings", "`is string`, `is mapping` first"),
        Rule("J27", "m! p! h! l! j!", "{} formats a string", "~"),
        Rule("J28", "h? l? j?", "{} of a negative number is negative on some engines", "add a multiple first"),
        Rule("J29", "l! j?", "few engines have the operator {}", "/ with |int"),
        Rule("J30", "h! l! j!", "few engines know {}", "leave the + out"),
        Rule("J31", "h! l!", "few engines know the escape {}", "the character itself"),
        Rule("J32", "h! l! j!", "{} compares more than two values", "`and`"),
        Rule("J33", "", "{}: old engines know no step", "|reverse"),
        Rule("J34", "h~ l~", "{} is printed in Python's form", "|tojson, or |join"),
        Rule("J35", "h~", "{} is printed in Python's form", "'true' if x else 'false'"),
        Rule("J36", "m! p!", "{} is a tag of transformers", "take it out for other hosts"),
        Rule("J37", "h! l! j!", "few engines have the statement {}", "set, or a macro"),
        Rule("J38", "h! l! j!", "few engines have recursive loops", "a macro that calls itself"),
        Rule("J39", "m! p! l~ j!", "few engines have {} in macros", "parameters by name"),
        Rule("J40", "h! l! j!", "few engines have a filter on a set block", "the filter where the value is used"),
        Rule("J41", "j!", "minja sets one name at a time", "two set statements"),
        Rule("J42", "g~", "without trim_blocks and lstrip_blocks, blanks around {} are printed", "{%- and -%}"),
        Rule("J43", "", "hosts that keep it print the newline at the template's end", "no newline at the end"),
        Rule("J44", "t! h~ l~ j~", "{} adds text to what is none", "~ with |string"),
        Rule("J45", "j~", "{}: transformers always defines it", "`if tools`"),
        Rule("J46", "m~ p~ h! l! t!", "{} is looped over", "`or []`"),
        Rule("J47", "m~ p~ h~ l~ j~", "transformers escapes what is joined to {} for HTML", "leave |safe out"),
        Rule("J48", "h? l? j?", "engines count other units than characters in {}", ""),
        Rule("J49", "h~", "{} compares lists, or text with a number", "compare their items, or numbers"),
        Rule("J50", "j!", "minja does not join strings side by side", "~"),
        Rule("J51", "h! l!", "{} orders strings", "compare numbers"),
        Rule("J52", "h!", "{} repeats a string", "a loop"),
        Rule("J53", "h!", "the key {} of a dict is no string", "strings for keys"),
        Rule("J54", "h!", "{}: huggingface.js takes no tuples apart", "a list: [a, b]"),
        Rule("J55", "h! l!", "{} loops over a string", ""),
        Rule("J56", "h~", "{} joins what is no string", "'true' if x else 'false'; |string"),
        Rule("J57", "h!", "{}: huggingface.js reads digits and a point alone", "plain digits"),
        Rule("J58", "m! p!", "minijinja has no unary +", "leave it out"),
    )
}
"""By id. J01 to J49 are those of the portability study; the others were found on the way."""

SUBJECTS = {
    "J00": "it does not compile",
    "J01": "True, False or None",
    "J02": "a method such as .append()",
    "J03": "(.partition(), .zfill() and others)",
    "J04": "(.find(), .count() and others)",
    "J05": "(.strip(), .split() and others)",
    "J06": ".strip(...)",
    "J07": ".split(...)",
    "J08": ".replace() or |replace",
    "J09": ".startswith(...) or .endswith(...)",
    "J10": ".items(), .keys(), .values() or .get()",
    "J11": "loop.cycle, loop.changed and loop.depth",
    "J12": "dict(), cycler(), joiner() and lipsum",
    "J13": "namespace()",
    "J14": ".items, .keys, .values or another name of a method",
    "J15": "filters and tests that Jinja does not have",
    "J16": "(groupby, batch, sum and others)",
    "J17": "|tojson(...)",
    "J18": "(ensure_ascii, separators, sort_keys)",
    "J19": "|default(...)",
    "J19b": "|default",
    "J20": "|map(...)",
    "J21": "|selectattr(...) or |rejectattr(...)",
    "J22": "|trim(...)",
    "J23": "|string or |list",
    "J24": "(`is float`, `is callable` and others)",
    "J25": "such as `is divisibleby`",
    "J26": "`is sequence` and `is iterable`",
    "J27": "%",
    "J28": "%",
    "J29": "// or **",
    "J30": "{%+",
    "J31": "(some of those in strings)",
    "J32": "a chained comparison",
    "J33": "a slice with a step",
    "J34": "a list, dict or tuple",
    "J35": "true, false or none",
    "J36": "generation",
    "J37": "(`with`, `call`, `block` and others)",
    "J39": "varargs, kwargs and caller",
    "J42": "a tag",
    "J44": "+",
    "J45": "`tools is defined`",
    "J46": "none",
    "J47": "|safe",
    "J48": "|length of a string",
    "J49": "a comparison",
    "J51": "a comparison",
    "J52": "*",
    "J53": "(a number, none)",
    "J54": "a tuple in a list",
    "J55": "a for statement",
    "J56": "~",
    "J57": "a number such as 1_000 or 1e3",
}
"""By rule: what usually stands for {} in its text, where the rule is described and nothing was found yet."""


def described(rule: Rule) -> str:
    """The text of a rule by itself."""
    return rule.text.replace("{}()", "{}").replace("{}", SUBJECTS.get(rule.id, ""))


CHANGING_METHODS = frozenset(
    each(
        "append extend insert remove pop popitem clear update setdefault reverse sort add discard ",
        None,
    )
)
"""Methods that change their object, which the sandbox forbids (J02)."""

MANY_LACK = "m! p! h! l! j!"
SOME_LACK = "m! h! l! j!"

METHODS = {
    **each("lower upper strip lstrip rstrip split replace startswith endswith title", ("J05", "m!")),
    "capitalize": ("J05", "m! h~ j~"),
    "rsplit": ("J04", "m! p! h! j!"),
    **each("splitlines find rfind count join format isdigit isalnum", ("J04", SOME_LACK)),
    **each("isalpha isascii islower isupper isnumeric isspace", ("J04", SOME_LACK)),
    **each("partition rpartition removeprefix removesuffix zfill index rindex", ("J03", MANY_LACK)),
    **each("casefold swapcase center ljust rjust expandtabs translate encode", ("J03", MANY_LACK)),
    **each("isdecimal isidentifier isprintable istitle format_map", ("J03", MANY_LACK)),
    **each("items keys values get", ("J10", "m! h?")),
    "copy": ("J04", "m! h! l! j!"),
}
"""By method: its rule, and what it breaks."""

SHADOWED_KEYS = frozenset(each("items keys values get count index copy pop", None))
"""Methods of dicts and lists that are likely keys too (J14)."""

PORTABLE_FILTERS = frozenset(each("lower upper trim join length items dictsort indent safe map tojson", None))
"""Filters that all engines have; some of their arguments have rules of their own."""

FILTERS = {
    **each("first last reverse sort replace", "j!"),
    **each("int float", "j!"),
    "capitalize": "h~ j!",
    "title": "h? j!",
    "abs": "l! j!",
    "list": "",
    "string": "",
    "default": "",
    "selectattr": "",
    "rejectattr": "",
    "unique": "j!",
    "reject": "h!",
    **each("d count sum min max batch groupby select round pprint format slice", "h! l! j!"),
    **each("filesizeformat striptags", "h! l! j!"),
    **each("urlencode escape e", "h! l!"),
    "attr": "m~ p~ h! l! j!",
    **each("wordcount truncate wordwrap xmlattr urlize center forceescape random", MANY_LACK),
}
"""By filter that not all have: what it breaks (J16); empty: its rules are elsewhere."""

TESTS = {
    **each("defined undefined none string mapping number integer boolean true false odd even", ""),
    **each("lower upper", "l! j!"),
    "float": "h!",
    **each("sequence iterable", ""),
    "callable": "m! p! j~",
    **each("sameas divisibleby filter test escaped in", "h! l! j!"),
    **each("eq equalto ne lt lessthan le gt greaterthan ge", "h! l! j!"),
    **each("== != < <= > >=", "h! l! j!"),
}
"""By test: what it breaks (J24, J25); empty: nothing."""

ATTRIBUTE_TESTS = {
    "equalto": "",
    "eq": "l! j!",
    "==": "h! l!",
    "in": "h!",
    "defined": "l! j!",
}
"""By test that selectattr and rejectattr make: what it breaks (J21); others break huggingface.js."""

GLOBALS = {"dict": "h! l! j!", "cycler": "h! l!", "joiner": "h! l!", "lipsum": MANY_LACK}
"""By function: what a call breaks (J12)."""

LOOP_MEMBERS = {"cycle": "h! l!", "changed": "h! l! j!", "depth": "h~ l~ j~", "depth0": "h~ l~ j~"}
"""By attribute of `loop`: what it breaks (J11)."""

TOJSON_ARGUMENTS = {"ensure_ascii": "m! p! j!", "separators": "m! p! j!", "sort_keys": "m! p! l! j!"}
"""By keyword of tojson: what it breaks (J18)."""
