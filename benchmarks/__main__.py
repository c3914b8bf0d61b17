"""`python -m benchmarks`: measure, print the tables, write JSON and charts."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from benchmarks import chart, report
from benchmarks.engines import available
from benchmarks.groups import GROUPS
from benchmarks.rows import Row, Setting
from benchmarks.timing import empty_cache, geometric_mean, settled_memory


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one size and fewer cases: two to three minutes")
    parser.add_argument(
        "--only", action="append", choices=GROUPS, metavar="GROUP", help=f"one of {', '.join(GROUPS)}; may be repeated"
    )
    parser.add_argument("--rounds", type=int, default=0, help="samples of each engine (7; with --quick: 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample to this file")
    parser.add_argument("--svg", type=Path, metavar="DIR", help="write one chart for each group into this folder")
    return parser.parse_args(given)


def _chart(group: ModuleType, rows: Sequence[Row]) -> str | None:
    """The group's chart; None where nothing was measured."""
    if hasattr(group, "bars"):
        return chart.bars(*group.bars(rows)) if rows else None
    labels = dict.fromkeys(row.label for row in rows)
    bars = []
    for label in labels:
        values = {}
        for engine in report.ENGINES:
            found = [report.scaled(group.UNIT, row.samples.get(engine, ())) for row in rows if row.label == label]
            if kept := [value for value in found if value]:
                values[engine] = geometric_mean(kept)
        if values:
            bars.append((label, values))
    return chart.bars(group.TITLE, group.UNIT, bars) if bars else None


def main(given: Sequence[str] | None = None) -> int:
    """Run the benchmark with these arguments (None: those of the process); always 0, it judges nothing."""
    options = _arguments(given)
    engines, missing = available()
    for sentence in missing:
        print(sentence, file=sys.stderr)
    setting = Setting(options.quick, options.rounds or (5 if options.quick else 7))
    print(
        ", ".join(f"{engine.name} {engine.version}" for engine in engines),
        f"; median of {setting.rounds} rounds\n",
        sep="",
    )
    results: dict[str, tuple[ModuleType, list[Row]]] = {}
    for name in options.only or GROUPS:
        group, began = GROUPS[name], time.monotonic()
        with empty_cache(), settled_memory():
            rows = group.measure(setting, engines)
        results[name] = (group, rows)
        print(*report.table(group, rows), sep="\n", flush=True)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        if options.svg and (drawn := _chart(group, rows)):
            options.svg.mkdir(parents=True, exist_ok=True)
            (options.svg / f"{name}.svg").write_text(drawn, encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(report.document(results, engines), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
