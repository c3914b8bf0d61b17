"""Making a difference small: greedy deletion of what it does not need."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests import strategies
from tests.comparison import Difference, check_run, compile_problem
from tests.oracle import Compiled, Oracle


def minimise(found: Difference, compile_one: Callable[[dict[str, Any]], Compiled], seconds: float = 8.0) -> Difference:
    """A smaller run with a difference of the same check, by deleting greedily for at most `seconds`."""
    until = time.perf_counter() + seconds
    best, is_compile = found, found.check == "compile"
    last: list[Any] = [None, None, None]

    def still(run: strategies.Run, chunks: list[str] | None) -> Difference | None:
        if run.template != last[0] or last[1] is None:
            try:
                last[:] = run.template, Oracle(run.template), None
            except Exception:
                last[:] = None, None, None
                return None
        try:
            last[2] = compiled = last[2] or compile_one(run.template)
        except Exception as error:
            same_class = found.problem.startswith(type(error).__name__)
            return Difference("compile", compile_problem(error), run, None) if is_compile and same_class else None
        if is_compile:
            return None
        try:
            several = [] if chunks is None else [chunks]
            again = check_run(compiled, last[1], run, several, prompt=found.check == "promptness")
        except Exception:
            return None
        return again if again is not None and again.check == found.check else None

    for _ in range(2):
        for candidates in (smaller_texts, smaller_templates_of):
            changed = True
            while changed and time.perf_counter() < until:
                changed = False
                for run, chunks in candidates(best):
                    if time.perf_counter() > until:
                        break
                    again = still(run, chunks)
                    if again is not None:
                        best, changed = again, True
                        break
    return best


def smaller_templates_of(found: Difference) -> Iterator[tuple[strategies.Run, list[str] | None]]:
    for template in smaller_templates(found.run.template):
        yield replace(found.run, template=template), found.chunks


def smaller_texts(found: Difference) -> Iterator[tuple[strategies.Run, list[str] | None]]:
    """Runs with a piece of the prefix, the text or the tools taken away, or chunks joined, the greater pieces first."""
    run, chunks = found.run, found.chunks
    if run.tools is not None:
        yield replace(run, tools=None), chunks
    if run.prefix:
        yield replace(run, prefix=""), chunks
        for size in sizes(len(run.prefix)):
            for at in range(0, len(run.prefix), size):
                yield replace(run, prefix=run.prefix[:at] + run.prefix[at + size :]), chunks
    if chunks is None:
        for size in sizes(len(run.text)):
            for at in range(0, len(run.text), size):
                yield replace(run, text=run.text[:at] + run.text[at + size :]), None
        return
    for size in sizes(len(chunks)):
        for at in range(0, len(chunks), size):
            rest = chunks[:at] + chunks[at + size :]
            yield replace(run, text="".join(rest)), rest
            if size > 1:
                yield run, [*chunks[:at], "".join(chunks[at : at + size]), *chunks[at + size :]]
    for at in range(len(chunks) - 1):
        yield run, chunks[:at] + [chunks[at] + chunks[at + 1]] + chunks[at + 2 :]
    for at, chunk in enumerate(chunks):
        for size in sizes(len(chunk)):
            for begin in range(0, len(chunk), size):
                rest = [*chunks[:at], chunk[:begin] + chunk[begin + size :], *chunks[at + 1 :]]
                yield replace(run, text="".join(rest)), rest


def sizes(length: int) -> Iterator[int]:
    size = length // 2
    while size > 1:
        yield size
        size //= 2
    if length:
        yield 1


def smaller_templates(template: dict[str, Any]) -> Iterator[dict[str, Any]]:
    fields = template["fields"]
    for name in fields:
        if len(fields) > 1:
            yield template | {"fields": {other: fields[other] for other in fields if other != name}}
    if template.get("defaults"):
        yield {key: value for key, value in template.items() if key != "defaults"}
    if template.get("start_anchor") != "<|im|>":
        plain = {key: value for key, value in template.items() if not key.startswith("start_anchor")}
        yield {"start_anchor": "<|im|>"} | plain
    for name, keys in fields.items():
        for key, value in keys.items():
            for change in smaller_values(key, value):
                changed = {other: keys[other] for other in keys if other != key} | change
                yield template | {"fields": fields | {name: changed}}


def smaller_values(key: str, value: Any) -> Iterator[dict[str, Any]]:
    if key not in ("open", "open_pattern"):
        yield {}
    if key in ("open", "close"):
        if isinstance(value, list):
            for at in range(len(value)):
                if len(value) > 1:
                    yield {key: value[:at] + value[at + 1 :]}
            value = value[0]
        if value != "<":
            yield {key: "<"}
        if isinstance(value, str):
            yield from ({key: value[:at] + value[at + 1 :]} for at in range(len(value)))
    elif key.endswith("_pattern"):
        for size in sizes(len(value)):
            for at in range(0, len(value), size):
                yield {key: value[:at] + value[at + size :]}
