"""The batch function: a whole text at once, straight through the states, without events."""

from __future__ import annotations

from rtgen.emit.cores import CoreSearch
from rtgen.emit.fields import Store
from rtgen.emit.searches import Searches
from rtgen.emit.source import Module, Writer, literal
from rtgen.listing import state_line, transition
from rtgen.lower import Program, State, Watch, core_order


class BatchEmitter:
    """Writes the function `_parse(text, tools)` of one program, for text that is complete and cut at its anchor."""

    def __init__(self, out: Module, program: Program, stores: dict[str, Store], searches: Searches) -> None:
        self.out, self.program, self.stores, self.searches = out, program, stores, searches
        self.regions = {state.field.name: state for state in program.regions if state.field is not None}
        self.code = Writer()

    def emit(self) -> Writer:
        """The body of the function."""
        code, state = self.code, self.program.start
        code.doc(state_line(state))
        code.line("message = _new_message()")
        code.line("at = 0")
        if state.strategy == "nothing":
            self._rest()
        else:
            if state.strategy == "searches":
                code.line(f"searches = {self.searches.new_of_state(state)}")
            else:
                if not _by_regex(state):
                    code.line("size = len(text)")
                    count = sum(len(watch.kind.cores) for watch in state.watches)
                    code.line(" = ".join(f"next_{number}" for number in range(1, count + 1)) + " = -1")
                for watch in state.watches:
                    if watch.kind.settled_by == "pattern" and not self.searches.linear(watch):
                        code.line(f"pattern_{watch.rank} = {self.searches.maker(watch, True)}()")
                if self._patterns(state):
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
        field = self.program.start.field
        if field is not None:
            with self.code.block("if at < len(text):"):
                self.code.line(self._put(field.name, "text[at:]", "at", "{}"))

    def _put(self, field: str, body: str, start: str, captures: str) -> str:
        return self.stores[field].call("message", body, start, "tools", captures)

    # Outside.

    def _outside_cores(self) -> None:
        code, state = self.code, self.program.start
        look = "look" if self._patterns(state) else "at"
        newline = next((watch for watch in state.watches if watch.kind.final_newline), None)
        if _by_regex(state):
            search = CoreSearch(self.out, state, "outside" if state.field is None else state.field.name)
            code.line(f"found = {search.regex}.search(text, {look})")
            with code.block("if found is None:"):
                self._no_core(newline, "len(text)", look)
            code.line("begin, end = found.span()")
            code.line("which = found.lastindex")
            for watch in search.order:
                with code.block(f"if {search.test(watch)}:"):
                    self._outside_core(watch, "end")
            return
        cores = self._cores(state)
        self._next_places(cores, look)
        with code.block("if begin == size:"):
            self._no_core(newline, "size", look)
        for number, (core, watch) in enumerate(cores, 1):
            with code.block(f"if begin == next_{number}:"):
                self._outside_core(watch, f"begin + {len(core)}")

    def _no_core(self, newline: Watch | None, size: str, look: str) -> None:
        """No core is left: the final newline of an alternative `$`, else the rest of the text."""
        code = self.code
        if newline is not None:
            code.line(f"begin = end = {size} - 1  # {transition(newline)}")
            with code.block(f'if end >= {look} and text[end] == "\\n":'):
                self._outside_act(newline, "{}", True)
        self._rest()
        code.line("break")

    @staticmethod
    def _cores(state: State) -> list[tuple[str, Watch]]:
        """The cores of a state with their delimiters, those that others continue behind them."""
        order = core_order(state.watches)
        assert order is not None, "the strategy needs an order"
        cores = [(core, watch) for watch in order for core in watch.kind.cores]
        return sorted(cores, key=lambda item: -len(item[0]))

    def _next_places(self, cores: list[tuple[str, Watch]], look: str) -> None:
        """Leaves the place of the next core in `begin`, or `size`.

        Each core's next place is remembered, so that none is looked for twice in the same text.
        """
        code = self.code
        for number, (core, _) in enumerate(cores, 1):
            with code.block(f"if next_{number} < {look}:"):
                code.line(f"next_{number} = text.find({literal(core)}, {look})")
                with code.block(f"if next_{number} < 0:"):
                    code.line(f"next_{number} = size")
        places = [f"next_{number}" for number in range(1, len(cores) + 1)]
        code.line(f"begin = {places[0]}" if len(places) == 1 else f"begin = min({', '.join(places)})")

    def _outside_core(self, watch: Watch, core_end: str) -> None:
        """A core stands at `begin`: settle the delimiter and act on it. `core_end` is the expression of its end."""
        code, kind = self.code, watch.kind
        code.line(f"# {transition(watch)}")
        captures = "{}"
        if kind.settled_by == "pattern":
            captures = self._settle(watch)
        elif kind.settled_by == "blanks":
            self.out.use_runtime("blanks", "after_blanks")
            code.line(f"end = after_blanks(text, {core_end})")
        elif core_end != "end":
            code.line(f"end = {core_end}")
        if kind.blanks_before:
            self.out.use_runtime("blanks", "before_blanks")
            code.line("begin = before_blanks(text, at, begin)")
        self._outside_act(watch, captures, False)

    def _settle(self, watch: Watch) -> str:
        """Leaves the end of the delimiter at `begin` in `end`, or goes on; returns the expression of its captures.

        Where `regex` is certain to be quick it is asked; elsewhere the matcher, which remembers what has failed.
        """
        code = self.code
        linear = self.searches.linear(watch)
        if linear:
            code.line(f"settled = {linear}.match(text, begin)")
            test, end, groups = "settled is None", "settled.end()", "settled.groupdict()"
        else:
            self.out.use_runtime("pattern", "NOTHING")
            pattern = f"pattern_{watch.rank}"
            test, end = f"{pattern}.match(text, begin, True) == NOTHING", f"{pattern}.end"
            groups = f"{pattern}.groups()"
        with code.block(f"if {test}:"):
            code.line("look = begin + 1")
            code.line("continue")
        code.line(f"end = {end}")
        return groups

    def _outside_searches(self) -> None:
        code = self.code
        self.out.use_runtime("searches", "earliest")
        code.line("which, begin, _, _ = earliest(searches, text, at, True)")
        with code.block("if which < 0:"):
            self._rest()
            code.line("break")
        code.line("end = searches[which].end")
        for number, watch in enumerate(self.program.start.watches):
            with code.block(f"if which == {number}:"):
                code.line(f"# {transition(watch)}")
                captures = "searches[which].groups()" if watch.kind.groups else "{}"
                self._outside_act(watch, captures, watch.kind.may_be_empty)

    def _outside_act(self, watch: Watch, captures: str, empty: bool) -> None:
        """What a delimiter at `begin` to `end` does outside; leaves `at` behind all of it, and goes on or breaks."""
        code, state = self.code, self.program.start
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
        region = self.regions[watch.field.name]
        empty = empty and bool(region.watches) and region.watches[0].kind.may_be_empty
        if empty:
            code.line("empty = begin == end")
        self._region(region, empty)

    def _go_on(self, at: str) -> None:
        code = self.code
        code.line(f"at = {at}")
        if self.program.start.strategy == "cores" and self._patterns(self.program.start):
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
        if empty:
            self.out.use_runtime("searches", "empty_loop")
            with code.block("if empty and at == begin == end:"):
                code.line(f"raise empty_loop({literal(name)}, at)")
        self._go_on("end")

    def _find_closer(self, state: State, watch: Watch) -> None:
        """Leaves the closer's place in `begin` (-1 without one) and `end`."""
        code, kind = self.code, watch.kind
        matched = kind.settled_by == "pattern" or state.strategy == "searches"
        linear = self.searches.linear(watch) if matched and not kind.may_be_empty else ""
        if linear:
            code.line(f"closing = {linear}.search(text, at)")
            code.line("begin = end = -1")
            with code.block("if closing is not None:"):
                code.line("begin, end = closing.span()")
                if self.stores[watch.field.name].captures and kind.groups:
                    code.line("captures.update(closing.groupdict())")
            return
        if matched:
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
        search = CoreSearch(self.out, state, watch.field.name)
        code.line(f"found = {search.regex}.search(text, at)")
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
            with code.block('elif at < len(text) and text[-1] == "\\n":'):
                code.line("begin = end = len(text) - 1")


MOST_PLACES = 6
"""Cores whose next places are remembered one by one."""


def _by_regex(state: State) -> bool:
    """Whether one regex is quicker than a search for each core: they are many, or several that begin alike."""
    cores = [core for watch in state.watches for core in watch.kind.cores]
    return len(cores) > MOST_PLACES or (len(cores) > 2 and len({core[0] for core in cores}) == 1)
