"""Random choices that are read from bytes, so that whoever changes the bytes steers the choices."""

from __future__ import annotations

import random

MARKS = ("\x00", "\t", "\r", "\x1c", "\x85", "\u2028", "\ud800", "\u00e9", "\u4f60", "\U0001f600", "\u0130", "\ufeff")
"""Characters that ASCII lacks and that text in the wild, or against us, holds."""


class Tape(random.Random):
    """A `random.Random` whose every choice is read off `data`; behind its end every choice is the first one."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._data = data
        self._at = 0

    @property
    def used_up(self) -> bool:
        """Whether all bytes have been read."""
        return self._at >= len(self._data)

    def byte(self) -> int:
        """The next byte; 0 behind the end."""
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1]

    def random(self) -> float:
        return (self.byte() << 8 | self.byte()) / 65536

    def getrandbits(self, k: int, /) -> int:
        value = 0
        for _ in range((k + 7) // 8):
            value = value << 8 | self.byte()
        return value & ((1 << k) - 1)

    def _randbelow(self, n: int) -> int:
        if n <= 1:
            return 0
        return self.getrandbits(8 if n <= 256 else n.bit_length() + 7 & ~7) % n

    def text(self, longest: int) -> str:
        """Up to `longest` characters: ASCII as it stands on the tape, other bytes as one of `MARKS`."""
        found = []
        for _ in range(longest):
            if self.used_up:
                break
            byte = self.byte()
            if byte == 0xFF:
                break
            found.append(chr(byte) if byte < 0x80 else MARKS[byte % len(MARKS)])
        return "".join(found)
