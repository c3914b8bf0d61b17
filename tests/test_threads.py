"""Threads and processes: what is shared, what is sent, and what a fork in the middle of a compilation does."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import pickletools
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import rtgen
from rtgen import compiler

THREADS = 16
TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "A:",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "calls": {"open_pattern": r"\s*<c>", "close": "</c>", "content": "json", "repeats": True},
        "content": {"close_pattern": r"\s*(?:<eos>|<end>)"},
    },
}


def template(number: int) -> dict[str, Any]:
    """One that no other test compiles."""
    return {**TEMPLATE, "defaults": {"role": "assistant", "number": number}}


def text_of(number: int) -> str:
    return f"<think>t{number}</think>hello {number}" + f' <c>{{"n": {number}}}</c>' * 3 + "<eos>"


def message_of(number: int, own: int) -> dict[str, Any]:
    return {
        "role": "assistant",
        "number": own,
        "thinking": f"t{number}",
        "content": f"hello {number}",
        "calls": [{"n": number}] * 3,
    }


def streamed(compiled: Any, text: str) -> Any:
    parser = compiled.ResponseParser("A:")
    for character in text:
        parser.feed(character)
    return parser.finalize()[0]


@pytest.fixture
def short_turns() -> Any:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_share_a_compiled_template(short_turns: None) -> None:
    compiled = rtgen.compile(template(1))

    def work(number: int) -> None:
        for turn in range(20):
            own = number * 100 + turn
            wanted = message_of(own, 1)
            assert compiled.parse_response(text_of(own), prefix="A:") == wanted
            assert streamed(compiled, text_of(own)) == wanted

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == [None] * THREADS


def test_the_first_use_from_many_threads_at_once(short_turns: None) -> None:
    start = threading.Barrier(THREADS)

    def work(number: int) -> Any:
        start.wait()
        return rtgen.parse_response(text_of(number), template(2), prefix="")

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == [message_of(number, 2) for number in range(THREADS)]


def test_more_templates_than_a_process_keeps_from_many_threads(short_turns: None, monkeypatch: Any) -> None:
    monkeypatch.setattr(compiler, "MOST_KNOWN", 2)

    def work(number: int) -> Any:
        return [rtgen.parse_response(text_of(number), template(3 + own), prefix="") for own in (0, 1, 2, 3, 0, 1)]

    with ThreadPoolExecutor(THREADS) as pool:
        for number, found in enumerate(pool.map(work, range(THREADS))):
            assert found == [message_of(number, 3 + own) for own in (0, 1, 2, 3, 0, 1)]


def test_a_pickle_carries_the_template_and_no_code() -> None:
    compiled = rtgen.compile(template(7))
    data = pickle.dumps(compiled)
    named = [argument for code, argument, _ in pickletools.genops(data) if code.name in ("GLOBAL", "INST")]
    operations = list(pickletools.genops(data))
    for at, (code, _, _) in enumerate(operations):
        if code.name == "STACK_GLOBAL":
            strings = [text for other, text, _ in operations[:at] if "UNICODE" in other.name]
            named.append(" ".join(strings[-2:]))
    assert named == ["rtgen.compiler compile"]
    assert b"def parse_response" not in data and b"class ResponseParser" not in data
    again = pickle.loads(data)
    assert again.template == compiled.template and again.template_hash == compiled.template_hash


def answer(compiled: Any, number: int) -> Any:
    """What a worker process does."""
    return compiled.parse_response(text_of(number), prefix="A:"), streamed(compiled, text_of(number))


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_workers_get_a_compiled_template(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform has no {method}")
    compiled = rtgen.compile(template(8))
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.starmap(answer, [(compiled, number) for number in range(4)])
    assert found == [(message_of(number, 8),) * 2 for number in range(4)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_fork_while_another_thread_compiles() -> None:
    done = threading.Event()
    failed: list[BaseException] = []

    def compile_on() -> None:
        number = 1000
        try:
            while not done.is_set():
                number += 1
                rtgen.parse_response(text_of(1), template(number), prefix="")
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=compile_on)
    thread.start()
    try:
        for number in range(8):
            child = os.fork()
            if child == 0:
                right = rtgen.parse_response(text_of(2), template(2000 + number), prefix="") == message_of(
                    2, 2000 + number
                )
                os._exit(0 if right else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        thread.join()
    assert not failed
