"""A parsed message in OpenAI's form, and the completion around it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from rtgen.openai.finish import finish
from rtgen.openai.json_text import write_json
from rtgen.openai.plan import CALLS, TEXT_FIELDS


def new_call_id() -> str:
    """An id for a call, as clients expect it."""
    return f"call_{uuid.uuid4().hex[:24]}"


def to_message(message: dict[str, Any], *, new_id: Callable[[], str] = new_call_id) -> dict[str, Any]:
    """A parsed message in OpenAI's form: `role`, `content`, perhaps `reasoning_content` and `tool_calls`.

    The arguments of calls become JSON text; `new_id` makes the ids of calls that have none.
    """
    made: dict[str, Any] = {"role": message.get("role", "assistant"), "content": None}
    for name, place in TEXT_FIELDS.items():
        text = message.get(name)
        if isinstance(text, list) and all(isinstance(part, str) for part in text):
            text = "".join(text)
        if isinstance(text, str) and made.get(place) is None:
            made[place] = text
    calls = [_call(value, new_id) for value in calls_in(message.get(CALLS))]
    if calls:
        made["tool_calls"] = calls
    return made


def to_completion(
    message: dict[str, Any],
    *,
    model: str = "",
    finish_reason: str | None = None,
    truncated: bool = False,
    completion_id: str | None = None,
    created: int | None = None,
) -> dict[str, Any]:
    """A `chat.completion` with one choice, the parsed message.

    `finish_reason` is what the engine says, of which "stop" becomes "tool_calls" where there are calls; without it
    "length" for a `truncated` parse (see `was_cut_off`), else "tool_calls" or "stop".
    """
    made = to_message(message)
    choice = {
        "index": 0,
        "message": made,
        "finish_reason": finish(finish_reason, truncated, bool(made.get("tool_calls"))),
        "logprobs": None,
    }
    return {**head("chat.completion", model, completion_id, created), "choices": [choice]}


def head(kind: str, model: str, completion_id: str | None, created: int | None) -> dict[str, Any]:
    """What every object of OpenAI's begins with; `kind` is the name of the object."""
    return {
        "id": completion_id or f"chatcmpl-{uuid.uuid4().hex}",
        "object": kind,
        "created": int(time.time()) if created is None else created,
        "model": model,
    }


def calls_in(value: Any) -> Iterator[dict[str, Any]]:
    """The calls in the value of a message's field or of a region."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from calls_in(item)
        elif isinstance(item, dict) and isinstance(item.get("function"), dict) and "name" in item["function"]:
            yield item


def name_of(call: dict[str, Any]) -> str:
    """The name that a call of a message has for clients."""
    return str(call["function"]["name"])


def id_of(call: dict[str, Any]) -> str | None:
    """The id that a call of a message has, if it has one."""
    call_id = call.get("id")
    return call_id if isinstance(call_id, str) and call_id else None


def arguments_of(call: dict[str, Any]) -> Any:
    """The arguments of a call of a message; a call without any has an empty object."""
    return call["function"].get("arguments", {})


def _call(value: dict[str, Any], new_id: Callable[[], str]) -> dict[str, Any]:
    return {
        "id": id_of(value) or new_id(),
        "type": "function",
        "function": {"name": name_of(value), "arguments": write_json(arguments_of(value))},
    }
