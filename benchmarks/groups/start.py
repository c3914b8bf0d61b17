"""First use, each time in a fresh interpreter: import, an uncached template, a cached one, a generated file.

Times are of the interpreter's own code from its first statement on (starting Python itself is not in them), in
processor time; a first run, which writes `.pyc` files, is thrown away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.engines import Engine
from benchmarks.rows import Row, Setting
from benchmarks.shapes import template

TITLE = "First use in a fresh interpreter"
UNIT = "ms"
FIRST, CACHED = "first use of a template", "first use of a cached template"

_TIMED = """
import time
start = time.process_time()
{body}
print(time.process_time() - start)
"""
_USE = """
import json, {module}
given = json.loads({template!r})
{call}("Hello.", given, prefix="")
"""
_GENERATED = """
import sys
sys.path.insert(0, {folder!r})
import generated_parser
generated_parser.parse_response("Hello.", prefix="")
"""
_TEXT_ONLY = {
    "start_anchor": "<|turn|>assistant\n",
    "fields": {"reasoning_content": {"open": "<think>", "close": "</think>"}, "content": {"close": "<|turn_end|>"}},
}


def _seconds(body: str, environment: Mapping[str, str]) -> float:
    ran = subprocess.run(
        [sys.executable, "-c", _TIMED.format(body=body.strip())],
        env={**os.environ, **environment, "PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        raise RuntimeError((ran.stderr.strip().splitlines() or ["no output"])[-1])
    return float(ran.stdout.split()[-1])


def _row(
    case: str, label: str, engine: str, body: str, rounds: int, environment: Mapping[str, str] | None = None
) -> Row:
    """`rounds` runs after one that is thrown away; no environment: each run with an empty cache of its own.

    Where the code fails, the row has a note and no samples.
    """
    found = []
    try:
        for _ in range(rounds + 1):
            with tempfile.TemporaryDirectory() as empty:
                found.append(_seconds(body, environment or {"RTGEN_CACHE_DIR": str(Path(empty) / "cache")}))
    except RuntimeError as error:
        return Row(case, label, {}, note=f"failed: {error}")
    return Row(case, label, {engine: found[1:]})


def _use(module: str, file: str) -> str:
    return _USE.format(module=module, template=json.dumps(template(file)), call=f"{module}.parse_response")


def _rtgen(folder: str, rounds: int) -> Iterator[Row]:
    yield _row("import rtgen", "import rtgen", "rtgen", "import rtgen", rounds)
    for file in ("literal", "xml_parameters", "harmony"):
        yield _row(f"{FIRST}, {file}", FIRST, "rtgen", _use("rtgen", file), rounds)
        cache = {"RTGEN_CACHE_DIR": str(Path(folder) / "cache")}
        yield _row(f"{CACHED}, {file}", CACHED, "rtgen", _use("rtgen", file), rounds, cache)
    source = Path(folder) / "template.json"
    source.write_text(json.dumps(_TEXT_ONLY), encoding="utf-8")
    for label, option in (("standalone parser, literals and text", ["--standalone"]), ("generated parser", [])):
        command = [sys.executable, "-m", "rtgen", "compile", str(source), *option]
        subprocess.run([*command, "-o", str(Path(folder) / "generated_parser.py")], check=False, capture_output=True)
        yield _row(label, label, "rtgen", _GENERATED.format(folder=folder), rounds)


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each kind of first use."""
    rounds = 3 if setting.quick else 7
    rows: list[Row] = []
    names = {engine.name for engine in engines}
    with tempfile.TemporaryDirectory() as folder:
        if "rtgen" in names:
            rows += _rtgen(folder, rounds)
        if "transformers" in names:
            use = _use("transformers.utils.chat_parsing", "literal")
            rows.append(_row(f"{FIRST}, literal (transformers)", FIRST, "transformers", use, rounds))
    return rows
