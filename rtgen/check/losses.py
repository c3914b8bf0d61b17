"""Errors: outputs of which a part is lost. Each is shown by an example output that was parsed, never only inferred."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rtgen.check.findings import Finding, quote, quote_value
from rtgen.check.subject import WORDS, Region, Subject, bodies
from rtgen.template import Field


def losses(subject: Subject) -> Iterator[Finding]:
    """What outputs of the template lose."""
    implicit = subject.template.implicit
    if implicit is None:
        yield from _dropped(subject)
    else:
        yield from _implicit(subject, implicit)
    for field in subject.template.fields:
        if field.open is not None and not field.repeats:
            yield from _overwritten(subject, field)


def _dropped(subject: Subject) -> Iterator[Finding]:
    """Text outside all regions, where no field is without an opener."""
    word = WORDS[0]
    outputs = [word]
    for field in subject.template.fields:
        region = subject.region(field, 1)
        if region is not None:
            outputs += [region.text + word, f"{word}{region.text}"]
    for output in outputs:
        message = subject.parse(output)
        if message is not None and not _holds(message, word):
            yield Finding(
                "error",
                "$.fields",
                "no-implicit-field",
                f"text outside the fields' delimiters is dropped, since every field has an opener: the output "
                f"{quote(output)} gives {quote_value(message)}; add a field without 'open' and 'open_pattern' "
                f'(usually "content", with "repeats": true and "join": "") to take it',
            )
            return


def _implicit(subject: Subject, field: Field) -> Iterator[Finding]:
    end = subject.sample(field, "close")
    if end is None or field.content not in ("text", "json", "xml-inline", "kv-lines", "python-call-list"):
        return
    body, kept = _body(subject, field, end)
    if not _holds(kept, WORDS[0]):
        message = subject.parse(body + end)
        if field.content == "text" and message is not None and not _holds(message, WORDS[0]):
            yield _never_kept(subject, field, body + end)
        return
    found = list(_after_the_end(subject, field, body, end, kept))
    found += _after_a_region(subject, field, body, end)
    if found:
        yield Finding(
            "error",
            subject.path(field),
            "implicit-overwritten",
            f"what follows the end of the implicit field opens it again and overwrites its text: "
            f"{'; '.join(found[:2])}; " + _advice(field),
        )
    yield from _last_piece(subject, field, body, end)


def _body(subject: Subject, field: Field, end: str) -> tuple[str, Any]:
    """An output up to the implicit field's closer, and the value that the field gets from it.

    Where an opener matches at the start of the text, another region stands before the implicit field's text.
    """
    body = bodies(field, WORDS[0])[0]
    kept = _value(subject.parse(body + end), field)
    if _holds(kept, WORDS[0]):
        return body, kept
    for other in subject.template.fields:
        region = None if other is field else subject.region(other, 1)
        if region is not None:
            value = _value(subject.parse(region.text + body + end), field)
            if _holds(value, WORDS[0]):
                return region.text + body, value
    return body, kept


def _advice(field: Field) -> str:
    if field.content == "text":
        return (
            'write "repeats": true and "join": "" to keep every piece, or let the delimiters take the white space and '
            r"end tokens that follow them (…\s*)"
        )
    return r"let the delimiters take the white space and end tokens that follow them (…\s*)"


def _never_kept(subject: Subject, field: Field, output: str) -> Finding:
    return Finding(
        "error",
        subject.delimiter_path(field, "close") if field.close is not None else subject.path(field),
        "implicit-not-kept",
        f"the implicit field does not take plain text: the output {quote(output)} gives "
        f"{quote_value(subject.parse(output))}; an opener or closer that can match nothing, or plain "
        f"text, takes it away",
    )


def _after_the_end(subject: Subject, field: Field, body: str, end: str, kept: Any) -> Iterator[str]:
    """White space or a second end token behind the implicit field's own closer."""
    if field.close is None or not end.strip():
        return
    for what, more in (
        ("a trailing newline", "\n"),
        ("trailing newlines", "\n\n"),
        ("a second end token", end),
        ("a second end token on a new line", f"\n{end}"),
    ):
        loss = _loss(subject, field, body + end, more, kept)
        if loss is not None:
            yield f"{what}: {loss}"
            return


def _after_a_region(subject: Subject, field: Field, body: str, end: str) -> list[str]:
    """White space, or another region, behind a region that follows the implicit field's text."""
    found = []
    for region in _calls(subject, field):
        start = body + region.text
        kept = _value(subject.parse(start), field)
        if not _holds(kept, WORDS[0]):
            continue
        for what, more in (
            ("a newline after a region", "\n"),
            ("newlines after a region", "\n\n"),
            ("a newline between regions", f"\n{region.text}"),
            ("a newline before the end token", f"\n{end}"),
        ):
            loss = _loss(subject, field, start, more, kept)
            if loss is not None:
                found.append(f"{what}: {loss}")
                break
        if found:
            break
    return found


def _calls(subject: Subject, implicit: Field) -> Iterator[Region]:
    """Regions that models write behind text: those of calls."""
    for field in subject.template.fields:
        if field is not implicit and (field.transform is not None or field.content != "text"):
            region = subject.region(field, 1)
            if region is not None:
                yield region


def _loss(subject: Subject, field: Field, output: str, more: str, kept: Any) -> str | None:
    """The words for what `more` behind the output does, if the field's text is lost by it."""
    message = subject.parse(output + more)
    if message is None:
        return f"{quote(output + more)} does not parse, where {quote(output)} does"
    value = _value(message, field)
    if _holds(value, WORDS[0]):
        return None
    was, now = quote_value(kept), "absent" if field.name not in message else quote_value(value)
    return f"{quote(output + more)} leaves {field.name!r} {now}, where it was {was}"


def _last_piece(subject: Subject, field: Field, body: str, end: str) -> Iterator[Finding]:
    """Words on both sides of a region: only a note, since models write calls last."""
    if field.repeats:
        if field.join is None and field.content == "text" and field.transform is None:
            yield _list_of_pieces(subject, field, body, end)
        return
    for region in _calls(subject, field):
        output = body + region.text + bodies(field, WORDS[1])[0] + end
        message = subject.parse(output)
        if message is not None and not _holds(message, WORDS[0]) and _holds(message, WORDS[1]):
            yield Finding(
                "note",
                subject.path(field),
                "implicit-last-piece",
                f"of text before and after a region only the last piece is kept: {quote(output)} leaves {field.name!r} "
                f'{quote_value(message[field.name])}; "repeats": true and "join": "" keep both',
            )
            return


def _list_of_pieces(subject: Subject, field: Field, body: str, end: str) -> Finding:
    return Finding(
        "warning",
        subject.path(field),
        "implicit-list",
        f"'repeats' without 'join' makes {field.name!r} a list of pieces, not a text: {quote(body + end)} gives "
        f'{quote_value(_value(subject.parse(body + end), field))}; add "join": ""',
    )


def _overwritten(subject: Subject, field: Field) -> Iterator[Finding]:
    """An explicit field that occurs twice and keeps the last region alone."""
    first, second = subject.region(field, 0), subject.region(field, 1)
    if first is None or second is None:
        return
    output = first.text + second.text
    message, alone, last = subject.parse(output), subject.parse(first.text), subject.parse(second.text)
    if message is None or alone is None or last is None or message.get(field.name) != last.get(field.name):
        return
    calls = _is_calls(field)
    if calls and not field.transform_each:
        yield Finding(
            "error",
            subject.path(field),
            "call-overwritten",
            f"of several calls only the last is kept: {quote(output)} gives {quote_value(message.get(field.name))}; "
            f'write "repeats": true',
        )
    else:
        how = "the calls of the last region alone are" if calls else "the last region alone is"
        better = "" if calls else '; "repeats": true and "join" keep all' if field.content == "text" else ""
        yield Finding(
            "note", subject.path(field), "region-overwritten", f"where the field occurs twice, {how} kept{better}"
        )


def _is_calls(field: Field) -> bool:
    return field.name == "tool_calls" or (isinstance(field.transform, dict) and "function" in field.transform)


def _value(message: dict[str, Any] | None, field: Field) -> Any:
    return None if message is None else message.get(field.name)


def _holds(value: Any, words: str) -> bool:
    """Whether the words stand anywhere in a value."""
    if isinstance(value, str):
        return words in value
    if isinstance(value, dict):
        return any(_holds(item, words) for item in value.values())
    return isinstance(value, list) and any(_holds(item, words) for item in value)
