"""What a content language expected where a region departs from it. The one module here that needs Lark.

The runtime asks for it when a region has failed, and does without where `lark` or `rtgen` is not installed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import lark

from rtgen.content import grammar

LONGEST = 4000
"""Characters of a region up to which it is read again; an error should not cost more than the parse."""

_WORDS = {
    "LSQB": "'['",
    "RSQB": "']'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LPAR": "'('",
    "RPAR": "')'",
    "COMMA": "','",
    "COLON": "':'",
    "EQUAL": "'='",
    "$END": "the end",
    "STRING": "a string",
    "NUMBER": "a number",
    "INTEGER": "a number",
    "DECIMAL": "a number",
    "CONSTANT": "a constant",
    "BARE_KEY": "a key",
    "NAME": "a name",
    "SINGLE_QUOTED": "a string",
    "DOUBLE_QUOTED": "a string",
}


def expectation(
    text: str, position: int, language: str, pairs: tuple[tuple[str, str], ...] = (), unquoted_keys: bool = False
) -> str:
    """What `language` (`json` or `call_list`) expected in `text`, as the end of a sentence that names `position`.

    Empty if the grammar has no complaint, or cannot be made from these delimiters.
    """
    if len(text) > LONGEST:
        return ""
    try:
        if language == "json":
            source = grammar.json_dialect(pairs, unquoted_keys)
        else:
            source = grammar.read(language)
        found = expected(source, text)
    except Exception:  # odd delimiters make no grammar, and nothing here may take the place of the error itself
        return ""
    if found is None:
        return ""
    place, what = found
    return f"; expected {what}" + ("" if place == position else f" at character {place}")


def expected(source: str, text: str) -> tuple[int, str] | None:
    """Where `text` leaves the language of the grammar text `source`, and what was expected there; None: it does not."""
    try:
        parser(source).parse(text)
    except lark.exceptions.UnexpectedCharacters as error:
        return error.pos_in_stream or 0, _listed(error.allowed)
    except lark.exceptions.UnexpectedToken as error:
        place = error.token.start_pos if error.token.type != "$END" else len(text)
        return len(text) if place is None else place, _listed(error.accepts or error.expected)
    return None


@lru_cache(maxsize=16)
def parser(source: str) -> lark.Lark:
    """Lark's parser of a grammar text."""
    return lark.Lark(source, parser="lalr", regex=True)


def _listed(terminals: Any) -> str:
    names = {"BLANK"}
    words = sorted({_WORDS.get(name, "a string") for name in terminals or () if name not in names})
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]])) or "something else"
