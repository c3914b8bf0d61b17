"""From a pattern's tree to the program of the matcher (`rtgen.runtime.pattern`).

A program is a tuple of instructions, each a tuple of strings, integers, booleans and None: generated modules hold it as
a constant.  The index of an instruction is its address; without a jump the next one follows.

    ("start", names, slots, memo, lead, tails, needs, skip)
                                  always at 0. names: ((group name, slot), ...); slots: how many a thread carries;
                                  memo: remember failures ("off": cannot pay, "on", or "never": captures decide);
                                  lead: how candidates for a start are found; tails: strings, with one of which every
                                  match ends, or None; needs: a string that stands somewhere behind the start of
                                  every match, or ""; skip: (address, characters) of the loop over which failed
                                  starts are skipped, and what else a match can start with, or None
    ("literal", text)             these characters
    ("class", source)             one character of the class
    ("loop", source, least, most, mode)         a run of a class; mode: greedy, lazy, possessive
    ("save", slot)                the position goes to the slot
    ("split", address, ...)       the first address that leads to a match
    ("jump", address)
    ("repeat", least, most, lazy, slot, exit)   a counted loop, or one whose rounds can be empty; count in the slot,
    ("until", address)            where the round began in the slot after it; `until` ends the round
    ("atomic", ) ... ("commit",)  no second try of what stands between
    ("ahead", negative, address) ... ("commit",)   lookahead; address: what follows it
    ("behind", source)            lookbehind, decided by `regex`
    ("back", slot)                what the group with this slot has matched
    ("if", slot, address)         go to the address unless the group took part
    ("assert", kind)              a place in the text, see `nodes.Assertion`
    ("match",)

Lead: ("beginnings", strings, classes, places, runs), see `rtgen.pattern.beginnings`; ("any",).
"""

from __future__ import annotations

from typing import Any

from rtgen.pattern.beginnings import beginnings, class_source
from rtgen.pattern.facts import has_backreference, is_opaque, is_single, linear_in_regex, walk, width
from rtgen.pattern.nodes import (
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
    Repeat,
    Sequence,
)

Program = tuple[Any, ...]

MOST_TAILS = 16
LONGEST_FOLDED = 400


def compile_program(node: Node) -> Program:
    """The program of a pattern. Raises ValueError for an opaque one, which has none."""
    if is_opaque(node):
        raise ValueError("a pattern outside the promise has no program")
    writer = _Writer(node)
    writer.write(node)
    writer.add("match")
    memo = "never" if has_backreference(node) else "off" if linear_in_regex(node) else "on"
    names = tuple((name, writer.slots[index]) for name, index in writer.names.items())
    start = ("start", names, writer.count, memo, lead(node), tails(node), needs(node), _skip(writer.code))
    return (start, *map(tuple, writer.code[1:]))


class _Writer:
    """Instructions in the order of the tree."""

    def __init__(self, node: Node) -> None:
        self.code: list[list[Any]] = [["start"]]
        parts = list(walk(node))
        self.names = {part.name: part.index for part in parts if isinstance(part, Group) and part.name is not None}
        referred = {part.index for part in parts if isinstance(part, (BackReference, Conditional))}
        wanted = dict.fromkeys([*self.names.values(), *sorted(referred)])
        self.slots = {index: 2 * place for place, index in enumerate(wanted)}
        self.count = 2 * len(self.slots)

    def add(self, *instruction: Any) -> list[Any]:
        added = list(instruction)
        self.code.append(added)
        return added

    def here(self) -> int:
        return len(self.code)

    def write(self, node: Node) -> None:
        if isinstance(node, Literal):
            self.add("literal", node.text)
        elif isinstance(node, CharClass):
            self.add("class", node.source)
        elif isinstance(node, Sequence):
            for item in node.items:
                self.write(item)
        elif isinstance(node, Alternation):
            self.branches(node.branches)
        elif isinstance(node, Repeat):
            self.repeat(node)
        elif isinstance(node, Group):
            self.group(node)
        elif isinstance(node, Atomic):
            self.add("atomic")
            self.write(node.item)
            self.add("commit")
        elif isinstance(node, Look):
            self.look(node)
        elif isinstance(node, Assertion):
            self.add("assert", node.kind)
        elif isinstance(node, BackReference):
            self.add("back", self.slots[node.index])
        elif isinstance(node, Conditional):
            condition = self.add("if", self.slots[node.index])
            self.write(node.yes)
            jump = self.add("jump")
            condition.append(self.here())
            self.write(node.no)
            jump.append(self.here())
        else:
            raise AssertionError(node)

    def branches(self, branches: tuple[Node, ...]) -> None:
        split = self.add("split")
        jumps = []
        for place, branch in enumerate(branches):
            split.append(self.here())
            self.write(branch)
            if place < len(branches) - 1:
                jumps.append(self.add("jump"))
        for jump in jumps:
            jump.append(self.here())

    def group(self, node: Group) -> None:
        slot = self.slots.get(node.index)
        if slot is None:
            self.write(node.item)
        else:
            self.add("save", slot)
            self.write(node.item)
            self.add("save", slot + 1)

    def look(self, node: Look) -> None:
        if not node.ahead:
            self.add("behind", node.source)
            return
        look = self.add("ahead", node.negative)
        captures = any(isinstance(part, Group) and part.index in self.slots for part in walk(node.item))
        self.write(node.item if captures else _shortest_first(node.item))
        self.add("commit")
        look.append(self.here())

    def repeat(self, node: Repeat) -> None:
        item, least, most, mode = node.item, node.least, node.most, node.mode
        if most == 0:
            return
        if is_single(item):
            if (least, most) == (1, 1):
                self.write(item)
            else:
                self.add("loop", class_source(item), least, most, mode)
            return
        if mode == "possessive":
            self.write(Atomic(Repeat(item, least, most, "greedy")))
            return
        if isinstance(item, Literal) and least == most and least * len(item.text) <= LONGEST_FOLDED:
            self.add("literal", item.text * least)
            return
        lazy = mode == "lazy"
        nullable = width(item)[0] == 0
        if (least, most) == (0, 1):
            split = self.add("split")
            body = self.here()
            self.write(item)
            split += [self.here(), body] if lazy else [body, self.here()]
        elif (least, most) == (0, None) and not nullable:
            start = self.here()
            split = self.add("split")
            body = self.here()
            self.write(item)
            self.add("jump", start)
            split += [self.here(), body] if lazy else [body, self.here()]
        elif (least, most) == (1, None) and not nullable:
            start = self.here()
            self.write(item)
            after = self.here() + 1
            self.add("split", *((after, start) if lazy else (start, after)))
        else:
            slot = self.count
            self.count += 2
            start = self.here()
            counted = self.add("repeat", least, most, lazy, slot)
            self.write(item)
            self.add("until", start)
            counted.append(self.here())


def _shortest_first(node: Node) -> Node:
    """The body of a lookahead, of which only the existence of a match counts: found sooner if loops are lazy."""
    if isinstance(node, Repeat) and node.mode != "possessive":
        return Repeat(_shortest_first(node.item), node.least, node.most, "lazy")
    if isinstance(node, Sequence):
        return Sequence(tuple(map(_shortest_first, node.items)))
    if isinstance(node, Alternation):
        return Alternation(tuple(map(_shortest_first, node.branches)))
    if isinstance(node, Group):
        return Group(_shortest_first(node.item), node.index, node.name)
    return node


def lead(node: Node) -> tuple[Any, ...]:
    """How candidates for the start of a match are found; see the head of this module."""
    found = beginnings(node)
    if found is None:
        return ("any",)
    return ("beginnings", found.strings, found.classes, found.places, found.runs)


def needs(node: Node) -> str:
    """The longest of the strings that every match, or a lookahead behind its start, is certain to hold; or ""."""
    if isinstance(node, Literal):
        return node.text
    if isinstance(node, Sequence):
        return max(map(needs, node.items), key=len, default="")
    if isinstance(node, (Group, Atomic)) or (isinstance(node, Repeat) and node.least > 0):
        return needs(node.item)
    if isinstance(node, Look) and node.ahead and not node.negative:
        return needs(node.item)
    return ""


def tails(node: Node) -> tuple[str, ...] | None:
    """Strings of which one ends every match; None where there are no such few strings."""
    found = _tails(node)
    return None if not found or "" in found or len(found) > MOST_TAILS else tuple(dict.fromkeys(found))


def _tails(node: Node) -> list[str]:
    if isinstance(node, Literal):
        return [node.text]
    if isinstance(node, (Group, Atomic)):
        return _tails(node.item)
    if isinstance(node, Sequence):
        return _tails(node.items[-1]) if node.items else [""]
    if isinstance(node, Alternation):
        return [string for branch in node.branches for string in _tails(branch)]
    if isinstance(node, Repeat) and node.least > 0 and not is_single(node.item):
        return _tails(node.item)
    return [""]


def _skip(code: list[list[Any]]) -> tuple[int, str] | None:
    """The loop that a start can enter at once, if all else that it can do there is a literal; their first characters.

    When a start has failed, the starts within the run of that loop fail as well, where no such literal can begin.
    """
    found = None
    chars: set[str] = set()
    pending, seen = [1], set()
    while pending:
        address = pending.pop()
        if address in seen:
            continue
        seen.add(address)
        instruction = code[address]
        kind = instruction[0]
        if kind == "split":
            pending += instruction[1:]
        elif kind == "save":
            pending.append(address + 1)
        elif kind == "jump":
            pending.append(instruction[1])
        elif kind == "literal":
            chars.add(instruction[1][0])
        elif kind == "loop" and found is None and instruction[3] is None:
            found = address
        else:
            return None
    return None if found is None else (found, "".join(sorted(chars)))
