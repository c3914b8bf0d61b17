"""The matchers of a module: for each delimiter that is a pattern its program, and how parsers come by a matcher."""

from __future__ import annotations

from rtgen.delimiters.classify import Kind
from rtgen.emit.source import Module, Writer, literal
from rtgen.listing import transition
from rtgen.lower import State, Watch
from rtgen.pattern import facts
from rtgen.pattern.nodes import Node
from rtgen.pattern.program import compile_program

STEP_BUDGET = 1_000_000
"""Steps of the matcher that one search of kind 4 may take."""


class Searches:
    """Writes functions that make matchers, each once."""

    def __init__(self, out: Module) -> None:
        self.out = out

    def maker(self, watch: Watch, from_core: bool) -> str:
        """The name of a function that makes a new matcher of the delimiter, or of the part that begins with a core."""
        kind = watch.kind
        body = Writer()
        body.doc(f"A matcher: {transition(watch)}.")
        body.line(f"return {self.expression(kind, kind.node if from_core else kind.whole, watch.field.name)}")
        return self.out.function(f"search_{watch.role}_{watch.field.name}", "", body)

    def expression(self, kind: Kind, node: Node, field: str) -> str:
        """The expression of a new matcher."""
        budget = f", budget={STEP_BUDGET}, field={literal(field)}" if kind.number == 4 else ""
        if kind.opaque:
            self.out.use_runtime("pattern", "FinalSearch")
            return f"FinalSearch({literal(kind.source)}{budget})"
        self.out.use_runtime("pattern", "Search")
        program = self.out.constant(f"program_{field}", literal(compile_program(node)))
        return f"Search({program}{budget})"

    def linear(self, watch: Watch) -> str:
        """The name of the compiled regex of a delimiter which `regex` itself finds in linear time, else "".

        Its groups all take part in every match, and it begins with its core.
        """
        kind = watch.kind
        if not kind.linear or kind.context != 0 or kind.blanks_before or kind.final_newline:
            return ""
        if not all(facts.always_participates(kind.whole, name) for name in kind.groups):
            return ""
        self.out.use("regex")
        source = literal(kind.source)
        return self.out.constant(f"{watch.role}_{watch.field.name}", f"regex.compile({source}, regex.DOTALL)")

    def of_parser(self, watch: Watch) -> str:
        """The expression of the parser's own matcher from a core on."""
        self.out.use_runtime("searches", "search_of")
        key = literal(f"{watch.role} {watch.field.name}")
        return f"search_of(self, {key}, {self.maker(watch, True)})"

    def of_state(self, state: State, stem: str) -> str:
        """The expression of the parser's own matchers of all that a state watches, in the order of rank."""
        self.out.use_runtime("searches", "searches_of")
        return f"searches_of(self, {literal(stem)}, {_tuple(self.makers(state))})"

    def new_of_state(self, state: State) -> str:
        """The expression of new matchers of all that a state watches, in the order of rank."""
        return _tuple([f"{maker}()" for maker in self.makers(state)])

    def makers(self, state: State) -> list[str]:
        """The names of the functions that make them."""
        return [self.maker(watch, False) for watch in state.watches]


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
