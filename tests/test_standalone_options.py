"""`string_aware` and `repair` in modules that stand alone: the field reports, in a process that has no rtgen."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import rtgen
import rtgen.runtime
from rtgen.compiler import generate
from rtgen.emit.standalone import lenient_parts
from tests.test_field_reports import FURTHER, PROFILE, REPORTS, TEMPLATES

PROGRAM = """
import importlib, json, sys
sys.modules["rtgen"] = None
sys.path.insert(0, ".")
for line in sys.stdin:
    report = json.loads(line)
    module = importlib.import_module(report["module"])
    parser = module.ResponseParser(report["prefix"], tools=report["tools"], **report["profile"])
    events = [event for char in report["raw"] for event in parser.feed(char)]
    message, last = parser.finalize()
    names = [name for event in events + last for name in event.get("repairs", ())]
    print(json.dumps([message, names, [event["text"] for event in parser.malformed]]))
"""


def test_the_field_reports_without_rtgen(tmp_path: Path) -> None:
    reports = [report for report in REPORTS + FURTHER if len(report["raw"]) < 2000]
    names = sorted({report["replay_template"] for report in reports})
    modules = {name: f"alone_{index}" for index, name in enumerate(names)}
    for name, module in modules.items():
        template = TEMPLATES.get(name) or rtgen.load(name).template
        (tmp_path / f"{module}.py").write_text(generate(template, name=name, standalone=True), encoding="utf-8")
    lines = [
        json.dumps({**report, "module": modules[report["replay_template"]], "profile": PROFILE}) for report in reports
    ]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], input="\n".join(lines), capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(reports) > 150
    for report, answer in zip(reports, answers, strict=True):
        name = report["replay_template"]
        parser = rtgen.ResponseParser(TEMPLATES.get(name, name), report["prefix"], tools=report["tools"], **PROFILE)
        events = parser.feed(report["raw"])
        message, last = parser.finalize()
        repairs = [repair for event in events + last for repair in event.get("repairs", ())]
        wanted = [message, repairs, [event["text"] for event in parser.malformed]]
        assert answer == json.loads(json.dumps(wanted)), report["id"]


def test_all_that_may_be_pasted_into_one_file_has_names_of_its_own() -> None:
    folder = Path(rtgen.runtime.__path__[0])
    seen: dict[str, str] = {}
    assert "mending" in lenient_parts([])
    for path in sorted(folder.glob("*.py")):
        part = path.stem
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names = [node.name]
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            else:
                continue
            for name in names:
                assert name not in seen, f"{part} and {seen[name]} both define {name}"
                seen[name] = part
