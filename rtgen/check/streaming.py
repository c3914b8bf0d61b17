"""Where an engine that settles each delimiter with `regex`'s partial matching, as transformers does, goes wrong.

Such an engine searches what has arrived so far. A complete match counts at once, unless it reaches the end of what has
arrived or changes when one more character is imagined behind it; a partial match is waited for. Since `regex` prefers a
complete match to an earlier partial one, and since the imagined character is only one, it may act too early. Whether it
does is found by trying: every beginning of an example output is searched in this way, and the decision is compared with
what the whole output says.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from rtgen.check.samples import samples
from rtgen.delimiters.classify import Kind
from rtgen.template import Delimiter

BEFORE = "Text"
"""What stands before the delimiter in an example output."""

AFTER = ("", "more", " more", "\n", "\n\n")
"""What is tried behind it."""


@dataclass(frozen=True, slots=True)
class Witness:
    """An output that shows the difference.

    `arrived` is the beginning that has arrived when such an engine acts; `output` the whole output; `wrong` what it
    takes for the delimiter there (None: it passes the delimiter's beginning on as text), `right` the delimiter.
    """

    arrived: str
    output: str
    wrong: str | None
    right: str | None


def witness(delimiter: Delimiter, kind: Kind) -> Witness | None:
    """An example output on which a stream differs from the whole text; None where none was found."""
    pattern = regex.compile(delimiter.source, regex.DOTALL)
    literals = delimiter.literals
    extends = any(a != b and b.startswith(a) for a in literals for b in literals)
    for sample in samples(kind):
        for after in AFTER:
            output = BEFORE + sample + after
            found = _first_difference(pattern, bool(literals), extends, output)
            if found is not None:
                return found
    return None


def _first_difference(pattern: regex.Pattern[str], literal: bool, extends: bool, output: str) -> Witness | None:
    try:
        whole = pattern.search(output, timeout=0.2)
        right = None if whole is None else whole.span()
        for length in range(1, len(output)):
            arrived = output[:length]
            fired, start, end = _settle(pattern, literal, extends, arrived)
            if fired:
                if (start, end) != right:
                    return Witness(arrived, output, arrived[start:end], _piece(output, right))
                return None
            if right is not None and right[0] < start:
                return Witness(arrived, output, None, _piece(output, right))
    except TimeoutError:
        pass
    return None


def _piece(output: str, span: tuple[int, int] | None) -> str | None:
    return None if span is None else output[span[0] : span[1]]


def _settle(pattern: regex.Pattern[str], literal: bool, extends: bool, arrived: str) -> tuple[bool, int, int]:
    """Whether a match fires now, and its span; otherwise the place from which text is held back."""
    match = pattern.search(arrived, partial=True, timeout=0.2)
    if match is None:
        return False, len(arrived), len(arrived)
    start, end = match.span()
    if match.partial:
        return False, start, end
    if end == len(arrived):
        waits = start == end or extends or not literal
    elif literal:
        waits = False
    else:
        again = pattern.match(f"{arrived}\0", start, timeout=0.2)
        waits = again is None or again.span() != (start, end) or again.groupdict() != match.groupdict()
    return not waits, start, end
