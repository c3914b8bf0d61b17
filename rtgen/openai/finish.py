"""Why a completion has ended: its `finish_reason`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rtgen.openai.plan import CALLS

_WHOLE_OR_MALFORMED = ("json", "python-call-list")
"""Content parsers that refuse a text of which the end is missing."""


def was_cut_off(events: Iterable[dict[str, Any]], template: dict[str, Any]) -> bool:
    """Whether the end of the text has cut off a region before it was complete.

    `events` are those that `finalize()` returns with `spans=True`, `template` is the response template. Calls that are
    whole without their closer are not cut off: the closer is often the token at which an engine stops, and engines
    leave that out of the text.
    """
    for event in events:
        if event.get("closed", True):
            continue
        content = template["fields"][event["field"]].get("content", "text")
        whole = event["field"] == CALLS and event["type"] == "region_close" and content in _WHOLE_OR_MALFORMED
        if not whole:
            return True
    return False


def finish(given: str | None, cut_off: bool, calls: bool) -> str:
    """The `finish_reason`. `given` is what the engine says, if it does, `calls`: there are some. An engine that has
    stopped knows nothing of calls, so "stop" becomes "tool_calls" where there are some."""
    if given is not None and given != "stop":
        return given
    return "length" if cut_off and given is None else "tool_calls" if calls else "stop"
