"""Rows as tables for people and as JSON for programs: times and ratios, no verdicts."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from types import ModuleType
from typing import Any

from benchmarks.engines import Engine
from benchmarks.rows import Row
from benchmarks.timing import geometric_mean, ratio

SCALE = {"µs": 1e6, "ms": 1e3, "kB": 1.0, "times": 1.0}
"""What a sample is multiplied with for a unit that begins so."""
ENGINES = ("rtgen", "transformers", "floor")


def scaled(unit: str, samples: Sequence[float]) -> float | None:
    """The median in the group's unit; None where nothing was measured."""
    return median(samples) * SCALE[unit.split()[0]] if samples else None


def _cell(value: float | None, suffix: str = "") -> str:
    if value is None:
        return ""
    if value >= 1000:
        return f"{value:,.0f}{suffix}"
    return f"{value:.{2 if value < 100 else 0}f}{suffix}"


def ratios(row: Row) -> dict[str, float]:
    """How many times faster than transformers rtgen is, and how many floors it costs, where both were measured."""
    faster = ratio(row.samples, "transformers", "rtgen")
    floors = ratio(row.samples, "rtgen", "floor")
    if faster is None and floors is None:  # without rtgen: what transformers costs
        floors = ratio(row.samples, "transformers", "floor")
        return {} if floors is None else {"transformers in floors": floors}
    return {k: v for k, v in (("times faster", faster), ("floors", floors)) if v is not None}


def summary(rows: Sequence[Row], unit: str) -> dict[str, dict[str, float]]:
    """Geometric mean, least and most of each ratio, for each part of the group."""
    found: dict[str, list[float]] = {}
    for row in rows:
        before = f"{row.part}: " if row.part else ""
        if unit == "times":
            if row.samples.get("rtgen"):
                found.setdefault(f"{before}growth of rtgen", []).append(median(row.samples["rtgen"]))
            continue
        for name, value in ratios(row).items():
            found.setdefault(before + name, []).append(value)
    return {
        name: {"geometric mean": geometric_mean(values), "least": min(values), "most": max(values)}
        for name, values in found.items()
    }


def table(group: ModuleType, rows: Sequence[Row]) -> Iterator[str]:
    """The lines of a group's table."""
    names = [name for name in ENGINES if any(row.samples.get(name) for row in rows)]
    extra = list(dict.fromkeys(name for row in rows for name in ratios(row))) if group.UNIT != "kB" else []
    width = max((len(row.case) for row in rows), default=0)
    yield f"{group.TITLE} ({group.UNIT})"
    columns = [*names, *extra]
    yield f"  {'':{width}}" + "".join(f"  {name:>12}" for name in columns)
    for row in rows:
        found = ratios(row)
        cells = [_cell(scaled(group.UNIT, row.samples.get(name, ()))) for name in names]
        cells += [_cell(found.get(name), "x") for name in extra]
        line = "".join(f"  {cell:>{max(12, len(name))}}" for cell, name in zip(cells, columns, strict=True))
        yield f"  {row.case:{width}}{line}" + (f"  {row.note}" if row.note else "")
    if group.UNIT != "kB":
        for name, values in summary(rows, group.UNIT).items():
            yield "  " + name + ": " + ", ".join(f"{key} {_cell(value)}" for key, value in values.items())
    yield ""


def document(results: Mapping[str, tuple[ModuleType, Sequence[Row]]], engines: Sequence[Engine]) -> dict[str, Any]:
    """Everything that was measured, ready for JSON."""
    return {
        "machine": {"python": platform.python_version(), "system": platform.system(), "processor": platform.machine()},
        "engines": {engine.name: engine.version for engine in engines},
        "groups": {
            name: {
                "title": group.TITLE,
                "unit": group.UNIT,
                "summary": summary(rows, group.UNIT) if group.UNIT != "kB" else {},
                "rows": [
                    {
                        "case": row.case,
                        "median": {name: scaled(group.UNIT, taken) for name, taken in row.samples.items()},
                        "ratios": ratios(row) if group.UNIT != "kB" else {},
                        "samples": {
                            name: [value * SCALE[group.UNIT.split()[0]] for value in taken]
                            for name, taken in row.samples.items()
                        },
                        **({"note": row.note} if row.note else {}),
                        **({"facts": row.facts} if row.facts else {}),
                    }
                    for row in rows
                ],
            }
            for name, (group, rows) in results.items()
        },
    }
