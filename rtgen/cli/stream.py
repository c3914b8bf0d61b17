"""`rtgen stream`: the events of a model's output, as they come."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from rtgen.cli.common import (
    NO_PREFIX,
    Command,
    parser_for,
    prompt,
    prompt_options,
    read_text,
    serving,
    serving_options,
    to_json,
    tool_list,
    warn_of_anchor,
    write,
)


@click.command(cls=Command, short_help="Print the events of a model's output as they come.")
@click.argument("source")
@click.argument("text", required=False)
@prompt_options
@serving_options
@click.option("--spans", is_flag=True, help="Say where in the text each opening and closing was.")
@click.option(
    "--chunk",
    type=click.IntRange(min=1),
    metavar="N",
    help="Feed the parser N characters at a time. [default: what arrives together]",
)
def command(
    source: str,
    text: str | None,
    prefix: str | None,
    prefix_file: str | None,
    tools_file: str | None,
    on_malformed: str | None,
    string_aware: bool,
    repair: bool,
    spans: bool,
    chunk: int | None,
) -> None:
    """Feed TEXT (- or nothing: stdin, as it arrives) to the parser of the template at SOURCE and print its events.

    Each event is a JSON object on a line of its own; those that the prompt causes come first. Where the text does not
    parse, all events that were certain before come out, and the error last.
    """
    given, tools = prompt(prefix, prefix_file), tool_list(tools_file)
    if given is None:
        raise click.UsageError(NO_PREFIX, click.get_current_context())
    options = serving(on_malformed=on_malformed, string_aware=string_aware, repair=repair, spans=spans)
    compiled = parser_for(source)
    warn_of_anchor(compiled.template, given)
    parser = compiled.ResponseParser(given, tools=tools, **options)
    for event in parser.initial_events:
        write(to_json(event))
    for piece in _stdin() if text in (None, "-") else (read_text(text),):
        step = chunk or max(1, len(piece))
        for start in range(0, len(piece), step):
            for event in _events(parser.feed, piece[start : start + step]):
                write(to_json(event))
    _, events = parser.finalize()
    for event in events:
        write(to_json(event))


def _events(feed: Callable[[str], list[dict[str, Any]]], piece: str) -> Iterator[dict[str, Any]]:
    """The events of a piece, neighbouring chunks of a region joined; also those that come before an error in it.

    A feed that fails gives no events, so each character is fed for itself.
    """
    chunk: dict[str, Any] | None = None
    texts: list[str] = []
    fault: Exception | None = None
    try:
        for char in piece:
            for event in feed(char):
                if chunk is not None and event["type"] == "region_chunk" and event["field"] == chunk["field"]:
                    texts.append(event["text"])
                    continue
                if chunk is not None:
                    yield {**chunk, "text": "".join(texts)}
                    chunk = None
                if event["type"] == "region_chunk":
                    chunk, texts = event, [event["text"]]
                else:
                    yield event
    except Exception as error:
        fault = error
    if chunk is not None:
        yield {**chunk, "text": "".join(texts)}
    if fault is not None:
        raise fault


def _arrived() -> bytes:
    """What stands on stdin by now, at least one byte; b"" at its end."""
    read1: Callable[[int], bytes] = getattr(sys.stdin.buffer, "read1", sys.stdin.buffer.read)
    return read1(65536)


def _stdin() -> Iterator[str]:
    """The text of stdin in the pieces in which it arrives. Raises click.UsageError if it is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while data := _arrived():
            yield decoder.decode(data)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise click.UsageError(f"stdin is not UTF-8: {error.reason}") from error
