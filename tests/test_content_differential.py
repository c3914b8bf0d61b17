"""Random parsers, sensible and damaged, on random regions: the emitted code and transformers agree."""

from __future__ import annotations

import pytest

from rtgen import content
from tests.fuzz_content import run


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", sorted(content.PARSERS))
def test_agrees_with_the_reference(name: str, seed: int) -> None:
    assert run(60, seed, only=name) == 720
