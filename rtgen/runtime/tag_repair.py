"""Repairs of the tags of `xml-inline`, for `string_aware=True` and `repair=True`; each has a name.

What is wrong with tags raises no error in the content parser: it drops what it does not understand, or takes it for
part of a value. So tags are looked at whenever a region closes, and only what no writer of the format means is changed:

    missing_tag_close  a value ends with its region, or where the next tag begins
    missing_tag_open   the tag that opens a value behind its key
    doubled_tags       the tags around a key are written twice
    json_arguments     JSON in place of the tags
    several_values     the region's closer is missing before the next opener
    missing_region_close  one of the two tags that close the region is missing, behind complete values

A value that the end of the text cuts off is not completed: the region is malformed.
"""

from __future__ import annotations

from typing import Any

from rtgen.runtime.tags import TagShape


class CutOff(ValueError):
    """The text ends inside a value."""


def split_regions(shape: TagShape, opener: Any, body: str) -> list[tuple[str, dict[str, str] | None]]:
    """The body cut where its opener stands in it outside of values, each part with the captures of its own opener."""
    parts: list[tuple[str, dict[str, str] | None]] = []
    captures: dict[str, str] | None = None
    start = at = 0
    while True:
        tag = shape.tag.search(body, at)
        found = opener.search(body, at, len(body) if tag is None else tag.start())
        if found is not None and found.end() > found.start():
            if body[start : found.start()].strip():
                parts.append((body[start : found.start()], captures))
                captures = {name: text for name, text in found.groupdict().items() if text is not None}
                start = found.end()
            at = found.end()
        elif tag is None:
            return [*parts, (body[start:], captures)]
        else:
            at = _value_end(shape, opener, body, tag.end())


def cut_closer(shape: TagShape, opener: Any, body: str) -> tuple[str, str, bool]:
    """A body without that half of the region's closer which stands behind its last value: the body, the text behind
    it, and whether there was one."""
    at = 0
    while (tag := shape.tag.search(body, at)) is not None:
        at = _value_end(shape, opener, body, tag.end())
    start = len(body) - len(body[at:].lstrip())
    for half in (shape.half, shape.other_half):
        found = half.match(body, start)
        if found is not None and found.end() > start:
            return body[:start], body[found.end() :], True
    return body, "", False


def _value_end(shape: TagShape, opener: Any, body: str, look: int) -> int:
    """Behind the value that begins here: behind its closer, else where the next region opens."""
    first = end = body.find(shape.close, look)
    while end >= 0:
        at = end + len(shape.close)
        if _value_ends(shape, body, at) or _region_ends(shape, opener, body, at):
            return at
        end = body.find(shape.close, at)
    if first >= 0:
        return first + len(shape.close)
    found = opener.search(body, look)
    return len(body) if found is None or found.end() == found.start() else int(found.start())


def _region_ends(shape: TagShape, opener: Any, body: str, at: int) -> bool:
    """Whether the next region opens here, perhaps behind the second half of a closer."""
    found = shape.other_half.match(body[at:].lstrip())
    if found is not None and found.end():
        at = len(body) - len(body[at:].lstrip()) + found.end()
    return opener.match(body[at:].lstrip()) is not None


def reread(shape: TagShape, body: str, aware: bool, mend: bool, cut_off: bool) -> tuple[str, str, list[str]]:
    """A body whose values hold closers of tags (`aware`), with a stand-in for them: the text, the stand-in ("": none
    was needed) and the names of the repairs, which are made if `mend`. Raises CutOff if the text ends inside a value
    (`cut_off`: the end of the text has closed the region, so that nothing more is known)."""
    names: list[str] = []
    if mend:
        body = _mended(shape, body, names)
    if shape.chained and not mend:
        return body, "", names
    standin = "\ue000"
    while standin in body:
        standin += "\ue001"
    pieces, at, used = [], 0, False
    while (found := shape.tag.search(body, at)) is not None:
        look = found.end()
        end = body.find(shape.close, look)
        while aware and end >= 0 and not _value_ends(shape, body, end + len(shape.close)):
            end = body.find(shape.close, end + len(shape.close))
        nested = _next_tag(shape, body, look, len(body) if end < 0 else end) if mend else -1
        if nested >= 0:
            _note(names, "missing_tag_close")
            pieces += [body[at:nested].rstrip(), shape.close, "\n"]
            at = nested
            continue
        if end < 0:
            if mend and body.rfind(shape.close, look) < 0:
                if cut_off:
                    raise CutOff(f"the text ends inside the value of {found['key']!r}")
                _note(names, "missing_tag_close")
                pieces += [body[at:].rstrip(), shape.close]
                at = len(body)
            break
        value = body[look:end] if shape.chained else body[look:end].replace(shape.close, standin)
        used = used or standin in value
        pieces += [body[at:look], value, shape.close]
        at = end + len(shape.close)
    pieces.append(body[at:])
    return "".join(pieces), standin if used else "", names


def _note(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)


def _value_ends(shape: TagShape, body: str, at: int) -> bool:
    rest = body[at:].lstrip()
    return not rest or shape.tag.match(rest) is not None or shape.half.match(rest) is not None


def _next_tag(shape: TagShape, body: str, look: int, end: int) -> int:
    """Where in a value the next tag begins, if the value's own closer is missing; -1 otherwise.

    A tag that is quoted as text stands inside a line, or has a closer of its own.
    """
    found = shape.tag.search(body, look, end)
    if found is None or body.find(shape.close, look, end) >= 0:
        return -1
    before = body[look : found.start()]
    starts_line = not before.rpartition("\n")[2].strip() and "\n" in before
    return int(found.start()) if starts_line or shape.value else -1


def _mended(shape: TagShape, body: str, names: list[str]) -> str:
    """The body with whole tags around keys and values; only where white space may stand between the two."""
    import regex

    if not shape.value:
        return body
    lead, inner, value = map(regex.escape, (shape.lead, shape.inner, shape.value))
    loose = regex.compile(rf"({lead}\s*)++(?P<key>{shape.key})({inner}\s*)++(?P<value>{value})?", regex.DOTALL)
    pieces, at = [], 0
    while (found := loose.search(body, at)) is not None:
        end = body.find(shape.close, found.end())
        pieces.append(body[at : found.start()])
        if found["value"] and shape.tag.fullmatch(found[0]):
            pieces.append(found[0])
        elif found["value"]:
            _note(names, "doubled_tags")
            pieces += [shape.lead, found["key"], shape.inner, shape.value]
        elif end >= 0:
            _note(names, "missing_tag_open")
            pieces += [shape.lead, found["key"], shape.inner, shape.value]
        else:
            pieces.append(found[0])
        at = found.end()
        following = loose.search(body, at)
        if end >= 0 and (following is None or end < following.start()):
            pieces.append(body[at : end + len(shape.close)])
            at = end + len(shape.close)
    pieces.append(body[at:])
    return "".join(pieces)


def restore(value: Any, standin: str, close: str) -> Any:
    """A value with the tag closers in the places of their stand-ins; lists and dicts are changed in place."""
    if isinstance(value, str):
        return value.replace(standin, close)
    if isinstance(value, dict):
        for key in value:
            value[key] = restore(value[key], standin, close)
    elif isinstance(value, list):
        value[:] = [restore(item, standin, close) for item in value]
    return value
