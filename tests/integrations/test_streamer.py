"""Streamers: events as they come, the message at the end, and nothing lost when a callback or the output fails."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import numpy as np
import pytest
from transformers.generation.streamers import BaseStreamer

import rtgen
from rtgen.integrations.transformers import AsyncResponseStreamer, ResponseStreamer, StreamCancelled
from tests.integrations import making
from tests.integrations.making import OUTPUT, PROMPT, TEMPLATE, TOOLS

FAILING: dict[str, Any] = {
    "start_anchor": "A:",
    "fields": {"n": {"open": "<n>", "close": "</n>", "content": "int"}, "content": {}},
}


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return making.byte_level()


def expected(tokenizer: Any, prompt: str, output: str, template: Any = TEMPLATE) -> tuple[Any, list[dict[str, Any]]]:
    parser = rtgen.ResponseParser(template, prompt, tools=TOOLS)
    events = parser.initial_events + parser.feed(output)
    message, last = parser.finalize()
    return message, making.merged(events + last)


def drive(streamer: Any, tokenizer: Any, prompt: str | None, output: str) -> None:
    """Call the streamer as `generate` does: the prompt as a row, then one id at a time."""
    if prompt is not None:
        streamer.put(np.array([tokenizer(prompt).input_ids]))
    for one in tokenizer(output).input_ids:
        streamer.put(np.array([one]))
    streamer.end()


@pytest.mark.parametrize("prompt", [PROMPT, PROMPT + "<think>\nLet", "no anchor", "word " * 500 + PROMPT + "<think>"])
@pytest.mark.parametrize("given", ["from generate", "as text", "as ids", "as text, and no prompt comes"])
def test_events_and_message(tokenizer: Any, prompt: str, given: str) -> None:
    events: list[dict[str, Any]] = []
    more: dict[str, Any] = {}
    if given != "from generate":
        more["prefix"] = tokenizer(prompt).input_ids if given == "as ids" else prompt
    if given == "as text, and no prompt comes":
        more["skip_prompt"] = False
    streamer = ResponseStreamer(tokenizer, on_event=events.append, tools=TOOLS, **more)
    assert isinstance(streamer, BaseStreamer) and streamer.message is None
    drive(streamer, tokenizer, None if "skip_prompt" in more else prompt, OUTPUT)
    message, right = expected(tokenizer, prompt, OUTPUT)
    assert streamer.message == message and making.merged(events) == right and streamer.ended
    streamer.end()  # once more changes nothing
    assert streamer.message == message


def test_events_come_as_soon_as_they_are_certain(tokenizer: Any) -> None:
    events: list[dict[str, Any]] = []
    streamer = ResponseStreamer(tokenizer, prefix="", on_event=events.append, skip_prompt=False)
    streamer.put(tokenizer("a").input_ids)
    assert [event["type"] for event in events] == ["region_open", "region_chunk"]
    ids = tokenizer("🤦").input_ids
    assert len(ids) > 1
    for one in ids[:-1]:
        streamer.put(one)
    assert len(events) == 2
    streamer.put(ids[-1])
    assert events[-1]["text"] == "🤦"


def test_a_processor_another_template_and_no_callback(tokenizer: Any) -> None:
    class Processor:
        pass

    processor = Processor()
    processor.tokenizer = tokenizer  # type: ignore[attr-defined]
    streamer = ResponseStreamer(processor, FAILING, prefix="")
    drive(streamer, tokenizer, "A:", "x<n>5</n>")
    assert streamer.message == {"content": "x", "n": 5}


def test_what_is_refused(tokenizer: Any) -> None:
    bare = making.byte_level()
    bare.response_template = None
    with pytest.raises(AttributeError):
        ResponseStreamer(bare)
    with pytest.raises(rtgen.TemplateError):
        ResponseStreamer(tokenizer, {})
    with pytest.raises(ValueError, match="prefix"):
        ResponseStreamer(tokenizer, skip_prompt=False)
    with pytest.raises(ValueError, match="one prefix"):
        ResponseStreamer(tokenizer, prefix=[[1], [2]])
    streamer = ResponseStreamer(tokenizer)
    with pytest.raises(ValueError, match="not of 2"):
        streamer.put(np.array([[1, 2], [3, 4]]))
    empty = ResponseStreamer(tokenizer)
    empty.end()
    assert empty.message == {"role": "assistant"}


def test_errors_of_the_callback_do_not_harm_the_parser(tokenizer: Any) -> None:
    """A callback that fails at each third event: every event is delivered once, in order, and the message is right."""
    prompt = PROMPT + "<think>\nLet"
    message, right = expected(tokenizer, prompt, OUTPUT)
    events: list[dict[str, Any]] = []
    failures = 0

    def on_event(event: dict[str, Any]) -> None:
        events.append(event)
        if len(events) % 3 == 0:
            raise KeyError("mine")

    streamer = ResponseStreamer(tokenizer, on_event=on_event, tools=TOOLS)
    calls = [lambda: streamer.put([tokenizer(prompt).input_ids])]
    calls += [lambda one=one: streamer.put([one]) for one in tokenizer(OUTPUT).input_ids]  # type: ignore[misc]
    for call in [*calls, *[streamer.end] * 5]:
        try:
            call()
        except KeyError as error:
            failures += 1
            assert error.args == ("mine",)
    assert failures > 5 and streamer.error is None
    assert making.merged(events) == right and streamer.message == message


def test_output_that_does_not_parse_does_not_stop_the_generation(tokenizer: Any) -> None:
    events: list[dict[str, Any]] = []
    streamer = ResponseStreamer(tokenizer, FAILING, prefix="", on_event=events.append)
    drive(streamer, tokenizer, "A:", "a<n>x</n>and more")
    assert isinstance(streamer.error, rtgen.ParseError) and streamer.error.field == "n"
    assert [event["type"] for event in events].count("region_close") == 1  # that of content, before
    with pytest.raises(rtgen.ParseError, match="field 'n'"):
        _ = streamer.message


def test_a_prompt_that_does_not_parse(tokenizer: Any) -> None:
    with pytest.raises(rtgen.ParseError):
        ResponseStreamer(tokenizer, FAILING, prefix="A:<n>x</n>")
    streamer = ResponseStreamer(tokenizer, FAILING)
    drive(streamer, tokenizer, "A:<n>x</n>", "y")
    assert isinstance(streamer.error, rtgen.ParseError)


# For servers


def in_thread(
    streamer: AsyncResponseStreamer, tokenizer: Any, output: str, failures: list[BaseException]
) -> threading.Thread:
    def run() -> None:
        try:
            drive(streamer, tokenizer, PROMPT, output)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_an_async_iterator(tokenizer: Any) -> None:
    async def serve() -> tuple[Any, list[dict[str, Any]]]:
        streamer = AsyncResponseStreamer(tokenizer, tools=TOOLS)
        thread = in_thread(streamer, tokenizer, OUTPUT, [])
        events = [event async for event in streamer]
        thread.join()
        return streamer.message, making.merged(events)

    assert asyncio.run(serve()) == expected(tokenizer, PROMPT, OUTPUT)


def test_the_prefix_s_events_come_first(tokenizer: Any) -> None:
    async def serve() -> list[dict[str, Any]]:
        streamer = AsyncResponseStreamer(tokenizer, prefix=PROMPT + "<think>a")
        drive(streamer, tokenizer, PROMPT, "b")
        return [event async for event in streamer]

    assert [event.get("text") for event in asyncio.run(serve())][:3] == [None, "a", "b"]


def test_the_iteration_raises_what_failed(tokenizer: Any) -> None:
    async def serve(fail: bool) -> None:
        streamer = AsyncResponseStreamer(tokenizer, FAILING, prefix="")
        if fail:
            streamer.put([1])
            streamer.fail(MemoryError("gone"))
        else:
            drive(streamer, tokenizer, "A:", "a<n>x</n>")
        async for _ in streamer:
            pass

    with pytest.raises(rtgen.ParseError):
        asyncio.run(serve(False))
    with pytest.raises(MemoryError):
        asyncio.run(serve(True))


def test_a_reader_that_leaves_stops_the_generation(tokenizer: Any) -> None:
    async def serve(leave: str) -> None:
        streamer = AsyncResponseStreamer(tokenizer, prefix="", skip_prompt=False)
        streamer.put(tokenizer("one").input_ids)
        events = streamer.__aiter__()
        await anext(events)
        await events.aclose() if leave == "close" else streamer.cancel()
        with pytest.raises(StreamCancelled):
            streamer.put(tokenizer("two").input_ids)
        if leave == "cancel":
            assert [event["type"] async for event in events] == ["region_chunk"]

    asyncio.run(serve("close"))
    asyncio.run(serve("cancel"))


def test_a_loop_that_is_gone_does_no_harm(tokenizer: Any) -> None:
    async def make() -> AsyncResponseStreamer:
        return AsyncResponseStreamer(tokenizer, prefix="", skip_prompt=False)

    streamer = asyncio.run(make())
    streamer.put(tokenizer("one").input_ids)
    with pytest.raises(StreamCancelled):
        streamer.put(tokenizer("two").input_ids)


def test_it_is_made_on_a_loop(tokenizer: Any) -> None:
    with pytest.raises(RuntimeError):
        AsyncResponseStreamer(tokenizer)
