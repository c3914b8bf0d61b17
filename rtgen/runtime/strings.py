"""Closers inside the strings of JSON and of call lists, for `string_aware=True`."""

from __future__ import annotations

import re
from typing import Any

from rtgen.runtime.mask import Mask

_AFTER_STRING = re.compile(r"\s*([^\s])")
_ESCAPED = {quote: re.compile(rf"(?:[^{quote}\\]+|\\.)*+", re.DOTALL) for quote in "\"'"}


class Strings(Mask):
    """The mask of JSON and of call lists."""

    def __init__(self, field: dict[str, Any]) -> None:
        super().__init__(field)
        pairs = [('"', '"')]
        if field.get("content") == "python-call-list":
            pairs.append(("'", "'"))
        arguments = field.get("content_args")
        delims = arguments.get("string_delims") if isinstance(arguments, dict) else None
        for pair in delims if isinstance(delims, list) and field.get("content") == "json" else []:
            if isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) and part for part in pair):
                pairs.insert(0, (pair[0], pair[1]))
        self._closes = dict(pairs)
        self._escapes = {'"', "'"} if field.get("content") == "python-call-list" else {'"'}
        self._escapes -= {opener for opener, _ in pairs if opener in ("'",) and field.get("content") == "json"}
        self._starts = re.compile("|".join(re.escape(opener) for opener, _ in pairs))
        self._longest = max(len(opener) for opener, _ in pairs)
        self._inside: str | None = None  # the delimiter that ends the string
        self._ahead = 0  # characters behind what is done in which the string certainly does not end

    def extend(self, text: str, final: bool) -> str:
        done, at = [self.done], len(self.done)
        while at < len(text):
            if self.broken:
                done.append(text[at:])
                break
            then = self._outside(text, at, final, done) if self._inside is None else self._string(text, at, final, done)
            if then < 0:
                break
            at = then
        self.done = "".join(done)
        return self.done

    def _outside(self, text: str, at: int, final: bool, done: list[str]) -> int:
        """Up to the next string; -1 when there is none."""
        stop = len(text)
        if not final:
            for length in range(min(self._longest - 1, len(text) - at), 0, -1):
                cut = text[-length:]
                if any(len(opener) > length and opener.startswith(cut) for opener in self._closes):
                    stop -= length
                    break
        found = self._starts.search(text, at)
        if found is not None and found.start() < stop:
            done.append(text[at : found.end()])
            self._inside, self._ahead = self._closes[found[0]], 0
            return found.end()
        done.append(text[at:stop])
        return -1

    def _string(self, text: str, at: int, final: bool, done: list[str]) -> int:
        """Up to the end of the string; -1 when more has to be known."""
        end = self._end(text, at, final)
        inside = self._inside or ""
        ended = end >= 0
        stop = end if ended else at + self._ahead
        candidate = self._candidate(text, at, stop, not ended and not final)
        if candidate == stop and (ended or not final):
            done.append("\0" * (stop - at))
            self._ahead = 0
            if not ended:
                return -1
            done.append(inside)
            self._inside = None
            return end + len(inside)
        done.append("\0" * (candidate - at))
        self._ahead = max(0, stop - candidate)
        if ended:
            proper = self._is_proper(text, end + len(inside), final)
            if proper is None:
                return -1
            if proper:
                done.append("\0" * (end - candidate) + inside)
                self._inside = None
                return end + len(inside)
            self.broken = True
            return candidate
        self.broken = final
        return candidate if final else -1

    def _is_proper(self, text: str, at: int, final: bool) -> bool | None:
        """Whether a string that ends at `at` is followed by what follows strings; None: that is not known yet."""
        after = _AFTER_STRING.match(text, at)
        if after is None:
            return True if final else None
        if after[1] in ",:}])":
            return True
        unknown = False
        for place in {at, after.start(1)}:
            found = self._closer.match(text, place, partial=not final)
            if found is not None and not found.partial:
                return True
            unknown = unknown or found is not None
        return None if unknown else False

    def _end(self, text: str, at: int, final: bool) -> int:
        """Where the string ends, or -1; `_ahead` is then what can be passed over."""
        inside = self._inside or ""
        if inside in self._escapes:
            run = _ESCAPED[inside].match(text, at + self._ahead)
            end = at if run is None else run.end()
            self._ahead = end - at
            return end if text.startswith(inside, end) else -1
        end = text.find(inside, max(at, at + self._ahead - len(inside) + 1))
        if end < 0:
            self._ahead = len(text) - at
            if not final:
                for length in range(min(len(inside) - 1, self._ahead), 0, -1):
                    if inside.startswith(text[-length:]):
                        self._ahead -= length
                        break
        return end
