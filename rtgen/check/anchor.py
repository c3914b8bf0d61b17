"""Whether the anchor can be found in a prompt, and whether it is found at the right place."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from rtgen.check.findings import Finding, quote
from rtgen.check.samples import samples
from rtgen.check.subject import Subject
from rtgen.pattern import facts
from rtgen.pattern.nodes import Look

PROMPTS = (("<user>Hi\n", ""), ("Hi", "\n"), ("", ""), ("", " "))
"""What stands before an anchor in a prompt, and behind it; the first two are no starts."""

PLAIN_WORDS = regex.compile(r"[\w\s:,.]*")


def anchor(subject: Subject) -> Iterator[Finding]:
    """What is wrong with the anchor."""
    kind, delimiter = subject.program.anchor, subject.template.anchor
    where = "$.start_anchor" if delimiter.pattern is None else "$.start_anchor_pattern"
    found = samples(kind)
    if kind.opaque:
        reasons = ", ".join(facts.opaque_reasons(kind.whole))
        yield Finding("warning", where, "opaque", f"only `regex` can read it ({reasons}); write it without that")
        return
    if facts.width(kind.whole)[1] == 0 or (found and all(text == "" for text in found)):
        yield Finding(
            "error",
            where,
            "anchor-empty",
            "it matches no character, so it marks no place in a prompt; write the tokens that open the assistant's "
            "turn",
        )
    elif not _appears(delimiter.source, found, PROMPTS) and kind.number < 4:
        yield Finding(
            "error",
            where,
            "anchor-not-found",
            "no prompt was found that it matches in, so the whole prompt would be parsed as the beginning of the "
            "output; write the tokens that open the assistant's turn",
        )
    elif kind.may_be_empty:
        yield Finding(
            "error",
            where,
            "anchor-empty",
            "it also matches without a character, so its last match is the end of every prompt, and what the prompt "
            "wrote of the message is passed over; make a part of it obligatory",
        )
    elif any(isinstance(part, Look) and part.ahead and not part.negative for part in facts.walk(kind.whole)):
        yield Finding(
            "warning",
            where,
            "anchor-looks-ahead",
            "its lookahead needs text that the prompt may not hold behind it; the output is not searched for anchors, "
            "so the anchor would not be found then",
        )
    elif kind.number < 4 and not _appears(delimiter.source, found, PROMPTS[:2]):
        yield Finding(
            "error",
            where,
            "anchor-at-start",
            "it is found at the start of a prompt alone, where no assistant's turn begins, so the whole prompt would "
            "be parsed as the beginning of the output; leave ^ out",
        )
    elif found and all(PLAIN_WORDS.fullmatch(text) for text in found):
        yield Finding(
            "note",
            where,
            "anchor-is-words",
            f"{quote(found[0])} are plain words: where the prompt goes on behind the anchor (a prefilled answer) and "
            f"holds them again, the later place counts",
        )


def _appears(source: str, found: tuple[str, ...], prompts: tuple[tuple[str, str], ...]) -> bool:
    """Whether one of the texts is found in one of the prompts, which are what stands before it and behind it."""
    pattern = regex.compile(source, regex.DOTALL)
    for text in found:
        for before, after in prompts:
            try:
                if pattern.search(before + text + after, timeout=0.2):
                    return True
            except TimeoutError:
                return True
    return False
