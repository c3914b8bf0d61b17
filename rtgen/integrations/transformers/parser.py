"""Streaming parsers that take token ids besides text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rtgen.compiler import compile
from rtgen.integrations.transformers.ids import Detokenizer, Piece, as_ids, detokenizer
from rtgen.integrations.transformers.prefix import prompt_text
from rtgen.runtime.parser import Parser

Event = dict[str, Any]


class IdParser(Parser):
    """A streaming parser that is fed with token ids or with text.

    Its class is made of this one and of the class that was generated for the template. Ids and text may take turns;
    bytes of a character that ids have begun wait for the next ids.
    """

    __slots__ = ("_detokenizer",)  # generated classes add none, so that both can be bases of one class

    def __init__(
        self, detokenizer: Detokenizer, prefix: str | None = None, *, tools: Sequence[Any] | None = None, **options: Any
    ) -> None:
        self._detokenizer = detokenizer
        super().__init__(prefix, tools=tools, **options)

    def feed_ids(self, ids: Any) -> list[Event]:
        """Give the parser the next token ids: an int, a sequence of them, or an array or tensor of one dimension.

        Returns the events that are certain now; whole characters alone are parsed. Raises what `feed` raises.
        """
        if type(ids) is not list or (ids and type(ids[0]) is not int):  # the common form needs no closer look
            ids = as_ids(ids)
        return self.feed_pieces(self._detokenizer.push(ids))

    def feed_pieces(self, pieces: Sequence[Piece]) -> list[Event]:
        """Give the parser text together with the knowledge of whether special tokens wrote it.

        That knowledge makes no difference yet: a delimiter is found in any text.
        """
        return self.feed(pieces[0].text if len(pieces) == 1 else "".join(piece.text for piece in pieces))

    def finalize(self) -> tuple[dict[str, Any], list[Event]]:
        """End the text: what waited for more ids is parsed; see `Parser.finalize`.

        Raises ValueError too where the tokenizer's way of decoding has changed text that is parsed already.
        """
        try:
            pieces = self._detokenizer.finish()
        except ValueError as error:
            self._close(error)
            raise
        events = self.feed_pieces(pieces) if pieces else []
        message, last = super().finalize()
        return message, events + last


def id_parser(generated: type[Parser]) -> type[IdParser]:
    """The class whose instances are made by the generated class and take ids too."""
    known: type[IdParser] | None = vars(generated).get("_with_ids")
    if known is None:
        body = {"__slots__": (), "__module__": __name__, "__doc__": generated.__doc__}
        known = type("ResponseParser", (IdParser, generated), body)
        generated._with_ids = known  # type: ignore[attr-defined]  # there, so that both classes go together
    return known


def response_parser(
    tokenizer: Any, template: Any, *, prefix: Any = None, tools: Sequence[Any] | None = None, **options: Any
) -> IdParser:
    """A streaming parser of one response for the output of this tokenizer.

    `template` is whatever `rtgen.compile` takes; `prefix` is the prompt, as text or as token ids (a long one is decoded
    from its end); `tools` and `options` are those of `rtgen.ResponseParser`. Raises TemplateError, ValueError without a
    prefix or with more than one, and what `feed` raises.
    """
    compiled = compile(template)
    if prefix is not None and not isinstance(prefix, str):
        prefix = prompt_text(tokenizer, prefix, template if type(template) is dict else compiled.template)
    return id_parser(compiled.ResponseParser)(detokenizer(tokenizer), prefix, tools=tools, **options)
