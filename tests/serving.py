"""Parsers with options for servers against their oracles: `python -m tests.serving --runs N --seed S [--vllm FOLDER]`.

Three things are held on random runs, in every chunking: with `on_malformed="event"` and `spans=True` the joined events
and the message are those of the reference made to speak this dialect (`Spoken`, on the whole text); without spans they
are the same less the spans; with `on_malformed="content"` every chunking gives what one piece gives, which is the plain
answer where nothing is malformed.

With a folder that holds vLLM's fork of the parser (`vllm/parser/chat_parsing`, which runs alone), its own answers are
compared too, fed with the whole text at once. Its older rules differ in the captures of closers (it ignores them), in
white space around bare keys (it knows none), in `python-call-list` (it has none), in errors other than KeyError,
TypeError and ValueError (it lets them pass), and in all that depends on chunks (`$` at the edge of its buffer); runs
with one of the first four are left out, and of the last kind those that it does not answer as it answers in one piece.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import regex

from tests import strategies
from tests.oracle import Guarded, Oracle, atoms, cut_prefix, engine, join, same, show

Events = list[dict[str, Any]]


NO_FAULTS = {
    "double_encoding",
    "argument_key",
    "missing_arguments",
    "nested_function",
    "joined_texts",
    "missing_close",
    "no_delimiters",
    "exact_numbers",
    "schema_values",
    "missing_tag_close",
    "missing_region_close",
    "missing_tag_open",
    "doubled_tags",
    "json_arguments",
    "several_values",
    "stray_closer",
    "stray_opener",
    "joined_calls",
    "trimmed_name",
}
"""Repairs of what the reference takes without an error: it loses text, or gives calls that nobody can make."""


class Spoken(Guarded):
    """The reference, which speaks of spans and malformed regions as it goes through a whole text."""

    def __init__(self, loaded: Any, tools: Any) -> None:
        self.malformed: set[str] = set()
        super().__init__(loaded, prefix="", tools=tools)

    def answer(self, text: str, prefix_length: int) -> tuple[dict[str, Any], Events]:
        """The message and the events of a whole text."""
        self._buffer = text
        events: Events = []
        self._ends: list[tuple[int, int]] = []
        self._edge = prefix_length
        self._process(events, True)
        for name in self.malformed:
            self._output.setdefault(name, None)
        return self.finalize()[0], events

    def _accumulate(self, events: Events, text: str) -> None:
        before = len(events)
        start = self._pos
        super()._accumulate(events, text)
        for event in events[before:]:
            if event["type"] == "region_open":
                event["start"] = event["end"] = start

    def _open_explicit(self, events: Events, field: Any, match: Any) -> None:
        super()._open_explicit(events, field, match)
        captures = {name: text for name, text in match.groupdict().items() if text is not None}
        events[-1].update(start=match.start(), end=match.end(), captures=captures)
        if len(events) > 1 and events[-2]["type"] in ("region_close", "region_malformed"):
            last = events[-2]
            if last.pop("new", None):
                last["start"] = last["end"] = match.start()

    def _close_current(self, events: Events) -> None:
        self._forget_new(events)
        name, body = self._current, self._body
        opened = self._opened
        try:
            super()._close_current(events)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError, regex.error) as error:
            self.malformed.add(str(name))
            self._current, self._captures, self._body, self._opened = self._implicit_name, {}, "", False
            events.append({"type": "region_malformed", "field": name, "text": body, "error": type(error)})
        if opened:
            events[-1]["new"] = True
            events[-1]["end"] = self._pos

    @staticmethod
    def _forget_new(events: Events) -> None:
        for event in events[-2:]:
            event.pop("new", None)


def plain(events: Events) -> Events:
    """Events without spans, and with the class of an error in place of the error."""
    left = []
    for event in events:
        event = {key: value for key, value in event.items() if key not in ("start", "end", "captures", "closed", "new")}
        if "error" in event:
            event["error"] = True
        left.append(event)
    return left


def stream(compiled: Any, chunks: Sequence[str], prefix: str, tools: Any, **options: Any) -> tuple[Any, Events, Any]:
    """The message, the events (not joined) and the parser; the class of the error in place of the message."""
    events: Events = []
    parser = None
    try:
        parser = compiled.ResponseParser(prefix, tools=tools, **options)
        events += parser.initial_events
        for chunk in chunks:
            events += parser.feed(chunk)
        message, last = parser.finalize()
        return message, events + last, parser
    except Exception as error:
        return type(error), events, parser


def spoken_spans(events: Events, text: str) -> list[tuple[Any, ...]]:
    """Where each opening, closing and fault says it is; checks that what lies between is the text of the chunks."""
    return [
        (e["type"], e["field"], e["start"], e["end"], e.get("captures")) for e in events if e["type"] != "region_chunk"
    ]


def covered(events: Events, text: str, prefix_length: int) -> str | None:
    """What is wrong with the spans as a cover of the text: chunks lie exactly between them."""
    at = 0
    for event in events:
        if event["type"] == "region_chunk":
            end = at + len(event["text"])
            while text[at:end] != event["text"] and at < len(text):
                return f"a chunk {event['text']!r} is not the text at {at}"
            at = end
            continue
        if event["start"] < at and event["type"] == "region_open":
            return f"{event} begins before {at}"
        if event["end"] < event["start"]:
            return f"{event} ends before it begins"
        at = event["end"]
    return None


def check(
    compiled: Any, oracle: Oracle, run: strategies.Run, chunkings: list[list[str]], counts: Counter[str]
) -> str | None:
    """What is wrong with one run; None: nothing. Counts the malformed regions of the right answer."""
    head = cut_prefix(run.template, run.prefix)
    text = head + run.text
    right: Any
    try:
        spoken = Spoken(oracle.loaded, run.tools)
        right, right_events = spoken.answer(text, len(head))
    except Exception as error:
        right, right_events = type(error), []
    wanted = join(plain(right_events))
    counts["malformed"] += sum(event["type"] == "region_malformed" for event in right_events)
    first_spans = None
    for chunks in [[run.text], *chunkings]:
        message, events, _ = stream(compiled, chunks, run.prefix, run.tools, on_malformed="event")
        if isinstance(right, type):
            if not isinstance(message, type):
                return f"event, {chunks}: gives {show(message)}, not {right}"
            continue
        if isinstance(message, type) or not same(message, right):
            return f"event, {chunks}: gives {show(message)}, not {show(right)}"
        if not same(join(plain(events)), wanted):
            return f"event, {chunks}: events {show(join(plain(events)))}, not {show(wanted)}"
        message, events, parser = stream(compiled, chunks, "", run.tools, on_malformed="event", spans=True)
        if not run.prefix:
            if not same(join(plain(events)), wanted):
                return f"spans, {chunks}: events {show(join(plain(events)))}, not {show(wanted)}"
            spans = spoken_spans(events, text)
            first_spans = first_spans or spans
            if spans != first_spans:
                return f"spans, {chunks}: {spans}, not {first_spans}"
            problem = covered(join(events), text, 0) if compiled_has_implicit(run.template) else None
            if problem is not None:
                return f"spans, {chunks}: {problem} in {show(plain(events))}"
            if parser.input_text != text:
                return f"spans, {chunks}: input_text is {parser.input_text!r}"
    first: Any = None
    for chunks in [[run.text], *chunkings]:
        for spans in (False, True):
            message, events, parser = stream(
                compiled, chunks, run.prefix, run.tools, on_malformed="content", spans=spans
            )
            told = not spans and not isinstance(message, type)  # a piece that fails tells nothing
            shown = (message, join(plain(events)) if told else None)
            if not spans:
                first = first or shown
            if not same(message, first[0]) or (not spans and not same(shown[1], first[1])):
                return f"content, {chunks}, {spans=}: {show(shown)}, not {show(first)}"
    profile: Any = None
    for chunks in [[run.text], *chunkings]:
        options = {"on_malformed": "event", "string_aware": True, "repair": True}
        message, events, _ = stream(compiled, chunks, run.prefix, run.tools, **options)
        answer = (message, None if isinstance(message, type) else join(plain(events)))
        profile = profile or answer
        if not same(profile, answer):
            return f"profile, {chunks}: {show(answer)}, not {show(profile)}"
    message, events, parser = stream(compiled, [run.text], run.prefix, run.tools, on_malformed="event", repair=True)
    counts["repairs"] += sum("repairs" in event for event in events)
    broken = isinstance(right, type) or "region_malformed" in {event["type"] for event in right_events}
    faults = [str(event["error"]) for event in parser.malformed] if parser else []
    broken = broken or any("ends inside the value" in fault for fault in faults)
    if not broken and not any("repairs" in event for event in events) and not same(message, right):
        return f"repair changes what is valid: {show(message)}, not {show(right)}"
    repairs = {name for event in events for name in event.get("repairs", ())}
    if not broken and "missing_close" not in repairs and repairs - NO_FAULTS:
        return f"repair repairs what is valid: {show(events)}"
    if isinstance(right, type) or "region_malformed" in {event["type"] for event in right_events}:
        return None
    return None if same(first, (right, wanted)) else f"content: {show(first)}, not {show((right, wanted))}"


def compiled_has_implicit(template: dict[str, Any]) -> bool:
    """Whether text outside belongs to a field, so that spans and chunks cover everything."""
    return any(not ({"open", "open_pattern"} & field.keys()) for field in template["fields"].values())


def load_vllm(folder: Path) -> ModuleType:
    """vLLM's fork of the parser, from the folder of its four files."""
    place = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location("forked_parser", place, submodule_search_locations=[str(folder)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["forked_parser"] = module
    spec.loader.exec_module(module)
    return module


def check_vllm(vllm: ModuleType, compiled: Any, run: strategies.Run) -> tuple[bool, str | None]:
    """Whether the fork could be asked about this run, and what is different."""
    from forked_parser.response_parser import ResponseParser  # type: ignore[import-not-found]

    for field in run.template["fields"].values():
        arguments = field.get("content_args")
        if "(?P<" in field.get("close_pattern", "") or (isinstance(arguments, dict) and "unquoted_keys" in arguments):
            return False, None  # older rules, see above
    tools = run.tools if isinstance(run.tools, list) and all(isinstance(tool, dict) for tool in run.tools) else None
    mine, events, parser = stream(compiled, [run.text], run.prefix, tools, on_malformed="event", spans=True)
    if isinstance(mine, type):
        return False, None  # among others, where it would go round in circles for ever
    try:
        forked = ResponseParser(run.template, prefix=run.prefix, tools=tools)
        theirs = list(forked.initial_events)
        theirs += forked.feed(run.text)
        message, last = forked.finalize()
        theirs += last
    except Exception:
        return False, None
    if atoms(forked.initial_events) != atoms(parser.initial_events):
        return False, None  # it held back more of the prefix, which it then drops
    ours, others = _comparable(events), _comparable(theirs)
    if not same(mine, message) or not same(ours, others):
        return True, f"{show([mine, ours])}, and vLLM {show([message, others])}"
    if parser.input_text != forked.input_text:
        return True, "input_text differs"
    return True, None


def _comparable(events: Events) -> Events:
    shown = []
    for event in join(events):
        event = {key: event[key] for key in sorted(event) if key not in ("error", "closed")}
        if event["type"] == "region_malformed":
            event.pop("text", None)
        shown.append(event)
    return shown


def problems(
    runs: int, seed: int, kind: int | None, vllm: ModuleType | None
) -> Iterator[tuple[str, strategies.Run | None]]:
    """The runs that go wrong, with what is wrong; at the end a line of counts with no run."""
    done = asked = differing = 0
    counts = Counter[str]()
    number = 0
    while done < runs:
        rng = random.Random(f"serving {seed}/{number}")
        number += 1
        made = strategies.template(rng, kind)
        oracle = Oracle(made.template)
        compiled = engine("rtgen").compile(made.template)
        for _ in range(4):
            run = strategies.run(rng, made)
            if rng.random() < 0.5:
                run.prefix = ""
            done += 1
            chunkings = strategies.chunkings(rng, run.text, splits=4)
            problem = check(compiled, oracle, run, chunkings, counts)
            if problem is not None:
                yield problem, run
                break
            if vllm is not None:
                could, problem = check_vllm(vllm, compiled, run)
                asked += could
                if problem is not None:
                    differing += 1
                    yield "vllm: " + problem, run
    found = f"{done} runs, {counts['malformed']} malformed regions, {counts['repairs']} repaired"
    yield f"{found}; vLLM asked {asked} times, differing {differing} times", None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.serving")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", type=int)
    parser.add_argument("--vllm", type=Path, help="the folder of vLLM's fork")
    parser.add_argument("--most", type=int, default=5)
    options = parser.parse_args(arguments)
    vllm = load_vllm(options.vllm) if options.vllm else None
    count = 0
    for problem, run in problems(options.runs, options.seed, options.kind, vllm):
        if run is None:
            print(problem)
            break
        count += 1
        print("---", problem)
        print(show({"template": run.template, "prefix": run.prefix, "text": run.text}), run.tools)
        if count >= options.most:
            break
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
