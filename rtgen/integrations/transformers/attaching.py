"""rtgen behind the response parsing of one tokenizer: `attach` and `detach`."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any, TypeVar

from rtgen.integrations.transformers import methods

Tokenizer = TypeVar("Tokenizer")


class Attached:
    """A function as a method of one object, which stays so when the object is copied or pickled.

    (A bound method is pickled by its name, so that the copy would have the method of its class again.)
    """

    def __init__(self, function: Callable[..., Any], owner: Any) -> None:
        self.function, self.owner = function, owner
        update_wrapper(self, MethodType(function, owner), updated=())

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        return self.function(self.owner, *arguments, **more)

    def __reduce__(self) -> tuple[type[Attached], tuple[Callable[..., Any], Any]]:
        return Attached, (self.function, self.owner)

    def __repr__(self) -> str:
        return f"<{self.function.__qualname__} of rtgen, attached to a {type(self.owner).__name__}>"


def attach(tokenizer: Tokenizer, *, chat: bool = False) -> Tokenizer:
    """Give a tokenizer, or a processor and its tokenizer, rtgen's `parse_response` and `get_response_parser`.

    They have transformers' signatures and behaviour, and go on reading `tokenizer.response_template`. Besides, they
    take the options for servers (`on_malformed`, `string_aware`, `repair`, the limits, and for parsers `spans`) as
    keyword arguments, and the parsers have `feed_ids`. With `chat`, `apply_chat_template` of the tokenizer renders
    through `rtgen.chat` too. Other tokenizers of the same class, and what is saved, are left alone. Attaching again
    changes only `chat`. Pickled and deep copies are attached too; a shallow copy has the methods of the original until
    it is attached itself.

    Returns the same object. Raises TypeError for what is neither, ImportError for `chat` where `rtgen.chat` does not
    render.
    """
    found: list[tuple[str, Callable[..., Any]]]
    found = [("parse_response", methods.parse_response), ("get_response_parser", methods.get_response_parser)]
    if chat:
        from rtgen.integrations.transformers.chat import apply_chat_template, require_chat

        require_chat()
        found.append(("apply_chat_template", apply_chat_template))
    inner = tokenizer_of(tokenizer)
    detach(tokenizer)
    for name, function in found:
        setattr(inner, name, Attached(function, inner))
        if tokenizer is not inner and name != "apply_chat_template":
            setattr(tokenizer, name, Attached(function, inner))
    return tokenizer


def detach(tokenizer: Tokenizer) -> Tokenizer:
    """Undo `attach`: the methods of the class are back. Returns the same object, also where nothing was attached."""
    for one in (tokenizer_of(tokenizer), tokenizer):
        for name, value in list(vars(one).items()):
            if isinstance(value, Attached):
                delattr(one, name)
    return tokenizer


def attached(tokenizer: Any) -> bool:
    """Whether `attach` is in force for this tokenizer, or for this processor and its tokenizer."""
    return isinstance(vars(tokenizer_of(tokenizer)).get("parse_response"), Attached)


def tokenizer_of(tokenizer: Any) -> Any:
    """The tokenizer itself, or the one of a processor. Raises TypeError where there is none."""
    inner = tokenizer
    if not hasattr(tokenizer, "convert_ids_to_tokens"):  # else a tokenizer, which may hold another library's in itself
        inner = getattr(tokenizer, "tokenizer", tokenizer)
    if not callable(getattr(inner, "decode", None)) or not hasattr(inner, "__dict__") or isinstance(inner, type):
        raise TypeError(f"a tokenizer or a processor with one is needed, not {tokenizer!r}")
    return inner
