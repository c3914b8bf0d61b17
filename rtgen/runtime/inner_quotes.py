"""Quotes in a string that nobody escaped: which of them cannot be characters of it, for `rtgen.runtime.loose_json`.

A quote may be taken for a character of a value, but the value does not go on over members or items that follow it: what
would then be called is not what was written. JSON that stands in a string as it is (`"{"a": "b"}"`) is one value, up to
its last bracket.
"""

from __future__ import annotations

import re

_NESTED = re.compile(r"\s*[{\[]\s*[\"{\[]")
_BEGINS = re.compile(r"[,:=(\[{]\s*\Z")
_ENDS_KEY = re.compile(r"\s*:")
_FARTHEST = 40  # characters of white space before a quote that are looked at


def begins_string(text: str, start: int, at: int, quotes: int) -> bool:
    """Whether the quote at `at` begins another string: `quotes`, the number of those before it since `start`, is odd,
    so that the last of them has ended the value."""
    return quotes % 2 == 1 and _BEGINS.search(text, max(start, at - _FARTHEST), at) is not None


def goes_over(text: str, start: int, at: int, quotes: int) -> bool:
    """Whether the quote at `at`, in the value that began at `start`, is one of another string that follows it."""
    ends_key = _ENDS_KEY.match(text, at + 1) is not None and _NESTED.match(text, start) is None
    return ends_key or begins_string(text, start, at, quotes)


def nested_goes_on(text: str, start: int, at: int) -> bool:
    """Whether the value that began at `start` is JSON, and not its last bracket stands before the quote at `at`."""
    return _NESTED.match(text, start) is not None and text[:at].rstrip()[-1] not in "}]"
