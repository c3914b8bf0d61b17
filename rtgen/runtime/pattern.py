"""Searching text that still grows, for the patterns that no plain literal search decides.

`Search` runs a pattern's program (the tuple that `rtgen.pattern.program` makes, where the instructions are described)
by depth-first backtracking in the order of priority, which is the order of the `regex` module.  Where the thread of
highest priority needs a character that is not there yet, the whole search is suspended as it stands, and goes on when
there is more text; so its answer is that of a search over the whole text, however the text was cut.

Places from which the program is known to fail are remembered (an array of flags for each join of its paths, one
interval for each run of a single-character loop), and no thread enters them again; how far a run goes is remembered
too, and no character of it is looked at twice: a pattern without back-references takes time linear in the text.

What a class such as `\\s` holds is asked of the installed `regex`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any

import regex

from rtgen.runtime.budget import STEP_BUDGET
from rtgen.runtime.errors import LimitError

NOTHING = 0
PENDING = 1
CERTAIN = 2
SETTLED = 3

_FORK_STEPS = 500
_STEPS_PER_CHARACTER = 8
_CHARACTERS_PER_STEP = 1024  # that a string search goes over
_SECONDS_PER_STEP = 1e-5  # of a search by `regex`, which counts none
_NO_LIMIT = 1 << 62
_UNKNOWN = -2
_IS_CERTAIN, _NO_OTHER_WAY = -1, -2  # in place of the length of text from which another fork is worth its while

_LITERAL, _CLASS, _LOOP, _SAVE, _SPLIT, _JUMP, _MATCH, _ASSERT, _REPEAT, _UNTIL, _ATOMIC, _AHEAD, _COMMIT, _BEHIND = (
    range(14)
)
_BACK, _IF = 14, 15
_GREEDY, _LAZY, _POSSESSIVE = 0, 1, 2
# What waits on the stack.
_THREAD, _BRANCHES, _ENDS, _RUN, _LATER, _BARRIER, _FAILED = range(7)
# What a barrier guards.
_IS_ATOMIC, _IS_AHEAD, _IS_NOT_AHEAD = range(3)


class _Members(dict[str, bool]):
    """Whether a class holds a character, asked once of `regex`."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.fullmatch = regex.compile(source, regex.DOTALL).fullmatch

    def __missing__(self, char: str) -> bool:
        found = self[char] = self.fullmatch(char) is not None
        return found


_members: dict[str, _Members] = {}
_runs: dict[str, Any] = {}


def _class_members(source: str) -> _Members:
    found = _members.get(source)
    if found is None:
        found = _members[source] = _Members(source)
    return found


def _class_run(source: str) -> Any:
    """The match method that runs over characters of the class as far as they go; None: every character is one."""
    if source == "(?s:.)":
        return None
    found = _runs.get(source)
    if found is None:
        found = _runs[source] = regex.compile(f"(?:{source})*+", regex.DOTALL).match
    return found


class _Loaded:
    """A program made ready: instructions with numbers for names, and what is asked of `regex` about its classes."""

    __slots__ = ("blank", "candidate", "code", "fork", "memo", "names", "needs", "runs", "skip", "tails", "tracks")

    def __init__(self, program: tuple[Any, ...]) -> None:
        _, names, slots, memo, lead, tails, self.needs, skip = program[0]
        self.names: tuple[tuple[str, int], ...] = names
        self.blank = (-1,) * slots
        self.memo = memo == "on"
        self.fork = memo != "never"
        self.tracks = memo != "off"
        # One of these has to stand in the text before a match can be certain.
        self.tails: tuple[str, ...] | None = (self.needs,) if tails is None and self.needs else tails
        self.code = _load_code(program)
        self.candidate = _candidate(lead)
        self.runs = _runs_before(lead)
        self.skip: int | None = None
        if skip is not None:
            members = _class_members(program[skip[0]][1])
            if not any(members[char] for char in skip[1]):
                self.skip = int(skip[0])


_loaded: dict[tuple[Any, ...], _Loaded] = {}


def _load(program: tuple[Any, ...]) -> _Loaded:
    found = _loaded.get(program)
    if found is None:
        if len(_loaded) > 500:
            _loaded.clear()
        found = _loaded[program] = _Loaded(program)
    return found


def _load_code(program: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    loops = [(start, i) for start, i in enumerate(program) if i[0] == "repeat"]
    # By address: the slots of the counted loops around it, the outermost first.
    around = [tuple(i[4] for start, i in loops if start < place < i[5]) for place in range(len(program))]
    code: list[tuple[Any, ...]] = []
    for address, instruction in enumerate(program):
        kind, *rest = instruction
        if kind == "literal":
            code.append((_LITERAL, rest[0], len(rest[0])))
        elif kind == "class":
            code.append((_CLASS, _class_members(rest[0])))
        elif kind == "loop":
            source, least, most, mode = rest
            follower = _follower(program, address + 1)
            members = _class_members(source)
            only_end = mode == "possessive" or (mode == "greedy" and follower is not None and not members[follower[0]])
            mode = {"greedy": _GREEDY, "lazy": _LAZY, "possessive": _POSSESSIVE}[mode]
            code.append(
                (
                    _LOOP,
                    _class_run(source),
                    least,
                    most,
                    mode,
                    follower,
                    only_end,
                    around[address],
                    _ends(program, address + 1),
                )
            )
        elif kind == "save":
            code.append((_SAVE, rest[0]))
        elif kind == "split":
            code.append((_SPLIT, tuple(rest), around[address], len(rest)))
        elif kind == "jump":
            code.append((_JUMP, rest[0]))
        elif kind == "assert":
            code.append((_ASSERT, rest[0]))
        elif kind == "repeat":
            code.append((_REPEAT, *rest))
        elif kind == "until":
            code.append((_UNTIL, rest[0], *program[rest[0]][1:], around[address][:-1]))
        elif kind == "atomic":
            code.append((_ATOMIC,))
        elif kind == "ahead":
            code.append((_AHEAD, _IS_NOT_AHEAD if rest[0] else _IS_AHEAD, rest[1]))
        elif kind == "commit":
            code.append((_COMMIT,))
        elif kind == "behind":
            code.append((_BEHIND, regex.compile(rest[0], regex.DOTALL).match))
        elif kind == "back":
            code.append((_BACK, rest[0]))
        elif kind == "if":
            code.append((_IF, rest[0], rest[1]))
        else:
            code.append((_MATCH,))
    return code


def _follower(program: tuple[Any, ...], address: int) -> str | None:
    """The literal that has to stand where the instruction at the address begins, if there is one."""
    while True:
        instruction = program[address]
        if instruction[0] == "literal":
            return str(instruction[1])
        if instruction[0] == "jump":
            address = instruction[1]
        elif instruction[0] == "save" or (instruction[0] == "assert" and instruction[1] != "text_end"):
            address += 1
        else:
            return None


def _ends(program: tuple[Any, ...], address: int) -> bool:
    """Whether nothing is left to match from the address on."""
    while program[address][0] in ("save", "jump"):
        address = program[address][1] if program[address][0] == "jump" else address + 1
    return bool(program[address][0] == "match")


def _candidate(lead: tuple[Any, ...]) -> Callable[[str, int, int, bool], int] | None:
    """A function of (text, at, length, final): the next place at which what a match begins with stands, behind a run
    of one of the lead's classes or not; -1 where there is none; None: every place."""
    if lead[0] == "any":
        return None
    _, strings, classes, places, _ = lead
    if len(strings) == 1 and not classes and not places:
        return _one_literal(strings[0])
    sources = {"text_start": r"\A", "line_start": r"(?m:^)", "final_end": r"\n\Z", "text_end": ""}
    # Classes as lookaheads: `regex` misreads alternatives between negated classes.
    others = [f"(?={source})" for source in classes] + [sources[place] for place in places if sources[place]]
    return _some_literals(strings, others)


def _runs_before(lead: tuple[Any, ...]) -> tuple[Any, ...]:
    """For each class of which a run may come before what a match begins with: the match method that goes over it
    backwards."""
    sources = lead[4] if lead[0] == "beginnings" else ()
    return tuple(regex.compile(f"(?r)(?:{source})*+", regex.DOTALL).match for source in sources)


def _one_literal(string: str) -> Callable[[str, int, int, bool], int]:
    head, size = string[0], len(string)

    def candidate(text: str, at: int, n: int, final: bool) -> int:
        found = text.find(string, at)
        if found < 0 and not final:
            found = text.find(head, n - size + 1 if n - size + 1 > at else at)
            while found >= 0 and not string.startswith(text[found:]):
                found = text.find(head, found + 1)
        return found

    return candidate


def _some_literals(strings: tuple[str, ...], others: list[str]) -> Callable[[str, int, int, bool], int]:
    """Starts of one of the strings, of which the end of the text may cut off a part, or of other regex sources."""
    sources = [regex.escape(string, special_only=True) for string in strings] + others
    search = regex.compile("|".join(sources) or "(?!)", regex.DOTALL).search
    heads = regex.compile("|".join(sorted({regex.escape(s[0], special_only=True) for s in strings})) or "(?!)").search
    longest = max(map(len, strings), default=0)

    def candidate(text: str, at: int, n: int, final: bool) -> int:
        match = search(text, at)
        found = match.start() if match else -1
        if not final and longest > 1:
            at = max(at, n - longest + 1)
            while (cut := heads(text, at)) is not None and (found < 0 or cut.start() < found):
                at = cut.start()
                tail = text[at:]
                if any(string.startswith(tail) for string in strings):
                    return at
                at += 1
        return found

    return candidate


def _word(text: str, at: int) -> bool:
    return _class_members(r"\w")[text[at]]


def _holds(kind: str, text: str, pos: int, n: int, final: bool) -> bool | None:
    """Whether the assertion holds at `pos`; None: more text decides."""
    if kind == "text_start":
        return pos == 0
    if kind == "line_start":
        return pos == 0 or text[pos - 1] == "\n"
    if kind == "text_end":
        return False if pos < n else True if final else None
    if kind == "final_end":
        if pos < n - 1 or (pos == n - 1 and text[pos] != "\n"):
            return False
        return True if final else None
    if kind == "line_end":
        return text[pos] == "\n" if pos < n else True if final else None
    left = pos > 0 and _word(text, pos - 1)
    if (kind == "word_start" and left) or (kind == "word_end" and not left):
        return False
    if pos == n and not final:
        return None
    right = pos < n and _word(text, pos)
    if kind == "word_start":
        return right
    if kind == "word_end":
        return not right
    return (left != right) == (kind == "boundary")


class Found:
    """A match of `Search.finditer`."""

    __slots__ = ("_end", "_groups", "_start")

    def __init__(self, start: int, end: int, groups: dict[str, str | None]) -> None:
        self._start, self._end, self._groups = start, end, groups

    def start(self) -> int:
        """Where it begins, an index of the text."""
        return self._start

    def end(self) -> int:
        """Where it ends."""
        return self._end

    def groupdict(self) -> dict[str, str | None]:
        """The named groups; None for one that took no part."""
        return self._groups


class Search:
    """The search for one pattern in a text that may still grow.

    `program` is what `rtgen.pattern.program.compile_program` made. `budget` bounds the steps (on top of 8 for each
    character searched); beyond it LimitError names `field`. After SETTLED, `start` and `end` are the match; after
    PENDING and CERTAIN, `start` is where a match may begin.
    """

    __slots__ = (
        "_answer",
        "_barrier",
        "_base",
        "_budget",
        "_caps",
        "_clear",
        "_field",
        "_forbidden",
        "_from",
        "_fork_from",
        "_last",
        "_marks",
        "_origin",
        "_pattern",
        "_runs",
        "_spans",
        "_stack",
        "_steps",
        "_tail_at",
        "_text",
        "end",
        "start",
    )

    def __init__(self, program: tuple[Any, ...], *, budget: int | None = None, field: str = "") -> None:
        self._pattern = _load(program)
        self._budget = budget if budget is None else STEP_BUDGET.get() or budget
        self._field = field
        self.reset()

    def reset(self) -> None:
        """Forget everything: the text was cut, or another one begins."""
        self.start = self.end = 0
        self._answer = NOTHING
        self._stack: list[tuple[Any, ...]] = []
        self._barrier = -1
        self._caps: tuple[int, ...] = ()
        self._clear = self._from = 0
        self._base = self._origin = -1
        self._forbidden = -1
        self._fork_from = 0
        self._tail_at = 0
        self._last = _UNKNOWN
        self._steps = 0
        self._text = ""
        self._marks: dict[Any, bytearray] = {}
        self._spans: dict[Any, tuple[list[int], dict[int, int]]] = {}
        self._runs: dict[int, tuple[list[int], dict[int, int]]] = {}

    def find(self, text: str, at: int, final: bool) -> int:
        """Search for the leftmost match that starts at `at` or later, and before the end of the text.

        `text` is that of the call before, or longer; `at` is not smaller; `final`: nothing will follow. NOTHING: no
        match starts in the text from `at` on, whatever follows. PENDING: whether one starts at `start` depends on what
        follows. CERTAIN: one does, its end is open. SETTLED: `start`, `end` and the groups are known.
        """
        answer = self._answer
        start = self.start
        n = len(text)
        if answer and self._from <= at <= start:
            if answer == SETTLED:
                return SETTLED
            if self._resume(text, n, final):
                return self._answer
            at = self._after(start)
        else:
            if at < self._clear:
                at = self._clear
            self._from = at
        last = n - 1
        if final and at < n and self._pattern.needs:
            last = self._last_start(text)
        candidate, anchor = self._pattern.candidate, -1
        while at <= last:
            if candidate is not None and at > anchor:
                at, anchor = self._next_candidate(text, at, n, final)
                if at >= n:
                    break
            if self._begin(text, at, n, final):
                self._clear = at
                return self._answer
            at = self._after(at)
        self._clear = n
        self._answer = NOTHING
        return NOTHING

    def match(self, text: str, at: int, final: bool) -> int:
        """The same for a match that starts exactly at `at`."""
        n = len(text)
        if at >= n:
            return NOTHING
        if self._answer and at == self.start:
            if self._answer != SETTLED:
                self._resume(text, n, final)
            return self._answer
        if at < self._clear:
            return NOTHING
        self._from = at
        self._begin(text, at, n, final)
        return self._answer

    def groups(self) -> dict[str, str]:
        """After SETTLED: the text of each named group that took part."""
        caps, text = self._caps, self._text
        return {name: text[caps[slot] : caps[slot + 1]] for name, slot in self._pattern.names if caps[slot + 1] >= 0}

    def finditer(self, text: str) -> Iterator[Found]:
        """All matches in a whole text, as `regex.finditer` gives them (an empty one at the very end included)."""
        self.reset()
        at, n = 0, len(text)
        while self._next(text, at, n):
            yield Found(self.start, self.end, dict.fromkeys((name for name, _ in self._pattern.names)) | self.groups())
            at = self.end
            self._forbidden = at if at == self.start else -1

    def _next(self, text: str, at: int, n: int) -> bool:
        last = self._last_start(text) if self._pattern.needs else n - 1
        candidate, anchor = self._pattern.candidate, -1
        while at <= last:
            if candidate is not None and at > anchor:
                at, anchor = self._next_candidate(text, at, n, True)
                if at >= n:
                    break
            if self._begin(text, at, n, True):
                return True
            at = self._after(at)
        return not self._pattern.needs and self._begin(text, n, n, True) == SETTLED

    def _next_candidate(self, text: str, at: int, n: int, final: bool) -> tuple[int, int]:
        """The next places, first and last, at which a match may start; the first is `n` where there is none.

        A match that begins with a run may start at any of them, up to what follows the run, or the edge.
        """
        pattern = self._pattern
        assert pattern.candidate is not None
        anchor = pattern.candidate(text, at, n, final)
        if not pattern.runs:
            return (n if anchor < 0 else anchor), anchor
        if anchor < 0:
            anchor = n
        start = anchor
        for run in pattern.runs:
            start = min(start, run(text, at, anchor).start())
        return start, anchor

    def _last_start(self, text: str) -> int:
        """The last place in the complete text behind which there is what every match needs; -1: there is none."""
        if self._last == _UNKNOWN:
            self._last = text.rfind(self._pattern.needs)
        return self._last

    def _after(self, start: int) -> int:
        """Where to go on when no match starts at `start`."""
        skip = self._pattern.skip
        if skip is not None:
            spans = self._spans.get(skip)
            if spans is not None:
                ends, lows = spans
                place = bisect_left(ends, start + 1)
                if place < len(ends) and lows[ends[place]] <= start + 1 + self._pattern.code[skip][2]:
                    return ends[place]
        return start + 1

    def _begin(self, text: str, at: int, n: int, final: bool) -> int:
        if self._origin < 0:
            self._origin = at
        if at < self._base or self._base < 0 or at - self._base > 4096:
            self._prune(at)
        self.start = at
        self._fork_from = 0
        self._tail_at = at
        self._barrier = -1
        stack = self._stack
        if stack:
            stack.clear()
        stack.append((_THREAD, 1, at, self._pattern.blank))
        return self._answered(text, n, final)

    def _prune(self, at: int) -> None:
        """Forget failures before `at`; no thread comes there again."""
        cut = at - self._base
        if cut < 0:  # after `match` further on
            self._marks.clear()
        elif self._base >= 0:
            for flags in self._marks.values():
                del flags[:cut]
            for table in (self._spans, self._runs):
                for ends, lows in table.values():
                    place = bisect_left(ends, at)
                    for end in ends[:place]:
                        del lows[end]
                    del ends[:place]
        self._base = at

    def _resume(self, text: str, n: int, final: bool) -> int:
        if not final:
            # Often the new text only makes a run longer.
            top = self._stack[-1]
            instruction = self._pattern.code[top[1]]
            if top[0] == _RUN and instruction[3] is None and instruction[4] != _LAZY:
                run = instruction[1]
                if (run is None or run(text, top[3]).end() == n) and self._stays(text, n):
                    self._stack[-1] = (_RUN, top[1], top[2], n, top[4])
                    return self._answer
            elif top[0] == _LATER and instruction[3] is None and instruction[5] is not None:
                _, pc, low, reached, caps, pos, span = top
                run, follower = instruction[1], instruction[5]
                if (
                    text.find(follower, low) < 0
                    and (run is None or run(text, reached).end() == n)
                    and self._stays(text, n)
                ):
                    self._stack[-1] = (_LATER, pc, max(low, n - len(follower) + 1), n, caps, pos, span)
                    return self._answer
        return self._answered(text, n, final)

    def _stays(self, text: str, n: int) -> bool:
        """Whether the answer is certain to be the one before, if the thread that goes on waits again."""
        if self._fork_from < 0:
            return True
        tails = self._pattern.tails
        if tails is None or self._tail_at < 0:
            return False
        for tail in tails:
            if text.find(tail, max(self.start, self._tail_at - len(tail))) >= 0:
                return False
        self._tail_at = n
        return True

    def _answered(self, text: str, n: int, final: bool) -> int:
        status = self._run(text, n, final, False)
        if status == PENDING:
            status = CERTAIN if self._fork_from == _IS_CERTAIN else self._certain(text, n)
        elif status == SETTLED:
            self._text = text
        self._answer = status
        return status

    def _certain(self, text: str, n: int) -> int:
        """CERTAIN if some thread that does not depend on what follows reaches a match, else PENDING."""
        pattern = self._pattern
        if not pattern.fork:
            return PENDING
        stack = self._stack
        if len(stack) == 1:
            top = stack[0]
            if top[0] == _THREAD or (top[0] == _RUN and pattern.code[top[1]][6] and pattern.code[top[1]][5]):
                self._fork_from = _NO_OTHER_WAY
                return PENDING
        if self._fork_from == _NO_OTHER_WAY:
            self._fork_from = 0
        if n < self._fork_from:
            return PENDING
        if pattern.tails is not None and self._tail_at >= 0:
            if self._stays(text, n):
                return PENDING
            self._tail_at = -1
        steps, barrier = self._steps, self._barrier
        self._stack, self._steps = stack[:], 0
        status = self._run(text, n, False, True)
        taken = self._steps
        self._steps, self._barrier, self._stack = steps, barrier, stack
        if status == SETTLED:
            self._fork_from = _IS_CERTAIN
            return CERTAIN
        self._fork_from = n + (n - self.start) // 8 + 1 if taken > 100 else 0
        return PENDING

    def _limit(self, n: int, fork: bool) -> int:
        if fork:
            return _FORK_STEPS
        if self._budget is None:
            return _NO_LIMIT
        return self._budget + _STEPS_PER_CHARACTER * (n - self._origin)

    def _fail_mark(self, key: Any, pos: int) -> None:
        if pos <= self._forbidden:
            return
        flags = self._marks.get(key)
        if flags is None:
            flags = self._marks[key] = bytearray()
        pos -= self._base
        if pos >= len(flags):
            flags.extend(bytes(pos - len(flags) + 64))
        flags[pos] = 1

    def _fail_span(self, key: Any, low: int, end: int) -> None:
        """Remember that no end of this loop's run in low..end leads to a match."""
        if low <= self._forbidden:
            low = self._forbidden + 1
        if low > end:
            return
        spans = self._spans.get(key)
        if spans is None:
            spans = self._spans[key] = ([], {})
        ends, lows = spans
        known = lows.get(end)
        if known is None:
            ends.insert(bisect_left(ends, end), end)
            lows[end] = low
        elif low < known:
            lows[end] = low

    def _run_end(self, pc: int, text: str, low: int, start: int, n: int, final: bool) -> int:
        """Where the run of an endless loop that began at `low` and goes on at `start` ends."""
        run = self._pattern.code[pc][1]
        runs = self._runs.get(pc)
        if runs is None:
            runs = self._runs[pc] = ([], {})
        ends, lows = runs
        place = bisect_left(ends, start)
        if place < len(ends):
            end = ends[place]
            first = lows[end]
            if start < first:
                reached: int = run(text, start, first).end()
            if start >= first or reached == first:
                if low < first:
                    lows[end] = low
                return end
        else:
            reached = run(text, start, n).end()
        if reached < n or final:
            ends.insert(place, reached)
            lows[reached] = low
        return reached

    def _run(self, text: str, n: int, final: bool, fork: bool) -> int:
        """Go on with the top of the stack. NOTHING: all failed. PENDING: suspended (`fork`: given up). SETTLED."""
        pattern = self._pattern
        code = pattern.code
        memo = pattern.memo and not fork
        known = pattern.memo
        marks = self._marks
        spans = self._spans
        tracks = pattern.tracks
        charges = self._budget is not None
        base = self._base
        stack = self._stack
        barrier = self._barrier
        steps = self._steps
        limit = self._limit(n, fork)
        open_end = not final
        while True:
            # Take the next thread from the stack.
            if not stack:
                self._steps = steps
                return NOTHING
            entry = stack.pop()
            kind = entry[0]
            steps += 1
            if steps > limit:
                if fork:
                    self._steps = steps
                    return PENDING
                fault = f"the pattern took more than {self._budget} steps"
                raise LimitError("step_budget", fault, self._field or None, self.start)
            reached = -1
            if kind == _THREAD:
                _, pc, pos, caps = entry
            elif kind == _BRANCHES:
                _, pc, pos, caps, place, key = entry
                instruction = code[pc]
                if place == instruction[3]:
                    if memo:
                        self._fail_mark(key, pos)
                    continue
                stack.append((_BRANCHES, pc, pos, caps, place + 1, key))
                pc = instruction[1][place]
            elif kind == _ENDS:
                # Ends of a greedy run, from the longest down.
                _, pc, low, high, caps, span = entry
                instruction = code[pc]
                follower = instruction[5]
                if memo and span is not None and high < span[2]:
                    self._fail_span(span[0], high + 1 if high >= span[1] else span[1], span[2])
                if high >= low and follower is not None and (final or high + len(follower) <= n):
                    if charges:
                        steps += (high - low) // _CHARACTERS_PER_STEP
                    high = text.rfind(follower, low, high + len(follower))
                if high < low:
                    if memo and span is not None:
                        self._fail_span(*span)
                    continue
                if low < high or span is not None:
                    stack.append((_ENDS, pc, low, high - 1, caps, span))
                pos = high
                pc += 1
            elif kind == _RUN:
                _, pc, pos, reached, caps = entry
            elif kind == _LATER:
                # Ends of a lazy run, from `low` on, which goes at least as far as `reached`.
                _, pc, low, reached, caps, pos, span = entry
                instruction = code[pc]
                run, most, follower = instruction[1], instruction[3], instruction[5]
                stop = n if most is None or pos + most > n else pos + most
                edge = False
                if low > reached or follower is not None:
                    if reached < stop:
                        if run is None:
                            reached = stop
                        elif tracks and most is None:
                            reached = self._run_end(pc, text, pos, reached, n, final)
                        else:
                            reached = run(text, reached, stop).end()
                    edge = open_end and reached == n and (most is None or n < pos + most)
                    if span is not None and span[0] in spans:
                        known_low = spans[span[0]][1].get(reached, -1)
                        if 0 <= known_low <= low:
                            if memo:
                                self._fail_span(span[0], span[1], reached)
                            continue
                ready = low <= reached
                if follower is not None:
                    if charges and ready:
                        steps += (reached - low) // _CHARACTERS_PER_STEP
                    found = text.find(follower, low, reached + len(follower)) if ready else -1
                    if found >= 0:
                        low = found
                    elif open_end:  # at the end of the text it can still be cut
                        low = max(low, n - len(follower) + 1)
                        ready = low <= reached and not edge
                    else:
                        ready = False
                if ready:
                    stack.append((_LATER, pc, low + 1, reached, caps, pos, span))
                    pos = low
                    pc += 1
                    reached = -1
                elif edge:
                    if not fork:
                        stack.append((_LATER, pc, low, reached, caps, pos, span))
                        self._barrier = barrier
                        self._steps = steps
                        return PENDING
                    barrier = self._give_up(stack, barrier)
                    continue
                else:
                    if memo and span is not None:
                        self._fail_span(span[0], span[1], reached)
                    continue
            elif kind == _BARRIER:
                # The body of a lookahead or an atomic group has failed.
                _, guarded, pc, pos, caps, barrier = entry
                if guarded != _IS_NOT_AHEAD:
                    continue
            else:
                if memo:
                    self._fail_mark(entry[1], entry[2])
                continue
            # Run it until it fails.
            while True:
                instruction = code[pc]
                op = instruction[0]
                if op == _LITERAL:
                    string = instruction[1]
                    if text.startswith(string, pos):
                        pos += instruction[2]
                        pc += 1
                        continue
                    if open_end and pos + instruction[2] > n and string.startswith(text[pos:]):
                        if not fork:
                            stack.append((_THREAD, pc, pos, caps))
                            self._barrier = barrier
                            self._steps = steps
                            return PENDING
                        barrier = self._give_up(stack, barrier)
                    break
                if op == _LOOP:
                    _, run, least, most, mode, follower, only_end, around, at_end = instruction
                    low = pos + least
                    span = None
                    key = pc
                    known_low = -1
                    if known and reached < 0 and most is None:
                        if around:
                            key = _variant(pc, around, caps)
                        first_end = low + 1 if around and least == 0 else low
                        table = spans.get(key)
                        if table is not None:
                            place = bisect_left(table[0], first_end)
                            if place < len(table[0]) and table[1][table[0][place]] <= first_end:
                                if around and least == 0:
                                    # Only the empty run is open.
                                    if mode == _POSSESSIVE and first_end <= table[0][place]:
                                        break
                                    pc += 1
                                    continue
                                break
                    elif known and around and most is None:
                        key = _variant(pc, around, caps)
                    if known and most is not None and mode != _POSSESSIVE and not only_end:
                        full = _variant_at(pc, around, caps, pos)
                        if reached < 0:
                            flags = marks.get(full)
                            if flags is not None and pos - base < len(flags) and flags[pos - base]:
                                break
                            if memo:
                                stack.append((_FAILED, full, pos))
                    if mode == _LAZY:
                        # The least number first; the rest waits on the stack.
                        if least:
                            end = n if low > n else low
                            start = pos if reached < 0 else reached
                            if run is not None:
                                end = run(text, start, end).end()
                            if end < low:
                                if end == n and open_end:
                                    if not fork:
                                        stack.append((_RUN, pc, pos, end, caps))
                                        self._barrier = barrier
                                        self._steps = steps
                                        return PENDING
                                    barrier = self._give_up(stack, barrier)
                                break
                        reached = -1
                        if known and most is None:
                            span = (key, low + 1 if around and least == 0 else low)
                        if follower is not None:
                            # Straight to the first place where what follows can stand.
                            stack.append((_LATER, pc, low, low, caps, pos, span))
                            break
                        stack.append((_LATER, pc, low + 1, low, caps, pos, span))
                        pos = low
                        pc += 1
                        continue
                    stop = n if most is None or pos + most > n else pos + most
                    start = pos if reached < 0 else reached
                    reached = -1
                    if run is None:
                        end = stop
                    elif tracks and most is None:
                        end = self._run_end(pc, text, pos, start, n, final)
                    else:
                        end = run(text, start, stop).end()
                    if end == n and open_end and (most is None or n < pos + most):
                        if not fork:
                            stack.append((_RUN, pc, pos, end, caps))
                            self._barrier = barrier
                            self._steps = steps
                            return PENDING
                        if barrier >= 0 or (mode == _POSSESSIVE and not at_end):
                            barrier = self._give_up(stack, barrier)
                            break
                    if end < low:
                        break
                    if known and most is None:
                        first_end = low + 1 if around and least == 0 else low
                        if first_end <= end:
                            span = (key, first_end, end)
                            table = spans.get(key)
                            if table is not None:
                                known_low = table[1].get(end, -1)
                    if only_end:
                        if known_low >= 0:
                            if span is not None and memo:
                                self._fail_span(*span)
                            break
                        if span is not None and memo:
                            stack.append((_ENDS, pc, end + 1, end, caps, span))
                        pos = end
                        pc += 1
                        continue
                    high = end if known_low < 0 else known_low - 1
                    if high < low:
                        break
                    stack.append((_ENDS, pc, low, high, caps, span))
                    break
                if op == _SAVE:
                    slot = instruction[1]
                    caps = (*caps[:slot], pos, *caps[slot + 1 :])
                    pc += 1
                    continue
                if op == _CLASS:
                    if pos < n:
                        if instruction[1][text[pos]]:
                            pos += 1
                            pc += 1
                            continue
                    elif open_end:
                        if not fork:
                            stack.append((_THREAD, pc, pos, caps))
                            self._barrier = barrier
                            self._steps = steps
                            return PENDING
                        barrier = self._give_up(stack, barrier)
                    break
                if op == _MATCH:
                    if pos == self._forbidden:
                        break
                    if not fork:
                        self.end = pos
                        self._caps = caps
                    self._steps = steps
                    return SETTLED
                if op == _SPLIT:
                    steps += 1
                    key = _variant_at(pc, instruction[2], caps, pos) if instruction[2] else pc
                    if known:
                        flags = marks.get(key)
                        if flags is not None and pos - base < len(flags) and flags[pos - base]:
                            break
                    stack.append((_BRANCHES, pc, pos, caps, 1, key))
                    pc = instruction[1][0]
                    if steps > limit:
                        stack.append((_THREAD, pc, pos, caps))
                        break
                    continue
                if op == _JUMP:
                    pc = instruction[1]
                    continue
                if op == _ASSERT:
                    held = _holds(instruction[1], text, pos, n, final)
                    if held:
                        pc += 1
                        continue
                    if held is None:
                        if not fork:
                            stack.append((_THREAD, pc, pos, caps))
                            self._barrier = barrier
                            self._steps = steps
                            return PENDING
                        barrier = self._give_up(stack, barrier)
                    break
                if op == _REPEAT:
                    _, least, most, lazy, slot, out = instruction
                    inside = (*caps[:slot], 0, pos, *caps[slot + 2 :])
                    if least:
                        caps = inside
                        pc += 1
                    elif lazy:
                        stack.append((_THREAD, pc + 1, pos, inside))
                        pc = out
                    else:
                        stack.append((_THREAD, out, pos, caps))
                        caps = inside
                        pc += 1
                    continue
                if op == _UNTIL:
                    _, start, least, most, lazy, slot, out, around = instruction
                    steps += 1
                    count = caps[slot] + 1
                    if most is None and count > least:
                        count = least + 1
                    moved = pos != caps[slot + 1]
                    if known:
                        key = (pc, count, moved) if not around else (_variant_at(pc, around, caps, pos), count, moved)
                        flags = marks.get(key)
                        if flags is not None and pos - base < len(flags) and flags[pos - base]:
                            break
                        if memo:
                            stack.append((_FAILED, key, pos))
                    # As in `regex`, an empty round ends the loop, but for the rounds that there have to be.
                    again = (moved or count <= least) and (most is None or count < most)
                    leave = count >= least
                    inside = (*caps[:slot], count, pos, *caps[slot + 2 :])
                    if again and leave:
                        if lazy:
                            stack.append((_THREAD, start + 1, pos, inside))
                            pc = out
                        else:
                            stack.append((_THREAD, out, pos, caps))
                            caps = inside
                            pc = start + 1
                    elif again:
                        caps = inside
                        pc = start + 1
                    else:
                        pc = out
                    if steps > limit:
                        stack.append((_THREAD, pc, pos, caps))
                        break
                    continue
                if op == _ATOMIC:
                    stack.append((_BARRIER, _IS_ATOMIC, 0, pos, caps, barrier))
                    barrier = len(stack) - 1
                    pc += 1
                    continue
                if op == _AHEAD:
                    stack.append((_BARRIER, instruction[1], instruction[2], pos, caps, barrier))
                    barrier = len(stack) - 1
                    pc += 1
                    continue
                if op == _COMMIT:
                    _, guarded, _, before, _, outer = stack[barrier]
                    del stack[barrier:]
                    barrier = outer
                    if guarded == _IS_NOT_AHEAD:
                        break
                    if guarded == _IS_AHEAD:
                        pos = before
                    pc += 1
                    continue
                if op == _BEHIND:
                    if instruction[1](text, pos) is None:
                        break
                    pc += 1
                    continue
                if op == _IF:
                    pc = pc + 1 if caps[instruction[1] + 1] >= 0 else instruction[2]
                    continue
                # A back-reference.
                slot = instruction[1]
                if caps[slot + 1] < 0:
                    break
                string = text[caps[slot] : caps[slot + 1]]
                if charges:
                    steps += len(string) // _CHARACTERS_PER_STEP
                if text.startswith(string, pos):
                    pos += len(string)
                    pc += 1
                    continue
                if open_end and pos + len(string) > n and string.startswith(text[pos:]):
                    stack.append((_THREAD, pc, pos, caps))
                    self._barrier = barrier
                    self._steps = steps
                    return PENDING
                break

    def _give_up(self, stack: list[tuple[Any, ...]], barrier: int) -> int:
        """A fork has come to the end of the text: what depends on it as a whole fails. The barrier that is left."""
        outermost, place = -1, barrier
        while place >= 0:
            if stack[place][1] != _IS_AHEAD:
                outermost = place
            place = stack[place][5]
        if outermost >= 0:
            barrier = stack[outermost][5]
            del stack[outermost:]
        return barrier


def _variant(pc: int, around: tuple[int, ...], caps: tuple[int, ...]) -> tuple[int, ...]:
    """The key of a loop within counted loops: what they have counted so far."""
    return (pc, *[caps[slot] for slot in around])


def _variant_at(pc: int, around: tuple[int, ...], caps: tuple[int, ...], pos: int) -> Any:
    """The key of a join within counted loops: what they have counted, and which rounds are empty up to here."""
    if not around:
        return pc
    return (pc, *[caps[slot] for slot in around], *[pos > caps[slot + 1] for slot in around])


class FinalSearch:
    """The same questions for a pattern that only `regex` can decide: answered when the text is complete.

    `regex` counts no steps, so the budget bounds the time of a search here: 10 microseconds for each step.
    """

    __slots__ = ("_field", "_found", "_regex", "_seconds", "end", "start")

    def __init__(self, source: str, *, budget: int | None = None, field: str = "") -> None:
        self._regex = regex.compile(source, regex.DOTALL)
        if budget is not None:
            budget = STEP_BUDGET.get() or budget
        self._seconds = None if budget is None else budget * _SECONDS_PER_STEP
        self._field = field
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.start = self.end = 0
        self._found: Any = None

    def find(self, text: str, at: int, final: bool) -> int:
        """As `Search.find`; PENDING at `at` until `final`."""
        return self._ask(self._regex.search, text, at, final)

    def match(self, text: str, at: int, final: bool) -> int:
        """As `Search.match`; PENDING until `final`."""
        return self._ask(self._regex.match, text, at, final)

    def _ask(self, question: Callable[..., Any], text: str, at: int, final: bool) -> int:
        if at >= len(text):
            return NOTHING
        self.start = at
        if not final:
            return PENDING
        try:
            self._found = question(text, at, timeout=self._seconds)
        except TimeoutError:
            raise self._too_long() from None
        if self._found is None or self._found.start() >= len(text):
            return NOTHING
        self.start, self.end = self._found.span()
        return SETTLED

    def _too_long(self) -> LimitError:
        fault = f"the pattern took more than {self._seconds:g} seconds"
        return LimitError("step_budget", fault, self._field or None, self.start)

    def groups(self) -> dict[str, str]:
        """After SETTLED: the text of each named group that took part."""
        return {name: value for name, value in self._found.groupdict().items() if value is not None}

    def finditer(self, text: str) -> Iterator[Any]:
        """All matches in a whole text."""
        try:
            yield from self._regex.finditer(text, timeout=self._seconds)
        except TimeoutError:
            raise self._too_long() from None
