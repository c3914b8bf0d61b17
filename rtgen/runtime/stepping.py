"""The subclass of a generated parser that goes step by step, for parsers with options (`rtgen.runtime.serving`)."""

from __future__ import annotations

from typing import Any

from rtgen.runtime.serving import Serving


class ServingParser:
    """The methods that a parser with options has in place of the plain ones; see `rtgen.runtime.parser.Parser`."""

    __slots__ = ()

    def feed(self: Any, text: str) -> list[dict[str, Any]]:
        """Give the parser the next piece of text; returns the events that are certain now."""
        if not text:
            events: list[dict[str, Any]] = self._nothing()
            return events
        try:
            return _feed(self, text)
        except BaseException as error:
            self._close(error)
            raise

    def _begin(self: Any) -> dict[str, Any]:
        """Enter the first state."""
        message: dict[str, Any] = super()._begin()  # type: ignore[misc]
        self._serving.begin(self)
        return message

    def _advance(self: Any, text: str, at: int, final: bool) -> list[dict[str, Any]]:
        """Act on every delimiter that is decided in `text[at:]`, one after the other."""
        serving: Serving = self._serving
        serving.stepped, serving.final = True, final
        serving.position = serving.total - (len(text) - at)
        self._seen = text
        out: list[dict[str, Any]] = []
        while at >= 0:
            events: list[dict[str, Any]] = []
            then = self._scan(self, text, at, events, final)
            if then >= 0:
                after = serving.position + then - at
            else:
                after = serving.total if final else serving.total - (len(self._held) - self._at)
            serving.step(self, events, after, final and then < 0, out)
            at = then
        if final and self._opened:  # what the end closed has turned out to be text
            self._held, self._at, self._look = "", 0, -1
            self._forget()
            self._scan(self, "", 0, events := [], True)
            serving.step(self, events, serving.total, True, out)
        self._seen = ""
        if final:
            out += serving.finish(self._message)
        return out

    def _returned(self: Any) -> dict[str, Any]:
        """The message as it is returned: a malformed field counts as present."""
        serving: Serving = self._serving
        for name in serving.malformed_fields:
            self._message.setdefault(name, None)
        returned: dict[str, Any] = super()._returned()  # type: ignore[misc]
        return returned


def _feed(parser: Any, text: str) -> list[dict[str, Any]]:
    serving: Serving = parser._serving
    if text.__class__ is not str and not isinstance(text, str):
        parser._held + text  # as everywhere, a TypeError
    serving.add_input(text)
    serving.stepped = False
    events: list[dict[str, Any]] = parser._quick(parser, text)
    if serving.stepped:
        return events
    out: list[dict[str, Any]] = []
    serving.step(parser, events, serving.total - (len(parser._held) - parser._at), False, out)
    return out


def serving_class(plain: type) -> type:
    """The subclass of a generated class whose instances have options; the class itself keeps it."""
    found = plain.__dict__.get("_serving_class")
    if found is None:
        found = type("ServingResponseParser", (ServingParser, plain), {"__slots__": ()})
        plain._serving_class = found  # type: ignore[attr-defined]
    return found
