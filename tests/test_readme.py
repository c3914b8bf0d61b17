"""The README's example and main command, run as they stand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    example = re.search(r"```python\n(import rtgen\n.*?)```", README, re.DOTALL)
    assert example is not None
    done = subprocess.run([sys.executable, "-c", example[1]], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "{'type': 'region_open', 'field': 'tool_calls'}" in done.stdout


def test_the_main_command_parses(tmp_path: Path) -> None:
    command = re.search(r"```\npython3 -m venv.*?(printf .*?) \| \.venv/bin/rtgen (parse .*?)\n```", README, re.DOTALL)
    assert command is not None
    run = f"{command[1]} | {sys.executable} -m rtgen {command[2]}"
    done = subprocess.run(["bash", "-c", run], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "role": "assistant",
        "reasoning_content": "Paris, then.",
        "tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}],
    }


def test_what_the_table_names_is_there() -> None:
    table = README[README.index("## To change something") :]
    for path in re.findall(r"`((?:rtgen|tests|templates)/[\w./]+\.\w+)`", table):
        assert (ROOT / path).exists(), path


def test_every_promise_names_tests_that_exist() -> None:
    promises = README[README.index("## What it promises") :].split("\n## ")[0]
    rows = [line for line in promises.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= 10
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, row
        for path, test in named:
            assert re.search(rf"^def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), (path, test)


def test_the_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README)
    assert "templates/README.md" in links
    for path in links:
        assert (ROOT / path).exists(), path
