"""What emitted content parsers call: escapes of call lists, matches of tag patterns, what a grammar expected."""

from __future__ import annotations

from functools import partial
from typing import Any

from rtgen.runtime.errors import Unexpected


def expected_there(text: str, position: int, *language: Any) -> str:
    """What was expected in `text`, as the end of a sentence about `position`; empty where there is nobody to ask."""
    try:
        from rtgen.content.explain import expectation
    except ImportError:
        return ""
    return str(expectation(text, position, *language))


_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def unescape(text: str, start: int, body: str) -> str:
    """The string that `body`, found in the call list `text` after `start`, means: JSON's escapes, and the quotes'.

    Raises ValueError for another escape and for half of a surrogate pair, escaped or not.
    """
    if not body.isascii():
        try:
            body.encode()
        except UnicodeEncodeError:
            raise call_list_fault(text, start, "a string holds half of a surrogate pair") from None
    if "\\" not in body:
        return body
    pieces, at = [], 0
    slash = body.find("\\")
    while slash >= 0:
        pieces.append(body[at:slash])
        letter, at = body[slash + 1], slash + 2
        if letter == "u":
            code, at = _hexadecimal(body, at), at + 4
            if 0xD800 <= code < 0xDC00 and body.startswith("\\u", at):
                low = _hexadecimal(body, at + 2)
                if 0xDC00 <= low < 0xE000:
                    code, at = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00), at + 6
            if code < 0:
                raise call_list_fault(text, start, r"a \u in a string lacks its four hexadecimal digits")
            if 0xD800 <= code < 0xE000:
                raise call_list_fault(text, start, "a string holds half of a surrogate pair")
            pieces.append(chr(code))
        elif letter in _ESCAPES:
            pieces.append(_ESCAPES[letter])
        else:
            raise call_list_fault(text, start, "a string holds an unknown escape")
        slash = body.find("\\", at)
    pieces.append(body[at:])
    return "".join(pieces)


def _hexadecimal(body: str, at: int) -> int:
    """The number in the four hexadecimal digits at this place, -1 if they are not there."""
    digits = body[at : at + 4]
    return int(digits, 16) if len(digits) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in digits) else -1


def call_list_fault(text: str, at: int, fault: str) -> ValueError:
    """The error to raise for a call list that is wrong at `at` or behind the blanks there."""
    position = len(text) - len(text[at:].lstrip(" \t\n\r"))
    return Unexpected(f"{fault} at character {position}", partial(expected_there, text, position, "call_list"))


def quick_matches(pattern: Any, text: str) -> list[Any] | None:
    """All matches of a compiled `regex` pattern in `text`; None if it takes longer than a linear search would.

    Where patterns backtrack, most texts do not make them do it much. The time allowed is in proportion to the text, so
    that giving up costs no more than a constant factor; the result does not depend on it, since the caller then finds
    the same matches with a matcher that does not backtrack.
    """
    try:
        return list(pattern.finditer(text, timeout=2e-4 + 5e-7 * len(text)))
    except TimeoutError:
        return None
