"""The inputs that the fuzzer kept, once more: `python -m tests.fuzz` makes new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import parsers, templates

CORPUS = Path(__file__).parent / "fuzz" / "corpus"


@pytest.mark.parametrize("subject", [parsers, templates], ids=["parsers", "templates"])
def test_no_input_of_the_corpus_shows_a_fault(subject: object) -> None:
    name = subject.__name__.rpartition(".")[2]  # type: ignore[attr-defined]
    files = sorted((CORPUS / name).iterdir())
    assert len(files) >= 50
    for file in files:
        subject.check(file.read_bytes())  # type: ignore[attr-defined]
