"""A Starlette application that answers `/v1/chat/completions` with recorded generations, streaming or whole.

It shows how a server uses `rtgen.openai`; in place of a model there is a table of recordings. The request's `model`
names one of them, its `tools` cast the arguments of calls. Errors have OpenAI's form.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from rtgen.compiler import compile
from rtgen.errors import ParseError
from rtgen.openai import Stream, to_completion, was_cut_off
from rtgen.serve.recordings import Recording

__all__ = ["Recording", "application"]


def application(recordings: Mapping[str, Recording]) -> Starlette:
    """The application. `recordings` maps the names of models to what they say.

    Raises TemplateError for a recording's template that is unknown or refused.
    """
    for recording in recordings.values():
        compile(recording.template)

    async def complete(request: Request) -> Response:
        body = await _body(request)
        model, tools = body["model"], body.get("tools")
        recording = recordings.get(model)
        if recording is None:
            raise HTTPException(404, f"there is no model {model!r}")
        if body.get("stream"):
            stream = Stream(recording.template, recording.prefix, tools=tools, model=model)
            return StreamingResponse(_events(recording, stream), media_type="text/event-stream")
        return JSONResponse(_whole(recording, model, tools))

    routes = [Route("/v1/chat/completions", complete, methods=["POST"])]
    return Starlette(routes=routes, exception_handlers={HTTPException: _refused, ParseError: _failed})


async def _body(request: Request) -> dict[str, Any]:
    """The body of a request, as far as it is read. Raises HTTPException for what is wrong in it."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise HTTPException(400, "the body is not a JSON object")
    if not isinstance(body.get("model"), str):
        raise HTTPException(400, "'model' is not a string" if "model" in body else "'model' is missing")
    if not isinstance(body.get("stream"), (bool, type(None))):
        raise HTTPException(400, "'stream' is neither true nor false")
    tools = body.get("tools")
    if tools is not None and not (isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools)):
        raise HTTPException(400, "'tools' is not a list of objects")
    return body


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    fault = _fault(error.detail, "invalid_request_error", error.status_code)
    return JSONResponse(fault, status_code=error.status_code, headers=error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    return JSONResponse(_fault(str(error), "server_error", 500), status_code=500)


def _fault(message: str, kind: str, code: int) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _whole(recording: Recording, model: str, tools: Any) -> dict[str, Any]:
    compiled = compile(recording.template)
    parser = compiled.ResponseParser(recording.prefix, tools=tools, on_malformed="event", spans=True)
    parser.feed(recording.text)
    message, events = parser.finalize()
    cut_off = was_cut_off(events, compiled.template)
    return to_completion(message, model=model, truncated=cut_off, finish_reason=recording.finish_reason)


async def _events(recording: Recording, stream: Stream) -> AsyncIterator[str]:
    """The chunks as server-sent events. When the client hangs up, Starlette closes this generator."""
    try:
        for chunk in stream.start():
            yield _event(chunk)
        for piece in recording.pieces():
            for chunk in stream.feed(piece):
                yield _event(chunk)
            await asyncio.sleep(recording.pause)
        for chunk in stream.finish(recording.finish_reason):
            yield _event(chunk)
    except ParseError as error:  # too late for another status: clients look for "error" in an event
        yield _event(_fault(str(error), "server_error", 500))
    yield "data: [DONE]\n\n"


def _event(chunk: dict[str, Any]) -> str:
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
