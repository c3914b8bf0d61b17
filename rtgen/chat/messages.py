"""The messages of a conversation, made ready for a template.

Rules: `PreTrainedTokenizerBase.apply_chat_template` and `ProcessorMixin.apply_chat_template` of transformers 5.24.0.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Message = dict[str, Any]

REASONING_KEYS = ("reasoning_content", "thinking", "reasoning")
"""The keys under which reasoning is passed, the one that counts first."""


def is_batch(messages: Any) -> bool:
    """Whether `messages` is several conversations: a list of lists, or of objects that hold `messages`.

    Raises IndexError for an empty list.
    """
    if not isinstance(messages, (list, tuple)):
        return False
    return isinstance(messages[0], (list, tuple)) or hasattr(messages[0], "messages")


def conversation(messages: Any) -> list[Message]:
    """One conversation as new dicts, without the keys whose value is None.

    A message is a mapping, a dataclass, or an object with pydantic's `model_dump`; so are the values in it. Other
    values stay as they are. Raises TypeError for any other message.
    """
    found = _without_objects(getattr(messages, "messages", messages))
    result = []
    for message in found:
        if not isinstance(message, dict):
            raise TypeError(
                f"a message is a dict, a dataclass or a pydantic model, not {type(message).__name__}: {message!r}"
            )
        result.append({key: value for key, value in message.items() if value is not None})
    return result


def image_parts(messages: list[Message]) -> None:
    """Turn OpenAI's `image_url` parts into `{"type": "image", "url": ...}`, in place, as processors do."""
    for message in messages:
        parts = message.get("content")
        if isinstance(parts, list):
            message["content"] = [_image_part(part) for part in parts]


def _image_part(part: Any) -> Any:
    if not isinstance(part, dict) or part.get("type") != "image_url" or "image_url" not in part:
        return part
    image = part["image_url"]
    return {"type": "image", "url": image.get("url", "") if isinstance(image, dict) else image}


def plain(value: Any) -> Any:
    """`value` rebuilt from plain str, int, float, bool, None, dict, list and tuple; what is nothing of it: `"<Type>"`.

    Templates come from strangers, so they never see an object that has methods of its own.
    """
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if not isinstance(value, (list, tuple)) and _is_numpy_scalar(value):
        return plain(value.item())
    rebuilt = _containers(value, plain)
    return f"<{type(value).__name__}>" if rebuilt is _NONE else rebuilt


def with_reasoning(messages: Iterable[Message]) -> list[Message]:
    """The messages with their reasoning under `reasoning_content` and, unless that is taken, under `thinking`."""
    result = []
    for message in messages:
        reasoning = next((message[key] for key in REASONING_KEYS if message.get(key) is not None), None)
        if reasoning is not None:
            # The place of a key in the message shows where a template prints the message as JSON.
            message = {"thinking": reasoning} | message | {"reasoning_content": reasoning}
        result.append(message)
    return result


def _without_objects(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_objects(item) for key, item in value.items()}
    rebuilt = _containers(value, _without_objects)
    return value if rebuilt is _NONE else rebuilt


def _containers(value: Any, convert: Callable[[Any], Any]) -> Any:
    """A container, a dataclass or a pydantic model rebuilt, `convert` applied to what it holds; else _NONE."""
    if isinstance(value, list):
        return [convert(item) for item in value]
    if isinstance(value, tuple):
        return tuple(convert(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: convert(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if callable(getattr(value, "model_dump", None)):
        return convert(value.model_dump())
    return _NONE


_NONE = object()


def _is_numpy_scalar(value: Any) -> bool:
    numpy = sys.modules.get("numpy")  # a value can only be of numpy's if numpy has been imported
    return numpy is not None and isinstance(value, numpy.generic)
