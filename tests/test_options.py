"""A short run of `python -m tests.options`."""

from __future__ import annotations

from hypothesis import seed

from tests.options import examples


def test_options() -> None:
    seed(20)(examples(400))()
