"""The part of a streaming parser that no template changes: feeding, ending, failing.

A generated `ResponseParser` adds, for each state of its template, up to three things:

    a branch of feed     for a chunk in which no delimiter can begin: the common case, straight to the event
    quick(self, text) -> events
                         for any other chunk, or any chunk in a state without such a branch (`_state` 0)
    scan(self, text, at, events, final) -> int
                         acts on the first delimiter from `text[at:]` on and returns the place after it, or -1 when the
                         text is used up (the undecided rest is then in `_held`)

`_state`, `_quick` and `_scan` hold the branch's number and the functions of the present state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rtgen.runtime.errors import ParseError
from rtgen.runtime.limits import LIMITS, LimitedServing, limited_class
from rtgen.runtime.serving import Serving
from rtgen.runtime.stepping import serving_class
from rtgen.runtime.tools import tool_parameters

RUNTIME_INTERFACE = 3
"""The version of what generated modules may import from `rtgen.runtime`."""

OLDEST_INTERFACE = 3
"""The oldest version that this runtime still serves."""

MISSING_PREFIX = (
    "prefix is required: it is the prompt that the model was given, and chat templates often write the beginning of "
    'the answer there (such as an opening reasoning tag); pass prefix="" if the text holds the whole answer'
)


def require_interface(version: int) -> None:
    """Refuse a generated module that was made for another runtime. Raises ImportError."""
    if not OLDEST_INTERFACE <= version <= RUNTIME_INTERFACE:
        raise ImportError(
            f"this module was generated for runtime interface {version}, and the installed rtgen serves "
            f"{OLDEST_INTERFACE} to {RUNTIME_INTERFACE}: run `rtgen compile` again"
        )


class Parser:
    """A parser of one response, fed chunk by chunk. Not to be used from two threads at once.

    `prefix` is the prompt given to the model; `tools` are dicts in OpenAI's form, bare function schemas or Python
    functions, by which the arguments of tool calls are cast. `initial_events` are the events of what the prefix wrote
    after its last anchor. Raises ValueError without a prefix, TypeError for one that is no str, and what `feed` raises.

    Further keyword arguments are for servers; without them nothing is different:

        on_malformed   "raise" (the default); "event": a region that cannot be parsed gives `{"type":
                       "region_malformed", "field", "text", "error"}` in place of its `region_close`, and the rest
                       goes on; "content": its text, delimiters included, goes to the implicit text field, as if it
                       had never been opened
        malformed      a list to which the events of malformed regions are appended; `parser.malformed` is it
        spans          True: events that open or close carry `start` and `end`, the span of the delimiter in the text
                       after the anchor (empty for implicit boundaries), openings of explicit regions their
                       `captures`, and the closing of an explicit region that the end of the text cut off says
                       `"closed": False`
        string_aware   True: closers inside the strings of `json` and call lists are data, and so are closers inside
                       the values of `xml-inline`; see `rtgen.runtime.aware`
        repair         True: regions that fail are repaired where `rtgen.runtime.repair` can; the names of what was done
                       stand under `repairs` in the closing
        step_budget, max_input, max_region, max_events, max_depth
                       limits, each a positive int; beyond one LimitError: see `rtgen.runtime.limits`
    """

    __slots__ = (
        "initial_events",
        "_state",
        "_quick",
        "_scan",
        "_held",
        "_at",
        "_look",
        "_parts",
        "_opened",
        "_empty_open",
        "_start",
        "_captures",
        "_message",
        "_tools",
        "_closed",
        "_after",
        "_tail",
        "_searches",
        "_serving",
        "_seen",
    )

    _quick: Callable[[Any, str], list[dict[str, Any]]]
    _scan: Callable[[Any, str, int, list[dict[str, Any]], bool], int]

    def __init__(self, prefix: str | None = None, *, tools: Iterable[Any] | None = None, **serving: Any) -> None:
        if not isinstance(prefix, str):
            raise wrong_prefix(prefix)
        self._tools = tool_parameters(tools) if tools else None
        self._held = ""  # text that is not decided yet; what of it is decided ends at _at
        self._at = 0
        self._look = -1  # where the search in _held goes on
        self._parts: list[str] = []  # the open region's text
        self._opened = False  # the implicit region holds something
        self._empty_open = False  # the open region's opener was empty
        self._start = 0  # where the present region began in the text after the anchor
        self._captures: dict[str, str] = {}
        self._closed: tuple[Any, ...] | None = None  # the name and the sentence of the error, () without one
        self._searches: dict[str, Any] = {}
        self._serving: Serving | None = None
        if serving:
            self._serve(serving)
        self._message = self._begin()
        text = self._cut(prefix) if prefix else ""
        self.initial_events: list[dict[str, Any]] = self.feed(text) if text else []
        if self._serving is not None:
            self._serving.prefix_end = self._serving.total

    def feed(self, text: str) -> list[dict[str, Any]]:
        """Give the parser the next piece of text; returns the events that are certain now.

        Events are dicts: `{"type": "region_open", "field"}`, `{"type": "region_chunk", "field", "text", "dirty"}`
        (dirty: raw text of a structured value) and `{"type": "region_close", "field", "value"}`. Raises ParseError for
        a region that its content parser refuses, TypeError for anything truthy that is not a str, RuntimeError once
        closed.
        """
        if not text:
            return self._nothing()
        try:
            return self._quick(self, text)
        except BaseException as error:
            raise self._failed(error, text) from error.__cause__

    def _nothing(self) -> list[dict[str, Any]]:
        """What `feed` returns for nothing."""
        if self._closed is not None:
            raise self._closed_error()
        return []

    def finalize(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """End the text; returns the message and the last events. Raises as `feed` does, ParseError for a required
        field that is missing."""
        if self._closed is not None:
            raise self._closed_error()
        try:
            held, self._held = self._held, ""
            events = self._advance(held, self._at, True)
            message = self._returned()
        except BaseException as error:
            self._close(error)
            raise
        self._close(None)
        return message, events

    @property
    def malformed(self) -> list[dict[str, Any]]:
        """The events of the regions that could not be parsed, where `on_malformed` lets the parser go on."""
        return [] if self._serving is None else self._serving.malformed

    @property
    def truncated(self) -> bool:
        """Whether the end of the text cut an explicit region off; known to parsers with any option for servers."""
        return self._serving is not None and self._serving.truncated

    @property
    def input_text(self) -> str:
        """The text after the anchor so far, which the spans count in; kept with `spans=True` alone, else ""."""
        if self._serving is None or self._serving.parts is None:
            return ""
        whole = "".join(self._serving.parts)
        self._serving.parts[:] = [whole]
        return whole

    def _serve(self, options: dict[str, Any]) -> None:
        """Become a parser with options."""
        self._seen = ""  # the text that the scan function looks at
        if LIMITS.isdisjoint(options):
            self._serving = Serving(self._template(), **options)
            self.__class__ = serving_class(type(self))
        else:
            self._serving = LimitedServing(self._template(), **options)
            self.__class__ = limited_class(type(self))

    # What a generated class provides.

    def _template(self) -> dict[str, Any]:
        """The response template."""
        raise NotImplementedError

    def _begin(self) -> dict[str, Any]:
        """Enter the first state; returns the message as the defaults begin it."""
        raise NotImplementedError

    def _cut(self, prefix: str) -> str:
        """The part of the prefix after its last anchor."""
        raise NotImplementedError

    def _returned(self) -> dict[str, Any]:
        """The message as it is returned: required fields checked, empty values dropped."""
        raise NotImplementedError

    # States that every template shares.

    def _advance(self, text: str, at: int, final: bool) -> list[dict[str, Any]]:
        """Act on every delimiter that is decided in `text[at:]`, one after the other."""
        events: list[dict[str, Any]] = []
        while at >= 0:
            at = self._scan(self, text, at, events, final)
        return events

    def _resume(self, text: str) -> list[dict[str, Any]]:
        """quick: there is undecided text to which every chunk must be added."""
        held = self._held
        self._held = ""  # the only reference must be the local one for `+=` to grow the string in place
        held += text
        return self._advance(held, self._at, False)

    def _forget(self) -> None:
        """Text is cut: what the matchers know of places in it is void."""
        for searches in self._searches.values():
            for search in searches:
                search.reset()

    def _ended(self, text: str) -> list[dict[str, Any]]:
        """quick: the parse has ended; what comes is dropped."""
        self._held + text  # as everywhere, anything but a str is a TypeError
        return []

    def _ended_scan(self, text: str, at: int, events: list[dict[str, Any]], final: bool) -> int:
        """scan: the parse has ended."""
        return -1

    def _refuse(self, text: str) -> list[dict[str, Any]]:
        """quick: the parser is closed."""
        raise self._closed_error()

    def _closed_error(self) -> RuntimeError:
        if not self._closed:
            return RuntimeError("the parser is closed: finalize() has returned its message")
        name, sentence = self._closed
        return RuntimeError(f"the parser is closed: it failed with {name}: {sentence}")

    def _failed(self, error: BaseException, text: object) -> BaseException:
        """What `feed` raises because of an error; the parser is closed."""
        if not isinstance(text, str) and isinstance(error, Exception):
            error = TypeError(f"feed takes a str, not {type(text).__name__}")
        self._close(error)
        return error

    def _close(self, error: BaseException | None) -> None:
        if error is None:
            self._closed = ()
        elif self._closed is None:
            sentence = error.sentence() if isinstance(error, ParseError) else str(error)
            self._closed = (type(error).__name__, sentence)
        self._state, self._quick = 0, Parser._refuse
        self._held = ""
        self._parts = []
        self._searches = {}


def wrong_prefix(prefix: object) -> Exception:
    """What to raise for a prefix that is not a str: ValueError where there is none, else TypeError."""
    if prefix is None:
        return ValueError(MISSING_PREFIX)
    return TypeError(f"a prefix is a str, not {type(prefix).__name__}")


def pairs(texts: Iterable[str], prefix: str | Iterable[str]) -> list[tuple[str, str]]:
    """The texts of a batch with the prefix of each: one for all, or as many.

    Raises ValueError for another count or a prefix of None, TypeError for what is no str, and for one text (a str) with
    several prefixes.
    """
    if isinstance(texts, str) or isinstance(prefix, bytes) or not isinstance(prefix, Iterable):
        raise wrong_prefix(prefix)
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise TypeError(f"a text is a str, and several are a sequence of them, not {type(texts).__name__}")
    texts = list(texts)
    prefixes = [prefix] * len(texts) if isinstance(prefix, str) else list(prefix)
    if len(prefixes) != len(texts):
        raise ValueError(f"{len(texts)} texts and {len(prefixes)} prefixes: give one prefix for all, or one each")
    for before in prefixes:
        if not isinstance(before, str):
            raise wrong_prefix(before)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a text is a str, not {type(text).__name__}")
    return list(zip(texts, prefixes, strict=True))
