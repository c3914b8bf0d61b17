"""Regex source to tree, and the facts about trees."""

from __future__ import annotations

import pytest

from rtgen.pattern import facts
from rtgen.pattern.nodes import (
    ANY,
    EMPTY,
    Alternation,
    Assertion,
    Atomic,
    BackReference,
    CharClass,
    Conditional,
    Group,
    Literal,
    Look,
    Node,
    Repeat,
    Sequence,
)
from rtgen.pattern.parse import parse
from rtgen.pattern.program import compile_program

A, B = Literal("a"), Literal("b")
I_A = CharClass("(?i:a)")


def sequence(*items: Node) -> Sequence:
    return Sequence(items)


TREES: list[tuple[str, Node]] = [
    ("", EMPTY),
    ("ab", Literal("ab")),
    ("a|b|", Alternation((A, B, EMPTY))),
    (".", ANY),
    ("(?-s:.)", CharClass("(?-s:.)")),
    ("(?-s).(?s).", sequence(CharClass("(?-s:.)"), ANY)),
    (r"\x61\u0062\U00000061\141\N{LATIN SMALL LETTER B}\<\-\_", Literal("abaab<-_")),
    (r"\n\t\a\0\07", Literal("\n\t\a\0\7")),
    (r"\s\S\p{Lu}\pL\P{L}", sequence(*map(CharClass, (r"\s", r"\S", r"\p{Lu}", r"\pL", r"\P{L}")))),
    (r"\p\N", Literal("pN")),
    ("[a-c]", CharClass("[a-c]")),
    (r"[]a\]-]x", sequence(CharClass(r"[]a\]-]"), Literal("x"))),
    ("[^]a]", CharClass("[^]a]")),
    (r"[a-\d[:alpha:]-]]", sequence(CharClass(r"[a-\d[:alpha:]-]"), Literal("]"))),
    ("[[:]", CharClass("[[:]")),
    (r"[\s\S]", ANY),
    ("[<]", Literal("<")),
    (r"[\n]", Literal("\n")),
    (r"[\b]", Literal("\b")),
    ("(?i)a<[b]", sequence(I_A, Literal("<"), CharClass("(?i:[b])"))),
    ("a(?i)b", sequence(A, CharClass("(?i:b)"))),
    ("(a(?i))a", sequence(Group(A, 1, None), A)),
    ("(?:b(?i)|a)a", sequence(Alternation((B, I_A)), A)),
    ("(?i:a(?-i:a))", sequence(I_A, A)),
    (r"(?a)\w", CharClass(r"(?a:\w)")),
    ("(?x) a b # c\n [ ]", Literal("ab ")),
    ("(?x: a\\ b ) c", Literal("a b c")),
    ("a(?#b\\)c)b", Literal("ab")),
    ("a(?#c)*", Repeat(A, 0, None, "greedy")),
    (
        "a*b+?c?+",
        sequence(Repeat(A, 0, None, "greedy"), Repeat(B, 1, None, "lazy"), Repeat(Literal("c"), 0, 1, "possessive")),
    ),
    (
        "a{2}b{2,}?a{,3}b{2,3}+",
        sequence(
            Repeat(A, 2, 2, "greedy"),
            Repeat(B, 2, None, "lazy"),
            Repeat(A, 0, 3, "greedy"),
            Repeat(B, 2, 3, "possessive"),
        ),
    ),
    ("a{1}b", Literal("ab")),
    ("a{,}", Repeat(A, 0, None, "greedy")),
    ("a{", Literal("a{")),
    ("a{}{ 1}{1,x}", Literal("a{}{ 1}{1,x}")),
    ('{"a":', Literal('{"a":')),
    ("(?x)a{ 2 , 3 }", Repeat(A, 2, 3, "greedy")),
    ("(?:)*a", A),
    ("(?:ab)*", Repeat(Literal("ab"), 0, None, "greedy")),
    ("ab*", sequence(A, Repeat(B, 0, None, "greedy"))),
    ("(?P<n>a)(b)(?<m>a)", sequence(Group(A, 1, "n"), Group(B, 2, None), Group(A, 3, "m"))),
    ("(?P<n>a)|(?P<n>b)", Alternation((Group(A, 1, "n"), Group(B, 1, "n")))),
    ("(?|(a)|(?P<n>b))(a)", sequence(Alternation((Group(A, 1, None), Group(B, 1, "n"))), Group(A, 2, None))),
    ("(?|(?P<n>a)|(?P<m>b))", Alternation((Group(A, 1, "n"), Group(B, 2, "m")))),
    ("(?>a)", Atomic(A)),
    ("(?=a)(?!b)", sequence(Look(A, True, False, "(?=a)"), Look(B, True, True, "(?!b)"))),
    ("(?<=a)(?<!b)", sequence(Look(A, False, False, "(?<=a)"), Look(B, False, True, "(?<!b)"))),
    ("(?i:(?<=a))", Look(I_A, False, False, "(?i:(?<=a))")),
    (
        r"(?P<n>a)(b)\1\g<2>(?P=n)\g",
        sequence(
            Group(A, 1, "n"), Group(B, 2, None), BackReference(1), BackReference(2), BackReference(1), Literal("g")
        ),
    ),
    ("(a)(?(1)a|b)", sequence(Group(A, 1, None), Conditional(1, A, B))),
    ("(a)(?(1)a)", sequence(Group(A, 1, None), Conditional(1, A, EMPTY))),
    ("^$", sequence(Assertion("text_start"), Assertion("final_end"))),
    (r"\A\Z\z", sequence(Assertion("text_start"), Assertion("text_end"), Assertion("text_end"))),
    (r"\b\B", sequence(Assertion("boundary"), Assertion("not_boundary"))),
    (r"\m\M", sequence(Assertion("word_start"), Assertion("word_end"))),
    ("(?m)^$", sequence(Assertion("line_start"), Assertion("line_end"))),
]


@pytest.mark.parametrize(("pattern", "tree"), TREES, ids=[pattern for pattern, _ in TREES])
def test_tree(pattern: str, tree: Node) -> None:
    assert parse(pattern) == tree


OPAQUE = [
    (r"a\Kb", "keep \\K"),
    (r"\Ga", "search anchor \\G"),
    (r"\X", "grapheme \\X"),
    (r"\R", "line break \\R"),
    ("(?r)a", "reverse search (?r)"),
    ("(?:ab){e<=1}", "fuzzy matching {...}"),
    ("a{e}", "fuzzy matching {...}"),
    ("a{1<=e<=2}", "fuzzy matching {...}"),
    ("a{2i+1d<3}", "fuzzy matching {...}"),
    ("(?p)a|ab", "POSIX matching (?p)"),
    ("(?w)a", "word flag (?w)"),
    ("(?if)a", "full case-folding (?f)"),
    ("(?V1)a", "version-1 behaviour (?V1)"),
    ("(?R)?a", "recursion"),
    ("(a)(?1)", "recursion"),
    ("(?P<n>a)(?&n)", "recursion"),
    ("a(*SKIP)b", "a backtracking verb"),
    ("(?i)(a)\\1", "a case-insensitive back-reference"),
    ("(?<=(?P<n>a))b", "a lookbehind that captures"),
    ("(?<=a$)b", "a lookbehind that looks ahead"),
    ("(?<=a\\b)b", "a lookbehind that looks ahead"),
    ("(?(?=a)a|b)", "a lookaround as a condition"),
    ("(?P<n>a(?P<n>b))", "a group within a group of the same name"),
    ("[^a]|[^b]", "alternatives between negated classes, which regex misreads"),
]


@pytest.mark.parametrize(("pattern", "what"), OPAQUE)
def test_outside_the_promise(pattern: str, what: str) -> None:
    tree = parse(pattern)
    assert facts.opaque_reasons(tree) == (what,)
    with pytest.raises(ValueError, match="no program"):
        compile_program(tree)


@pytest.mark.parametrize(
    ("pattern", "least", "most"),
    [
        ("", 0, 0),
        ("ab|c", 1, 2),
        ("a{2,3}b*", 2, None),
        (r"(?=a)\b(a)?", 0, 1),
        (r"(a)\1", 1, None),
        ("(?:a*){0}", 0, 0),
    ],
)
def test_width(pattern: str, least: int, most: int | None) -> None:
    assert facts.width(parse(pattern)) == (least, most)


@pytest.mark.parametrize(
    ("pattern", "strings"),
    [
        ("a(?:b|cd)?", ("ab", "acd", "a")),
        ("a(?:b|cd)??e", ("ae", "abe", "acde")),
        ("a{1,3}", ("aaa", "aa", "a")),
        ("(?P<n>a|ab)|a", ("a", "ab")),
        ("a+", None),
        (r"\s", None),
        ("a$", None),
        ("(?i)a", None),
        ("(?:a|b){9}", None),
    ],
)
def test_spell(pattern: str, strings: tuple[str, ...] | None) -> None:
    assert facts.spell(parse(pattern)) == strings


@pytest.mark.parametrize(
    ("pattern", "context"),
    [
        ("a", 0),
        ("^a", 0),
        (r"\ba", 1),
        (r"a\b", 0),
        ("(?<=ab)c", 2),
        ("a(?<=xxab)c", 3),
        ("(?<=a*)b", None),
        (r"(?<=\ba)b", 2),
    ],
)
def test_left_context(pattern: str, context: int | None) -> None:
    assert facts.left_context(parse(pattern)) == context


@pytest.mark.parametrize(
    ("pattern", "participates"),
    [
        ("(?P<n>a)", True),
        ("(?P<n>a)?", False),
        ("(?P<n>a)|(?P<n>b)", True),
        ("(?P<n>a)|b", False),
        ("(?:(?P<n>a)b)+", True),
    ],
)
def test_always_participates(pattern: str, participates: bool) -> None:
    assert facts.always_participates(parse(pattern), "n") is participates


@pytest.mark.parametrize(
    ("pattern", "linear"),
    [
        (r"<tool_call>\s*<function=(?P<name>[^>\n]+)>", True),
        (r"</f>(?:\s*</t>)?", True),
        (r"(?:<a>|<b>)\s*", True),
        (r"<a[^>]*x", False),
        (r"<a>.*?</a>", False),
        (r"\s*X", False),
        (r"a[^b]*b", False),
        (r"<a>\s*\w+>", False),
    ],
)
def test_linear_in_regex(pattern: str, linear: bool) -> None:
    assert facts.linear_in_regex(parse(pattern)) is linear


def test_first() -> None:
    assert facts.first(parse(r"(?:a|\s|)b")) == facts.First(("a", "b"), (r"\s",), False)
    assert facts.first(parse("a?")).nullable
