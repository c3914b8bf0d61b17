"""Reading regex source: `parse` turns a pattern into the tree of `nodes`.

The language is that of `regex.compile(pattern, regex.DOTALL)` in version-0 behaviour; the pattern has been accepted by
it before, so nothing is refused here.  What the matcher cannot reproduce exactly makes the whole tree one `Opaque`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from rtgen.pattern.facts import children, walk, width
from rtgen.pattern.nodes import (
    ANY,
    EMPTY,
    Alternation,
    Assertion,
    Atomic,
    BackReference,
    CharClass,
    Conditional,
    Group,
    Literal,
    Look,
    Node,
    Opaque,
    Repeat,
    Sequence,
)

IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII = 1, 2, 4, 8, 16

_LETTERS = {"i": IGNORECASE, "m": MULTILINE, "s": DOTALL, "x": VERBOSE, "a": ASCII, "u": 0, "V0": 0}
_FOREIGN_FLAGS = {
    "b": "best-match flag (?b)",
    "e": "enhance-match flag (?e)",
    "f": "full case-folding (?f)",
    "L": "locale flag (?L)",
    "p": "POSIX matching (?p)",
    "r": "reverse search (?r)",
    "V1": "version-1 behaviour (?V1)",
    "w": "word flag (?w)",
}
_OUTSIDE_ESCAPES = {
    "G": "search anchor \\G",
    "K": "keep \\K",
    "L": "named list \\L<...>",
    "R": "line break \\R",
    "X": "grapheme \\X",
}
_CONTROL = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_HEX = {"x": 2, "u": 4, "U": 8}
_DIGITS = frozenset("0123456789")
_OCTAL = frozenset("01234567")
_ALNUM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_PROPERTY_PART = _ALNUM | frozenset(" &_-.")
_PROPERTY_VALUE_PART = _ALNUM | frozenset(" &_-./")
_NAME_PART = _ALNUM | frozenset(" -")
_FUZZY = re.compile(r"\d*(?:<=?)?[deis]")
_EVERYTHING = {f"[\\{one}\\{other}]" for one, other in ("sS", "Ss", "wW", "Ww", "dD", "Dd")}
_NO_QUANTIFIER = (-1, -1)


class OutsidePromise(Exception):
    """A construct that the tree does not model; its argument names it for a person."""


def parse(pattern: str) -> Node:
    """The tree of `pattern`, which `regex.compile(pattern, regex.DOTALL)` accepts.

    A pattern with any construct outside the promise gives a lone `Opaque` of its whole source.
    """
    try:
        parser = _Parser(pattern)
        return parser.whole()
    except OutsidePromise as outside:
        return Opaque(pattern, str(outside))
    except RecursionError:
        return Opaque(pattern, "groups nested too deeply")


class _Reader:
    """Characters of the source in order; in verbose mode, blanks and comments between them are passed over."""

    def __init__(self, source: str) -> None:
        self.source, self.at, self.verbose = source, 0, False

    def _skipped(self, at: int) -> int:
        source = self.source
        while at < len(source):
            if source[at].isspace():
                at += 1
            elif source[at] == "#":
                at = source.find("\n", at)
                if at < 0:
                    return len(source)
            else:
                break
        return at

    def get(self, verbatim: bool = False) -> str:
        """The next character, or "" at the end."""
        if self.verbose and not verbatim:
            self.at = self._skipped(self.at)
        char = self.source[self.at : self.at + 1]
        self.at += len(char)
        return char

    def take(self, wanted: str) -> bool:
        """Whether `wanted` comes next; if so, go past it."""
        at = self.at
        for char in wanted:
            if self.verbose:
                at = self._skipped(at)
            if self.source[at : at + 1] != char:
                return False
            at += 1
        self.at = at
        return True

    def expect(self, wanted: str) -> None:
        if not self.take(wanted):
            raise OutsidePromise(f"source where {wanted!r} is missing")

    def take_while(self, accepted: Callable[[str], bool], keep_blanks: bool = False) -> str:
        """The longest run of accepted characters from here."""
        taken: list[str] = []
        while True:
            if self.verbose and not keep_blanks:
                self.at = self._skipped(self.at)
            char = self.source[self.at : self.at + 1]
            if not char or not accepted(char):
                return "".join(taken)
            taken.append(char)
            self.at += 1

    def name(self) -> str:
        return self.take_while(lambda char: char not in ")>")


class _Parser(_Reader):
    """Recursive descent over the source. `flags` are those in force at the place that is being read."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.flags = DOTALL
        self.groups = 0
        self.index_of: dict[str, int] = {}
        self.open: list[int] = []

    def set_flags(self, flags: int) -> None:
        self.flags, self.verbose = flags, bool(flags & VERBOSE)

    def whole(self) -> Node:
        node = self.alternation()
        if self.verbose:
            self.at = self._skipped(self.at)
        if self.at < len(self.source):
            raise OutsidePromise("source that does not end where it should")
        _check_lookbehinds(node)
        _check_negated(node)
        return node

    def alternation(self) -> Node:
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Alternation(tuple(branches))

    def scoped(self, flags: int) -> Node:
        """An alternation under `flags` up to the closing parenthesis; the flags outside are those of before."""
        saved = self.flags
        self.set_flags(flags)
        node = self.alternation()
        self.expect(")")
        self.set_flags(saved)
        return node

    def sequence(self) -> Node:
        items: list[Node] = []
        while True:
            before = self.at
            char = self.get()
            if char == "" or char in ")|":
                self.at = before
                return sequence_of(items)
            if char == "\\":
                items.append(self.escape())
            elif char == "(":
                item = self.parenthesis()
                if item is not None:
                    items.append(item)
            elif char == ".":
                items.append(ANY if self.flags & DOTALL else CharClass("(?-s:.)"))
            elif char == "[":
                items.append(self.char_set())
            elif char == "^":
                items.append(Assertion("line_start" if self.flags & MULTILINE else "text_start"))
            elif char == "$":
                items.append(Assertion("line_end" if self.flags & MULTILINE else "final_end"))
            elif char in "?*+{":
                least, most = self.quantifier(char)
                if least is not None and least < 0:
                    items.append(self.character(char))
                else:
                    self.repeat(items, least, most)
            else:
                items.append(self.character(char))

    def quantifier(self, char: str) -> tuple[int, int | None]:
        """Least and most repetitions; `_NO_QUANTIFIER` where a brace stands for itself."""
        if char != "{":
            return {"?": (0, 1), "*": (0, None), "+": (1, None)}[char]
        before = self.at
        least = self.take_while(_DIGITS.__contains__)
        if self.take(","):
            most = self.take_while(_DIGITS.__contains__)
            if self.take("}"):
                return int(least or 0), int(most) if most else None
        elif least and self.take("}"):
            return int(least), int(least)
        self.at = before
        rest = self.source[before:]
        if _FUZZY.match("".join(rest.split()) if self.verbose else rest) or (self.verbose and "#" in rest):
            raise OutsidePromise("fuzzy matching {...}")
        return _NO_QUANTIFIER

    def repeat(self, items: list[Node], least: int, most: int | None) -> None:
        before = self.at
        suffix = self.get()
        if suffix != "" and suffix not in "?+":
            self.at = before
            suffix = ""
        item = items.pop()
        if is_empty(item) or (least, most) == (1, 1):  # as `regex` does: such a quantifier counts for nothing
            items.append(item)
        elif suffix == "?":
            items.append(Repeat(item, least, most, "lazy"))
        else:
            items.append(Repeat(item, least, most, "possessive" if suffix == "+" else "greedy"))

    # Characters.

    def character(self, char: str) -> Node:
        """`char` standing for itself, or for its other case too."""
        if self.flags & IGNORECASE and (char.isalpha() or ord(char) > 127):
            if self.flags & ASCII:
                raise OutsidePromise("case-insensitive letters under the ASCII flag")
            return CharClass(f"(?i:{_quoted(char)})")
        return Literal(char)

    def class_source(self, source: str, cased: bool) -> Node:
        """A class of this source under the flags in force; `cased`: what it means can depend on IGNORECASE."""
        if self.flags & IGNORECASE and cased:
            if self.flags & ASCII:
                raise OutsidePromise("a case-insensitive class under the ASCII flag")
            return CharClass(f"(?i:{source})")
        return CharClass(f"(?a:{source})" if self.flags & ASCII else source)

    def escape(self) -> Node:
        start = self.at - 1
        char = self.get(verbatim=True)
        if char in _OUTSIDE_ESCAPES:
            raise OutsidePromise(_OUTSIDE_ESCAPES[char])
        if char == "g":
            before = self.at
            reference = self.take("<") and self.reference_name(">")
            if reference:
                return self.back_reference(reference)
            self.at = before
            return self.character("g")
        if char in "AZz":
            return Assertion("text_start" if char == "A" else "text_end")
        if char in "bBmM":
            if self.flags & ASCII:
                raise OutsidePromise(f"\\{char} under the ASCII flag")
            if char == "b":
                return Assertion("boundary")
            return Assertion("not_boundary" if char == "B" else "word_start" if char == "m" else "word_end")
        if char in "123456789":
            return self.numbered(char)
        value = self.plain_escape(char)
        if value is not None:
            return self.character(value) if char not in _CONTROL else Literal(value)
        if char == "h" and self.flags & ASCII:
            raise OutsidePromise("\\h under the ASCII flag")
        source = self.source[start : self.at]
        if char in "pP":
            if self.verbose and self.flags & ASCII:
                raise OutsidePromise("a property in verbose mode under the ASCII flag")
            return self.class_source(f"(?x:{source})" if self.verbose else source, cased=True)
        return self.class_source("\\" + char, cased=False)

    def plain_escape(self, char: str) -> str | None:
        """The character that the escape with this letter stands for, or None where it is a class (read whole)."""
        if char in _HEX:
            return chr(int("".join(self.get() for _ in range(_HEX[char])), 16))
        if char == "N":
            before = self.at
            if self.take("{"):
                name = self.take_while(_NAME_PART.__contains__, keep_blanks=True)
                if self.take("}"):
                    return unicodedata.lookup(name)
            self.at = before
            return "N"
        if char in "pP":
            before = self.at
            if self.take("{"):
                self.take("^")
                self.property_name()
                if self.take("}"):
                    return None
                self.at = before
                return char
            letter = self.get()
            if letter and letter in "CLMNPSZ":
                return None
            self.at = before
            return char
        if char in "dDhsSwW":
            return None
        if char in _CONTROL:
            return _CONTROL[char]
        if char in _DIGITS:
            digits = char
            while len(digits) < 3:
                before = self.at
                more = self.get()
                if more not in _OCTAL:
                    self.at = before
                    break
                digits += more
            return chr(int(digits, 8))
        return char

    def property_name(self) -> None:
        self.take_while(_PROPERTY_PART.__contains__)
        before = self.at
        if self.get() in (":", "=") and self.take_while(_PROPERTY_VALUE_PART.__contains__).strip():
            return
        self.at = before

    def numbered(self, digit: str) -> Node:
        """`\\1`: a back-reference, or three octal digits."""
        digits = digit
        before = self.at
        char = self.get()
        if char in _DIGITS:
            digits += char
            before = self.at
            char = self.get()
            if char in _OCTAL and all(d in _OCTAL for d in digits):
                return self.character(chr(int(digits + char, 8) & 0x1FF))
        self.at = before
        return self.back_reference(digits)

    def back_reference(self, name: str) -> Node:
        if self.flags & IGNORECASE:
            raise OutsidePromise("a case-insensitive back-reference")
        return BackReference(self.group_index(name))

    def group_index(self, name: str) -> int:
        if name.isdigit():
            return int(name)
        if name not in self.index_of:
            raise OutsidePromise("a reference to a group that comes later")
        return self.index_of[name]

    def reference_name(self, closing: str) -> str:
        """The group named here, or "" where `regex` takes the source for something else."""
        name = self.name()
        if name.isdigit():
            valid = int(name) > 0 and int(name) not in self.open
        else:
            valid = name.isidentifier() and self.index_of.get(name) not in self.open
        return name if valid and self.take(closing) else ""

    def char_set(self) -> Node:
        """`[...]`, from behind its bracket; blanks count even in verbose mode."""
        start = self.at - 1
        self.verbose = False
        negative = self.take("^")
        only = self.set_member()
        single = True
        posix = self.source.startswith("[:", start + 1)
        while not self.take("]"):
            posix = posix or self.source.startswith("[:", self.at)
            self.set_member()
            single = False
        self.verbose = bool(self.flags & VERBOSE)
        if posix and self.flags & ASCII:
            raise OutsidePromise("a POSIX class under the ASCII flag")
        if single and only is not None and not negative and not self.flags & IGNORECASE:
            return Literal(only)
        source = self.source[start : self.at]
        return ANY if source in _EVERYTHING else self.class_source(source, cased=True)

    def set_member(self) -> str | None:
        """Read an item or a range; the character if it is a single one."""
        item = self.set_item()
        if item is None:
            return None
        before = self.at
        if not self.take("-"):
            return item
        if self.take("]"):
            self.at = before
            return item
        self.set_item()
        return None

    def set_item(self) -> str | None:
        if self.take("\\"):
            char = self.get()
            return self.plain_escape(char)
        before = self.at
        if self.take("[:"):
            self.take("^")
            self.property_name()
            if self.take(":]"):
                return None
            self.at = before
        return self.get()

    # Parentheses.

    def parenthesis(self) -> Node | None:
        """What stands behind `(`; None for a comment or for flags."""
        start = self.at - 1
        if self.source.startswith("*", self.at) and self.source[self.at + 1 : self.at + 2].isalpha():
            raise OutsidePromise("a backtracking verb")
        if not self.source.startswith("?", self.at):
            return self.group(None)
        self.at += 1
        char = self.get(verbatim=True)
        if char == "<":
            before = self.at
            sign = self.get()
            if sign in ("=", "!"):
                return self.look(start, False, sign == "!")
            self.at = before
            return self.named_group()
        if char in ("=", "!"):
            return self.look(start, True, char == "!")
        if char == "P":
            return self.extension()
        if char == "#":
            self.comment()
            return None
        if char == "(":
            return self.conditional()
        if char == ">":
            return Atomic(self.scoped(self.flags))
        if char == "|":
            return self.branch_reset()
        if char in ("R", "&", "+") or char in _DIGITS or self.source[self.at - 1 : self.at + 1].lstrip("-").isdigit():
            raise OutsidePromise("recursion")
        self.at -= len(char)
        return self.flag_group()

    def group(self, name: str | None) -> Node:
        index = self.index_of.get(name) if name else None
        if index is None:
            self.groups += 1
            while name and self.groups in self.index_of.values():
                self.groups += 1
            index = self.groups
            if name:
                self.index_of[name] = index
        if index in self.open:
            raise OutsidePromise("a group within a group of the same name")
        self.open.append(index)
        node = Group(self.scoped(self.flags), index, name)
        self.open.pop()
        return node

    def named_group(self) -> Node:
        name = self.name()
        self.expect(">")
        return self.group(name)

    def extension(self) -> Node:
        sign = self.get()
        if sign == "<":
            return self.named_group()
        if sign == "=":
            name = self.name()
            self.expect(")")
            return self.back_reference(name)
        raise OutsidePromise("recursion")

    def comment(self) -> None:
        while (char := self.get(verbatim=True)) not in ("", ")"):
            if char == "\\":
                self.get(verbatim=True)

    def conditional(self) -> Node:
        saved = self.flags
        if self.source.startswith("?", self.at):
            raise OutsidePromise("a lookaround as a condition")
        name = self.name()
        self.expect(")")
        if name == "DEFINE":
            raise OutsidePromise("a group of definitions")
        index = self.group_index(name)
        yes = self.sequence()
        no = self.sequence() if self.take("|") else EMPTY
        self.expect(")")
        self.set_flags(saved)
        return EMPTY if is_empty(yes) and is_empty(no) else Conditional(index, yes, no)

    def branch_reset(self) -> Node:
        saved, first = self.flags, self.groups
        branches = [self.sequence()]
        last = self.groups
        while self.take("|"):
            self.groups = first
            branches.append(self.sequence())
            last = max(last, self.groups)
        self.groups = last
        self.expect(")")
        if self.flags != saved:
            raise OutsidePromise("flags that leave a branch-reset group")
        return branches[0] if len(branches) == 1 else Alternation(tuple(branches))

    def look(self, start: int, ahead: bool, negative: bool) -> Node:
        flags = self.flags
        item = self.scoped(flags)
        source = self.source[start : self.at]
        on = "".join(letter for letter in "imxa" if flags & _LETTERS[letter])
        off = "" if flags & DOTALL else "-s"
        return Look(item, ahead, negative, f"(?{on}{off}:{source})" if on or off else source)

    def flag_group(self) -> Node | None:
        on, off = self.flag_letters(), 0
        if self.take("-"):
            off = self.flag_letters()
        flags = (self.flags | on) & ~off
        if self.take(":"):
            if self.flags & ASCII:
                raise OutsidePromise("scoped flags under the ASCII flag")
            return self.scoped(flags)
        if on & ASCII and (self.at != self.source.find(")") or not self.source.startswith("(?")):
            raise OutsidePromise("the ASCII flag in the midst of a pattern")
        self.expect(")")
        self.set_flags(flags)
        return None

    def flag_letters(self) -> int:
        flags = 0
        while True:
            before = self.at
            letter = self.get()
            if letter == "V":
                letter += self.get()
            if letter in _FOREIGN_FLAGS:
                raise OutsidePromise(_FOREIGN_FLAGS[letter])
            if letter not in _LETTERS:
                self.at = before
                return flags
            if letter == "u" and self.flags & ASCII:
                raise OutsidePromise("the Unicode flag under the ASCII flag")
            flags |= _LETTERS[letter]


def _check_lookbehinds(node: Node) -> None:
    """Lookbehinds are left to `regex`, which sees the text up to their place: nothing in them may need more."""
    parts = list(walk(node))
    referred = {part.index for part in parts if isinstance(part, (BackReference, Conditional))}
    for part in parts:
        if not isinstance(part, Look) or part.ahead:
            continue
        for inner in walk(part.item):
            if isinstance(inner, (BackReference, Conditional)) or (isinstance(inner, Look) and inner.ahead):
                raise OutsidePromise("a lookbehind that holds a reference or a lookahead")
            if isinstance(inner, Group) and (inner.name is not None or inner.index in referred):
                raise OutsidePromise("a lookbehind that captures")
        if "\\g" in part.source:
            raise OutsidePromise("a lookbehind that holds \\g")
        if _looks_right(part.item, 0):
            raise OutsidePromise("a lookbehind that looks ahead")


def _check_negated(node: Node) -> None:
    """`regex` joins alternatives such as `[^a]|[^b]` to one set, and gets it wrong."""
    for part in walk(node):
        if isinstance(part, Alternation) and sum(map(_has_negated, part.branches)) > 1:
            raise OutsidePromise("alternatives between negated classes, which regex misreads")


def _has_negated(branch: Node) -> bool:
    if isinstance(branch, (Sequence, Alternation)):
        return any(map(_has_negated, children(branch)))
    return isinstance(branch, CharClass) and "[^" in branch.source


def _looks_right(node: Node, after: int) -> bool:
    """Whether an assertion in the node needs a character behind its end; `after`: the least that follows it there."""
    if isinstance(node, Assertion):
        if node.kind in ("text_start", "line_start"):
            return False
        return after < 1 or node.kind in ("text_end", "final_end", "line_end")
    if isinstance(node, Sequence):
        for item in reversed(node.items):
            if _looks_right(item, after):
                return True
            after += width(item)[0]
        return False
    return any(_looks_right(child, after) for child in children(node))


def is_empty(node: Node) -> bool:
    """Whether `regex` takes the item for one that is always empty (assertions apart), and drops its quantifier."""
    if isinstance(node, Sequence):
        return all(map(is_empty, node.items))
    if isinstance(node, Alternation):
        return all(map(is_empty, node.branches))
    if isinstance(node, (Atomic, Repeat)):
        return is_empty(node.item)
    if isinstance(node, Look):
        return not node.negative and is_empty(node.item)
    if isinstance(node, Conditional):
        return is_empty(node.yes) and is_empty(node.no)
    return False


def sequence_of(items: list[Node]) -> Node:
    """The items as one node: nested sequences dissolved, neighbouring literals joined."""
    flat: list[Node] = []
    for item in items:
        for part in item.items if isinstance(item, Sequence) else (item,):
            last = flat[-1] if flat else None
            if isinstance(part, Literal) and isinstance(last, Literal):
                flat[-1] = Literal(last.text + part.text)
            else:
                flat.append(part)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def _quoted(char: str) -> str:
    return char if char.isalnum() else f"\\x{ord(char):02x}" if ord(char) < 256 else char
