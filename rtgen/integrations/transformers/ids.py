"""Token ids to text, a few at a time: whole characters only, and in total what decoding all of them at once gives.

Which way a tokenizer's ids become text is asked of its decoder:

    ByteLevel                                       tokens are bytes; the bytes are joined and read as UTF-8
    [Replace…,] ByteFallback, Fuse[, Strip left]    tokens are text, but for those that stand for one byte
    any other of the tokenizers library             its `DecodeStream`
    a tokenizer that decodes in its own way         a window of ids, decoded again and again

The first two are exact by construction, and no text waits that is certain. The others cannot be known beforehand, so
they compare their total with decoding everything at the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary


class Piece(NamedTuple):
    """Some text of the output, and whether a special token (such as an end of turn) wrote it."""

    text: str
    special: bool = False


class Detokenizer:
    """Turns the ids of one output into text, in order. Not to be used from two threads at once."""

    __slots__ = ()

    def push(self, ids: Iterable[int]) -> list[Piece]:
        """The text that is certain now that these ids have come, by the tokens that wrote it; never half a character.

        Ids that the tokenizer does not know write nothing, as everywhere in transformers.
        """
        raise NotImplementedError

    def finish(self) -> list[Piece]:
        """The text that was waiting for more ids: U+FFFD where a character is incomplete. Then the object starts anew.

        Raises ValueError where the tokenizer's text of all ids does not begin with the text that was given out.
        """
        raise NotImplementedError


def as_ids(ids: Any) -> list[int]:
    """One sequence of token ids as a list; `ids` is an int, a sequence of ints, or an array or tensor of one dimension.

    Of a nested sequence or a 2-D array the only row is taken; several raise ValueError.
    """
    if hasattr(ids, "tolist"):
        ids = ids.tolist()
    if isinstance(ids, int):
        return [ids]
    listed = list(ids)
    if listed and (isinstance(listed[0], (list, tuple)) or getattr(listed[0], "ndim", None)):
        if len(listed) > 1:
            raise ValueError(f"token ids of one sequence are needed, not of {len(listed)}")
        return as_ids(listed[0])
    return [int(one) for one in listed]


def detokenizer(tokenizer: Any) -> Detokenizer:
    """What turns this tokenizer's ids into text piece by piece, special tokens included: a new one for each output."""
    return way(tokenizer).new()


def backend_of(tokenizer: Any) -> Any:
    """The `tokenizers.Tokenizer` that does this tokenizer's decoding; None where something else takes part in it."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if not hasattr(backend, "get_added_tokens_decoder"):
        return None
    for name in ("decode", "_decode"):
        method = getattr(type(tokenizer), name, None)
        if not getattr(method, "__module__", "").startswith("transformers.tokenization_utils"):
            return None
    return None if _cleans_up(tokenizer, backend) else backend


def decoder_parts(backend: Any) -> list[dict[str, Any]]:
    """The decoder of a `tokenizers.Tokenizer` as the list of its steps, each as tokenizer.json holds it."""
    decoder = backend.decoder
    if decoder is None:
        return []
    state: dict[str, Any] = json.loads(decoder.__getstate__())
    parts: list[dict[str, Any]] = state["decoders"] if state["type"] == "Sequence" else [state]
    return parts


class Way(NamedTuple):
    """How one tokenizer's ids become text."""

    backend: Any
    new: Callable[[], Detokenizer]
    tail: Callable[[list[int]], str] | None
    """The text of the last ids of a sequence as it is in the text of the whole sequence, but for a piece missing at its
    beginning; None where the text of ids depends on all ids before."""


_ways: WeakKeyDictionary[Any, Way] = WeakKeyDictionary()


def way(tokenizer: Any) -> Way:
    """How this tokenizer's ids become text; it keeps what is known of the tokens."""
    backend = backend_of(tokenizer)
    known = _ways.get(tokenizer)
    if known is None or known.backend is not backend:
        known = _ways[tokenizer] = _choose(tokenizer, backend)
    return known


def _choose(tokenizer: Any, backend: Any) -> Way:
    # Not imported above, because those modules take the base class from this one.
    from rtgen.integrations.transformers import exact_ids, window_ids

    if backend is None:
        whole = _cleans_up(tokenizer, getattr(tokenizer, "backend_tokenizer", None))
        return Way(None, window_ids.whole_or_window(tokenizer, whole), None)
    parts = decoder_parts(backend)
    if [part["type"] for part in parts] == ["ByteLevel"]:
        tokens = exact_ids.ByteTokens(backend)
        return Way(backend, lambda: exact_ids.ByteLevelIds(tokens), tokens.tail)
    if exact_ids.is_fallback(parts):
        pieces = exact_ids.FallbackTokens(backend, parts)
        return Way(backend, lambda: exact_ids.FallbackIds(pieces), pieces.tail)
    stream = import_module("tokenizers.decoders").DecodeStream
    return Way(backend, lambda: window_ids.StreamIds(backend, stream), None)


def _cleans_up(tokenizer: Any, backend: Any) -> bool:
    """Whether transformers edits the decoded text as a whole (white space before punctuation)."""
    if not getattr(tokenizer, "clean_up_tokenization_spaces", False):
        return False
    anyway = getattr(tokenizer, "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", False)
    return bool(anyway) or type(getattr(backend, "model", None)).__name__ != "BPE"
