"""The matcher: fixed cases beside `regex`, answers on the way, linear time, and a short random run."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
import regex

from rtgen.pattern.parse import parse
from rtgen.pattern.program import compile_program
from rtgen.runtime.errors import ParseError
from rtgen.runtime.pattern import CERTAIN, NOTHING, PENDING, SETTLED, FinalSearch, Search
from tests.fuzz_pattern import REGULAR, check, run

CASES = [
    (r"<tool_call>\s*<function=(?P<name>[^>\n]+)>", "x<tool_call> \n<function=get><tool_call>"),
    (r"\s*(?:<\|im_end\|>|<\|endoftext\|>)", "a  \n <|im_end|> <|endoftex"),
    (r"</f>(?:\s*</t>)?", "</f>  </t> </f> x</f>"),
    (r"(?:<a>|<b>)\s*|$", "x<a> <b>\n"),
    (r"(?:^|<think>\s*)", "<think> a"),
    (r"<i\b[^>]*?\bname=\"(?P<name>[^\"]+)\">", '<i x name="q" name="r"><i>'),
    (r"(?:<m>)?[^<]*<t>", "ab<b>c<m>d<t>"),
    (r"(?=[\s\S]*?</think>)", "ab</think>c"),
    (r"<p=(?P<k>[^>]+)>\s*(?P<v>.*?)\s*</p>", "<p=a> 1 2 </p><p=b></p>"),
    (r"(?P<v>.*?)\n(?:</a>|(?=<a ))", "b\nc\n<a d\n</a>"),
    (r"(?P<k>\w+)=(?P<v>'[^']*'|[^,)]*)", "a='b,c',d=e"),
    (r"(?P<q>['\"]).*?(?P=q)", 'a\'b"c\'"d"'),
    (r"(?:(?!</a>).)*+</a>", "ab<</a></a>"),
    (r"(?:|a)*b", "aab"),
    (r"(?:^|a|(?P<x>aa)){1,2}b", "aab"),
    (r"(a?)*?b", "aab"),
    (r"(?>a|ab)c|abd", "abcabd"),
    (r"(?<!a)b(?<=b)", "abbb"),
    (r"(?m)^a$", "b\na\na"),
    (r"a\r?$", "a\r\na\n"),
    (r"\bа\w+\b", "ба аб."),
    (r"(?:(a)|b(?(1)c|d))+", "abcbd"),
]


@pytest.mark.parametrize(("pattern", "text"), CASES, ids=[pattern for pattern, _ in CASES])
def test_as_regex(pattern: str, text: str) -> None:
    node = parse(pattern)
    for seed in range(12):
        assert check(pattern, text, random.Random(seed), node, compile_program(node)) is None


ANSWERS = [
    # pattern, text as it comes, [(answer, start), ...]
    (r"<a>\s*", ["x<", "a>", " ", "b"], [(PENDING, 1), (CERTAIN, 1), (CERTAIN, 1), (SETTLED, 1)]),
    (r"<a>\s*+", ["<a>", " "], [(CERTAIN, 0), (CERTAIN, 0)]),
    (r"</f>(?:\s*</t>)?", ["</f", ">", " <", "x"], [(PENDING, 0), (CERTAIN, 0), (CERTAIN, 0), (SETTLED, 0)]),
    (r"a|ab", ["xa"], [(SETTLED, 1)]),
    (r"ab|a", ["xa", "c"], [(CERTAIN, 1), (SETTLED, 1)]),
    (r"a$", ["a", "\n", "b"], [(PENDING, 0), (PENDING, 0), (NOTHING, None)]),
    (r"a\b", ["a", "b", "a", " "], [(PENDING, 0), (NOTHING, None), (PENDING, 2), (SETTLED, 2)]),
    (r"\s*<b>", ["a ", "<", "c"], [(PENDING, 1), (PENDING, 1), (NOTHING, None)]),
    (r"(?=.*b)a", ["a", "a", "b"], [(PENDING, 0), (PENDING, 0), (SETTLED, 0)]),
    (r"a(?!b)", ["a", "c"], [(PENDING, 0), (SETTLED, 0)]),
    (r"(?>ab|a)c?", ["a", "x"], [(PENDING, 0), (SETTLED, 0)]),
    (r"<a>|<ab>", ["<", "a", "b"], [(PENDING, 0), (PENDING, 0), (PENDING, 0)]),
]


@pytest.mark.parametrize(("pattern", "parts", "answers"), ANSWERS)
def test_answers_on_the_way(pattern: str, parts: list[str], answers: list[tuple[int, int | None]]) -> None:
    search = Search(compile_program(parse(pattern)))
    text = ""
    for part, (answer, start) in zip(parts, answers, strict=True):
        text += part
        assert search.find(text, 0, False) == answer, text
        assert start is None or search.start == start, text


def test_match_is_anchored_and_shares_the_work() -> None:
    search = Search(compile_program(parse(r"<a>\s*(?P<n>b)")))
    assert search.match("x<a> ", 0, False) == NOTHING
    assert search.match("x<a> ", 1, False) == PENDING
    assert search.match("x<a>  b", 1, False) == SETTLED
    assert (search.start, search.end, search.groups()) == (1, 7, {"n": "b"})
    assert search.match("x<a>  b", 1, False) == SETTLED
    assert search.find("x<a>  b<a>b", 7, False) == SETTLED
    assert search.start == 7
    search.reset()
    assert search.find("<a>b", 0, True) == SETTLED


def test_a_start_at_the_end_never_fires() -> None:
    search = Search(compile_program(parse("a*")))
    assert search.find("", 0, False) == NOTHING
    assert search.find("", 0, True) == NOTHING
    assert [(m.start(), m.end()) for m in search.finditer("ba")] == [(0, 0), (1, 2), (2, 2)]


def test_opaque_patterns_are_decided_at_the_end() -> None:
    search = FinalSearch(r"a\K(?P<n>b)")
    assert search.find("ab", 0, False) == PENDING
    assert search.find("ab", 0, True) == SETTLED
    assert (search.start, search.end, search.groups()) == (1, 2, {"n": "b"})
    assert search.find("ac", 0, True) == NOTHING


def test_budget() -> None:
    search = Search(compile_program(parse(r"(a*)*(a*)*(a*)*\1b|c")), budget=20_000, field="call")
    with pytest.raises(ParseError, match=r"field 'call' at position 0: the pattern took more than 20000 steps"):
        search.find("a" * 60, 0, True)


def test_the_budget_grows_with_the_text() -> None:
    search = Search(compile_program(parse(r"(\w)\1\1")), budget=1_000)
    text = "ab cd" * 20_000
    assert search.find(text, 0, True) == NOTHING
    assert search.find(text + "aaa", 0, True) == SETTLED


def test_string_searches_count_as_steps() -> None:
    search = Search(compile_program(parse(r"(a+)\1b")), budget=100_000)
    with pytest.raises(ParseError, match="more than 100000 steps"):
        search.find("a" * 300_000, 0, True)


def test_programs_are_deterministic_and_plain() -> None:
    program = compile_program(parse(r"<a>\s*(?P<n>b|c){2,3}"))
    assert program == compile_program(parse(r"<a>\s*(?P<n>b|c){2,3}"))
    pending = [program]
    while pending:
        for part in pending.pop():
            assert part is None or isinstance(part, (str, int, bool, tuple))
            if isinstance(part, tuple):
                pending.append(part)


GROWTH: list[tuple[str, Callable[[int], str]]] = [
    (r"(a|aa)+$", lambda size: "a" * (size - 1) + "b"),
    (r"(?:(?:a|b|ab)+c|.*d)", lambda size: "ab" * (size // 2)),
    (r"<a[^>]*x", lambda size: "<a" * (size // 2)),
    (r"<a[^>]*[xy]", lambda size: "<a" * (size // 2)),
    (r"\s*X", lambda size: " " * size),
    (r"(?:\s*)*(?:X|Y)", lambda size: " " * size),
    (r".*?<\|message\|>", lambda size: "q" * size),
    (r"<a>\s*(?P<v>.*?)\s*</a>", lambda size: "<a> " * (size // 4)),
    (r"(?:[^<]|<b)*z", lambda size: "a<b" * (size // 3)),
    (r"(?:x.*y)?a", lambda size: "xa" * (size // 2)),
    (r"\s*\s*X", lambda size: " " * size),
    (r"\s*Y?\s*X", lambda size: " " * (size - 1) + "Z"),
    (r"[a-z]*[a-z]*[a-z]*1", lambda size: "a" * size),
    (r"[a-z]*\w*1", lambda size: "a" * size),
    (r"(?:a?){20}b", lambda size: "a" * size),
    (r"(?>a+)+b", lambda size: "a" * size),
    (r"(?=(a+))a*b\1", lambda size: "a" * size),
]


def _seconds(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


@pytest.mark.parametrize("way", ["whole", "chunks", "finditer"])
@pytest.mark.parametrize(("pattern", "text_of"), GROWTH, ids=[pattern for pattern, _ in GROWTH])
def test_linear(pattern: str, text_of: Callable[[int], str], way: str) -> None:
    program = compile_program(parse(pattern))

    def work(text: str) -> None:
        search = Search(program)
        if way == "finditer":
            for _ in search.finditer(text):
                pass
            return
        if way == "chunks":
            for size in range(4, len(text), 4):
                search.find(text[:size], 0, False)
        search.find(text, 0, True)

    def cost(size: int) -> float:
        text = text_of(size)
        best = min(_seconds(lambda: work(text)) for _ in range(2))
        if way == "chunks":  # the slices are the test's own
            best -= min(_seconds(lambda: [text[:end] for end in range(4, len(text), 4)]) for _ in range(2))
        return max(best, 0.004) / size

    assert cost(16_000) <= 1.8 * cost(4_000) + 1e-6


def test_memory() -> None:
    import tracemalloc

    search = Search(compile_program(parse(r"(?:(?:a|b|ab)+c|.*d)")))
    text = "ab" * 1_000
    tracemalloc.start()
    search.find(text, 0, False)
    search.find(text, 0, True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400 * len(text)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kinds", [REGULAR, None], ids=["regular", "everything"])
def test_random_patterns(seed: int, kinds: tuple[str, ...] | None) -> None:
    tried, faults = run(250, seed, kinds) if kinds else run(250, seed)
    assert faults == []
    assert tried > 200


def test_classes_are_those_of_the_installed_regex() -> None:
    for char in "\x1c\x85\u200b\u2028Ωß１":
        for source in (r"\s", r"\w", r"\d", "(?i:ω)"):
            search = Search(compile_program(parse(source)))
            assert (search.find(char, 0, True) == SETTLED) == bool(regex.search(source, char))


def test_find_after_match_looks_at_all_starts() -> None:
    search = Search(compile_program(parse("a+b")))
    assert search.match("xabaa", 3, False) == PENDING
    assert search.find("xabaa", 0, False) == SETTLED
    assert (search.start, search.end) == (1, 3)
