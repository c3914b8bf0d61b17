"""Many outputs at once: JSON Lines in, JSON Lines out, in the same order, on one or several processes."""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click

from rtgen.cli.common import NO_ANCHOR, decode, lost_anchor, malformed_region, parser_for, to_json, write
from rtgen.runtime.errors import FAULTS

if TYPE_CHECKING:
    from concurrent.futures import Future

LARGE = 4_000_000
"""Bytes of input from which several processes are quicker than one."""

_BATCH = 64
"""Lines that are handed to a process together."""


class Answer(NamedTuple):
    """A line of output, and whether it is a message (not an error).

    `malformed` says what in the text was malformed, `anchor` is the anchor that the prompt does not hold.
    """

    out: bytes
    good: bool
    malformed: tuple[str, ...] = ()
    anchor: str | None = None


class Request(NamedTuple):
    """What holds for all lines: the template, and what stands in for what a line lacks; `options` are the parser's."""

    source: str
    prefix: str | None
    tools: list[Any] | None
    options: dict[str, Any]


class Reader:
    """Answers lines."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._parser = parser_for(request.source)
        self._template = self._parser.template

    def answer(self, number: int, line: bytes) -> Answer:
        """What to print for the line with this number: the message, or what is wrong."""
        try:
            return self._answer(decode(line, "the line"))
        except (*FAULTS, click.UsageError) as error:
            fault = error.message if isinstance(error, click.UsageError) else str(error)
            return Answer(to_json({"error": fault or type(error).__name__, "line": number}), False)

    def _answer(self, line: str) -> Answer:
        try:
            request = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"the line is not JSON: column {error.colno}: {error.msg}") from error
        if not isinstance(request, dict):
            raise ValueError("the line is not a JSON object with a key 'text'")
        text = request.get("text")
        if not isinstance(text, str):
            raise ValueError("'text' is missing" if "text" not in request else "'text' is not a string")
        prefix, tools = request.get("prefix"), request.get("tools")
        if prefix is None:
            prefix = self._request.prefix
        if prefix is None:
            raise ValueError("'prefix' is missing, in the line and on the command line; \"\" says that there is none")
        if not isinstance(prefix, str):
            raise ValueError("'prefix' is not a string")
        if tools is not None and not isinstance(tools, list):
            raise ValueError("'tools' is not a list")
        tools, options = self._request.tools if tools is None else tools, self._request.options
        malformed: list[dict[str, Any]] = []
        if options:
            options = {**options, "malformed": malformed}
        message = self._parser.parse_response(text, prefix=prefix, tools=tools, **options)
        anchor = lost_anchor(self._template, prefix)
        return Answer(to_json(message), True, tuple(map(malformed_region, malformed)), anchor)


def run(request: Request, argument: str | None, jobs: int | None) -> bool:
    """Answer all lines on stdout, each as soon as it is there; says whether all of them gave messages.

    `argument` is the path of the input or the lines themselves, None or `-` for stdin. Warns of what is malformed, and
    in the end, once, of prompts without the anchor. Raises SourceError, TemplateError, OSError.
    """
    reader = Reader(request)
    good, lost, anchor = True, 0, ""
    with ExitStack() as stack:
        lines: BinaryIO = sys.stdin.buffer
        if argument is not None and argument != "-":
            inline = argument.lstrip().startswith("{") and not os.path.exists(argument)
            lines = io.BytesIO(os.fsencode(argument)) if inline else stack.enter_context(open(argument, "rb"))
        size = _size(lines)
        if jobs is None:
            jobs = (os.cpu_count() or 1) if size is not None and size > LARGE else 1
        bar = None
        if sys.stderr.isatty() and not sys.stdout.isatty():
            nothing: Iterable[None] = (None for _ in ())
            step = 100 if size is None else max(1, size // 200)
            bar = stack.enter_context(
                click.progressbar(nothing, length=size, file=sys.stderr, update_min_steps=step, show_pos=size is None)
            )
        numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        answers: Iterable[tuple[Iterable[tuple[int, bytes]], Iterable[Answer]]]
        if jobs == 1:
            answers = (((pair,), (reader.answer(*pair),)) for pair in numbered)
        else:
            answers = _answers(numbered, jobs, request)
        for asked, answered in answers:
            for (number, line), answer in zip(asked, answered):
                write(answer.out)
                good &= answer.good
                for fault in answer.malformed:
                    warnings.warn(f"line {number}: {fault}", stacklevel=2)
                if answer.anchor is not None:
                    lost, anchor = lost + 1, answer.anchor
                if bar is not None:
                    bar.update(1 if size is None else len(line))
    if lost:
        where = "prompt of one line" if lost == 1 else f"prompts of {lost} lines"
        warnings.warn(f"the template's anchor {anchor} {NO_ANCHOR.format(where)}", stacklevel=2)
    return good


def _size(file: BinaryIO) -> int | None:
    """The bytes that are left in a regular file; None for a pipe, a terminal or the like."""
    import stat

    try:
        status = os.fstat(file.fileno())
        return status.st_size - file.tell() if stat.S_ISREG(status.st_mode) else None
    except OSError:
        return None


_reader: Reader | None = None
"""In a process that answers batches: its reader."""


def _start(request: Request) -> None:
    import signal

    global _reader
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops the work
    with warnings.catch_warnings():  # the parent has shown them
        warnings.simplefilter("ignore")
        _reader = Reader(request)


def _answer_batch(batch: list[tuple[int, bytes]]) -> list[Answer]:
    assert _reader is not None
    return [_reader.answer(number, line) for number, line in batch]


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Puts Ctrl-C off; a process that is started meanwhile never sees it, not even before it runs `_start`."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _answers(
    numbered: Iterator[tuple[int, bytes]], jobs: int, request: Request
) -> Iterator[tuple[Iterable[tuple[int, bytes]], Iterable[Answer]]]:
    """Batches of lines with their answers, in order, from several processes.

    Only a few batches for each process are read ahead, so the memory in use does not grow with the input.
    """
    from concurrent.futures import ProcessPoolExecutor
    from itertools import islice

    pool = ProcessPoolExecutor(jobs, initializer=_start, initargs=(request,))
    waiting: deque[tuple[list[tuple[int, bytes]], Future[list[Answer]]]] = deque()
    try:
        while True:
            while len(waiting) < 4 * jobs and (batch := list(islice(numbered, _BATCH))):
                with _no_interrupt():
                    future = pool.submit(_answer_batch, batch)
                waiting.append((batch, future))
            if not waiting:
                return
            asked, future = waiting.popleft()
            yield asked, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
