"""The smallest example that still comes back wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rtgen.roundtrip.battery import Example, Message

MOST_TRIES = 300
"""Examples that are tried before the smallest found so far has to do."""


def shrink(example: Example, still_wrong: Callable[[Example], bool]) -> Example:
    """`example`, its final message and its conversation made smaller as long as `still_wrong` holds."""
    tries = 0
    shrunk = True
    while shrunk:
        shrunk = False
        for candidate in _smaller(example):
            tries += 1
            if tries > MOST_TRIES:
                return example
            if still_wrong(candidate):
                example, shrunk = candidate, True
                break
    return example


def _smaller(example: Example) -> Iterator[Example]:
    *before, final = example.messages
    if len(before) > 1:
        user = next((message for message in before if message["role"] == "user"), before[-1])
        yield replace(example, messages=(user, final))
    for message in _smaller_message(final):
        yield replace(example, messages=(*before, message))


def _smaller_message(message: Message) -> Iterator[Message]:
    for key, value in message.items():
        if key == "role":
            continue
        if len(message) > 2:
            yield {k: v for k, v in message.items() if k != key}
        if key == "tool_calls":
            for calls in _smaller_list(value, _smaller_call):
                if calls:
                    yield message | {key: calls}
        else:
            for smaller in _smaller_value(value):
                yield message | {key: smaller}


def _smaller_call(call: Any) -> Iterator[Any]:
    function = call["function"]
    for arguments in _smaller_value(function["arguments"]):
        yield {**call, "function": {**function, "arguments": arguments}}


def _smaller_list(items: list[Any], smaller: Callable[[Any], Iterator[Any]]) -> Iterator[list[Any]]:
    for at in range(len(items)):
        yield items[:at] + items[at + 1 :]
    for at, item in enumerate(items):
        for less in smaller(item):
            yield [*items[:at], less, *items[at + 1 :]]


def _smaller_value(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
        for key, item in value.items():
            for less in _smaller_value(item):
                yield value | {key: less}
    elif isinstance(value, list):
        yield from _smaller_list(value, _smaller_value)
    elif isinstance(value, str) and value:
        half = len(value) // 2
        for less in dict.fromkeys((value[:half], value[half:], value[1:], value[:-1])):
            if less == less.strip() and less != value:
                yield less
