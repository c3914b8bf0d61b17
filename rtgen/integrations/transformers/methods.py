"""The two methods that parse responses, as transformers gives them to tokenizers, with the compiled parser behind.

What goes in, what comes out, and in which order what is refused, is as in transformers 5.24
(`PreTrainedTokenizerBase.parse_response` and `get_response_parser`). Besides, they take rtgen's options for servers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rtgen.compiler import compile
from rtgen.integrations.transformers.parser import response_parser
from rtgen.integrations.transformers.prefix import prompt_text

NO_TEMPLATE = (
    "this tokenizer has no response template: set tokenizer.response_template, or pass one; "
    "rtgen.integrations.transformers.find_template has those of known models"
)
NO_PREFIX = (
    "prefix is required: it is the prompt that the model was given, as text or token ids, and chat templates often "
    'write the beginning of the answer there (such as an opening reasoning tag); pass prefix="" or [] if the '
    "response holds the whole answer"
)


def parse_response(
    self: Any,
    response: Any,
    schema: Any = None,
    *,
    prefix: Any = None,
    tools: Sequence[Any] | None = None,
    **serving: Any,
) -> Any:
    """Parse what the model generated into a message (a dict); a batch into a list of messages.

    `response` is text or the token ids of one sequence (a list, a 1-D array or tensor), or a batch: a list of texts, a
    list of id sequences, a 2-D array or tensor. `schema` is the response template, the tokenizer's own if left out.
    `prefix` is the prompt, in any of these forms: one for all, or one each; "" or [] if the response holds the whole
    answer. `tools` cast the arguments of tool calls. `serving` are the keyword arguments for servers of
    `rtgen.parse_response`: `on_malformed`, `malformed`, `string_aware`, `repair`, and the limits (`max_input`, ...).

    Raises AttributeError without a template, ValueError without a prefix or with another number of them, TemplateError,
    and ParseError for text that the template cannot parse.
    """
    if schema is None:
        schema = getattr(self, "response_template", None)
        if schema is None:
            raise AttributeError(NO_TEMPLATE)
    if prefix is None:
        raise ValueError(NO_PREFIX)
    texts, batched = _responses(self, response)
    prefixes, many = _prefixes(prefix)
    if many and len(prefixes) != len(texts):
        raise ValueError(f"responses: {len(texts)}, prefixes: {len(prefixes)}; give one prefix for all, or one each")
    if not texts:
        return []
    compiled = compile(schema)
    template = schema if type(schema) is dict else None
    written = []
    for one in prefixes:
        if not isinstance(one, str):
            if template is None:
                template = compiled.template
            one = prompt_text(self, one, template)
        written.append(one)
    if not batched:
        return compiled.parse_response(texts[0], prefix=written[0], tools=tools, **serving)
    return compiled.parse_response(texts, prefix=written if many else written[0], tools=tools, **serving)


def get_response_parser(
    self: Any, response_template: Any = None, *, prefix: Any = None, tools: Sequence[Any] | None = None, **serving: Any
) -> Any:
    """A streaming parser of one response: `feed(text)`, `feed_ids(ids)`, `finalize()`, `initial_events`.

    `response_template` is the tokenizer's own if left out; `prefix` is the prompt, as text or as the token ids of one
    sequence; `tools` cast the arguments of tool calls. `serving` are the keyword arguments for servers of
    `rtgen.ResponseParser`: `on_malformed`, `spans`, `string_aware`, `repair`, and the limits (`max_input`, ...).

    Raises AttributeError without a template, ValueError without a prefix or with more than one, TemplateError.
    """
    if response_template is None:
        response_template = getattr(self, "response_template", None)
        if response_template is None:
            raise AttributeError(NO_TEMPLATE)
    return response_parser(self, response_template, prefix=prefix, tools=tools, **serving)


def _responses(self: Any, response: Any) -> tuple[list[str], bool]:
    """The texts, and whether they are a batch."""
    if isinstance(response, str):
        return [response], False
    if isinstance(response, (list, tuple)) and (not response or isinstance(response[0], str)):
        return list(response), True
    decoded = self.decode(response)
    return ([decoded], False) if isinstance(decoded, str) else (decoded, True)


def _prefixes(prefix: Any) -> tuple[list[Any], bool]:
    """The prefixes, as texts or as what decodes into one, and whether they are one each."""
    if isinstance(prefix, str):
        return [prefix], False
    if isinstance(prefix, (list, tuple)):
        if not prefix:
            return [""], False
        first = prefix[0]
        if isinstance(first, (str, list, tuple)) or getattr(first, "ndim", 0) == 1:
            return list(prefix), True
    elif getattr(prefix, "ndim", 1) == 2:
        return list(prefix), True
    return [prefix], False
