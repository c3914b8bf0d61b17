"""Findings of the lint as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

from typing import Any

from rtgen.chat.linter import RULES, Finding
from rtgen.chat.linter.findings import level_of
from rtgen.chat.linter.rules import Rule, described, effects

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
                        "rules": [_rule(RULES[rule]) for rule in used],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(path, finding) for path, found in findings.items() for finding in found],
            }
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    text = described(rule)
    instead = f" Instead: {rule.instead}." if rule.instead else ""
    breaks = effects(rule.marks)
    engines = f" By engine: {', '.join(f'{engine}: {effect}' for engine, effect in breaks.items())}." if breaks else ""
    return {
        "id": rule.id,
        "shortDescription": {"text": text},
        "fullDescription": {"text": f"{text[:1].upper()}{text[1:]}.{instead}{engines}"},
        "defaultConfiguration": {"level": level_of(breaks)},
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
