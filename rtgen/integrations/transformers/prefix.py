"""The text of a prompt that is given as token ids: no more of it than a parser looks at.

A parser cuts the prompt after its last anchor, and that is mostly near the end of a prompt of up to 128,000 tokens.
"""

from __future__ import annotations

from typing import Any

from rtgen.integrations.transformers.ids import as_ids, way

FIRST = 64
"""The ids at the end that are decoded first; then four times as many, and so on."""


def prompt_text(tokenizer: Any, ids: Any, template: dict[str, Any]) -> str:
    """The text of the prompt, or the end of it that begins no later than the last anchor of the (valid) template.

    `ids` is one sequence of token ids, in any form that `tokenizer.decode` takes. Raises ValueError for a batch.
    """
    anchors = _plain_anchors(template) if _sliceable(ids) else ()
    tail = way(tokenizer).tail if anchors else None
    if tail is not None:
        size = FIRST
        while size < len(ids):
            text = tail(as_ids(ids[len(ids) - size :]))
            if any(anchor in text for anchor in anchors):
                return text
            size *= 4
    text = tokenizer.decode(ids)
    if not isinstance(text, str):
        raise ValueError("one prefix is needed here: a string, or the token ids of one sequence")
    return text


def _sliceable(ids: Any) -> bool:
    """Whether it is a list, a tuple or an array of one dimension, of more ids than are decoded first."""
    if isinstance(ids, (list, tuple)):
        return len(ids) > FIRST and isinstance(ids[0], int)
    return getattr(ids, "ndim", 0) == 1 and len(ids) > FIRST


def _plain_anchors(template: dict[str, Any]) -> tuple[str, ...]:
    """The anchors, if they are literals whose occurrences overlap only where they begin at the same place.

    Then the last occurrence in the end of a text is the last in the whole text, whatever stands before. Of patterns,
    and of literals that overlap, it cannot be said: a match far ahead may decide where the next one begins.
    """
    anchors = template.get("start_anchor")
    listed = (anchors,) if isinstance(anchors, str) else tuple(anchors or ())
    for one in listed:
        for start in range(1, len(one)):
            rest = one[start:]
            if any(other.startswith(rest) or rest.startswith(other) for other in listed):
                return ()
    return listed
