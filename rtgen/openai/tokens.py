"""The tokens of JSON, its dialects and call lists, out of text that comes piece by piece.

A string comes in parts: QUOTE where it begins, a PIECE for what has come of it, decoded, and UNQUOTE. A WORD is a run
of the characters of numbers and names, a MARK any other character. Nothing is read twice but an unfinished escape or
delimiter, so the cost is linear, however the text is cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from rtgen.openai.walker import Unclear
from rtgen.runtime.content import unescape

QUOTE, PIECE, UNQUOTE, WORD, MARK = range(5)

_BLANKS = re.compile(r"[ \t\n\r]+")
_WORD = re.compile(r"[-+.\w]+")
_HEX = "[0-9a-fA-F]"
# The beginning of the second half of a surrogate pair, at the end of what has come.
_HALF_BEGUN = rf"\Z|\\(?:\Z|u(?:\Z|[dD](?:\Z|[c-fC-F](?:\Z|{_HEX}\Z))))"
_UNICODE = (
    rf"u(?:(?![dD][89abAB]){_HEX}{{4}}" rf"|[dD][89abAB]{_HEX}{{2}}(?:\\u[dD][c-fC-F]{_HEX}{{2}}|(?!{_HALF_BEGUN})))"
)
LONGEST_ESCAPE = len(r"\ud83d\ude00")


@dataclass(frozen=True, slots=True)
class Quotes:
    """A kind of string literal: what it stands between, and how what stands there is read.

    `run` matches characters and escapes of the string that later text cannot change; `decode` gives what they mean and
    raises ValueError for what means nothing. `escapes`: there are escapes. Where `barrier` begins, the string cannot be
    followed.
    """

    opener: str
    closer: str
    run: re.Pattern[str]
    decode: Callable[[str], str]
    escapes: bool = True
    barrier: str = ""

    def unfinished(self, rest: str) -> bool:
        """Whether more text has to come before it is clear what `rest`, behind a run, is."""
        if self.escapes and rest[0] == "\\":
            return len(rest) < LONGEST_ESCAPE
        return any(part.startswith(rest) and part != rest for part in (self.closer, self.barrier))


def json_quotes(barrier: str = "") -> Quotes:
    """JSON's strings. `barrier` is what opens another kind of string, in standard strings too."""
    plain, outside = r'[^"\\\x00-\x1f', ""
    if barrier:
        plain += re.escape(barrier[0])
        outside = f"|(?!{_begun(barrier)}){re.escape(barrier[0])}"
    run = re.compile(rf'(?:{plain}]++|\\(?:["\\/bfnrt]|{_UNICODE}){outside})*+')
    return Quotes('"', '"', run, _decode_json, barrier=barrier)


def delimited(opener: str, closer: str) -> Quotes:
    """The strings of a dialect: all that stands between the delimiters."""
    first = re.escape(closer[0])
    run = re.compile(f"(?:[^{first}]++|(?!{_begun(closer)}){first})*+")
    return Quotes(opener, closer, run, str, escapes=False)


def call_quotes(quote: str, slash: bool) -> Quotes:
    """The strings of a call list. `slash`: a slash may be escaped, which Python's parser reads as two characters."""
    escaped = "[\"'\\\\/bfnrt]" if slash else "[\"'\\\\bfnrt]"
    run = re.compile(rf"(?:[^{quote}\\\n\r]++|\\(?:{escaped}|{_UNICODE}))*+")
    return Quotes(quote, quote, run, lambda text: unescape(text, 0, text))


def _begun(literal: str) -> str:
    """The regex of a literal, or of its beginning at the end of what has come."""
    pattern = ""
    for char in reversed(literal):
        pattern = re.escape(char) + (rf"(?:\Z|{pattern})" if pattern else "")
    return pattern


def _decode_json(text: str) -> str:
    return str(json.loads(f'"{text}"')) if "\\" in text else text


class Tokens:
    """Gives the tokens of a text to `take`, which gets the kind and the text of each. `quotes` are its strings."""

    def __init__(self, quotes: tuple[Quotes, ...], take: Callable[[int, str], None]) -> None:
        self._quotes, self._take = quotes, take
        self._held = ""
        self._word: list[str] = []
        self._inside: Quotes | None = None

    def feed(self, text: str) -> None:
        """Read on. Raises Unclear for a string that is none, and what `take` raises."""
        text = self._held + text
        at = 0
        while at < len(text):
            then = self._between(text, at) if self._inside is None else self._string(self._inside, text, at)
            if then < 0:
                break
            at = then
        self._held = text[at:]

    def _between(self, text: str, at: int) -> int:
        """Read what begins at this place outside strings; returns where it ends, -1: more text has to come."""
        word = _WORD.match(text, at)
        if word is not None:
            self._word.append(word[0])
            return word.end()
        if self._word:
            whole, self._word = "".join(self._word), []
            self._take(WORD, whole)
        blanks = _BLANKS.match(text, at)
        if blanks is not None:
            return blanks.end()
        for quotes in self._quotes:
            if text.startswith(quotes.opener, at):
                self._take(QUOTE, "")
                self._inside = quotes
                return at + len(quotes.opener)
            if len(text) - at < len(quotes.opener) and quotes.opener.startswith(text[at:]):
                return -1
        self._take(MARK, text[at])
        return at + 1

    def _string(self, quotes: Quotes, text: str, at: int) -> int:
        """The same inside a string."""
        run = quotes.run.match(text, at)
        end = at if run is None else run.end()
        if end > at:
            try:
                self._take(PIECE, quotes.decode(text[at:end]))
            except ValueError:
                raise Unclear from None
            return end
        if text.startswith(quotes.closer, at):
            self._take(UNQUOTE, "")
            self._inside = None
            return at + len(quotes.closer)
        if quotes.unfinished(text[at : at + LONGEST_ESCAPE + len(quotes.closer) + len(quotes.barrier)]):
            return -1
        raise Unclear
