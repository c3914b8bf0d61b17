"""The program in words: one line a state, which `rtgen show` prints and the emitted functions open with."""

from __future__ import annotations

from rtgen.delimiters.classify import Kind
from rtgen.emit.source import literal
from rtgen.lower import Program, State, Watch


def delimiter(kind: Kind) -> str:
    """A delimiter as a person reads it: literals in quotes, white space as `\\s*`, a pattern between slashes."""
    if kind.settled_by == "pattern" and not kind.literals:
        return f"/{_plain(kind.source)}/"
    literals = kind.literals or kind.cores
    after = kind.blanks_after or kind.settled_by == "blanks"
    text = " or ".join(map(literal, literals))
    if len(literals) > 1 and (kind.blanks_before or after):
        text = f"({text})"
    text = (r"\s*" if kind.blanks_before else "") + text + (r"\s*" if after else "")
    return text + (r" or the last \n" if kind.final_newline else "")


def _plain(source: str) -> str:
    return source.encode("unicode_escape").decode("ascii").replace("\\\\", "\\")


def transition(watch: Watch) -> str:
    """What a delimiter does: `"<think>" opens reasoning`."""
    return f"{delimiter(watch.kind)} {watch.role}s {_plain(watch.field.name)}"


def state_line(state: State) -> str:
    """The state's line: its name, its delimiters in the order of their rank, and what the end of the text does."""
    steps = [transition(watch) for watch in state.watches]
    if state.field is None:
        steps.append("other text is dropped")
    elif state.outside:
        steps.append(f"other text opens {_plain(state.field.name)}, which the end closes")
    else:
        steps.append("the end closes it")
    return f"{_plain(state.label)}: {'; '.join(steps)}"


def listing(program: Program) -> list[str]:
    """The whole program, a line a state, the anchor first."""
    start = [] if program.start is program.outside else [f"at the start, {state_line(program.start)}"]
    return [f"anchor: {delimiter(program.anchor)}", *start, *map(state_line, program.states)]
