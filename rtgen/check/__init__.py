"""What is wrong or fragile in a response template, said so that its author can act on it.

refused    errors: the template is not accepted
losses     errors: example outputs that lose text, each parsed to see it
opening    errors and warnings: fields, and literals of openers, that never open
values     errors and warnings: placeholders without a value, parsers that cannot give what the field needs
fragile    warnings: delimiters that later text can change, or that hold the stream back
names      warnings: keys that nobody looks for
anchor     the place where the message begins
portable   on request: what other regex engines cannot do
"""

from __future__ import annotations

from typing import Any

from rtgen.check.anchor import anchor
from rtgen.check.findings import Finding, in_order
from rtgen.check.fragile import fragile
from rtgen.check.losses import losses
from rtgen.check.names import names
from rtgen.check.opening import opening
from rtgen.check.portable import portable as _portable
from rtgen.check.refused import refused
from rtgen.check.subject import Subject
from rtgen.check.values import values
from rtgen.errors import TemplateError

__all__ = ["Finding", "check"]


def check(raw: Any, portable: bool = False) -> list[Finding]:
    """The findings about a decoded template, the gravest first; with `portable` also where regex engines disagree.

    Nothing is raised for a template that is refused: that is a finding. The template is compiled in memory and parses
    example outputs; no file is read or written.
    """
    try:
        subject = Subject(raw)
    except TemplateError as error:
        return in_order(refused(raw, error))
    found = [
        *losses(subject),
        *opening(subject),
        *values(subject),
        *fragile(subject),
        *anchor(subject),
        *names(subject),
    ]
    if portable:
        found += _portable(subject)
    return in_order(found)
