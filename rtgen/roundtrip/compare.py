"""When two messages are the same.

A message that was parsed lacks what is empty, so that emptiness is no difference. Ids of calls count only where the
response template reads them.
"""

from __future__ import annotations

import json
from typing import Any

REASONING = ("reasoning_content", "thinking", "reasoning")
"""The names under which reasoning is known."""


def normal(message: dict[str, Any]) -> dict[str, Any]:
    """The message without what is empty, its reasoning under one name, each call as type, function and perhaps id."""
    found = {key: value for key, value in message.items() if value not in (None, "", [])}
    for name in REASONING[1:]:
        if name in found:
            found.setdefault(REASONING[0], found[name])
            del found[name]
    if isinstance(found.get("tool_calls"), list):
        found["tool_calls"] = [_call(call) for call in found["tool_calls"]]
    return found


def _call(call: Any) -> Any:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return call
    return {"type": "function", **call, "function": {"arguments": {}, **call["function"]}}


def without_ids(message: dict[str, Any]) -> dict[str, Any]:
    """The message, its calls without ids."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return message
    return {
        **message,
        "tool_calls": [{k: v for k, v in c.items() if k != "id"} if isinstance(c, dict) else c for c in calls],
    }


def has_ids(message: dict[str, Any]) -> bool:
    """Whether any of the calls has an id."""
    calls = message.get("tool_calls")
    return isinstance(calls, list) and any(isinstance(call, dict) and "id" in call for call in calls)


def same(expected: dict[str, Any], got: dict[str, Any]) -> bool:
    """Whether both say the same: 1, 1.0 and True differ, the order of keys does not count."""
    expected, got = normal(expected), normal(got)
    if not has_ids(got):
        expected = without_ids(expected)
    return dump(expected) == dump(got)


def says_less(expected: dict[str, Any], got: dict[str, Any]) -> bool:
    """Whether `got` is made of what `expected` says, perhaps less: without fields, calls, arguments, types or white
    space at the ends of texts, or with reasoning and content exchanged (some templates write both in the same way).

    A message that says something else (a call as text) does not say less.
    """
    expected, got = normal(expected), normal(got)
    texts = {str(expected[key]).strip() for key in ("content", REASONING[0]) if key in expected}
    for key, value in got.items():
        if key == "tool_calls":
            if not _fewer_calls(expected.get(key, []), value):
                return False
        elif key in ("content", REASONING[0]):
            if value.strip() not in texts:
                return False
        elif key != "role" and key not in expected:
            return False
    return True


def _fewer_calls(expected: list[Any], got: Any) -> bool:
    """Whether these are the same calls in the same order, without some of them, of their arguments or their types."""
    left = iter(expected)
    return isinstance(got, list) and all(any(_fewer_arguments(wanted, call) for wanted in left) for call in got)


def _fewer_arguments(wanted: Any, call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or function.get("name") != wanted["function"]["name"]:
        return False
    arguments = function.get("arguments")
    return isinstance(arguments, dict) and arguments.keys() <= wanted["function"]["arguments"].keys()


def dump(message: Any) -> str:
    """The message as JSON, its keys sorted."""
    return json.dumps(message, ensure_ascii=False, sort_keys=True, default=repr)
