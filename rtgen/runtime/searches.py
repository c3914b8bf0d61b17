"""Matchers at work in a parser: finding the earliest of several, and delimiters whose end is still open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rtgen.runtime.errors import ParseError
from rtgen.runtime.parser import Parser
from rtgen.runtime.pattern import CERTAIN, NOTHING, PENDING, SETTLED, Search

FAR = 1 << 16
"""Characters of decided text that a parser keeps before a matcher's undecided text, before it starts afresh."""


def search_of(parser: Any, key: str, make: Callable[[], Search]) -> Search:
    """The parser's matcher for `key`, made when it is first needed."""
    known: tuple[Search, ...] | None = parser._searches.get(key)
    if known is None:
        known = parser._searches[key] = (make(),)
    return known[0]


def searches_of(parser: Any, key: str, makers: tuple[Callable[[], Search], ...]) -> tuple[Search, ...]:
    """The parser's matchers for a state, made when they are first needed."""
    known: tuple[Search, ...] | None = parser._searches.get(key)
    if known is None:
        known = parser._searches[key] = tuple(make() for make in makers)
    return known


def earliest(searches: tuple[Search, ...], text: str, at: int, final: bool) -> tuple[int, int, int, Search | None]:
    """The delimiter that wins in `text[at:]`: (its index, where it begins, the verdict on it, what holds text back).

    The smallest start wins, then the longest, then the smallest index. The verdict is SETTLED, or CERTAIN when only the
    end is open. Where no delimiter is decided yet the index is -1, the start is where undecided text begins, and the
    last value is the matcher that holds it back (None: nothing is undecided).
    """
    hold, waiting, open_index, open_verdict = len(text), 0, -1, NOTHING
    holder: Search | None = None
    which = best_start = best_end = -1
    for index, search in enumerate(searches):
        verdict = search.find(text, at, final)
        if verdict == NOTHING:
            continue
        start = search.start
        if verdict == SETTLED:
            if which < 0 or start < best_start or (start == best_start and search.end > best_end):
                which, best_start, best_end = index, start, search.end
        elif start < hold:
            hold, waiting, open_index, open_verdict, holder = start, 1, index, verdict, search
        elif start == hold:
            waiting += 1
    if which >= 0 and best_start < hold:
        return which, best_start, SETTLED, None
    if waiting == 1 and open_verdict == CERTAIN and (which < 0 or best_start > hold):
        return open_index, hold, CERTAIN, holder
    return -1, hold, NOTHING, holder


def settle_later(parser: Any, resume: Callable[[str, int, bool], int], search: Any, text: str, at: int) -> int:
    """Let the parser, which has acted on the delimiter at `at`, first learn where it ends. Ends a scan function."""
    parser._after = (parser._state, parser._quick, parser._scan)
    parser._state = 0
    parser._tail = (resume, search, at)
    parser._held, parser._at, parser._look = text, at, -1
    parser._quick, parser._scan = Parser._resume, _scan_settle
    return -1


def _scan_settle(parser: Any, text: str, at: int, events: list[dict[str, Any]], final: bool) -> int:
    """scan: the end of a delimiter."""
    resume, search, _ = parser._tail
    if resume(text, at, final) != SETTLED:
        parser._held, parser._at, parser._look = text, at, -1
        return -1
    parser._captures.update(search.groups())
    parser._start += search.end - at
    parser._empty_open = search.end == at
    parser._state, parser._quick, parser._scan = parser._after
    end: int = search.end
    return end


def hold_text(
    parser: Any,
    text: str,
    begin: int,
    holder: Search | None,
    context: int | None,
    quick: Callable[[Any, str], Any],
) -> int:
    """Keep what is undecided from `begin` on, with what the matchers may look at before it. A step of a scan function.

    `holder` is the matcher that holds it back (None: nothing is undecided). `context` is how many characters before a
    match they look at (None: all of them); `quick` is the state's quick function, for when nothing is undecided.
    """
    if context is not None and (holder is None or (begin > FAR and 2 * begin > len(text))):
        cut = max(0, begin - context)
        parser._forget()
        text = text[cut:]
        begin -= cut
    if holder is None:
        parser._quick = quick
        parser._held, parser._at, parser._look = text, begin, -1
        return -1
    return wait(parser, holder.find, holder, text, begin, begin, -1)


def wait(
    parser: Any, resume: Callable[[str, int, bool], int], holder: Search, text: str, at: int, place: int, look: int
) -> int:
    """Let the parser ask only the matcher that holds text back from `at` on, until it knows more.

    The match begins at `place`, `resume` is the matcher's function that was asked. As long as it stays undecided
    there, no other delimiter can win. A step of a scan function.
    """
    parser._held, parser._at, parser._look = text, at, look
    parser._tail = (resume, holder, place)
    parser._state, parser._quick = 0, _wait
    return -1


def _wait(parser: Any, text: str) -> list[dict[str, Any]]:
    """quick: one matcher holds the text back."""
    held = parser._held
    parser._held = ""
    held += text
    resume, holder, place = parser._tail
    if resume(held, place, False) == PENDING and holder.start == place:
        parser._held = held
        return []
    parser._quick = Parser._resume
    events: list[dict[str, Any]] = parser._advance(held, parser._at, False)
    return events


def empty_loop(field: str, position: int) -> ParseError:
    """The error of a region that opens and closes without consuming text, which would go on for ever."""
    return ParseError("the region opens and closes without consuming text, for ever", field, position)
