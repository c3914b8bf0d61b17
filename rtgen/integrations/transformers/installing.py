"""rtgen in the place of transformers' response parsing, for the whole process: `install`, `uninstall`, `installed`.

Two things change while it is installed: the methods of `PreTrainedTokenizerBase` (which pipelines, processors and
other libraries call), and, in every module that has bound them, the class `ResponseParser` and the function
`parse_response` of `transformers.utils.chat_parsing` (which `transformers serve` calls). Modules that are imported
later find rtgen's there too.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

import rtgen
from rtgen.integrations.transformers import methods

KNOWN_VERSIONS = ("5.24",)
"""The releases (first two numbers) whose response parsing is known to be the one that rtgen implements."""

METHODS = {"parse_response": methods.parse_response, "get_response_parser": methods.get_response_parser}


class UnsupportedVersionError(RuntimeError):
    """transformers is not of a version that rtgen can stand in for. `version` is its version."""

    def __init__(self, version: str, why: str) -> None:
        self.version = version
        super().__init__(version, why)

    def __str__(self) -> str:
        known = ", ".join(f"{known}.*" for known in KNOWN_VERSIONS)
        return (
            f"rtgen is not installed into transformers {self.version}: {self.args[1]} (known: {known}); nothing was "
            "changed, and attach(tokenizer) works with any version"
        )


@dataclass(slots=True)
class _State:
    """What stands where while installed: by their names the objects of both sides, and the methods that were there."""

    base: type
    theirs: dict[str, Any]
    ours: dict[str, Any]
    methods: dict[str, Any] = field(default_factory=dict)


_state: _State | None = None
_lock = threading.RLock()


def install() -> None:
    """Let everything in this process that parses responses through transformers use rtgen. Twice is as good as once.

    Raises UnsupportedVersionError, having changed nothing, for a version of transformers that is not known.
    """
    global _state
    with _lock:
        if _state is not None:
            return
        state = _look()
        for name, method in METHODS.items():
            setattr(state.base, name, method)
        _exchange(state.theirs, state.ours)
        _state = state


def uninstall() -> None:
    """Give transformers its own response parsing back. Parsers that were made go on; twice is as good as once."""
    global _state
    with _lock:
        state, _state = _state, None
        if state is None:
            return
        for name, method in state.methods.items():
            if vars(state.base).get(name) is METHODS[name]:  # else someone has put another in its place
                setattr(state.base, name, method)
        _exchange(state.ours, state.theirs)


def is_installed() -> bool:
    """Whether `install` is in force."""
    return _state is not None


@contextmanager
def installed() -> Iterator[None]:
    """`install` for the time of a `with` block; where it was installed before, it stays so."""
    with _lock:
        before = is_installed()
        install()
    try:
        yield
    finally:
        if not before:
            uninstall()


def _look() -> _State:
    """What is to be replaced. Raises UnsupportedVersionError where it is not what is known."""
    version = str(getattr(import_module("transformers"), "__version__", "of unknown version"))
    if ".".join(version.split(".")[:2]) not in KNOWN_VERSIONS:
        raise UnsupportedVersionError(version, "its response parsing is not known to be the one that rtgen implements")
    try:
        base = import_module("transformers.tokenization_utils_base").PreTrainedTokenizerBase
        package = import_module("transformers.utils.chat_parsing")
        theirs = {"ResponseParser": package.ResponseParser, "parse_response": package.parse_response}
        loaded = import_module("transformers.utils.chat_parsing.response_templates").ResponseTemplate
        own = {name: vars(base)[name] for name in METHODS}
    except (ImportError, AttributeError, KeyError) as error:
        raise UnsupportedVersionError(version, f"a part of its response parsing is missing ({error})") from error
    return _State(base, theirs, _stand_ins(theirs, loaded), own)


def _stand_ins(theirs: dict[str, Any], loaded: type) -> dict[str, Any]:
    """What takes the places of transformers' names. A template that it has loaded into an object of its own class
    (`loaded`), which does not tell the dict it was made from, is left to it."""

    class ResponseParser(rtgen.ResponseParser):
        """rtgen's streaming parser with the signature of transformers' class, and rtgen's options for servers."""

        def __new__(
            cls,
            response_template: Any,
            prefix: str | None = None,
            *,
            tools: Sequence[Any] | None = None,
            **serving: Any,
        ) -> Any:
            if isinstance(response_template, loaded):
                return theirs["ResponseParser"](response_template, prefix, tools=tools, **serving)
            return rtgen.compile(response_template).ResponseParser(prefix, tools=tools, **serving)

    def parse_response(
        text: str,
        response_template: Any,
        *,
        prefix: str | None = None,
        tools: Sequence[Any] | None = None,
        **serving: Any,
    ) -> Any:
        """rtgen's `parse_response` with the signature of transformers' function, and the options for servers."""
        if isinstance(response_template, loaded):
            return theirs["parse_response"](text, response_template, prefix=prefix, tools=tools, **serving)
        return rtgen.compile(response_template).parse_response(text, prefix=prefix, tools=tools, **serving)

    return {"ResponseParser": ResponseParser, "parse_response": parse_response}


def _exchange(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Put the new objects in the places of the old ones, in every module that has bound them under any name."""
    by_id = {id(value): new[name] for name, value in old.items()}
    for module in list(sys.modules.values()):
        if not isinstance(module, ModuleType) or module.__name__ == __name__:
            continue
        for name, value in list(vars(module).items()):
            if id(value) in by_id:
                setattr(module, name, by_id[id(value)])
