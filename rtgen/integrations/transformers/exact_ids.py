"""The two ways from token ids to text that can be followed exactly, token by token.

Most tokens stand for whole characters, and their pieces are looked up in a table that fills itself. What a token stands
for is asked of the library; only a token that holds parts of characters is taken apart here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from rtgen.integrations.transformers.ids import Detokenizer, Piece

REPLACEMENT = "\ufffd"
"""What stands for bytes that are no character."""

_utf8 = codecs.getincrementaldecoder("utf-8")


@cache
def byte_of() -> dict[str, int]:
    """The byte that each character of a byte-level vocabulary stands for.

    Source: the table that GPT-2 introduced: printable characters of Latin-1 stand for themselves, the other bytes, in
    their order, for the characters from U+0100 on.
    """
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


class ByteTokens:
    """What is known of the tokens of a byte-level tokenizer; shared by all its outputs."""

    __slots__ = ("backend", "whole", "parts")

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.whole: dict[int, Piece] = {}
        self.parts: dict[int, tuple[bytes, bool]] = {}

    def learn(self, token: int) -> Piece | None:
        """Enter a token into the tables; returns its piece, None where it holds parts of characters."""
        content = self.backend.id_to_token(token)
        if content is None:
            return Piece("")
        added = self.backend.get_added_tokens_decoder().get(token)
        special = added is not None and added.special
        text = self.backend.decode([token], skip_special_tokens=False)
        if REPLACEMENT not in text:
            piece = self.whole[token] = Piece(text, special)
            return piece
        table = byte_of()
        in_table = all(char in table for char in content)
        self.parts[token] = bytes(map(table.__getitem__, content)) if in_table else content.encode(), special
        return None

    def tail(self, ids: list[int]) -> str:
        """The text of the last ids of a sequence, without what may be the end of a character that begins before."""
        text: str = self.backend.decode(ids, skip_special_tokens=False)
        return text.lstrip(REPLACEMENT)


class ByteLevelIds(Detokenizer):
    """Ids whose tokens are bytes: all bytes in a row are read as UTF-8."""

    __slots__ = ("_tokens", "_whole", "_utf8", "_partial")

    def __init__(self, tokens: ByteTokens) -> None:
        self._tokens = tokens
        self._whole = tokens.whole
        self._utf8 = _utf8("replace")
        self._partial = False  # the bytes so far end inside a character

    def push(self, ids: Iterable[int]) -> list[Piece]:
        whole = self._whole
        pieces: list[Piece] = []
        for token in ids:
            piece = whole.get(token)  # of most tokens of most outputs: whole characters
            if piece is None or self._partial:
                self._step(token, piece, pieces)
            else:
                pieces.append(piece)
        return pieces

    def _step(self, token: int, piece: Piece | None, pieces: list[Piece]) -> None:
        if piece is None and token not in self._tokens.parts:
            piece = self._tokens.learn(token)
        if piece is not None:
            if piece.text:  # it begins with a character, so that what waits for its rest never gets it
                pieces += self.finish()
            pieces.append(piece)
            return
        data, special = self._tokens.parts[token]
        text = self._utf8.decode(data)
        self._partial = bool(self._utf8.getstate()[0])
        if text:
            pieces.append(Piece(text, special))

    def finish(self) -> list[Piece]:
        if not self._partial:
            return []
        self._partial = False
        text = self._utf8.decode(b"", True)
        self._utf8.reset()
        return [Piece(text)]


_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")


def is_fallback(parts: list[dict[str, Any]]) -> bool:
    """Whether these steps of a decoder replace in each token, join bytes, fuse, and at most strip on the left."""
    kinds = [part["type"] for part in parts]
    last = ["Strip"] if kinds[-1:] == ["Strip"] and parts[-1]["stop"] == 0 else []
    first = kinds[: len(kinds) - len(last) - 2]
    return (
        kinds == [*first, "ByteFallback", "Fuse", *last]
        and all(kind == "Replace" for kind in first)
        and all("String" in part["pattern"] for part in parts[: len(first)])
    )


class FallbackTokens:
    """What is known of the tokens of a tokenizer with byte fallback; shared by all its outputs."""

    __slots__ = ("backend", "whole", "bytes", "replacements", "strip")

    def __init__(self, backend: Any, parts: list[dict[str, Any]]) -> None:
        self.backend = backend
        self.whole: dict[int, Piece] = {}
        self.bytes: dict[int, int] = {}
        self.replacements = [(p["pattern"]["String"], p["content"]) for p in parts if p["type"] == "Replace"]
        self.strip: tuple[str, int] = next(((p["content"], p["start"]) for p in parts if p["type"] == "Strip"), ("", 0))

    def learn(self, token: int) -> Piece | None:
        """Enter a token into the tables; returns its piece, None where it stands for a byte."""
        content = self.backend.id_to_token(token)
        if content is None:
            return Piece("")
        for old, new in self.replacements:
            content = content.replace(old, new)
        byte = _BYTE_TOKEN.fullmatch(content)
        if byte:
            self.bytes[token] = int(byte[1], 16)
            return None
        added = self.backend.get_added_tokens_decoder().get(token)
        piece = self.whole[token] = Piece(content, added is not None and added.special)
        return piece

    def tail(self, ids: list[int]) -> str:
        """The text of the last ids of a sequence, without bytes at its beginning (their run may begin before)."""
        first = 0
        while first < len(ids) and ids[first] not in self.whole and self.learn(ids[first]) is None:
            first += 1
        text: str = self.backend.decode(ids[first:], skip_special_tokens=False)
        return text


class FallbackIds(Detokenizer):
    """Ids whose tokens are text or single bytes.

    A run of bytes that is not UTF-8 as a whole becomes U+FFFD for each byte, so a run is certain when the next token of
    text has come, or when nothing can make it UTF-8 any more.
    """

    __slots__ = ("_tokens", "_utf8", "_run", "_size", "_broken", "_strip")

    def __init__(self, tokens: FallbackTokens) -> None:
        self._tokens = tokens
        self._reset_run()
        self._strip = tokens.strip[1]

    def _reset_run(self) -> None:
        self._utf8 = _utf8("strict")
        self._run: list[str] = []  # the characters of the run of bytes
        self._size = 0  # its bytes
        self._broken = False

    def push(self, ids: Iterable[int]) -> list[Piece]:
        whole, single = self._tokens.whole, self._tokens.bytes
        pieces: list[Piece] = []
        for token in ids:
            piece = whole.get(token)
            if piece is None and token not in single:
                piece = self._tokens.learn(token)
                if piece is not None and token not in whole:
                    continue  # unknown: as if it were not there, not even the end of a run
            if piece is None:
                self._byte(single[token], pieces)
                continue
            if self._size:
                self._end_run(pieces)
            self._add(piece, pieces)
        return pieces

    def _byte(self, byte: int, pieces: list[Piece]) -> None:
        self._size += 1
        if self._broken:
            self._add(Piece(REPLACEMENT), pieces)
            return
        try:
            self._run.append(self._utf8.decode(bytes((byte,))))
        except UnicodeDecodeError:
            self._broken = True
            self._add(Piece(REPLACEMENT * self._size), pieces)

    def _end_run(self, pieces: list[Piece]) -> None:
        if not self._broken:
            text = REPLACEMENT * self._size if self._utf8.getstate()[0] else "".join(self._run)
            self._add(Piece(text), pieces)
        self._reset_run()

    def _add(self, piece: Piece, pieces: list[Piece]) -> None:
        text, special = piece
        while self._strip and text:
            if text[0] == self._tokens.strip[0]:
                text, self._strip = text[1:], self._strip - 1
            else:
                self._strip = 0
        if text is not piece.text:
            piece = Piece(text, special)
        if text:
            pieces.append(piece)

    def finish(self) -> list[Piece]:
        pieces: list[Piece] = []
        if self._size:
            self._end_run(pieces)
        self._strip = self._tokens.strip[1]
        return pieces
