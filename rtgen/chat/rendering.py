"""Rendering: messages and a template in, the text that the model reads out.

Text and class of error equal those of `tokenizer.apply_chat_template(..., tokenize=False)` of transformers 5.24.0.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from rtgen.chat import continuation
from rtgen.chat.environment import FILE_NAME, Clock, clock_set, compile_template
from rtgen.chat.generation import Span, spans_of
from rtgen.chat.location import located
from rtgen.chat.messages import conversation, image_parts, is_batch, plain, with_reasoning

if TYPE_CHECKING:
    from rtgen.chat.storage import ChatTemplate

Conversation = Sequence[Mapping[str, Any]]
"""Messages: mappings, or dataclasses and pydantic models with the same fields."""

AnyTemplate = "str | Mapping[str, str] | os.PathLike[str] | ChatTemplate"


class Rendered(NamedTuple):
    """A rendered text, and start and end of each part that the assistant wrote, in characters."""

    text: str
    spans: list[Span]


@overload
def render(
    messages: Conversation,
    template: str | Mapping[str, str] | os.PathLike[str] | ChatTemplate,
    *,
    tools: Iterable[Any] | None = ...,
    documents: Iterable[Mapping[str, Any]] | None = ...,
    add_generation_prompt: bool = ...,
    continue_final_message: bool | str = ...,
    special_tokens: Mapping[str, Any] | None = ...,
    clock: Clock | None = ...,
    generation_spans: Literal[False] = ...,
    **variables: Any,
) -> str: ...
@overload
def render(
    messages: Sequence[Conversation],
    template: str | Mapping[str, str] | os.PathLike[str] | ChatTemplate,
    *,
    tools: Iterable[Any] | None = ...,
    documents: Iterable[Mapping[str, Any]] | None = ...,
    add_generation_prompt: bool = ...,
    continue_final_message: bool | str = ...,
    special_tokens: Mapping[str, Any] | None = ...,
    clock: Clock | None = ...,
    generation_spans: Literal[False] = ...,
    **variables: Any,
) -> list[str]: ...
@overload
def render(
    messages: Conversation,
    template: str | Mapping[str, str] | os.PathLike[str] | ChatTemplate,
    *,
    tools: Iterable[Any] | None = ...,
    documents: Iterable[Mapping[str, Any]] | None = ...,
    add_generation_prompt: bool = ...,
    continue_final_message: bool | str = ...,
    special_tokens: Mapping[str, Any] | None = ...,
    clock: Clock | None = ...,
    generation_spans: Literal[True],
    **variables: Any,
) -> Rendered: ...
@overload
def render(
    messages: Sequence[Conversation],
    template: str | Mapping[str, str] | os.PathLike[str] | ChatTemplate,
    *,
    tools: Iterable[Any] | None = ...,
    documents: Iterable[Mapping[str, Any]] | None = ...,
    add_generation_prompt: bool = ...,
    continue_final_message: bool | str = ...,
    special_tokens: Mapping[str, Any] | None = ...,
    clock: Clock | None = ...,
    generation_spans: Literal[True],
    **variables: Any,
) -> list[Rendered]: ...
def render(
    messages: Any,
    template: str | Mapping[str, str] | os.PathLike[str] | ChatTemplate,
    *,
    tools: Iterable[Any] | None = None,
    documents: Iterable[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
    continue_final_message: bool | str = False,
    special_tokens: Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    generation_spans: bool = False,
    **variables: Any,
) -> Any:
    """The text of a conversation, or the texts of several (a list of conversations).

    - `template`: the template's source; a dict of name to source (`tool_use` is taken if `tools` is not None, else
      `default`); a path to a `.jinja` file or to a folder; or what `load` returned.
    - `tools`: dicts, passed on as they are, or Python functions, whose schemas are made.
    - `continue_final_message`: the text ends with the final message's content, or with the field of this name.
    - `special_tokens`: name to token (a string, or an object with its `content`); `variables` override them. Tokens
      that are None are left out.
    - `clock`: the time that `strftime_now` tells.
    - `generation_spans`: return `Rendered`, the text with the places of what stands in `generation` tags.

    Raises ValueError (no message, no template to choose, tools or options that are refused), TypeError (messages or
    documents that are no dicts), what the schema of a function raises, and what the template raises: exceptions of
    jinja2 and builtin ones. Errors of the template end with its file and line.
    """
    given = {
        "tools": tools,
        "documents": documents,
        "add_generation_prompt": add_generation_prompt,
        "continue_final_message": continue_final_message,
        "special_tokens": special_tokens,
        "clock": clock,
        "generation_spans": generation_spans,
        **variables,
    }
    if isinstance(template, str):
        return render_source(messages, template, **given)
    from rtgen.chat.storage import ChatTemplate, load

    if isinstance(template, os.PathLike):
        if not os.path.isdir(template):
            with open(template, encoding="utf-8") as file:
                return render_source(messages, file.read(), label=os.fspath(template), **given)
        template = load(template)
    if not isinstance(template, ChatTemplate):
        template = ChatTemplate(dict(template))
    return template.render(messages, **given)


def render_source(
    messages: Any,
    source: str,
    *,
    label: str = FILE_NAME,
    image_urls: bool = False,
    tools: Iterable[Any] | None = None,
    documents: Iterable[Any] | None = None,
    add_generation_prompt: bool = False,
    continue_final_message: bool | str = False,
    special_tokens: Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    generation_spans: bool = False,
    **variables: Any,
) -> Any:
    """As `render`, for the source of one template. `label` names its file in errors; `image_urls`: as a processor."""
    if isinstance(messages, (list, tuple)) and not messages:
        # Processors never come to the check of tokenizers, since they look at the first message before it.
        refusal = IndexError if image_urls else ValueError
        raise refusal("there is no message to render; a conversation has at least one")
    batch = is_batch(messages)
    conversations = [conversation(each) for each in (messages if batch else [messages])]
    if image_urls:
        for each in conversations:
            image_parts(each)
    if continue_final_message and add_generation_prompt:
        raise ValueError(
            "continue_final_message and add_generation_prompt exclude each other: one continues the final message, the "
            "other begins a new one"
        )
    if continue_final_message and generation_spans:
        raise ValueError("continue_final_message and generation_spans exclude each other")

    with located(source, label), clock_set(clock):
        compiled = compile_template(source, generation_spans)
        values: dict[str, Any] = {
            **special_token_strings(special_tokens),
            **variables,
            "tools": None if tools is None else tool_schemas(tools),
            "documents": None if documents is None else _checked_documents(documents),
        }
        values = {name: plain(value) for name, value in values.items()}
        values["add_generation_prompt"] = add_generation_prompt
        texts = [_render_one(compiled, source, each, values, continue_final_message) for each in conversations]
    if not generation_spans:
        return texts if batch else texts[0]
    if not any(spans_of(text) for text in texts) and "generation" not in source:
        warnings.warn("the template has no generation tag, so nothing says what the assistant wrote", stacklevel=3)
    rendered = [Rendered(str.__str__(text), list(spans_of(text))) for text in texts]
    return rendered if batch else rendered[0]


def _render_one(
    compiled: Any, source: str, messages: list[dict[str, Any]], values: dict[str, Any], goes_on: bool | str
) -> str:
    messages = with_reasoning(plain(messages))
    if not goes_on:
        text: str = compiled.render(values | {"messages": messages})
        return text
    final = continuation.mark(messages, goes_on if isinstance(goes_on, str) else "content", source)
    return continuation.cut(compiled.render(values | {"messages": messages}), final)


def tool_schemas(tools: Iterable[Any]) -> list[dict[str, Any]]:
    """The tools as a template sees them: dicts as they are, functions and methods as their schemas.

    Raises ValueError for anything else, and what `rtgen.runtime.schema.function_to_schema` raises.
    """
    from rtgen.runtime.schema import function_to_schema

    schemas: list[dict[str, Any]] = []
    for tool in tools:
        if isinstance(tool, dict):
            schemas.append(tool)
        elif inspect.isfunction(tool) or inspect.ismethod(tool):
            schemas.append(function_to_schema(tool))
        else:
            raise ValueError(
                f"a tool is a JSON schema (a dict) or a Python function with type hints and a docstring, not "
                f"{type(tool).__name__}"
            )
    return schemas


def special_token_strings(tokens: Mapping[str, Any] | None) -> dict[str, str]:
    """The tokens by name, each as its text; those that are None are left out.

    A token is a string, an object with a string `content` (such as `tokenizers.AddedToken`), or such an object as JSON
    has it. Raises TypeError for any other.
    """
    result = {}
    for name, token in (tokens or {}).items():
        if token is None:
            continue
        text = token if isinstance(token, str) else token.get("content") if isinstance(token, Mapping) else None
        text = getattr(token, "content", None) if text is None else text
        if not isinstance(text, str):
            raise TypeError(f"the special token {name!r} is {type(token).__name__}, neither a string nor a token")
        result[name] = text
    return result


def _checked_documents(documents: Iterable[Any]) -> Iterable[Any]:
    for document in documents:
        if not isinstance(document, dict):
            raise TypeError(f"a document is a dict, such as one with a title and a text, not {type(document).__name__}")
    return documents
