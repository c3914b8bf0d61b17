"""The streaming class: for each state a quick function, a scan function, and what opening, adding and closing do.

`rtgen.runtime.parser.Parser` says what these functions are to each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from rtgen.content import STREAMABLE
from rtgen.emit.cores import CoreSearch, emit_starts, holds_blanks
from rtgen.emit.fields import Store
from rtgen.emit.searches import Searches
from rtgen.emit.source import Module, Names, Writer, literal, signature
from rtgen.listing import state_line, transition
from rtgen.lower import Program, State, Watch
from rtgen.template import Field


@dataclass(frozen=True, slots=True)
class Region:
    """A state with the identifiers made for it, and its number in `feed` (0: it has no branch there)."""

    state: State
    stem: str
    store: Store | None
    number: int


class StreamEmitter:
    """Writes the class `ResponseParser` of one program."""

    def __init__(self, out: Module, program: Program, stores: dict[str, Store], searches: Searches) -> None:
        self.out, self.program, self.searches = out, program, searches
        names = Names()
        self.regions: dict[str | None, Region] = {}
        for state in program.states:
            label = "outside" if state.field is None else state.field.name
            store = stores[state.field.name] if state.field is not None else None
            number = 0 if state.strategy == "searches" else 1 + sum(1 for r in self.regions.values() if r.number)
            self.regions[None if state.outside else label] = Region(state, names.make(label), store, number)
        self.outside = self.regions[None]
        self.patterns = any(
            watch.kind.settled_by == "pattern" or state.strategy == "searches"
            for state in (program.start, *program.states)
            for watch in state.watches
        )
        self.code = Writer()

    def emit(self) -> Writer:
        """The class, whole."""
        self.out.use_runtime("parser", "Parser")
        code = self.code
        with code.block("class ResponseParser(Parser):"):
            code.doc("Parses one response while it streams: feed it chunk by chunk, then finalize.")
            code.line()
            code.line("__slots__ = ()")
            self._begin()
            if self._starts_apart():
                self._scan_start()
            for region in self.regions.values():
                self._near(region)
                self._quick(region)
                self._scan(region)
                if region.state.field is not None:
                    self._add(region, region.state.field)
                if not region.state.outside:
                    self._open(region)
                if region.state.field is not None:
                    self._close(region, region.state.field)
        return code

    def _begin(self) -> None:
        code = self.code
        code.line()
        with code.block(signature("_begin", "self", "dict[str, Any]")):
            code.doc("Enter the first state.")
            if self._starts_apart():
                code.line("self._state = 0")
                code.line("self._quick = Parser._resume")
                code.line("self._scan = ResponseParser._scan_the_start")
            else:
                self._enter(self.outside)
            code.line("return _new_message()")
        self._feed()
        code.line()
        with code.block(signature("_cut", "self, prefix", "str")):
            code.doc("What of the prefix belongs to the response.")
            code.line("return _after_anchor(prefix)")
        code.line()
        with code.block(signature("_returned", "self", "dict[str, Any]")):
            code.doc("The message as it is returned.")
            code.line("return _finish(self._message)")
        code.line()
        with code.block(signature("_template", "self", "dict[str, Any]")):
            code.doc("The response template.")
            code.line("return RESPONSE_TEMPLATE")

    def _starts_apart(self) -> bool:
        return self.program.start is not self.program.outside

    def _enter(self, region: Region) -> None:
        """The lines that make it the present state; outside, the implicit region is not open yet."""
        waits = region.state.outside and region.state.field is not None
        self.code.line(f"self._state = {0 if waits else region.number}")
        self.code.line(f"self._quick = {self._quick_of(region)}")
        self.code.line(f"self._scan = ResponseParser._scan_{region.stem}")

    def _quick_of(self, region: Region) -> str:
        """The quick function; a state has one of its own only if its matchers need text before the chunk."""
        if region.state.strategy == "searches" and emit_starts(self.out, region.state.watches) is not None:
            return f"ResponseParser._in_{region.stem}"
        return "Parser._resume"

    # A chunk in which no delimiter can begin.

    def _feed(self) -> None:
        """`feed`, with a branch for each state whose chunks mostly go straight to an event."""
        numbered = [region for region in self.regions.values() if region.number]
        if not numbered:
            return
        code = self.code
        code.line()
        with code.block(signature("feed", "self, text", "list[dict[str, Any]]")):
            code.doc("Give the parser the next piece of text; returns the events that are certain now.")
            with code.block("if not text:"):
                code.line("return self._nothing()")
            with code.block("try:"):
                code.line("state = self._state")
                for region in numbered:
                    with code.block(f"if state == {region.number}:"):
                        code.line(f"# {state_line(region.state).split(': ', 1)[0]}")
                        self._feed_state(region)
                code.line("return self._quick(self, text)")
            with code.block("except BaseException as error:"):
                code.line("raise self._failed(error, text)")

    def _feed_state(self, region: Region) -> None:
        """The branch of one state, which leaves chunks in which a delimiter may begin to its quick function."""
        code, state = self.code, region.state
        code.line("text = self._held + text")
        code.line('self._held = ""')
        if state.strategy == "cores":
            search = CoreSearch(self.out, state, region.stem)
            tests = _beginnings(state, search, "text", True)
            if search.blanks:
                # Most chunks end with neither white space nor a delimiter's beginning: those are told apart first.
                tests.insert(0, "text.rstrip() is not text")
            elif search.newline is not None:
                tests.insert(0, 'text[-1] == "\\n"')
            with code.block(f"if {_any(tests)}:"):
                near = self._holds_an_edge(state, search)
                code.line(f"return self._near_{region.stem}(text)" if near else "return self._quick(self, text)")
        self._feed_event(region, "text")

    @staticmethod
    def _holds_an_edge(state: State, search: CoreSearch) -> bool:
        """Whether the end of a chunk may have to be held back though no delimiter's first two characters are in it."""
        return bool(search.blanks or search.newline is not None or _edges(state))

    def _near(self, region: Region) -> None:
        """What `feed` leaves to it: a chunk in which a delimiter may begin, perhaps at its very end."""
        code, state = self.code, region.state
        if state.strategy != "cores":
            return
        search = CoreSearch(self.out, state, region.stem)
        if not self._holds_an_edge(state, search):
            return
        edges = _edges(state)
        code.line()
        with code.block(signature(f"_near_{region.stem}", "self, text", "list[dict[str, Any]]")):
            code.doc(f"{_what(state)}; hold back what may belong to one at the edge")
            with code.block(f"if {_any(_beginnings(state, search, 'text', False))}:"):
                code.line("return self._quick(self, text)")
            if search.blanks:
                self.out.use_runtime("blanks", "BLANKS", "BLANK_SET", "LONG_RUN", "hold_blanks")
                bare = "text"
                if len(edges) == 1:
                    bare = f"text.removesuffix({literal(edges)})"
                elif edges:
                    bare = f"(text[:-1] if text[-1] in {literal(edges)} else text)"
                code.line(f"kept = {bare}.rstrip(BLANKS)")
                code.line("self._held = text[len(kept) :]")
                with code.block("if len(self._held) > LONG_RUN and text[-1] in BLANK_SET:"):
                    code.line("hold_blanks(self)")
            else:
                last = edges + ("\n" if search.newline is not None else "")
                if len(last) == 1:
                    code.line(f"kept = text.removesuffix({literal(last)})")
                else:
                    code.line(f"kept = text[:-1] if text[-1] in {literal(last)} else text")
                code.line("self._held = text[len(kept) :]")
            with code.block("if not kept:"):
                code.line("return []")
            self._feed_event(region, "kept")

    def _feed_event(self, region: Region, text: str) -> None:
        """The chunk in the variable `text` belongs to the region."""
        code, field = self.code, region.state.field
        if field is None:
            code.line(f"self._start += len({text})")
            code.line("return []")
            return
        code.line(f"self._parts.append({text})")
        code.line(f"return [{_chunk(field, text)}]")

    def _quick(self, region: Region) -> None:
        """The quick function of a state whose matchers may look at text before the chunk."""
        state, code = region.state, self.code
        if self._quick_of(region) == "Parser._resume":
            return
        code.line()
        with code.block(signature(f"_in_{region.stem}", "self, text", "list[dict[str, Any]]")):
            code.doc(f"quick: {_what(state)}")
            code.line("held = self._held")
            code.line('self._held = ""')
            code.line("held += text")
            self._quick_context(state)
            if state.field is None:
                code.line("self._start += len(held)")
                code.line("return []")
                return
            code.line("self._parts.append(held)")
            chunk = _chunk(state.field, "held")
            if state.outside:
                with code.block("if self._opened:"):
                    code.line(f"return [{chunk}]")
                code.line("self._opened = True")
                code.line(f'return [{{"type": "region_open", "field": {literal(state.field.name)}}}, {chunk}]')
            else:
                code.line(f"return [{chunk}]")

    def _quick_context(self, state: State) -> None:
        """A chunk in which a delimiter may begin is looked at closely; of another one `held` becomes what is decided.

        Text that matchers may look at stays at hand, and white space at the edge, if it may belong to a delimiter.
        """
        code, starts, context = self.code, emit_starts(self.out, state.watches), state.context
        code.line("at = self._at")
        if starts:
            with code.block(f"if {starts}.search(held, at):"):
                code.line("return self._advance(held, at, False)")
        if not holds_blanks(state.watches):
            if context is None:
                code.line("self._held, self._at = held, len(held)")
                code.line("held = held[at:]")
            elif context > 0:
                code.line(f"self._held = held[-{context} :]")
                code.line("self._at = len(self._held)")
                code.line("held = held[at:]")
            return
        self.out.use_runtime("blanks", "BLANKS", "LONG_RUN")
        code.line("kept = held[at:].rstrip(BLANKS)" if context != 0 else "kept = held.rstrip(BLANKS)")
        code.line("end = at + len(kept)" if context != 0 else "end = len(kept)")
        with code.block("if len(held) - end > LONG_RUN:"):
            code.line("return self._advance(held, at, False)")
        if context is None:
            code.line("self._held, self._at = held, end")
        elif context > 0:
            with code.block(f"if end > {context}:"):
                code.line(f"self._held, self._at = held[end - {context} :], {context}")
            with code.block("else:"):
                code.line("self._held, self._at = held, end")
        else:
            code.line("self._held = held[end:]")
        code.line("held = kept")
        with code.block("if not held:"):
            code.line("return []")

    # The first delimiter.

    def _scan(self, region: Region) -> None:
        code, state = self.code, region.state
        code.line()
        with code.block(signature(f"_scan_{region.stem}", "self, text, at, events, final", "int")):
            code.doc(state_line(state))
            if state.strategy == "nothing":
                self._run_out(region, "len(text)")
            elif state.strategy == "cores":
                watch = state.watches[0]
                if len(state.watches) == 1 and _is_plain(watch):
                    self._scan_literal(region, watch)
                else:
                    self._scan_cores(region)
            else:
                self._scan_searches(region)

    def _scan_literal(self, region: Region, watch: Watch) -> None:
        code = self.code
        core = watch.kind.cores[0]
        code.line(f"begin = text.find({literal(core)}, at)")
        with code.block("if begin >= 0:"):
            code.line(f"end = begin + {len(core)}")
            self._act(region, watch, "end - begin")
            code.line("return end")
        if len(core) > 1:
            self.out.use_runtime("literals", "cut_literal")
            code.line(f"begin = len(text) if final else cut_literal(text, {literal(core)}, at)")
        else:
            code.line("begin = len(text)")
        self._run_out(region, "begin")

    def _scan_cores(self, region: Region) -> None:
        code, state = self.code, region.state
        search = CoreSearch(self.out, state, region.stem)
        patterns = any(watch.kind.settled_by == "pattern" for watch in state.watches)
        code.line("look = max(at, self._look)" if patterns else "look = at")
        code.line(f"found = {search.regex}.search(text, look)")
        if not patterns:
            with code.block("if found is not None:"):
                self._found_core(region, search, False)
        else:
            with code.block("while found is not None:"):
                self._found_core(region, search, True)
        self._no_core(region, search)
        self._run_out(region, "begin")

    def _found_core(self, region: Region, search: CoreSearch, patterns: bool) -> None:
        """A core is found: every branch returns, or looks for the next one."""
        code = self.code
        code.line("here = found.start()")
        if search.nested:
            # Where it may be a part of a longer one it is left to what looks at the edge.
            self.out.use_runtime("literals", "cut_literals")
            test = f"final or cut_literals(text, {search.literals}, look) > here"
            if patterns:
                with code.block(f"if not ({test}):"):
                    code.line("break")
                self._core_branches(region, search)
            else:
                with code.block(f"if {test}:"):
                    self._core_branches(region, search)
        else:
            self._core_branches(region, search)
        if patterns:
            code.line("look = here + 1")
            code.line(f"found = {search.regex}.search(text, look)")

    def _core_branches(self, region: Region, search: CoreSearch) -> None:
        self.code.line("which = found.lastindex")
        for watch in search.order:
            with self.code.block(f"if {search.test(watch)}:"):
                self._at_core(region, search, watch)

    def _no_core(self, region: Region, search: CoreSearch) -> None:
        """No core is left: what the edge cuts off begins at `begin`; at the end of the text, the final newline."""
        code = self.code
        with code.block("if final:"):
            code.line("begin = len(text)")
            if search.newline is not None:
                with code.block('if begin > at and text[-1] == "\\n":'):
                    code.line(f"# {transition(search.newline)}")
                    code.line("begin = end = begin - 1")
                    self._act(region, search.newline, "0", empty=True)
                    code.line("return end")
        with code.block("else:"):
            self.out.use_runtime("literals", "cut_literals")
            code.line(f"begin = cut_literals(text, {search.literals}, look)")
            if search.newline is not None:
                with code.block('if begin == len(text) > at and text[-1] == "\\n":'):
                    code.line("begin -= 1")
            if search.blanks:
                self.out.use_runtime("blanks", "before_blanks")
                code.line("cut = text[begin:]")
                tests = ["not cut"] + [f"{literal(core)}.startswith(cut)" for core in search.blanks]
                if len(search.blanks) > FEW_CORES:
                    tests[1:] = [f"any(core.startswith(cut) for core in {search.behind_blanks})"]
                if search.newline is not None:
                    tests.append('cut == "\\n"')
                with code.block(f"if {' or '.join(tests)}:"):
                    code.line("begin = before_blanks(text, at, begin)")

    def _at_core(self, region: Region, search: CoreSearch, watch: Watch) -> None:
        """A core stands at `here`: settle the delimiter, act on it, and return."""
        code, kind = self.code, watch.kind
        code.line(f"# {transition(watch)}")
        pattern = kind.settled_by == "pattern"
        if kind.blanks_before:
            self.out.use_runtime("blanks", "before_blanks")
            walk = "before_blanks(text, at, here)"
            code.line(f"begin = at if here == self._look else {walk}" if pattern else f"begin = {walk}")
        else:
            code.line("begin = here")
        if pattern:
            self._settle_pattern(region, watch)
            return
        if kind.settled_by == "blanks":
            self.out.use_runtime("blanks", "after_blanks", "skip_blanks_later")
            code.line("end = after_blanks(text, found.end())")
        else:
            code.line("end = found.end()")
        self._act(region, watch, "end - begin")
        if kind.settled_by == "blanks":
            with code.block("if end == len(text) and not final:"):
                code.line("skip_blanks_later(self)")
        code.line("return end")

    def _settle_pattern(self, region: Region, watch: Watch) -> None:
        """The matcher says whether the delimiter that begins at `here` is one, and where it ends."""
        code = self.code
        self.out.use_runtime("pattern", "NOTHING", "SETTLED")
        code.line(f"pattern = {self.searches.of_parser(watch)}")
        code.line("verdict = pattern.match(text, here, final)")
        with code.block("if verdict == SETTLED:"):
            code.line("end = pattern.end")
            self._act(region, watch, "end - begin", "pattern")
            code.line("return end")
        early = self._acts_early(region, region.state, watch)
        if early:
            self.out.use_runtime("pattern", "CERTAIN")
            self.out.use_runtime("searches", "settle_later")
            with code.block(f"if {early}:"):
                self._act(region, watch, "here - begin")
                code.line("return settle_later(self, pattern.match, pattern, text, here)")
        with code.block("if verdict != NOTHING:"):
            self._hold(region, "here")

    def _hold(self, region: Region, look: str) -> None:
        """Undecided from `begin` on: give out what is before it, and keep the text with the matcher's state."""
        code = self.code
        self._add_text(region)
        self.out.use_runtime("searches", "wait")
        code.line(f"return wait(self, pattern.match, pattern, text, begin, {look}, {look})")

    def _acts_early(self, region: Region, state: State, watch: Watch) -> str:
        """The condition on which events are given before the delimiter's end is known; "": never.

        Nothing in the events may depend on that end: no capture of a closer, and not whether the closer is empty where
        that ends the parse or goes round in circles.
        """
        if watch.kind.opaque or (watch.role == "close" and watch.kind.groups):
            return ""
        if watch.kind.listed:
            # At the very edge transformers waits for the longer literal, and its users' tests hold it to that.
            place = "here" if state.strategy == "cores" else "begin"
            return f"verdict == CERTAIN and text[{place}:] not in {literal(watch.kind.cores)}"
        empty = not watch.kind.cores and watch.kind.may_be_empty
        if empty and watch.role == "close":
            if region.state.outside:
                return "verdict == CERTAIN and (self._opened or begin > at)"
            if self._opener_may_be_empty(watch.field):
                return ""
        return "verdict == CERTAIN"

    def _scan_searches(self, region: Region) -> None:
        code, state = self.code, region.state
        self.out.use_runtime("searches", "hold_text")
        self._earliest(region, state, region.stem)
        self._add_text(region)
        with code.block("if final:"):
            if state.field is not None:
                code.line(f"self._close_{region.stem}(events)")
            code.line("return -1")
        code.line(f"return hold_text(self, text, begin, holder, {state.context}, {self._quick_of(region)})")

    def _scan_start(self) -> None:
        """The scan function of the start of the text, which leaves for the state outside as soon as text is passed."""
        code, region, state = self.code, self.outside, self.program.start
        code.line()
        with code.block(signature("_scan_the_start", "self, text, at, events, final", "int")):
            code.doc("At the start of the text, " + state_line(state))
            self._earliest(region, state, "the start")
            self._add_text(region)
            with code.block("if final:"):
                if state.field is not None:
                    code.line(f"self._close_{region.stem}(events)")
                code.line("return -1")
            with code.block("if begin == 0 and holder is not None:"):
                self.out.use_runtime("searches", "wait")
                code.line("return wait(self, holder.find, holder, text, 0, 0, -1)")
            self._enter(region)
            code.line("return begin")

    def _earliest(self, region: Region, state: State, key: str) -> None:
        """The branches on which delimiter wins; falls through with `begin`, where undecided text is, and `holder`."""
        code = self.code
        self.out.use_runtime("searches", "earliest")
        self.out.use_runtime("pattern", "CERTAIN", "SETTLED")
        code.line(f"searches = {self.searches.of_state(state, key)}")
        code.line("which, begin, verdict, holder = earliest(searches, text, at, final)")
        for number, watch in enumerate(state.watches):
            with code.block(f"if which == {number}:"):
                code.line(f"# {transition(watch)}")
                code.line("pattern = searches[which]")
                leaves = watch.role == "close" and state is self.program.start and self._starts_apart()
                with code.block("if verdict == SETTLED:"):
                    code.line("end = pattern.end")
                    self._act(region, watch, "end - begin", "pattern", empty=watch.kind.may_be_empty)
                    if leaves:
                        self._enter(region)
                    code.line("return end")
                early = self._acts_early(region, state, watch)
                if early:
                    self.out.use_runtime("searches", "settle_later")
                    with code.block(f"if {early}:"):
                        self._act(region, watch, "0")
                        if leaves:
                            self._enter(region)
                        code.line("return settle_later(self, pattern.find, pattern, text, begin)")

    # What a delimiter does.

    def _act(self, region: Region, watch: Watch, width: str, pattern: str = "", empty: bool = False) -> None:
        """The lines of a transition. `width` is the expression of the delimiter's length, `pattern` names the variable
        of the matcher that settled it, `empty` says that the delimiter may be empty."""
        code, state = self.code, region.state
        self._add_text(region)
        target = self.regions.get(watch.field.name)
        store = self._store(watch.field)
        takes = store.captures and bool(watch.kind.groups) and bool(pattern)
        if watch.role == "open":
            if state.field is not None:
                code.line(f"self._close_{region.stem}(events)")
            assert target is not None
            if store.captures:
                code.line(f"self._captures = {pattern}.groups()" if takes else "self._captures = {}")
            code.line(f"self._open_{target.stem}(events)")
            if empty:
                code.line("self._empty_open = begin == end")
            elif self._opener_may_be_empty(watch.field):
                code.line("self._empty_open = False")
            if width != "0":
                code.line(f"self._start += {width}")
            return
        if takes:
            code.line(f"self._captures.update({pattern}.groups())")
        if state.outside:
            if empty:
                code.line("ends = begin == end and not self._opened")
            code.line(f"self._close_{region.stem}(events)")
            if empty:
                with code.block("if ends:"):
                    code.line("self._quick, self._scan = Parser._ended, Parser._ended_scan")
                    code.line("return -1")
        else:
            if empty and self._opener_may_be_empty(watch.field):
                self.out.use_runtime("searches", "empty_loop")
                code.line("loops = begin == end and self._empty_open and not self._parts")
            code.line(f"self._close_{region.stem}(events)")
            if empty and self._opener_may_be_empty(watch.field):
                with code.block("if loops:"):
                    code.line(f"raise empty_loop({literal(watch.field.name)}, self._start)")
        if width != "0":
            code.line(f"self._start += {width}")

    def _opener_may_be_empty(self, field: Field) -> bool:
        return any(
            watch.kind.may_be_empty
            for watch in (*self.program.start.watches, *self.program.outside.watches)
            if watch.role == "open" and watch.field is field
        )

    def _store(self, field: Field) -> Store:
        region = self.regions.get(field.name) or self.outside
        assert region.store is not None
        return region.store

    def _add_text(self, region: Region) -> None:
        """Give `text[at:begin]` to the region, or drop it."""
        if region.state.field is None:
            self.code.line("self._start += begin - at")
        else:
            with self.code.block("if begin > at:"):
                self.code.line(f"self._add_{region.stem}(text[at:begin], events)")

    def _run_out(self, region: Region, begin: str) -> None:
        """No delimiter is decided any more: give out what comes before `begin`, hold the rest, or end."""
        code, state = self.code, region.state
        if begin != "begin":
            code.line(f"begin = {begin}")
        self._add_text(region)
        with code.block("if final:"):
            if state.field is not None:
                code.line(f"self._close_{region.stem}(events)")
            code.line("return -1")
        if state.strategy == "nothing":
            code.line('self._held, self._at, self._look = "", 0, -1')
        else:
            code.line("self._held, self._at, self._look = text[begin:], 0, -1")
        waits = state.outside and state.field is not None
        code.line(
            f"self._state = {region.number} if self._opened else 0" if waits else f"self._state = {region.number}"
        )
        if any(watch.kind.blanks_before for watch in state.watches):
            self.out.use_runtime("blanks", "LONG_RUN", "hold_blanks")
            with code.block("if len(self._held) > LONG_RUN and begin == before_blanks(text, at, len(text)):"):
                code.line("hold_blanks(self)")
        if self.patterns:
            code.line("self._forget()")
        code.line("return -1")

    # The region's own acts.

    def _add(self, region: Region, field: Field) -> None:
        code, name = self.code, literal(field.name)
        code.line()
        with code.block(signature(f"_add_{region.stem}", "self, text, events", "None")):
            code.doc(f"Text of {name}.")
            if region.state.outside:
                with code.block("if not self._opened:"):
                    code.line("self._opened = True")
                    code.line(f'events.append({{"type": "region_open", "field": {name}}})')
            code.line("self._parts.append(text)")
            code.line(f"events.append({_chunk(field, 'text')})")

    def _open(self, region: Region) -> None:
        assert region.state.field is not None
        code, name = self.code, literal(region.state.field.name)
        code.line()
        with code.block(signature(f"_open_{region.stem}", "self, events", "None")):
            code.doc(f"Enter the region of {name}.")
            code.line(f'events.append({{"type": "region_open", "field": {name}}})')
            self._enter(region)
            self.out.use_runtime("serving", "open_region")
            with code.block("if self._serving is not None:"):
                code.line("open_region(self, events)")

    def _close(self, region: Region, field: Field) -> None:
        code, name = self.code, literal(field.name)
        assert region.store is not None
        code.line()
        with code.block(signature(f"_close_{region.stem}", "self, events", "None")):
            what = "if it holds anything" if region.state.outside else "and go outside"
            code.doc(f"Close the region of {name}, {what}.")
            if region.state.outside:
                with code.block("if not self._opened:"):
                    if region.store.captures:
                        code.line("self._captures = {}")
                    code.line("return")
                code.line("self._opened = False")
                code.line("self._state = 0")
            code.line('body = "".join(self._parts)')
            code.line("self._parts = []")
            if not region.state.outside:
                self._enter(self.outside)
            self.out.use_runtime("serving", "close_region")
            with code.block("if self._serving is not None:"):
                given = f"{name}, {region.store.function}, {region.store.captures}, body"
                code.line(f"close_region(self, events, {given})")
                code.line("return")
            code.line(
                "value = " + region.store.call("self._message", "body", "self._start", "self._tools", "self._captures")
            )
            if region.store.captures or (self.outside.store is not None and self.outside.store.captures):
                code.line("self._captures = {}")
            code.line(f'events.append({{"type": "region_close", "field": {name}, "value": value}})')
            code.line("self._start += len(body)")


def _chunk(field: Field, text: str) -> str:
    """The event of a chunk, as an expression; `text` is the name of its variable."""
    dirty = field.content not in STREAMABLE
    return f'{{"type": "region_chunk", "field": {literal(field.name)}, "text": {text}, "dirty": {dirty}}}'


FEW_CORES = 3
"""Cores that are compared one by one."""

MOST_FIRSTS = 3
"""First characters of cores that a branch of `feed` looks for one by one; more of them, by a regex."""

MOST_PAIRS = 6
"""Beginnings of two characters that it looks for one by one; more of them, by a regex."""


def _pairs(state: State) -> dict[str, list[str]]:
    """By their first character, the first two of the state's cores, if they are few and seldom in a text; else {}.

    A core of one character is its own pair, beside which no other counts.
    """
    cores = [core for watch in state.watches for core in watch.kind.cores]
    firsts = {core[0]: sorted({other[:2] for other in cores if other[0] == core[0]}) for core in sorted(cores)}
    few = len(firsts) <= MOST_FIRSTS and sum(map(len, firsts.values())) <= MOST_PAIRS
    if not few or any(first.isalnum() or first.isspace() for first in firsts):
        return {}
    return {first: [first] if first in pairs else pairs for first, pairs in firsts.items()}


def _beginnings(state: State, search: CoreSearch, text: str, edge: bool) -> list[str]:
    """The conditions of which one holds if the variable `text` has a place where a core may begin.

    A first character at the very edge counts only with `edge`.
    """
    tests = []
    for first, pairs in _pairs(state).items():
        each = [f"{literal(pair)} in {text}" for pair in pairs]
        if edge and pairs != [first]:
            each.append(f"{text}[-1] == {literal(first)}")
        tests.append(each[0] if len(each) == 1 else f"{literal(first)} in {text} and ({' or '.join(each)})")
    return tests or [f"{search.probe}.search({text}) is not None"]


def _edges(state: State) -> str:
    """The characters that are held back at the edge, because cores begin with them; "" if the conditions cover it."""
    return "".join(first for first, pairs in _pairs(state).items() if pairs != [first])


def _any(tests: list[str]) -> str:
    """The condition that one of them holds."""
    return tests[0] if len(tests) == 1 else " or ".join(f"({test})" if " and " in test else test for test in tests)


def _is_plain(watch: Watch) -> bool:
    kind = watch.kind
    return len(kind.cores) == 1 and not kind.blanks_before and kind.settled_by == "core" and not kind.final_newline


def _what(state: State) -> str:
    return state_line(state).split(": ", 1)[0] + ", and no delimiter begins"
