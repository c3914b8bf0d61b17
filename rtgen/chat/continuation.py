"""`continue_final_message`: the rendered text ends where the final message ends, so that a model goes on from there.

A tag is put at the end of the message, and the rendered text is cut where the tag shows up. Rules: transformers 5.24.0.
"""

from __future__ import annotations

from typing import Any

from rtgen.chat.messages import REASONING_KEYS, Message

TAG = "CONTINUE_FINAL_MESSAGE_TAG "
"""The tag. It is that of transformers, since a template can treat it in ways that depend on its characters."""


def mark(messages: list[Message], key: str, source: str) -> str:
    """Put the tag at the end of the final message's `key`, in place, and return what stood there.

    Of a list of parts, the last one that has a text is marked. `source` is the template, which has to name the key.
    Raises ValueError if there is nothing to continue, TypeError if it is no text.
    """
    if not messages:
        raise ValueError("continue_final_message needs a final message, and the conversation is empty")
    message = messages[-1]
    final: Any = message.get(key)
    if final is None:
        raise ValueError(f"continue_final_message: the final message has no {key!r} to continue")
    # Reasoning stands under several keys, of which a template reads one.
    keys = [name for name in REASONING_KEYS if message.get(name) == final] if key in REASONING_KEYS else [key]
    if not any(name in source for name in keys):
        raise ValueError(f"continue_final_message: the template never reads {key!r}")
    if not isinstance(final, (list, tuple)):
        for name in keys:
            message[name] = message[name] + TAG
        return str(final)
    for part in reversed(final):
        if "text" in part:
            text: str = part["text"]
            part["text"] = text + TAG
            return text
    raise ValueError(f"continue_final_message: no part of the final message's {key!r} has a text to continue")


def cut(rendered: str, final: str) -> str:
    """The rendered text up to the tag, which followed `final`.

    Where the template stripped the blank at the tag's end, it would have stripped those at the end of the message too.
    Raises ValueError if the text does not hold the message and the tag.
    """
    tag = TAG.strip()
    if final.strip() not in rendered or tag not in rendered:
        raise ValueError(
            "continue_final_message: the template drops or changes the end of the final message, so nothing says where "
            f"to go on; the message is {final.strip()!r}, the rendered text {rendered!r}"
        )
    place = rendered.rindex(tag)
    return rendered[:place] if rendered.startswith(TAG, place) else rendered[:place].rstrip()
