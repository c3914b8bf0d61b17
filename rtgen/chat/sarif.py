"""Findings of the lint as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

from typing import Any

from rtgen.chat.linter import RULES, Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: dict[str, list[Finding]]) -> dict[str, Any]:
    """The log for the findings by file."""
    import rtgen

    used = sorted({finding.rule for found in findings.values() for finding in found})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "rtgen chat lint",
                        "version": rtgen.__version__,
                        "rules": [
                            {"id": rule, "shortDescription": {"text": RULES[rule].text.replace("{}", "it")}}
                            for rule in used
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(path, finding) for path, found in findings.items() for finding in found],
            }
        ],
    }


def _result(path: str, finding: Finding) -> dict[str, Any]:
    instead = f"; instead: {finding.instead}" if finding.instead else ""
    region = {"startLine": finding.line, "startColumn": finding.column}
    return {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": finding.message + instead},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": path.replace("\\", "/")}, "region": region}}],
        "properties": {"engines": dict(finding.effects)},
    }
