"""The report for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rtgen.roundtrip.judge import FRAGILE, LIMIT, LOST, REFUSED, VERDICTS, WRONG, Judgement
from rtgen.roundtrip.rendering import Rendered
from rtgen.roundtrip.report import Report, Row


def lines(report: Report, details: bool = False) -> Iterator[str]:
    """The table: one line for each example, one column for each mode; then the counts.

    Malformed outputs are shown where they are not equal; with `details`, what is lost is told too.
    """
    modes = list(dict.fromkeys(row.mode for row in report.rows))
    table: dict[str, dict[str, str]] = {}
    for row in report.rows:
        table.setdefault(row.name, {})[row.mode] = row.verdict
    yield from _columns(["example", *modes], [[name, *(found.get(m, "") for m in modes)] for name, found in table.items()])
    odd = [row for row in report.malformed if row.verdict in (FRAGILE, REFUSED)]
    if odd:
        yield ""
        yield from _columns(["malformed output", "mode", "verdict"], [[r.name, r.mode, r.verdict] for r in odd])
    yield ""
    yield summary(report)
    yield from report.notes
    for name, reason in {row.subject: row.judgement.why for row in report.rows if row.verdict == LIMIT}.items():
        yield f"limit: {name}: {reason}"
    if details:
        for row in [*report.rows, *odd]:
            if row.verdict in (LOST, FRAGILE, REFUSED):
                yield ""
                yield f"{row.verdict}: {row.name} ({row.mode}): {row.judgement.why}"
                if row.judgement.got is not None:
                    yield f"    text  {_quoted(row.judgement.text)}"
                    yield f"    got   {_json(row.judgement.got)}"


def summary(report: Report) -> str:
    """The counts of the verdicts on one line."""
    counts = report.counts()
    equal, lost, wrong = counts["equal"], counts[LOST], counts[WRONG]
    fragile = sum(row.verdict == FRAGILE for row in report.malformed)
    text = f"{equal} equal, {lost} lost by the chat template, {wrong} wrong"
    if counts[LIMIT]:
        text += f", {counts[LIMIT]} known limits"
    return f"{text}; of {len(report.malformed)} malformed outputs {fragile} are misread"


def wrong(row: Row, rendered: Rendered, judgement: Judgement) -> Iterator[str]:
    """What is wrong with one example, shown on the smallest message that has the same fault."""
    yield f"{WRONG}: {row.name} ({row.mode}): {VERDICTS[WRONG]}"
    yield f"    message   {_json(rendered.example.final)}"
    yield f"    rendered  {_quoted(rendered.text)}"
    yield f"    after     {_quoted(rendered.prefix[-60:])}"
    yield f"    fault     {judgement.why}"
    if judgement.got is not None:
        yield f"    parsed    {_json(judgement.got)}"


def as_json(report: Report) -> dict[str, Any]:
    """The report as a JSON value."""
    return {
        "counts": dict(report.counts()),
        "notes": report.notes,
        "examples": [_row(row) for row in report.rows],
        "malformed": [_row(row) for row in report.malformed],
    }


def _row(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {"example": row.name, "mode": row.mode, "verdict": row.verdict}
    if row.judgement.why:
        found |= {"why": row.judgement.why, "text": row.judgement.text, "got": _plain(row.judgement.got)}
    return found


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Exception) else value


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[at]) for row in [head, *rows]) for at in range(len(head))]
    for row in [head, *rows]:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False, default=repr)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
