"""A Starlette application that answers `/v1/chat/completions` with recorded generations, streaming or whole.

It shows how a server uses `rtgen.openai`; in place of a model there is a table of recordings. The request's `model`
names one of them, its `tools` cast the arguments of calls.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from rtgen.compiler import compile
from rtgen.openai import Stream, to_completion, was_cut_off


@dataclass(frozen=True, slots=True)
class Recording:
    """A generation: the template (whatever `rtgen.compile` takes), the prompt, the text, and how it is cut.

    `piece` is the number of characters of each piece, `pause` the seconds between two. `finish_reason` is what the
    engine reported; None: the parser says it.
    """

    template: Any
    prefix: str
    text: str
    piece: int = 4
    pause: float = 0.0
    finish_reason: str | None = None

    def pieces(self) -> Iterator[str]:
        """The text as it was generated, piece by piece."""
        for at in range(0, len(self.text), self.piece):
            yield self.text[at : at + self.piece]


def application(recordings: Mapping[str, Recording]) -> Starlette:
    """The application. `recordings` maps the names of models to what they say."""

    async def complete(request: Request) -> Response:
        body = await request.json()
        model = body.get("model")
        recording = recordings.get(model)
        if recording is None:
            fault = {"message": f"there is no model {model!r}", "type": "invalid_request_error", "code": 404}
            return JSONResponse({"error": fault}, status_code=404)
        if body.get("stream"):
            events = _events(recording, model, body.get("tools"))
            return StreamingResponse(events, media_type="text/event-stream")
        return JSONResponse(_whole(recording, model, body.get("tools")))

    return Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"])])


def _whole(recording: Recording, model: str, tools: Any) -> dict[str, Any]:
    compiled = compile(recording.template)
    parser = compiled.ResponseParser(recording.prefix, tools=tools, on_malformed="event", spans=True)
    parser.feed(recording.text)
    message, events = parser.finalize()
    cut_off = was_cut_off(events, compiled.template)
    return to_completion(message, model=model, truncated=cut_off, finish_reason=recording.finish_reason)


async def _events(recording: Recording, model: str, tools: Any) -> AsyncIterator[str]:
    """The chunks as server-sent events. When the client hangs up, Starlette closes this generator."""
    stream = Stream(recording.template, recording.prefix, tools=tools, model=model)
    for chunk in stream.start():
        yield _event(chunk)
    for piece in recording.pieces():
        for chunk in stream.feed(piece):
            yield _event(chunk)
        await asyncio.sleep(recording.pause)
    for chunk in stream.finish(recording.finish_reason):
        yield _event(chunk)
    yield "data: [DONE]\n\n"


def _event(chunk: dict[str, Any]) -> str:
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
