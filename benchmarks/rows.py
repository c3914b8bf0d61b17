"""What a group returns: its rows, and the setting that it was run with."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.timing import Samples


@dataclass(frozen=True, slots=True)
class Setting:
    """How much to measure."""

    quick: bool
    rounds: int


@dataclass(frozen=True, slots=True)
class Row:
    """One case of a group.

    `case` names it in the tables and in JSON, `label` is the bar of the chart that it goes into (the mean over all rows
    of one label), `part` the part of the group that is summed up by itself, `samples` holds what was measured for each
    engine, in seconds unless the group's unit is another one.
    """

    case: str
    label: str
    samples: Samples
    part: str = ""
    note: str = ""
    facts: dict[str, float] = field(default_factory=dict)
