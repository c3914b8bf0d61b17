"""The function that cuts a prefix after its last anchor."""

from __future__ import annotations

from rtgen.delimiters.classify import Kind
from rtgen.emit.searches import Searches
from rtgen.emit.source import Module, Writer, literal
from rtgen.listing import delimiter


def emit_after_anchor(out: Module, anchor: Kind, searches: Searches) -> Writer:
    """The body of `_after_anchor(prefix)`.

    The last of the anchor's non-overlapping matches, found from the left, counts. Where occurrences of its literals
    cannot overlap, that is the last occurrence, and it is found from the end.
    """
    body = Writer()
    body.doc(f"What follows the last anchor: {delimiter(anchor)}.")
    simple = bool(anchor.literals) and not anchor.final_newline
    if simple and _apart(anchor.literals):
        if len(anchor.literals) == 1 and not anchor.blanks_after:
            body.line(f"return prefix.rpartition({literal(anchor.literals[0])})[2]")
            return body
        out.use_runtime("literals", "last_end")
        body.line(f"end = last_end(prefix, {literal(anchor.literals)})")
        if anchor.blanks_after:
            out.use_runtime("blanks", "after_blanks")
            body.line("return prefix if end < 0 else prefix[after_blanks(prefix, end) :]")
        else:
            body.line("return prefix if end < 0 else prefix[end:]")
        return body
    body.line("end = 0")
    if (anchor.linear and not simple) or (simple and not anchor.blanks_before):
        out.use("regex")
        pattern = out.constant("anchor", f"regex.compile({literal(anchor.source)}, regex.DOTALL)")
        matches = f"{pattern}.finditer(prefix)"
    else:
        matches = f"{searches.expression(anchor, anchor.whole, 'start_anchor_pattern')}.finditer(prefix)"
    with body.block(f"for found in {matches}:"):
        body.line("end = found.end()")
    body.line("return prefix[end:]")
    return body


def _apart(cores: tuple[str, ...]) -> bool:
    """Whether two occurrences can overlap only by beginning at the same place."""
    return not any(
        a.startswith(b[start:]) or b[start:].startswith(a) for a in cores for b in cores for start in range(1, len(b))
    )
