"""What parsing can raise."""

from __future__ import annotations

from collections.abc import Callable

EXCERPT = 60
"""Characters of the output that an error quotes at most."""


class ParseError(ValueError):
    """Output that its template cannot parse.

    `field` is the field whose region failed (None: no single field), `position` the index of that region's text in the
    text after the anchor, `excerpt` the beginning of that text, `fault` what is wrong with it, of which `more` gives
    the end of the sentence when it is asked for first.
    """

    def __init__(
        self,
        fault: str,
        field: str | None = None,
        position: int | None = None,
        excerpt: str = "",
        more: Callable[[], str] | None = None,
    ) -> None:
        self._fault, self.field, self.position, self.excerpt = fault, field, position, excerpt
        self._more = more
        super().__init__(fault, field, position, excerpt)

    @property
    def fault(self) -> str:
        """What is wrong with the text."""
        more, self._more = self._more, None
        if more is not None:
            self._fault += more()
        return self._fault

    def sentence(self) -> ParseError:
        """An error with the same sentence, and no traceback."""
        return ParseError(self._fault, self.field, self.position, self.excerpt, self._more)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.fault, self.field, self.position, self.excerpt)

    def __str__(self) -> str:
        where = "" if self.field is None else f"field {self.field!r}"
        if self.position is not None:
            where += f"{' at' if where else 'at'} position {self.position}"
        quoted = f" (in {self.excerpt!r})" if self.excerpt else ""
        return f"{where}: {self.fault}{quoted}" if where else f"{self.fault}{quoted}"


class ParseKeyError(ParseError, KeyError):
    """A ParseError that is a KeyError too: a placeholder or a parser that does not exist."""

    __str__ = ParseError.__str__


class ParseTypeError(ParseError, TypeError):
    """A ParseError that is a TypeError too."""


class ParseAttributeError(ParseError, AttributeError):
    """A ParseError that is an AttributeError too."""


class ParseRecursionError(ParseError, RecursionError):
    """A ParseError that is a RecursionError too: a value nested too deeply."""


class LimitError(ParseError):
    """A ParseError of output that is beyond a limit; `limit` is the name of the option (see `rtgen.runtime.limits`)."""

    def __init__(
        self, limit: str, fault: str, field: str | None = None, position: int | None = None, excerpt: str = ""
    ) -> None:
        super().__init__(f"{fault} ({limit})", field, position, excerpt)
        self.limit = limit

    def __reduce__(self) -> tuple[object, ...]:
        return _limit_error, (self.limit, *self.args)


def _limit_error(limit: str, fault: str, field: str | None, position: int | None, excerpt: str) -> LimitError:
    """A LimitError as it was: `fault` names the limit already."""
    error = LimitError(limit, "", field, position, excerpt)
    error._fault, error.args = fault, (fault, field, position, excerpt)
    return error


class Unexpected(ValueError):
    """A text that is not of its language: the fault, and `more`, which gives the end of its sentence.

    Most such errors are never shown, and to say what was expected takes longer than to parse.
    """

    def __init__(self, fault: str, more: Callable[[], str]) -> None:
        super().__init__(fault)
        self.more = more

    def __str__(self) -> str:
        return f"{self.args[0]}{self.more()}"

    def __reduce__(self) -> tuple[object, ...]:
        return ValueError, (str(self),)


FAULTS = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What a content parser or a transform may raise; `located` turns it into a ParseError of the same kind."""


def located(error: Exception, field: str, position: int, body: str) -> ParseError:
    """`error`, raised while the text `body` of a region of `field` was turned into its value, as a ParseError.

    `position` is where `body` begins in the text after the anchor. The result is an instance of the builtin class of
    `error` too, which is the class that transformers raises.
    """
    if isinstance(error, LimitError):
        return _limit_error(error.limit, error.fault, field, position, quoted(body))
    if isinstance(error, Unexpected):
        return ParseError(error.args[0], field, position, quoted(body), error.more)
    kind = ParseError
    for builtin, parse_error in (
        (KeyError, ParseKeyError),
        (TypeError, ParseTypeError),
        (AttributeError, ParseAttributeError),
        (RecursionError, ParseRecursionError),
    ):
        if isinstance(error, builtin):
            kind = parse_error
    fault = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return kind(fault or type(error).__name__, field, position, quoted(body))


def quoted(body: str) -> str:
    """The beginning of `body`, as an error quotes it."""
    return body if len(body) <= EXCERPT else body[: EXCERPT - 1] + "…"
