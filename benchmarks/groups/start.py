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
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.engines import Engine
from benchmarks.rows import Row, Setting
from benchmarks.shapes import template
from benchmarks.timing import Samples

TITLE = "First use in a fresh interpreter"
UNIT = "ms"

_TIMED = """
import time
start = time.process_time()
{body}
print(time.process_time() - start)
"""
_USE = """
import json, {module}
given = json.loads({template!r})
print_ = {call}("Hello.", given, prefix="")
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
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        raise RuntimeError((ran.stderr.strip().splitlines() or ["no output"])[-1])
    return float(ran.stdout.split()[-1])


def _samples(engine: str, body: str, rounds: int, environment: Mapping[str, str] | None = None) -> Samples:
    """`rounds` runs after one that is thrown away; no environment: each run with an empty cache of its own."""
    found = []
    for _ in range(rounds + 1):
        with tempfile.TemporaryDirectory() as empty:
            found.append(_seconds(body, environment or {"RTGEN_CACHE_DIR": str(Path(empty) / "cache")}))
    return {engine: found[1:]}


def _rtgen(folder: str, rounds: int) -> list[Row]:
    rows = [Row("import rtgen", "import rtgen", _samples("rtgen", "import rtgen", rounds))]
    for file in ("literal", "xml_parameters", "harmony"):
        use = _USE.format(module="rtgen", template=json.dumps(template(file)), call="rtgen.parse_response")
        label = "first use of a template"
        rows.append(Row(f"{label}, {file}", label, _samples("rtgen", use, rounds)))
        label = "first use of a cached template"
        cache = {"RTGEN_CACHE_DIR": str(Path(folder) / "cache")}
        rows.append(Row(f"{label}, {file}", label, _samples("rtgen", use, rounds, cache)))
    source = Path(folder) / "template.json"
    source.write_text(json.dumps(_TEXT_ONLY), encoding="utf-8")
    for label, option in (("standalone parser, literals and text", ["--standalone"]), ("generated parser", [])):
        command = [sys.executable, "-m", "rtgen", "compile", str(source), *option]
        subprocess.run([*command, "-o", str(Path(folder) / "generated_parser.py")], check=True, capture_output=True)
        use = _GENERATED.format(folder=folder)
        rows.append(Row(label, label, _samples("rtgen", use, rounds)))
    return rows


def measure(setting: Setting, engines: Sequence[Engine]) -> list[Row]:
    """A row for each kind of first use; a kind that fails is a row without samples and a note."""
    rounds = 3 if setting.quick else 7
    rows: list[Row] = []
    names = {engine.name for engine in engines}
    with tempfile.TemporaryDirectory() as folder:
        if "rtgen" in names:
            try:
                rows += _rtgen(folder, rounds)
            except (RuntimeError, subprocess.CalledProcessError) as error:
                rows.append(Row("rtgen", "rtgen", {}, f"failed: {error}"))
        if "transformers" in names:
            module = "transformers.utils.chat_parsing"
            use = _USE.format(module=module, template=json.dumps(template("literal")), call=f"{module}.parse_response")
            label = "first use of a template"
            rows.append(Row(f"{label}, literal (transformers)", label, _samples("transformers", use, rounds)))
    return rows
