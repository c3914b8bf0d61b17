"""The example server, read with the official client over loopback: streaming and not, many at once, clients gone."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")
openai = pytest.importorskip("openai")

import rtgen  # noqa: E402
from rtgen.openai import to_message  # noqa: E402
from rtgen.serve.__main__ import main as serve  # noqa: E402
from rtgen.serve.app import Recording, application  # noqa: E402
from tests.conftest import ROOT, load_json  # noqa: E402
from tests.test_serving import TEMPLATE  # noqa: E402

MANY = 200


def recordings() -> dict[str, Recording]:
    """Cases of the bundled templates, and many that differ from each other."""
    found = {}
    for family in ("qwen3", "gpt_oss", "glm4_7", "kimi_k2"):
        for path in sorted(ROOT.glob(f"templates/{family}/cases/*.json"))[:6]:
            case = load_json(path)
            if "message" in case and not case.get("tools"):
                found[f"{family}/{path.stem}"] = Recording(family, case["prefix"], case["text"])
    for number in range(MANY):
        call = json.dumps({"name": f"tool_{number}", "arguments": {"n": number, "text": f"<{number}> " * 20}})
        text = f"<think>thought {number}</think>answer {number} <tool_call>{call}</tool_call>"
        found[f"many/{number}"] = Recording(TEMPLATE, "", text, piece=3 + number % 7, pause=0.001)
    required = {**TEMPLATE, "fields": {**TEMPLATE["fields"], "verdict": {"open": "<v>", "optional": False}}}
    found["broken"] = Recording(required, "", "no verdict")
    return found


RECORDINGS = recordings()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = uvicorn.Config(application(RECORDINGS), host="127.0.0.1", port=port, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)
    assert server.started
    yield f"http://127.0.0.1:{port}/v1"
    server.should_exit = True
    thread.join(20)


def expected(name: str) -> dict[str, Any]:
    recording = RECORDINGS[name]
    return rtgen.parse_response(recording.text, recording.template, prefix=recording.prefix, on_malformed="event")


def check(content: str, reasoning: str, calls: list[tuple[str, str]], name: str) -> None:
    right = to_message(expected(name))
    assert content == (right["content"] or "")
    assert reasoning == (right.get("reasoning_content") or "")
    functions = [call["function"] for call in right.get("tool_calls", [])]
    assert [call[0] for call in calls] == [function["name"] for function in functions]
    assert [json.loads(call[1]) for call in calls] == [json.loads(function["arguments"]) for function in functions]


async def read_stream(client: Any, name: str, most: int | None = None) -> bool:
    """Put a stream together and check it; with `most`, hang up after so many chunks."""
    stream = await client.chat.completions.create(model=name, messages=[{"role": "user", "content": "x"}], stream=True)
    content = reasoning = ""
    calls: dict[int, list[str]] = {}
    count, reason = 0, None
    async for chunk in stream:
        count += 1
        if most is not None and count > most:
            await stream.close()
            return False
        assert chunk.model == name
        choice = chunk.choices[0]
        reason = choice.finish_reason or reason
        content += choice.delta.content or ""
        reasoning += getattr(choice.delta, "reasoning_content", None) or ""
        for call in choice.delta.tool_calls or ():
            known = calls.setdefault(call.index, [call.function.name or "", ""])
            known[1] += call.function.arguments or ""
    check(content, reasoning, [(call[0], call[1]) for call in calls.values()], name)
    assert reason == ("tool_calls" if calls else "stop")
    return True


@pytest.mark.parametrize("name", [name for name in RECORDINGS if not name.startswith(("many/", "broken"))])
def test_a_client_reads_the_message(url: str, name: str) -> None:
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    completion = client.chat.completions.create(model=name, messages=[{"role": "user", "content": "x"}])
    message = completion.choices[0].message
    calls = [(call.function.name, call.function.arguments) for call in message.tool_calls or ()]
    check(message.content or "", getattr(message, "reasoning_content", None) or "", calls, name)

    async def streaming() -> bool:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            return await read_stream(client, name)

    assert asyncio.run(streaming())


def test_many_streams_at_once_are_not_mixed_up(url: str) -> None:
    async def all_of_them() -> list[bool]:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=120) as client:
            return await asyncio.gather(*(read_stream(client, f"many/{number}") for number in range(MANY)))

    assert asyncio.run(all_of_them()) == [True] * MANY


def test_none_is_lost_when_clients_hang_up(url: str) -> None:
    async def some_leave() -> list[bool]:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=120) as client:
            leaving = (read_stream(client, f"many/{n}", None if n % 3 else 5) for n in range(MANY))
            return await asyncio.gather(*leaving)

    assert asyncio.run(some_leave()) == [n % 3 != 0 for n in range(MANY)]


def test_an_unknown_model_is_an_error(url: str) -> None:
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    with pytest.raises(openai.NotFoundError, match="there is no model"):
        client.chat.completions.create(model="none", messages=[{"role": "user", "content": "x"}])


def post(url: str, body: bytes, path: str = "/chat/completions") -> tuple[int, Any]:
    request = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{nope", "is not JSON"),
        (b"", "is not JSON"),
        (b"\xff\xfe\xff", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "'model' is missing"),
        (b'{"model": ["many/0"]}', "'model' is not a string"),
        (b'{"model": "many/0", "tools": {}}', "'tools' is not"),
        (b'{"model": "many/0", "tools": [1], "stream": true}', "'tools' is not"),
        (b'{"model": "many/0", "stream": "yes"}', "'stream' is neither"),
    ],
)
def test_a_bad_request_is_told_in_openais_form(url: str, body: bytes, said: str) -> None:
    status, answer = post(url, body)
    assert status == 400
    assert said in answer["error"].pop("message")
    assert answer == {"error": {"type": "invalid_request_error", "param": None, "code": 400}}


def test_other_paths_are_told_in_openais_form(url: str) -> None:
    status, answer = post(url, b"{}", "/nothing")
    assert status == 404 and answer["error"]["type"] == "invalid_request_error"


def test_output_that_does_not_parse_is_told_too(url: str) -> None:
    status, answer = post(url, b'{"model": "broken"}')
    assert status == 500 and "required" in answer["error"]["message"]
    status, text = post(url, b'{"model": "broken", "stream": true}')
    events = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
    assert status == 200 and events[-1] == "[DONE]"
    assert json.loads(events[-2])["error"]["type"] == "server_error"
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    with pytest.raises(openai.APIError, match="required"):
        list(client.chat.completions.create(model="broken", messages=[{"role": "user", "content": "x"}], stream=True))


GOOD = {"template": "qwen3", "prefix": "", "text": "Hi"}


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (None, "cannot be read: No such file"),
        ("{nope", "is not JSON"),
        ("[]", "is not an object that maps"),
        ('{"m": []}', "recording 'm' is not an object"),
        ({"m": {**GOOD, "temperature": 1}}, "unknown key 'temperature'; there are template, prefix"),
        ({"m": {"template": "qwen3", "prefix": ""}}, "lacks the key 'text'"),
        ({"m": {**GOOD, "text": 1}}, "'text' is not a string"),
        ({"m": {**GOOD, "piece": 0}}, "'piece' is not a whole number"),
        ({"m": {**GOOD, "template": "qwen33"}}, "did you mean"),
        ({"m": {**GOOD, "template": "none.json"}}, "recording 'm': its template: "),
        ({"m": {**GOOD, "template": {"fields": {}}}}, "recording 'm': its template: at $.fields: "),
    ],
)
def test_a_file_that_cannot_be_served_is_one_sentence(held: Any, said: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "recordings.json"
    if held is not None:
        path.write_text(held if isinstance(held, str) else json.dumps(held))
    with pytest.raises(SystemExit) as ended:
        serve([str(path)])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert said in error and "Traceback" not in error


def test_a_good_file_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = []
    monkeypatch.setattr(uvicorn, "run", lambda app, **options: served.append((app, options)))
    path = tmp_path / "recordings.json"
    path.write_text(json.dumps({"m": {**GOOD, "piece": 2, "pause": 0, "finish_reason": None}}))
    assert serve([str(path), "--port", "81"]) == 0
    assert served[0][1] == {"host": "127.0.0.1", "port": 81}
