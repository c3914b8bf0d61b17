"""What is measured. Each module is one group with `TITLE`, `UNIT` and `measure(setting, engines) -> list[Row]`."""

from __future__ import annotations

from types import ModuleType

from benchmarks.groups import batch, growth, many, memory, prefix, short, start, streams

GROUPS: dict[str, ModuleType] = {
    "streams": streams,
    "batch": batch,
    "short": short,
    "prefix": prefix,
    "start": start,
    "growth": growth,
    "memory": memory,
    "many": many,
}
"""By the name that `--only` takes, in the order in which they run."""
