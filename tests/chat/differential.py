"""Renders random conversations beside transformers: `python -m tests.chat.differential --runs N --seed S`.

`--templates FOLDER` takes the `.jinja` files of another folder than the tests' own. A difference is printed with the
seed that shows it again; the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import copy
import sys
import warnings
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import rtgen.chat
from tests.chat import conversations, oracle

OWN_TEMPLATES = Path(__file__).parent / "templates"


def compare(template: str, messages: Any, options: dict[str, Any]) -> tuple[str, str | None]:
    """What came out (`text` or the class of the error) and, if the engines differ, how."""
    wanted = outcome(lambda: oracle.render(copy.deepcopy(messages), template, options))
    before = repr((messages, options))
    found = outcome(
        lambda: rtgen.chat.render(messages, template, special_tokens=oracle.TOKENS, clock=oracle.NOW, **options)
    )
    if repr((messages, options)) != before:
        return wanted[0], "the caller's messages or options were changed"
    if (wanted[0], wanted[1] if wanted[0] == "text" else "") == (found[0], found[1] if found[0] == "text" else ""):
        return wanted[0], None
    return wanted[0], f"transformers: {wanted!r}\nrtgen:        {found!r}"


def outcome(call: Any) -> tuple[str, Any]:
    try:
        return "text", call()
    except Exception as error:
        return type(error).__name__, str(error)


def templates(folder: Path) -> dict[str, str]:
    """The templates of a folder by file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jinja"))}


def run(folder: Path, runs: int, seed: int, most: int = 5) -> tuple[Counter[str], list[str]]:
    """`runs` random requests to each template: how they ended, and the first differences."""
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    differences: list[str] = []
    for name, template in templates(folder).items():
        for number in range(runs):
            messages, options = conversations.request(Random(f"{seed} {name} {number}"))
            ended, difference = compare(template, messages, options)
            counts[ended] += 1
            if difference is not None:
                differences.append(f"{name}, seed {seed}, number {number}\n{messages!r}\n{options!r}\n{difference}")
                if len(differences) >= most:
                    return counts, differences
    return counts, differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="requests to each template")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--templates", type=Path, default=OWN_TEMPLATES, metavar="FOLDER")
    arguments = parser.parse_args()
    counts, differences = run(arguments.templates, arguments.runs, arguments.seed)
    print("\n\n".join(differences))
    print(f"{sum(counts.values())} requests, {len(differences)} differences; {dict(counts.most_common())}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
