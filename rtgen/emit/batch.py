"""The batch function: a whole text at once, straight through the states, without events."""

from __future__ import annotations

from rtgen.emit.cores import CoreSearch, emit_core_search
from rtgen.emit.fields import Store
from rtgen.emit.searches import Searches
from rtgen.emit.source import Module, Writer, literal
from rtgen.listing import state_line, transition
from rtgen.lower import Program, State, Watch


class BatchEmitter:
    """Writes the function `_parse(text, tools)` of one program, for text that is complete and cut at its anchor."""

    def __init__(self, out: Module, program: Program, stores: dict[str, Store], searches: Searches) -> None:
        self.out, self.program, self.stores, self.searches = out, program, stores, searches
        self.regions = {state.field.name: state for state in program.regions if state.field is not None}
        self.code = Writer()

    def emit(self) -> Writer:
        """The body of the function."""
        code, state = self.code, self.program.outside
        code.doc(state_line(state))
        code.line("message = _new_message()")
        code.line("at = 0")
        if state.strategy == "nothing":
            self._rest()
        else:
            if state.strategy == "searches":
                code.line(f"searches = {self.searches.new_of_state(state)}")
            elif self._patterns(state):
                for number, watch in enumerate(state.watches):
                    if watch.kind.settled_by == "pattern":
                        code.line(f"pattern_{number} = {self.searches.maker(watch, True)}()")
                code.line("look = 0")
            with code.block("while True:"):
                if state.strategy == "searches":
                    self._outside_searches()
                else:
                    self._outside_cores()
        code.line("return _finish(message)")
        return code

    @staticmethod
    def _patterns(state: State) -> bool:
        return any(watch.kind.settled_by == "pattern" for watch in state.watches)

    def _rest(self) -> None:
        """The end of the text, outside: what is left belongs to the implicit field."""
        field = self.program.outside.field
        if field is not None:
            with self.code.block("if at < len(text):"):
                self.code.line(self._put(field.name, "text[at:]", "at", "{}"))

    def _put(self, field: str, body: str, start: str, captures: str) -> str:
        return self.stores[field].call("message", body, start, "tools", captures)

    # Outside.

    def _outside_cores(self) -> None:
        code, state = self.code, self.program.outside
        search = emit_core_search(self.out, state, "outside" if state.field is None else state.field.name)
        patterns = self._patterns(state)
        code.line(f"found = {search.last}.search(text, {'look' if patterns else 'at'})")
        with code.block("if found is None:"):
            self._rest()
            code.line("break")
        code.line("which = found.lastindex")
        for watch in search.order:
            with code.block(f"if {search.test(watch)}:"):
                self._outside_core(watch)
        if search.newline is not None:
            code.line(f"# {transition(search.newline)}")
            code.line("begin = end = found.start()")
            self._outside_act(search.newline, "{}", True)

    def _outside_core(self, watch: Watch) -> None:
        code, kind = self.code, watch.kind
        code.line(f"# {transition(watch)}")
        captures = "{}"
        if kind.settled_by == "pattern":
            self.out.use_runtime("pattern", "NOTHING")
            pattern = f"pattern_{self.program.outside.watches.index(watch)}"
            code.line("begin = found.start()")
            with code.block(f"if {pattern}.match(text, begin, True) == NOTHING:"):
                code.line("look = begin + 1")
                code.line("continue")
            code.line(f"end = {pattern}.end")
            captures = f"{pattern}.groups()"
        else:
            code.line("begin = found.start()")
            if kind.settled_by == "blanks":
                self.out.use_runtime("blanks", "after_blanks")
                code.line("end = after_blanks(text, found.end())")
            else:
                code.line("end = found.end()")
        if kind.blanks_before:
            self.out.use_runtime("blanks", "before_blanks")
            code.line("begin = before_blanks(text, at, begin)")
        self._outside_act(watch, captures, False)

    def _outside_searches(self) -> None:
        code = self.code
        self.out.use_runtime("searches", "earliest")
        code.line("which, begin, _ = earliest(searches, text, at, True)")
        with code.block("if which < 0:"):
            self._rest()
            code.line("break")
        code.line("end = searches[which].end")
        for number, watch in enumerate(self.program.outside.watches):
            with code.block(f"if which == {number}:"):
                code.line(f"# {transition(watch)}")
                captures = "searches[which].groups()" if watch.kind.groups else "{}"
                self._outside_act(watch, captures, watch.kind.may_be_empty)

    def _outside_act(self, watch: Watch, captures: str, empty: bool) -> None:
        """What a delimiter at `begin` to `end` does outside: leaves `at` behind all it brings, and goes on or breaks."""
        code, state = self.code, self.program.outside
        if watch.role == "close":
            with code.block("if begin > at:"):
                code.line(self._put(watch.field.name, "text[at:begin]", "at", captures))
            if empty:
                with code.block("elif begin == end:"):
                    code.line("break")
            self._go_on("end")
            return
        if state.field is not None:
            with code.block("if begin > at:"):
                code.line(self._put(state.field.name, "text[at:begin]", "at", "{}"))
        store = self.stores[watch.field.name]
        if store.captures:
            code.line(f"captures = {captures}")
        if empty:
            code.line("empty = begin == end")
        self._region(self.regions[watch.field.name], empty)

    def _go_on(self, at: str) -> None:
        code = self.code
        code.line(f"at = {at}")
        if self.program.outside.strategy == "cores" and self._patterns(self.program.outside):
            code.line("look = at")
        code.line("continue")

    # An explicit region, which begins at `end`.

    def _region(self, state: State, empty: bool) -> None:
        code = self.code
        assert state.field is not None
        name = state.field.name
        code.line("at = end")
        code.line(f"# {state_line(state)}")
        if not state.watches:
            code.line(self._put(name, "text[at:]", "at", "captures"))
            code.line("break")
            return
        watch = state.watches[0]
        self._find_closer(state, watch)
        with code.block("if begin < 0:"):
            code.line(self._put(name, "text[at:]", "at", "captures"))
            code.line("break")
        code.line(self._put(name, "text[at:begin]", "at", "captures"))
        if empty and watch.kind.may_be_empty:
            self.out.use_runtime("searches", "empty_loop")
            with code.block("if empty and at == begin == end:"):
                code.line(f"raise empty_loop({literal(name)}, at)")
        self._go_on("end")

    def _find_closer(self, state: State, watch: Watch) -> None:
        """Leaves the closer's place in `begin` (-1 without one) and `end`."""
        code, kind = self.code, watch.kind
        if kind.settled_by == "pattern" or state.strategy == "searches":
            self.out.use_runtime("pattern", "SETTLED")
            code.line(f"closer = {self.searches.maker(watch, False)}()")
            code.line("begin = end = -1")
            with code.block("if closer.find(text, at, True) == SETTLED:"):
                code.line("begin, end = closer.start, closer.end")
                if self.stores[watch.field.name].captures and kind.groups:
                    code.line("captures.update(closer.groups())")
            return
        plain = len(kind.cores) == 1 and not kind.blanks_before and not kind.final_newline
        if plain and kind.settled_by == "core":
            code.line(f"begin = text.find({literal(kind.cores[0])}, at)")
            code.line(f"end = begin + {len(kind.cores[0])}")
            return
        search: CoreSearch = emit_core_search(self.out, state, watch.field.name)
        code.line(f"found = {search.last}.search(text, at)")
        code.line("begin = end = -1")
        with code.block("if found is not None:"):
            code.line("begin, end = found.span()")
            if kind.blanks_before:
                self.out.use_runtime("blanks", "before_blanks")
                code.line("begin = before_blanks(text, at, begin)")
            if kind.settled_by == "blanks":
                self.out.use_runtime("blanks", "after_blanks")
                code.line("end = after_blanks(text, end)")
            if kind.final_newline:
                with code.block("if found.lastindex is None:"):
                    code.line("begin = end = found.start()")
