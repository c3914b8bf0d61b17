"""What all tests share."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import engine

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def pytest_configure(config: pytest.Config) -> None:
    # `regex` warns of odd but valid patterns, which damaged and random templates hold.
    warnings.simplefilter("ignore", FutureWarning)


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests' parsers go to a folder of their own, not to the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RTGEN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def compile_one() -> Any:
    """`compile` of the engine under test."""
    return engine().compile


def load_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
