"""What emitted readers of JSON dialects call: the passes over a region that is not standard JSON, and its faults."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from rtgen.runtime.content import expected_there
from rtgen.runtime.errors import Unexpected


def encode_strings(strings: list[str]) -> list[str]:
    """The strings as JSON, each as `json.dumps` writes it, by the function that it ends up in."""
    return list(map(json.encoder.encode_basestring_ascii, strings))


Edit = tuple[int, int, str]
"""Start and end of a part of a text, and what takes its place."""


def split_strings(text: str, opener: str, closer: str) -> list[str]:
    """`text` cut at its delimited strings, leftmost and shortest: what is between them, a string, and so on in turn."""
    parts, at = [], 0
    while True:
        start = text.find(opener, at)
        end = text.find(closer, start + len(opener)) if start >= 0 else -1
        if end < 0:
            parts.append(text[at:])
            return parts
        parts.append(text[at:start])
        parts.append(text[start + len(opener) : end])
        at = end + len(closer)


def take_out(text: str, opener: str, closer: str, captured: list[str]) -> str:
    """`text` with a numbered sentinel for each delimited string; the strings are appended to `captured`."""
    return splice(text, _take_out_edits(text, opener, closer, captured))


def _take_out_edits(text: str, opener: str, closer: str, captured: list[str]) -> list[Edit]:
    edits: list[Edit] = []
    at = 0
    while at <= len(text):
        start = text.find(opener, at)
        end = text.find(closer, start + len(opener)) if start >= 0 else -1
        if end < 0:
            break
        edits.append((start, end + len(closer), f"\x01{len(captured)}\x02"))
        captured.append(text[start + len(opener) : end])
        at = max(end + len(closer), start + 1)
    return edits


def splice(text: str, edits: list[Edit]) -> str:
    """`text` after these edits, which are in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for start, end, new in edits:
        pieces += (text[at:start], new)
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def take_out_pattern(text: str, pattern: str, captured: list[Any]) -> str:
    """As `take_out`, for a regex whose first group is the string."""
    import regex  # not needed by any other function here

    def sentinel(found: Any) -> str:
        captured.append(found[1])
        return f"\x01{len(captured) - 1}\x02"

    return str(regex.sub(pattern, sentinel, text, flags=regex.DOTALL))


def put_back(text: str, captured: list[Any]) -> str:
    """`text` with the strings, as JSON, in the places of their sentinels."""
    return splice(text, _put_back_edits(text, captured))


def _put_back_edits(text: str, captured: list[Any]) -> list[Edit]:
    edits: list[Edit] = []
    for found in re.finditer("\x01(0|[1-9][0-9]{0,17})\x02", text):
        if int(found[1]) < len(captured):
            edits.append((found.start(), found.end(), json.dumps(captured[int(found[1])])))
    return edits


def json_fault(
    text: str, pairs: tuple[tuple[str, str], ...] = (), keys: Callable[[str], str] | None = None
) -> Exception:
    """The error to raise for a region that is not JSON; `pairs` are its string delimiters, `keys` quotes bare keys.

    The fault is the JSON decoder's, with the place in `text` itself. Where Lark is installed, and `rtgen` to ask it,
    what would have been right is added.
    """
    edited: list[tuple[str, list[Edit]]] = []
    captured: list[str] = []
    working = text
    for opener, closer in pairs:
        edits = _take_out_edits(working, opener, closer, captured)
        edited.append((working, edits))
        working = splice(working, edits)
    if keys is not None:
        quoted = keys(working)
        edited.append((working, _quote_edits(working, quoted)))
        working = quoted
    edits = _put_back_edits(working, captured)
    edited.append((working, edits))
    try:
        json.loads(splice(working, edits))
    except json.JSONDecodeError as error:
        position = error.pos
        for _, edits in reversed(edited):
            position = _before(edits, position)
        message = error.msg.rstrip(": ")
        fault = f"the text is not JSON: {message[0].lower()}{message[1:]} at character {position}"
        return Unexpected(fault, partial(expected_there, text, position, "json", pairs, keys is not None))
    except RecursionError:  # one call deeper than where it was read first
        pass
    return ValueError("the text is not JSON")


def _quote_edits(before: str, after: str) -> list[Edit]:
    """The quotes that `after` has and `before` lacks; each stands beside a key, and never where `before` has one."""
    edits: list[Edit] = []
    at = after.find('"')
    while at >= 0:
        place = at - len(edits)
        if before[place : place + 1] != '"':
            edits.append((place, place, '"'))
        at = after.find('"', at + 1)
    return edits


def _before(edits: list[Edit], position: int) -> int:
    """The place before the edits of a place after them; the start of an edit for all that it put in."""
    shift = 0
    for start, end, new in edits:
        if position < start + shift:
            break
        if position < start + shift + len(new):
            return start
        shift += len(new) - (end - start)
    return position - shift
