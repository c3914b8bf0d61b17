"""Ids to text where the decoder can do anything: by the library's `DecodeStream`, or by decoding a window of ids again.

Neither can promise that later ids leave earlier text alone, so the total is compared with decoding everything at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import ref

from rtgen.integrations.transformers.ids import Detokenizer, Piece

Decode = Callable[[list[int]], str]


class _Checked(Detokenizer):
    """Keeps all ids, and the text that was given out, for the comparison at the end."""

    __slots__ = ("_decode", "_ids", "_given", "_special")

    def __init__(self, decode: Decode, special: dict[int, str]) -> None:
        self._decode = decode
        self._special = special  # the text of each special token
        self._ids: list[int] = []
        self._given: list[str] = []

    def _text(self, token: int) -> str:
        """The text that is likely to be certain with one more id (it is in `_ids` already)."""
        raise NotImplementedError

    def push(self, ids: Iterable[int]) -> list[Piece]:
        pieces: list[Piece] = []
        for token in ids:
            self._ids.append(token)
            text = self._text(token)
            if not text:
                continue
            self._given.append(text)
            own = self._special.get(token)
            if own and text.endswith(own):
                if text != own:
                    pieces.append(Piece(text[: -len(own)]))
                pieces.append(Piece(own, True))
            else:
                pieces.append(Piece(text))
        return pieces

    def finish(self) -> list[Piece]:
        whole, given = self._decode(self._ids) if self._ids else "", "".join(self._given)
        self._ids, self._given = [], []
        if not whole.startswith(given):
            raise ValueError(
                "this tokenizer changes the text of ids when later ids come: decode all of them at once, and use feed"
            )
        rest = whole[len(given) :]
        return [Piece(rest)] if rest else []


class StreamIds(_Checked):
    """By the `DecodeStream` of the tokenizers library."""

    __slots__ = ("_backend", "_new_stream", "_stream")

    def __init__(self, backend: Any, new_stream: Callable[..., Any]) -> None:
        def decode(ids: list[int]) -> str:
            text: str = backend.decode(ids, skip_special_tokens=False)
            return text

        added = backend.get_added_tokens_decoder()
        super().__init__(decode, {token: one.content for token, one in added.items() if one.special})
        self._backend = backend
        self._new_stream = new_stream
        self._stream: Any = new_stream(skip_special_tokens=False)

    def _text(self, token: int) -> str:
        if self._stream is None:
            return ""
        try:
            return self._stream.step(self._backend, token) or ""
        except Exception:  # the library's own class: the text before has changed, and `finish` will tell
            self._stream = None
            return ""

    def finish(self) -> list[Piece]:
        self._stream = self._new_stream(skip_special_tokens=False)
        return super().finish()


class WindowIds(_Checked):
    """By decoding the last ids again: what comes after the text of the ids before is the new text."""

    __slots__ = ("_start", "_read")

    def __init__(self, decode: Decode, special: dict[int, str]) -> None:
        super().__init__(decode, special)
        self._start = 0  # the ids from here on are decoded
        self._read = 0  # those before here have given their text

    def _text(self, token: int) -> str:
        before = self._decode(self._ids[self._start : self._read]) if self._read > self._start else ""
        now = self._decode(self._ids[self._start :])
        if now.endswith("\ufffd") or not now.startswith(before) or len(now) == len(before):
            return ""
        self._start, self._read = self._read, len(self._ids)
        return now[len(before) :]

    def finish(self) -> list[Piece]:
        self._start = self._read = 0
        return super().finish()


class WholeIds(_Checked):
    """By decoding everything at the end, where transformers edits the text as a whole."""

    __slots__ = ()

    def _text(self, token: int) -> str:
        return ""


def whole_or_window(tokenizer: Any, whole: bool) -> Callable[[], Detokenizer]:
    """What makes detokenizers that call `tokenizer.decode`; with `whole`, once and at the end."""
    # weakly: the table of ways, whose keys are tokenizers, holds what is returned
    held = ref(tokenizer)

    def make() -> Detokenizer:
        alive = held()
        added = getattr(alive, "added_tokens_decoder", {})
        special = {token: one.content for token, one in added.items() if one.special}

        def decode(ids: list[int]) -> str:
            text: str = alive.decode(ids, skip_special_tokens=False)  # type: ignore[union-attr]
            return text

        return (WholeIds if whole else WindowIds)(decode, special)

    return make
