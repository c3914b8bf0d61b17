"""The rules that the syntax tree does not show: spelling, escapes, and blanks around statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rtgen.chat.linter.place import PlacedTemplate, Token

PYTHON_SPELLING = {"True": "true", "False": "false", "None": "none"}


class LexicalHit(NamedTuple):
    """A rule that is broken at an offset of the template."""

    rule: str
    offset: int
    what: str


def check_tokens(template: PlacedTemplate) -> Iterator[LexicalHit]:
    """What is wrong with single tokens and with neighbours."""
    before: Token | None = None
    for token in template.tokens:
        if token.kind == "whitespace":
            continue
        if (
            token.kind == "name"
            and token.text in PYTHON_SPELLING
            and (before is None or before.kind != "operator" or before.text != ".")
        ):
            yield LexicalHit("J01", token.start, token.text)
        elif token.kind == "block_begin" and token.text.startswith("{%+"):
            yield LexicalHit("J30", token.start, "{%+")
        elif token.kind == "raw_begin":
            yield LexicalHit("J37", token.start, "`raw`")
        elif token.kind == "string":
            if before is not None and before.kind == "string":
                yield LexicalHit("J50", token.start, "this")
            for escape in re.finditer(r"\\(?:\\|([abfvNuUx0-7]))", token.text):
                if escape[1]:
                    yield LexicalHit("J31", token.start + escape.start(), escape[0])
        elif token.kind in ("float", "integer") and not re.fullmatch(r"\d+(\.\d+)?", token.text):
            yield LexicalHit("J57", token.start, token.text)
        before = token


def generation_marks(text: str) -> str:
    """What the tag `generation` breaks (J36): TGI takes out the tags that are spelled in the usual way alone."""
    plain = all(tag in ("{% generation %}", "{% endgeneration %}") for tag in _GENERATION.findall(text))
    return "m! p! g?" if plain else "m! p! l~"


_GENERATION = re.compile(r"\{%[-+]?\s*(?:end)?generation\s*[-+]?%\}")


def check_blanks(template: PlacedTemplate, source: str) -> Iterator[LexicalHit]:
    """Where text would be another without `trim_blocks` and `lstrip_blocks`; a newline at the end."""
    for tag, _ in changed_texts(template, PlacedTemplate(source, trim=False)):
        yield LexicalHit("J42", tag.start, "this tag")
    if source.endswith(("\n", "\r")):
        yield LexicalHit("J43", len(template.text) - 1, "the newline at the end")


def changed_texts(trimmed: PlacedTemplate, raw: PlacedTemplate) -> Iterator[tuple[Token, Token]]:
    """The tags beside whose text the two differ, each as it stands in both."""
    for (tag, before, after), (raw_tag, raw_before, raw_after) in zip(_tags(trimmed), _tags(raw)):
        if (before, after) != (raw_before, raw_after):
            yield tag, raw_tag


def _tags(template: PlacedTemplate) -> Iterator[tuple[Token, str, str]]:
    """Each statement and comment with the text before it and, since the newline after it is trimmed, behind it."""
    opened: Token | None = None
    text = before = ""
    for token in template.tokens:
        if token.kind == "data":
            text = token.text
        elif token.kind in ("block_begin", "comment_begin", "raw_begin", "variable_begin"):
            if opened is not None:
                yield opened, before, text
            opened = token if token.kind != "variable_begin" else None
            before, text = text, ""
            if token.kind == "variable_begin":
                opened = None
    if opened is not None:
        yield opened, before, text
