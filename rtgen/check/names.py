"""The names that programs look for in a message, and whether the template gives them."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from rtgen.check.findings import Finding
from rtgen.check.subject import Subject

REASONING = "reasoning_content"
"""The key under which chat templates and servers look for a model's reasoning."""

OTHER_NAMES = ("thinking", "thought", "thoughts", "think", "reasoning", "analysis", "thinking_content", "reason", "cot")

THINKS = regex.compile(r"(?i)think|thought|reason|analysis|plan\b")


def names(subject: Subject) -> Iterator[Finding]:
    """Reasoning under another name, and messages without a role."""
    for field in subject.template.fields:
        if field.name == REASONING or field.content != "text" or field.transform is not None:
            continue
        opener = field.open.source if field.open is not None else ""
        if field.name.lower() in OTHER_NAMES or (field.name != "content" and THINKS.search(opener)):
            yield Finding(
                "warning",
                subject.path(field),
                "reasoning-name",
                f"chat templates and servers look for reasoning under {REASONING!r}, so what is under {field.name!r} "
                f"gets lost in the next turn; rename the field",
            )
    if "role" not in subject.template.defaults:
        yield Finding(
            "note",
            "$.defaults",
            "no-role",
            'messages have no "role", which chat templates need; write "defaults": {"role": "assistant"}',
        )
