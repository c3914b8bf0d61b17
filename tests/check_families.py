"""Check every bundled family's cases against the reference engine and print a table.

Run as ``python tests/check_families.py [NAME ...]``. The whole-text meaning decides: a case whose parse differs from
its stated message (or error class) is a fault, and the exit code is then 1. Streaming runs of the reference (character
by character and at every two-way split) are counted too, for information only: the reference depends on the chunks
for some delimiters, this project does not.
"""

from __future__ import annotations

import builtins
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from transformers.utils.chat_parsing import ResponseParser, parse_response
from transformers.utils.chat_parsing.response_templates import load_response_template

FAMILIES = Path(__file__).resolve().parent.parent / "templates"


def outcome(run: Callable[[], Any]) -> Any:
    """The message that `run` returns, or the class of what it raises."""
    try:
        return run()
    except Exception as error:  # the class is the outcome that cases state
        return type(error)


def agrees(got: Any, case: dict[str, Any]) -> bool:
    if "error" in case:
        return isinstance(got, type) and issubclass(got, getattr(builtins, case["error"]))
    # Dumped, since key order shows in a message and 1 == 1.0 == True.
    return isinstance(got, dict) and json.dumps(got) == json.dumps(case["message"])


def streamed(template: Any, prefix: str, chunks: list[str], tools: Any) -> Any:
    parser = ResponseParser(template, prefix=prefix, tools=tools)
    for chunk in chunks:
        parser.feed(chunk)
    return parser.finalize()[0]


def chunkings(text: str) -> Iterator[list[str]]:
    yield list(text)
    step = max(1, len(text) // 200)
    for at in range(1, len(text), step):
        yield [text[:at], text[at:]]


def check_case(template: Any, case: dict[str, Any]) -> tuple[Any, int]:
    """The outcome of the whole text, and the number of chunkings in which the reference streams something else."""
    prefix, text, tools = case["prefix"], case["text"], case["tools"]
    rest = template.truncate_past_last_anchor(prefix)
    got = outcome(partial(parse_response, rest + text, template, prefix="", tools=tools))
    runs = (outcome(partial(streamed, template, prefix, chunks, tools)) for chunks in chunkings(text))
    return got, sum(not agrees(run, case) for run in runs)


def check(folder: Path) -> tuple[int, list[str], list[str]]:
    """Number of cases, the wrong ones and those that the reference gets wrong in some chunking."""
    template = load_response_template(json.loads((folder / "response_template.json").read_text(encoding="utf-8")))
    paths = sorted((folder / "cases").glob("*.json"))
    wrong, chunky = [], []
    for path in paths:
        case = json.loads(path.read_text(encoding="utf-8"))
        name = f"{folder.name}/{path.name}"
        got, bad = check_case(template, case)
        if not agrees(got, case):
            wrong.append(f"{name}\n    want {case.get('message', case.get('error'))}\n    got  {got}")
        if bad:
            chunky.append(f"{name}: {bad} chunkings")
    return len(paths), wrong, chunky


def main(names: list[str]) -> int:
    folders = [
        p.parent for p in sorted(FAMILIES.glob("*/response_template.json")) if not names or p.parent.name in names
    ]
    assert folders, "no families found"
    faults, notes = [], []
    print(f"{'family':34} {'cases':>5} {'wrong':>5} {'reference streams wrongly':>25}")
    for folder in folders:
        count, wrong, chunky = check(folder)
        print(f"{folder.name:34} {count:5} {len(wrong):5} {len(chunky):25}")
        faults += wrong
        notes += chunky
    print(*faults, sep="\n")
    print("\nreference, chunk-dependent:", *notes, sep="\n  ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
