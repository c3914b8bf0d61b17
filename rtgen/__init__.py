"""rtgen: response templates compiled into parsers.

A response template says how a model's raw output becomes a message; rtgen compiles it into a Python module that parses
such output, whole or while it streams. The names below are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rtgen import chat, openai
    from rtgen.api import ResponseParser, parse_response
    from rtgen.compiler import CompiledTemplate, compile, load
    from rtgen.errors import LimitError, ParseError, TemplateError
    from rtgen.library import available

__version__ = "0.1.0"

__all__ = [
    "CompiledTemplate",
    "LimitError",
    "ParseError",
    "ResponseParser",
    "TemplateError",
    "available",
    "chat",
    "compile",
    "load",
    "openai",
    "parse_response",
]

_HOMES = {
    "CompiledTemplate": "rtgen.compiler",
    "LimitError": "rtgen.errors",
    "ParseError": "rtgen.errors",
    "ResponseParser": "rtgen.api",
    "TemplateError": "rtgen.errors",
    "available": "rtgen.library",
    "compile": "rtgen.compiler",
    "load": "rtgen.compiler",
    "parse_response": "rtgen.api",
}

_MODULES = ("chat", "openai")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"rtgen.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'rtgen' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
