"""`python -m tests.families_table`: write the table of model families into README.md, between its markers.

With `--print` the table is printed instead. The column "round trip" comes from running the battery of
`rtgen chat roundtrip` over each family.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rtgen import library
from rtgen.roundtrip.judge import EQUAL, LIMIT, LOST, WRONG
from tests.proofs import proof

README = Path(__file__).resolve().parent.parent / "README.md"
START, END = "<!-- families -->", "<!-- /families -->"
COMMAND = "python -m tests.families_table"

HEAD = ("name", "models", "reasoning", "tools", "round trip", "limits")


def round_trip(name: str) -> str:
    """The counts of the verdicts of a family's round trip, in a few words."""
    counts = proof(name).counts()
    words = [f"{counts[EQUAL]} equal"]
    words += [
        f"{counts[kind]} {word}" for kind, word in ((LOST, "lost"), (LIMIT, "limits"), (WRONG, "wrong")) if counts[kind]
    ]
    return ", ".join(words)


def table() -> str:
    """The table in Markdown: the families by name, then those that are not possible."""
    rows = [HEAD, tuple("---" for _ in HEAD)]
    for name in library.available():
        meta = library.meta(name)
        rows.append(
            (
                f"`{name}`",
                meta["models"],
                _code(meta["reasoning"]),
                _code(meta["tools"]),
                round_trip(name),
                meta["limits"],
            )
        )
    for name, found in library.not_possible().items():
        rows.append((name, found["models"], "", "", "not possible", found["reason"]))
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)


def _code(text: str) -> str:
    """A description in which tags would be taken for HTML, as code."""
    return f"`{text}`" if "<" in text or "[" in text else text


def _cell(text: str) -> str:
    if not text.startswith("`"):
        text = text.replace("<", "&lt;")
    return text.replace("|", "\\|").replace("\n", " ")


def inserted(text: str) -> str:
    """README's text with the current table between the markers. Raises ValueError where they are missing."""
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"README.md has no {START} ... {END}")
    return f"{before}{START}\n{table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write the table, or print it; returns the exit code."""
    if "--print" in arguments:
        print(table())
        return 0
    text = README.read_text(encoding="utf-8")
    new = inserted(text)
    if new != text:
        README.write_text(new, encoding="utf-8")
        print(f"written: {README}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
