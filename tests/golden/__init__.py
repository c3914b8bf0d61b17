"""Golden files: what `rtgen show` and `rtgen check` say, kept as data.

`show/<template>.<txt|mmd|dot>` holds the program of a bundled template. `check/<case>.json` holds a template, whether
it is checked for other regex engines too, and the findings: to add a case, write the first two and regenerate.
All of them are written again, where they change, by `python -m tests.golden`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
COMMAND = "python -m tests.golden"

SHOWN = (
    "smollm3_python",
    "qwen3",
    "qwen3_5_3_8",
    "gpt_oss",
    "gemma4",
    "cohere_r7b",
    "ernie",
    "inkling",
    "lfm2_lfm2_5",
    "firefunction_phi4mini_functools",  # a lookahead
    "beam",  # a long pattern
)
"""The bundled templates whose program is kept."""

DRAWN = ("qwen3", "ernie")
"""Those that are kept as diagrams too."""

SUFFIXES = {"text": "txt", "mermaid": "mmd", "dot": "dot"}


def shown() -> Iterator[tuple[str, str]]:
    """The file of each program, and what it must hold."""
    from rtgen import library
    from rtgen.show import render

    for name in SHOWN:
        for form in SUFFIXES if name in DRAWN else ("text",):
            yield f"show/{name}.{SUFFIXES[form]}", render(library.template(name), form)


def cases() -> list[Path]:
    """The files of the checks."""
    return sorted((FOLDER / "check").glob("*.json"))


def checked(path: Path) -> str:
    """What the file of a check must hold."""
    from rtgen.check import check

    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    findings = check(case["template"], portable=case["portable"])
    found = [{"level": f.level, "where": f.where, "rule": f.rule, "message": f.message} for f in findings]
    return json.dumps({**case, "findings": found}, indent=2, ensure_ascii=False) + "\n"
