"""The grammars of the content languages: their text, parametrised by content arguments, and their terminals.

Nothing here imports Lark: the compiler wants only the regex source of single terminals, and reads it from the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("grammars")


@cache
def read(name: str) -> str:
    """The text of the grammar file `name`, which is given without its suffix."""
    return (FOLDER / f"{name}.lark").read_text(encoding="utf-8")


def terminal(grammar: str, name: str) -> str:
    """The regex source of the terminal `name` in the grammar *text*, its flags wrapped around it.

    The terminal has to be one regex, such as `NAME: /[a-z]+/s`. Raises LookupError when there is none of that name.
    """
    found = re.search(rf"^{name}(?:\.-?[0-9]+)?: /((?:[^/\\\n]|\\.)+)/([ilmsux]*)$", grammar, re.MULTILINE)
    if found is None:
        raise LookupError(f"the grammar has no terminal {name} that is one regex")
    source, flags = found[1].replace(r"\/", "/"), found[2]
    return f"(?{flags}:{source})" if flags else source


def json_dialect(string_delims: Sequence[tuple[str, str]] = (), unquoted_keys: bool = False) -> str:
    """The Lark grammar of JSON with strings between these pairs of delimiters and, if wanted, bare keys.

    It is the sensible part of what the emitted code reads: a delimiter stands in no standard string, and a delimited
    string ends at the first closer. Delimiters may not be empty.
    """
    lines = [read("json_dialect")]
    if unquoted_keys:
        lines.append("%extend key: BARE_KEY")
    for number, (opener, closer) in enumerate(string_delims):
        first, last = (re.escape(text).replace("/", r"\/").replace("\n", r"\n") for text in (opener, closer))
        lines.append(f"%extend string: DELIMITED_{number}")
        lines.append(f"DELIMITED_{number}.2: /{first}.*?{last}/s")
    return "\n".join(lines) + "\n"
