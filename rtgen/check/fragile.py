"""Warnings about delimiters: what later text can change, what holds a stream back, what engines read otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from rtgen.check.findings import Finding, quote
from rtgen.check.streaming import Witness, witness
from rtgen.check.subject import Subject
from rtgen.delimiters.classify import Kind
from rtgen.pattern import facts
from rtgen.pattern.nodes import Assertion, CharClass, Look, Node, Opaque, Repeat
from rtgen.template import Delimiter, Field

ENDS = {"text_end": r"\Z", "final_end": "$", "line_end": "(?m)$"}
BORDERS = {"boundary": r"\b", "not_boundary": r"\B", "word_start": r"\m", "word_end": r"\M"}

CROSSED = '<>|[]{}/" \na1'
"""A class that holds all of these runs over any delimiter."""


def fragile(subject: Subject) -> Iterator[Finding]:
    """What is fragile in the openers and closers."""
    for field in subject.template.fields:
        for role, delimiter in (("open", field.open), ("close", field.close)):
            if delimiter is not None:
                kind = subject.kinds[field.name, role]
                yield from _delimiter(subject.delimiter_path(field, role), field, role, delimiter, kind)


def _delimiter(where: str, field: Field, role: str, delimiter: Delimiter, kind: Kind) -> Iterator[Finding]:
    if kind.opaque:
        yield Finding(
            "warning",
            where,
            "opaque",
            f"only the end of the text decides about it ({', '.join(facts.opaque_reasons(kind.whole))}), so nothing is "
            f"streamed before; write it without that",
        )
        return
    shown = witness(delimiter, kind)
    reasons = [*_ends(where, kind, shown), *_borders(where, kind, shown), *_looks(where, kind)]
    yield from reasons
    if shown is not None and not reasons:
        yield _lengthened(where, kind, shown)
    yield from _runs_over(where, kind)
    yield from _matches_nothing(where, field, role, kind)


def _ends(where: str, kind: Kind, shown: Witness | None) -> Iterator[Finding]:
    found = _assertions(kind.whole, ENDS)
    if found:
        yield Finding(
            "warning",
            where,
            "end-of-text",
            f"{found[0]} means the end of the text, which no stream knows before it is there"
            f"{_told(shown)}; the end closes every region by itself, so leave {found[0]} out",
        )


def _borders(where: str, kind: Kind, shown: Witness | None) -> Iterator[Finding]:
    found = _assertions(kind.whole, BORDERS)
    if found:
        yield Finding(
            "warning",
            where,
            "word-boundary",
            f"whether {found[0]} holds at the end of a chunk depends on the next character{_told(shown)}; write the "
            rf"characters that follow, such as \s or [^>]*, instead",
        )


def _assertions(node: Node, wanted: dict[str, str]) -> list[str]:
    return [wanted[part.kind] for part in facts.walk(node) if isinstance(part, Assertion) and part.kind in wanted]


def _looks(where: str, kind: Kind) -> Iterator[Finding]:
    looks = [part for part in facts.walk(kind.whole) if isinstance(part, Look)]
    wide = [look for look in looks if look.ahead and facts.width(look.item)[1] is None]
    if wide:
        yield Finding(
            "warning",
            where,
            "holds-the-stream",
            f"the lookahead {wide[0].source} may look at all that follows, so nothing is streamed from there on before "
            f"it is decided, at worst at the end of the text; open the field by a token that the model writes, or let "
            f"the prompt write it (the prefix is parsed too)",
        )
    elif looks:
        yield Finding(
            "warning",
            where,
            "lookaround",
            f"{looks[0].source} looks beyond the delimiter, which takes a slower search (kind 4), and other engines "
            f"for response templates may refuse it; write the characters that belong to the delimiter alone",
        )
    elif kind.number == 4:
        what = (
            "a back-reference or condition"
            if facts.has_backreference(kind.whole)
            else (
                f"counting {facts.counted(kind.whole)} turns of a loop"
                if facts.needs_budget(kind.whole)
                else "an atomic group or possessive repeat"
            )
        )
        yield Finding(
            "warning",
            where,
            "slow-search",
            f"{what} takes a slower search with a limit of steps (kind 4); write the alternatives out instead",
        )


def _told(shown: Witness | None) -> str:
    """What the example output shows, as a part of a sentence."""
    if shown is None:
        return ""
    if shown.wrong is None:
        return (
            f": transformers, fed with {quote(shown.arrived)} first, passes the beginning of the delimiter on as text, "
            f"though the whole output {quote(shown.output)} holds {quote(shown.right or '')}"
        )
    whole = "no delimiter there" if shown.right is None else quote(shown.right)
    return (
        f": transformers, fed with {quote(shown.arrived)} first, takes {quote(shown.wrong)} for the delimiter, though "
        f"the whole output {quote(shown.output)} holds {whole}"
    )


def _lengthened(where: str, kind: Kind, shown: Witness) -> Finding:
    better = (
        "list no literal that another one begins with"
        if kind.literals and not (kind.blanks_before or kind.blanks_after)
        else "make the optional part a delimiter of its own, or end it before"
    )
    return Finding(
        "warning",
        where,
        "lengthened",
        f"later text can change what it matches, so engines that act early split it differently{_told(shown)}; "
        f"{better}",
    )


def _runs_over(where: str, kind: Kind) -> Iterator[Finding]:
    for part in _outside_looks(kind.whole):
        if not isinstance(part, Repeat) or part.most is not None or not isinstance(part.item, CharClass):
            continue
        if all(facts.matches(part.item.source, char) for char in CROSSED):
            yield Finding(
                "warning",
                where,
                "runs-over",
                "an unlimited repeat of any character runs over other delimiters, and if its end never comes, all text "
                'from its beginning is held back; repeat only what may stand there, such as [^<]* or [^"]*',
            )
            return


def _outside_looks(node: Node) -> Iterator[Node]:
    yield node
    if not isinstance(node, (Look, Opaque)):
        for child in facts.children(node):
            yield from _outside_looks(child)


def _matches_nothing(where: str, field: Field, role: str, kind: Kind) -> Iterator[Finding]:
    if not kind.may_be_empty or kind.final_newline:
        return
    if any(isinstance(part, (Look, Assertion)) for part in facts.walk(kind.whole)):
        if role == "open" and any(part == Assertion("text_start") for part in facts.walk(kind.whole)):
            yield Finding(
                "note",
                where,
                "opens-at-start",
                f"it matches the start of the text without a character, so {field.name!r} takes every output that does "
                f"not begin with another opener",
            )
        return
    yield Finding(
        "warning",
        where,
        "matches-nothing",
        f"it matches without a character, so it is found at every place: the region {role}s at once; make a part of it "
        f"obligatory (+ for *)",
    )
