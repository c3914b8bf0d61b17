"""The two entry points that take a template: parse a whole response, or make a streaming parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from rtgen.compiler import compile
from rtgen.runtime.parser import Parser


@overload
def parse_response(
    text: str, template: Any, *, prefix: str | None = None, tools: Sequence[Any] | None = None, **serving: Any
) -> dict[str, Any]: ...


@overload
def parse_response(
    text: list[str] | tuple[str, ...],
    template: Any,
    *,
    prefix: str | Sequence[str] | None = None,
    tools: Sequence[Any] | None = None,
    **serving: Any,
) -> list[dict[str, Any]]: ...


def parse_response(text: Any, template: Any, *, prefix: Any = None, tools: Any = None, **serving: Any) -> Any:
    """Parse the generated text into a message (a dict); a sequence of texts into a list of messages.

    `template` is whatever `rtgen.compile` takes; it is compiled on first use and cached. `prefix` is the prompt that
    was given to the model (for a batch one for all, or one each): what the chat template wrote after the last anchor
    belongs to the answer. `tools` (dicts in OpenAI's form, bare function schemas, Python functions) cast the arguments
    of tool calls. Raises TemplateError, ValueError without a prefix, ParseError for text that cannot be parsed.

    `serving` are the keyword arguments for servers (`on_malformed`, `malformed`, ...) of `rtgen.runtime.parser.Parser`;
    the entries of `malformed` carry the `index` of their text where `text` is a sequence.
    """
    if serving:
        return compile(template)._parse(text, prefix=prefix, tools=tools, **serving)
    return compile(template)._parse(text, prefix=prefix, tools=tools)


class _AnyParser(type):
    """Lets `isinstance(parser, rtgen.ResponseParser)` hold for every generated parser."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Parser)


class ResponseParser(metaclass=_AnyParser):
    """A streaming parser of one response: `initial_events`, `feed(text) -> events`, `finalize() -> (message, events)`.

    Making one gives an instance of the class that was generated for the template; see `rtgen.runtime.parser.Parser`.
    """

    def __new__(
        cls, template: Any, prefix: str | None = None, *, tools: Sequence[Any] | None = None, **serving: Any
    ) -> Any:
        return compile(template).ResponseParser(prefix, tools=tools, **serving)

    if TYPE_CHECKING:
        initial_events: list[dict[str, Any]]
        malformed: list[dict[str, Any]]
        truncated: bool
        input_text: str

        def __init__(
            self, template: Any, prefix: str | None = None, *, tools: Sequence[Any] | None = None, **serving: Any
        ) -> None: ...

        def feed(self, text: str) -> list[dict[str, Any]]: ...

        def finalize(self) -> tuple[dict[str, Any], list[dict[str, Any]]]: ...
