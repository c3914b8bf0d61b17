"""The lines of the README's section "Use it with your tokenizer" run, in a folder that holds a saved tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integrations import making
from tests.integrations.test_find import QWEN3

README = Path(__file__).resolve().parent.parent.parent / "README.md"
HEADING = "## Use it with your tokenizer"


def code() -> str:
    """The section's first Python block; "" where there is no such section."""
    section = README.read_text(encoding="utf-8").partition(f"{HEADING}\n")[2].partition("\n## ")[0]
    return section.partition("```python\n")[2].partition("```")[0]


@pytest.mark.skipif(not code(), reason="README.md has no such section")
def test_the_lines_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    tokenizer = making.byte_level()
    tokenizer.response_template, tokenizer.chat_template = None, QWEN3
    tokenizer.save_pretrained(tmp_path / "my-model")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(code(), str(README), "exec"), names)
    assert capsys.readouterr().out
