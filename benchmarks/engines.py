"""What is compared: rtgen, transformers (the reference), and the floor, behind one interface.

The floor is the least that a parser in Python can do with a chunk: keep the text and return one event. Nothing that
answers with events can be faster, so a cost in floors says how much of the time is the parser's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol


class Parser(Protocol):
    """A streaming parser."""

    def feed(self, text: str) -> list[dict[str, Any]]: ...

    def finalize(self) -> tuple[dict[str, Any], list[dict[str, Any]]]: ...


class FloorParser:
    """Keeps the text, returns one event for each chunk."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def feed(self, text: str) -> list[dict[str, Any]]:
        self._parts.append(text)
        return [{"type": "region_chunk", "field": "content", "text": text, "dirty": False}]

    def finalize(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        return {"content": "".join(self._parts)}, []


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine: `load` turns a template dict into what the other two accept, as they accept the dict itself."""

    name: str
    version: str
    load: Callable[[dict[str, Any]], Any]
    parser: Callable[[Any, str, list[Any] | None], Parser]
    """From a template (loaded or dict), a prefix and the tools to a streaming parser."""
    parse: Callable[[Any, str, str], Any]
    """From a template (loaded or dict), a text and a prefix to the message."""
    parse_all: Callable[[Any, list[str], str], Any]
    """The same for a list of texts with one prefix."""


def _unsupported(*_: Any) -> Any:
    raise NotImplementedError("the floor only streams")


FLOOR = Engine("floor", "", lambda template: None, lambda *_: FloorParser(), _unsupported, _unsupported)


def rtgen_engine() -> Engine:
    """rtgen. Raises ImportError where it cannot be imported."""
    import rtgen as module

    rtgen: Any = module  # its attributes are looked up when it is first used

    def parse_all(template: Any, texts: list[str], prefix: str) -> Any:
        return rtgen.parse_response(texts, template, prefix=prefix)

    def parser(template: Any, prefix: str, tools: list[Any] | None) -> Any:
        if type(template) is dict:
            return rtgen.ResponseParser(template, prefix, tools=tools)
        return template.ResponseParser(prefix, tools=tools)

    def parse(template: Any, text: str, prefix: str) -> Any:
        if type(template) is dict:
            return rtgen.parse_response(text, template, prefix=prefix)
        return template.parse_response(text, prefix=prefix)

    return Engine("rtgen", _version("rtgen"), rtgen.compile, parser, parse, parse_all)


def transformers_engine() -> Engine:
    """transformers. Raises ImportError where it, or its response parser, is not installed."""
    from transformers.utils.chat_parsing import ResponseParser, parse_response
    from transformers.utils.chat_parsing.response_templates import load_response_template

    return Engine(
        "transformers",
        _version("transformers"),
        load_response_template,
        lambda template, prefix, tools: ResponseParser(template, prefix, tools=tools),
        lambda template, text, prefix: parse_response(text, template, prefix=prefix),
        lambda template, texts, prefix: [parse_response(text, template, prefix=prefix) for text in texts],
    )


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except Exception:  # run from a checkout that is not installed
        return "checkout"


def available() -> tuple[list[Engine], list[str]]:
    """The engines that can be imported (the floor not among them), and a sentence for each that cannot."""
    engines, missing = [], []
    for name, make in (("rtgen", rtgen_engine), ("transformers", transformers_engine)):
        try:
            engines.append(make())
        except (ImportError, AttributeError) as error:
            missing.append(f"{name} is left out: {error}")
    return engines, missing
