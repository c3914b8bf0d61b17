"""rtgen for users of transformers: with a tokenizer, token ids, generation, or the whole process.

    attach(tokenizer)             this tokenizer's `parse_response` and `get_response_parser` use the compiled parser
    install(), with installed():  so does everything in the process that goes through transformers
    parser.feed_ids(ids)          token ids instead of text, on the parsers of either
    ResponseStreamer              events out of `model.generate(..., streamer=...)`; AsyncResponseStreamer for servers
    find_template(source)         the bundled template of a model family that is known

Written against transformers 5.24. The names below are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rtgen.integrations.transformers.attaching import attach, attached, detach
    from rtgen.integrations.transformers.find import NoTemplateError, find_name, find_template
    from rtgen.integrations.transformers.ids import Piece, detokenizer
    from rtgen.integrations.transformers.installing import UnsupportedVersionError, install, installed, uninstall
    from rtgen.integrations.transformers.parser import IdParser, response_parser
    from rtgen.integrations.transformers.streamer import AsyncResponseStreamer, ResponseStreamer, StreamCancelled

_HOMES = {
    "attach": "attaching",
    "attached": "attaching",
    "detach": "attaching",
    "NoTemplateError": "find",
    "find_name": "find",
    "find_template": "find",
    "Piece": "ids",
    "detokenizer": "ids",
    "UnsupportedVersionError": "installing",
    "install": "installing",
    "installed": "installing",
    "uninstall": "installing",
    "IdParser": "parser",
    "response_parser": "parser",
    "AsyncResponseStreamer": "streamer",
    "ResponseStreamer": "streamer",
    "StreamCancelled": "streamer",
}

__all__ = [
    "AsyncResponseStreamer",
    "IdParser",
    "NoTemplateError",
    "Piece",
    "ResponseStreamer",
    "StreamCancelled",
    "UnsupportedVersionError",
    "attach",
    "attached",
    "detach",
    "detokenizer",
    "find_name",
    "find_template",
    "install",
    "installed",
    "response_parser",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
