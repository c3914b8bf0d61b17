"""The program of a template for people: `rtgen show`.

The text form begins with the listing that the emitted functions open with (`listing`), then says of each delimiter how
it is found and what it can hold back, and of each field what becomes of its text. The diagrams are drawn from the same
states.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from rtgen.delimiters.classify import Kind
from rtgen.listing import delimiter, listing, transition
from rtgen.lower import Program, State, Watch, lower
from rtgen.openai.plan import describe_calls
from rtgen.pattern import facts
from rtgen.pattern.nodes import Look
from rtgen.template import Field, validate

KINDS = {
    1: "literals",
    2: "literals between white space",
    3: "regular pattern",
    4: "irregular pattern",
}
"""What the kinds of delimiters are called."""

STRATEGIES = {
    "nothing": "looks for nothing: all text to the end belongs to it",
    "cores": "one alternation of literals finds the next candidate",
    "searches": "a search for each delimiter, of which the first place wins",
}
"""How a state finds the next delimiter."""

WIDEST = 60
"""Characters of a delimiter's source in a diagram."""


def render(raw: Any, format: str = "text") -> str:
    """The program of a decoded template: as "text", or as a state diagram for "mermaid" or "dot" (Graphviz).

    Raises TemplateError for a template that is refused, ValueError for another format.
    """
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}; there are {', '.join(FORMATS)}")
    return "\n".join(FORMATS[format](lower(validate(raw)))) + "\n"


def text(program: Program) -> Iterator[str]:
    """The lines of the text form: the listing, then the states' delimiters, then the fields."""
    yield from listing(program)
    for state in program.states:
        yield ""
        yield f"{_plain(state.label)}: {STRATEGIES[state.strategy]}{_context(state)}"
        for watch in state.watches:
            yield f"    {transition(watch)}"
            yield f"        kind {watch.kind.number}, {KINDS[watch.kind.number]}: {_found(watch.kind)}"
            yield f"        holds back at most {_held(watch.kind)}; {_acts(watch)}"
    yield ""
    for field in program.template.fields:
        yield from _field(field)
    if program.template.defaults:
        yield f"defaults: {_json(program.template.defaults)}"
    calls = describe_calls(program.template.raw["fields"])
    if calls is not None:
        yield f"told to OpenAI's clients: {calls}"


def _context(state: State) -> str:
    if state.context == 0 or not state.watches:
        return ""
    if state.context is None:
        return "; all text before it stays at hand, since a delimiter may look at it"
    return f"; {_count(state.context, 'character')} before it stay{'s' if state.context == 1 else ''} at hand"


def _found(kind: Kind) -> str:
    """How a delimiter is found."""
    if kind.opaque:
        return f"searched by `regex` alone: {', '.join(facts.opaque_reasons(kind.whole))}"
    if not kind.cores:
        return "may begin anywhere, so the matcher searches"
    if len(kind.cores) == 1:
        cores = _json(kind.cores[0])
    else:
        cores = f"one of {len(kind.cores)} literals"
    before = ", with the white space before it" if kind.blanks_before else ""
    then = {"core": "", "blanks": ", then white space", "pattern": ", then the matcher decides"}[kind.settled_by]
    return f"found by {cores}{before}{then}"


def _held(kind: Kind) -> str:
    """What a delimiter can hold back at most, while more text is needed to decide about it."""
    if kind.opaque:
        return "everything, until the end of the text"
    looks = (part for part in facts.walk(kind.whole) if isinstance(part, Look) and part.ahead)
    if any(facts.width(look.item)[1] is None for look in looks):
        return "everything from its place on, until its lookahead is decided"
    before = "white space of any length and " if kind.blanks_before else ""
    if kind.settled_by != "pattern" or kind.literals:
        return before + _count(max(max(map(len, kind.literals)) - 1, int(kind.final_newline)), "character")
    most = facts.width(kind.node)[1]
    if most is None:
        return f"{before}a beginning of any length, until it matches or cannot"
    if kind.number == 4 and facts.has_lookaround(kind.whole):
        return f"{before}{_count(most, 'character')} and what its lookaround needs"
    return before + _count(max(most - 1, 1), "character")


def _acts(watch: Watch) -> str:
    """Whether the events of a delimiter wait for its end."""
    kind = watch.kind
    if kind.opaque:
        return "acts at the end of the text"
    if kind.settled_by == "blanks":
        return "acts as soon as its literal is complete, and drops the white space that follows as it comes"
    if kind.settled_by == "core":
        return "acts as soon as it is complete"
    return "acts as soon as no later text can change that it matches"


def _field(field: Field) -> Iterator[str]:
    """What becomes of a field's text."""
    parser = field.content
    if field.content_args not in ({}, None):
        parser += f" {_json(field.content_args)}"
    steps = [f"read as {parser}"]
    if field.transform is not None:
        steps.append(f"{'each item' if field.transform_each else 'then'} made {_json(field.transform)}")
    if field.join is not None:
        steps.append(f"regions joined by {_json(field.join)}")
    elif field.repeats:
        steps.append("one item of a list for each region")
    else:
        steps.append("the last region counts")
    if not field.optional:
        steps.append("required")
    yield f"{_plain(field.name)}: {'; '.join(steps)}"


def mermaid(program: Program) -> Iterator[str]:
    """The lines of a Mermaid state diagram."""
    names = _names(program)
    yield "stateDiagram-v2"
    for state in program.states:
        yield f"    state {_mermaid_text(_label(state))} as {names[state.label]}"
    yield f"    [*] --> {names[program.outside.label]} : {_mermaid(delimiter(program.anchor))}"
    for state, watch, target in _edges(program):
        yield f"    {names[state.label]} --> {names[target.label]} : {_mermaid(delimiter(watch.kind))}"
    for state in program.states:
        yield f"    {names[state.label]} --> [*] : end of the text"


def dot(program: Program) -> Iterator[str]:
    """The lines of a Graphviz digraph."""
    names = _names(program)
    yield "digraph program {"
    yield "    rankdir=LR;"
    yield '    node [shape=box, fontname="monospace"];'
    yield '    edge [fontname="monospace"];'
    yield "    start [shape=point];"
    for state in program.states:
        yield f"    {names[state.label]} [label={_dot(_label(state))}];"
    yield f"    start -> {names[program.outside.label]} [label={_dot(delimiter(program.anchor))}];"
    for state, watch, target in _edges(program):
        yield f"    {names[state.label]} -> {names[target.label]} [label={_dot(delimiter(watch.kind))}];"
    yield "}"


def _edges(program: Program) -> Iterator[tuple[State, Watch, State]]:
    """Each transition: the state, the delimiter, and the state that it leads to."""
    regions = {state.field.name: state for state in program.regions if state.field is not None}
    for state in program.states:
        for watch in state.watches:
            yield state, watch, regions[watch.field.name] if watch.role == "open" else program.outside


def _names(program: Program) -> dict[str, str]:
    return {state.label: f"s{number}" for number, state in enumerate(program.states)}


def _label(state: State) -> str:
    """A state in a diagram: its field, or that text there is dropped."""
    if state.field is None:
        return "outside (text is dropped)"
    return f"{_plain(state.field.name)} (outside)" if state.outside else _plain(state.field.name)


def _short(source: str) -> str:
    return source if len(source) <= WIDEST else f"{source[: WIDEST - 3]}..."


def _mermaid(label: str) -> str:
    """A transition's label: what Mermaid would read as its own syntax is written as entities."""
    return "".join(c if c.isalnum() or c in " _-./()|*+=" else f"#{ord(c)};" for c in _short(label))


def _mermaid_text(label: str) -> str:
    return f'"{_mermaid(label)}"'


def _dot(label: str) -> str:
    return '"' + _short(label).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _plain(name: str) -> str:
    return name.encode("unicode_escape").decode("ascii")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


FORMATS: dict[str, Callable[[Program], Iterator[str]]] = {"text": text, "mermaid": mermaid, "dot": dot}
"""The formats by their names."""
