"""Events out of `model.generate(..., streamer=...)`: to a callback, or to an async iterator."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any

from rtgen.compiler import compile
from rtgen.errors import ParseError
from rtgen.integrations.transformers.attaching import tokenizer_of
from rtgen.integrations.transformers.ids import as_ids
from rtgen.integrations.transformers.methods import NO_TEMPLATE
from rtgen.integrations.transformers.parser import Event, IdParser, response_parser

if TYPE_CHECKING:

    class BaseStreamer:
        """`transformers.generation.streamers.BaseStreamer`."""

else:
    from transformers.generation.streamers import BaseStreamer


class StreamCancelled(RuntimeError):
    """Raised out of `generate`, to stop it, when its streamer has been cancelled."""


class ResponseStreamer(BaseStreamer):
    """A streamer of one generation that parses it.

    `tokenizer` may be a processor; `template` is its `response_template` if left out, else whatever `rtgen.compile`
    takes. `prefix` is the prompt as text or token ids; None: the prompt that `generate` hands over. `on_event` is
    called with each event, in order; what it raises comes out of `generate`, the parser is not harmed, and the events
    that were not delivered yet come with the next call of `put` or `end`. `tools` and `options` are the parser's.
    With `skip_prompt=False`, the first ids that come are output already, as from another source than `generate`.

    Output that the template cannot parse does not stop the generation: `error` holds the ParseError, no more events
    come, and `message` raises it. Raises AttributeError without a template, TemplateError, ValueError for a prefix of
    more than one sequence or that does not parse.
    """

    def __init__(
        self,
        tokenizer: Any,
        template: Any = None,
        *,
        prefix: Any = None,
        on_event: Callable[[Event], Any] | None = None,
        tools: Sequence[Any] | None = None,
        skip_prompt: bool = True,
        **options: Any,
    ) -> None:
        self.tokenizer = tokenizer_of(tokenizer)
        self.on_event = on_event
        self.error: ValueError | None = None
        self.ended = False
        if template is None:
            template = getattr(self.tokenizer, "response_template", None)
            if template is None:
                raise AttributeError(NO_TEMPLATE)
        self._template = compile(template)
        self._options = {"tools": tools, **options}
        self._skip = skip_prompt
        self._waiting: deque[Event] = deque()
        self._message: dict[str, Any] | None = None
        self._parser: IdParser | None = None
        if prefix is not None or not skip_prompt:
            self._begin(prefix)

    @property
    def message(self) -> dict[str, Any] | None:
        """The message, once the generation has ended; None before. Raises the ParseError where the output failed."""
        if self.error is not None:
            raise self.error
        return self._message

    def put(self, value: Any) -> None:
        """Take the next token ids: a tensor or array of one dimension or one row, a list, or one int.

        Raises ValueError for a batch of more than one sequence, and what `on_event` raises.
        """
        ids = as_ids(value)
        if self._skip:
            self._skip = False
            if self._parser is None:
                try:
                    self._begin(ids)
                except ParseError as error:
                    self.error = error
        else:
            self._parse(lambda parser: parser.feed_ids(ids))
        self._deliver()

    def end(self) -> None:
        """End the output: the last events are delivered and `message` is there. Raises what `on_event` raises."""
        if not self.ended:
            self.ended = True
            if self._parser is None and self.error is None:  # nothing came, not even a prompt
                self._begin("")
            self._parse(self._finalize)
        self._deliver()

    def _begin(self, prefix: Any) -> None:
        self._parser = response_parser(self.tokenizer, self._template, prefix=prefix, **self._options)
        self._waiting += self._parser.initial_events

    def _finalize(self, parser: IdParser) -> list[Event]:
        self._message, events = parser.finalize()
        return events

    def _parse(self, step: Callable[[IdParser], list[Event]]) -> None:
        if self.error is None and self._parser is not None:
            try:
                self._waiting += step(self._parser)
            except ValueError as error:
                self.error = error

    def _deliver(self) -> None:
        while self._waiting:
            self._event(self._waiting.popleft())

    def _event(self, event: Event) -> None:
        if self.on_event is not None:
            self.on_event(event)


class AsyncResponseStreamer(ResponseStreamer):
    """A streamer whose events are read by `async for event in streamer`, while `generate` runs in a thread.

    Made on the event loop that reads it (RuntimeError elsewhere). The iteration ends with the generation, and raises
    the ParseError of output that does not parse; `message` is there afterwards. Leaving the iteration, or `cancel()`,
    stops the generation at its next token, as when the client has gone; `fail(error)` ends the iteration with the error
    that `generate` died of.
    """

    def __init__(self, tokenizer: Any, template: Any = None, **options: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Event | BaseException | None] = asyncio.Queue()
        self._cancelled = False
        super().__init__(tokenizer, template, **options)
        self._deliver()

    def put(self, value: Any) -> None:
        if self._cancelled:
            raise StreamCancelled("nobody reads the events of this generation any more")
        super().put(value)

    def end(self) -> None:
        try:
            super().end()
        finally:
            self._send(self.error)

    def cancel(self) -> None:
        """Let the generation stop at its next token: its next `put` raises StreamCancelled."""
        self._cancelled = True
        self._send(None)

    def fail(self, error: BaseException) -> None:
        """End the iteration with this error; to be called by the thread in which `generate` has raised it."""
        self._send(error)

    def _event(self, event: Event) -> None:
        self._send(event)
        super()._event(event)

    def _send(self, item: Event | BaseException | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, item)
        except RuntimeError:  # the loop is closed: nobody waits for it
            self._cancelled = True

    async def __aiter__(self) -> AsyncIterator[Event]:
        try:
            while (item := await self._queue.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self._cancelled = True  # the reader has left; of no effect where the generation has ended
