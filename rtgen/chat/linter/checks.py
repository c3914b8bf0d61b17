"""The rules of single expressions: for each class of node, what is wrong with one of its nodes.

A check yields the id of a rule, the node (or offset) to point at, what was found, and, where a table knows better than
the rule, what it breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from jinja2 import nodes

from rtgen.chat.environment import environment
from rtgen.chat.linter import rules
from rtgen.chat.linter.kinds import Kinds


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that a node breaks. `marks` None: what the rule says."""

    rule: str
    node: nodes.Node
    what: str
    marks: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """Where a node stands: in which other one, and among what."""

    kinds: Kinds
    parent: nodes.Node | None
    macros: frozenset[str]


Hits = Iterator[Hit]


def check_call(node: nodes.Call, context: Context) -> Hits:
    """Methods and functions."""
    if isinstance(node.node, nodes.Getattr):
        yield from _method(node, node.node, context)
    elif isinstance(node.node, nodes.Name) and node.node.name not in context.macros:
        name = node.node.name
        if name in rules.GLOBALS:
            yield Hit("J12", node.node, name, rules.GLOBALS[name])
        if name == "namespace" and node.args:
            yield Hit("J13", node.node, "namespace()")


def _method(node: nodes.Call, method: nodes.Getattr, context: Context) -> Hits:
    name = method.attr
    if isinstance(method.node, nodes.Name) and method.node.name == "loop":
        return  # attributes of `loop` are seen where they are read
    if name in rules.CHANGING_METHODS:
        yield Hit("J02", method, f".{name}()")
        return
    if name not in rules.METHODS:
        return
    rule, marks = rules.METHODS[name]
    yield Hit(rule, method, f".{name}()", marks)
    if name in ("strip", "lstrip", "rstrip") and node.args:
        yield Hit("J06", method, f".{name}(...)")
    if name == "split" and len(node.args) != 1:
        yield Hit("J07", method, ".split()", "m! j! l~" if not node.args else "m! j!")
    if name == "replace" and len(node.args) > 2:
        yield Hit("J08", method, ".replace()")
    if name in ("startswith", "endswith") and node.args and isinstance(node.args[0], nodes.Tuple):
        yield Hit("J09", method, f".{name}()")


def check_attribute(node: nodes.Getattr, context: Context) -> Hits:
    """Attributes that are not called, and those of `loop`."""
    if isinstance(node.node, nodes.Name) and node.node.name == "loop":
        if node.attr in rules.LOOP_MEMBERS:
            yield Hit("J11", node, f"loop.{node.attr}", rules.LOOP_MEMBERS[node.attr])
    elif node.attr in rules.SHADOWED_KEYS and not (
        isinstance(context.parent, nodes.Call) and context.parent.node is node
    ):
        yield Hit("J14", node, f".{node.attr}")


def check_filter(node: nodes.Filter, context: Context) -> Hits:
    """Filters and their arguments."""
    name = node.name
    keywords: dict[str, nodes.Node] = {str(pair.key): pair.value for pair in node.kwargs}
    if name not in environment().filters:
        yield Hit("J15", node, f"the filter {name}")
        return
    marks = rules.FILTERS.get(name, "" if name in rules.PORTABLE_FILTERS else rules.MANY_LACK)
    if marks and not (name == "replace" and len(node.args) > 2):
        yield Hit("J16", node, name, marks)
    if name == "replace" and len(node.args) > 2:
        yield Hit("J08", node, "|replace", "l! j!")
    if name == "trim" and (node.args or keywords):
        yield Hit("J22", node, "|trim(...)")
    if name == "tojson":
        if node.args:
            yield Hit("J17", node, "|tojson(...)")
        for key in sorted(keywords.keys() & rules.TOJSON_ARGUMENTS.keys()):
            yield Hit("J18", node, key, rules.TOJSON_ARGUMENTS[key])
        if node.node is None or context.kinds.of(node.node) not in ("int", "bool", "none"):
            yield Hit("J18b", node, "|tojson")
    if name == "default":
        if "boolean" in keywords:
            yield Hit("J19", node, "|default(...)")
        elif len(node.args) < 2:
            yield Hit("J19b", node, "|default(...)")
    if name == "map" and node.args:
        yield Hit("J20", node, "|map(...)")
    if name in ("selectattr", "rejectattr"):
        yield from _attribute_test(node)
    if name in ("string", "list") and node.node is not None:
        yield from _conversion(node, context.kinds.of(node.node))
    if name in ("length", "count") and node.node is not None and context.kinds.of(node.node) == "str":
        yield Hit("J48", node, f"|{name} of a string")


def _attribute_test(node: nodes.Filter) -> Hits:
    test = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], nodes.Const) else None
    what = f"|{node.name}(...)"
    if len(node.args) < 2:
        yield Hit("J21", node, what)
    elif test not in rules.ATTRIBUTE_TESTS:
        yield Hit("J21", node, what, "h! l! j!")
    elif rules.ATTRIBUTE_TESTS[test]:
        yield Hit("J21", node, what, rules.ATTRIBUTE_TESTS[test])


def _conversion(node: nodes.Filter, kind: str | None) -> Hits:
    if node.name == "string":
        if kind in ("none", "dict"):
            yield Hit("J23", node, "|string")
        elif kind == "bool":
            yield Hit("J35", node, "true or false")
        elif kind is None:
            yield Hit("J23", node, "|string", "h?")
    elif kind in ("dict", "str"):
        yield Hit("J23", node, "|list", "h! l! j!")


def check_test(node: nodes.Test, context: Context) -> Hits:
    """Tests, `x is ...`."""
    name = node.name
    if name not in environment().tests:
        yield Hit("J15", node, f"the test {name}")
        return
    if name in ("sequence", "iterable"):
        yield from _sequence(node, context)
    elif rules.TESTS.get(name, rules.MANY_LACK):
        yield Hit("J25" if node.args else "J24", node, f"`is {name}`", rules.TESTS.get(name))
    if name == "defined" and isinstance(node.node, nodes.Name) and node.node.name in ("tools", "documents"):
        yield Hit("J45", node, f"`{node.node.name} is defined`")


def _sequence(node: nodes.Test, context: Context) -> Hits:
    kind = context.kinds.of(node.node)
    if kind in ("list", "tuple"):
        return
    marks = "m~ p~ j~" if kind == "str" and node.name == "sequence" else None
    if node.name == "iterable" and isinstance(node.node, nodes.Name) and node.node.name in ("tools", "documents"):
        marks = "m~ p~"  # these are none where there are none, and minijinja loops over none
    yield Hit("J26", node, f"`is {node.name}`", marks)


def check_binary(node: nodes.BinExpr, context: Context) -> Hits:
    """Operators."""
    left, right = context.kinds.of(node.left), context.kinds.of(node.right)
    if isinstance(node, nodes.Mod):
        if left == "str":
            yield Hit("J27", node, "%")
        elif any(
            isinstance(part, (nodes.Neg, nodes.Sub))
            for part in (node.left, *node.left.find_all((nodes.Neg, nodes.Sub)))
        ):
            yield Hit("J28", node, "%")
    elif isinstance(node, (nodes.FloorDiv, nodes.Pow)):
        yield Hit("J29", node, "//" if isinstance(node, nodes.FloorDiv) else "**")
    elif isinstance(node, nodes.Mul) and "str" in (left, right):
        yield Hit("J52", node, "*")
    elif isinstance(node, nodes.Add):
        numbers = ("int", "float", "bool", "none")
        if (left == "str" and right in numbers) or (right == "str" and left in numbers):
            yield Hit("J44", node, "+")
        for operand in (node.left, node.right):  # `~` joins without escaping
            if isinstance(operand, nodes.Filter) and operand.name == "safe":
                yield Hit("J47", operand, "|safe")


def check_concat(node: nodes.Concat, context: Context) -> Hits:
    """`~`."""
    for operand in node.nodes:
        kind = context.kinds.of(operand)
        if kind in ("bool", "none", "float", "list", "dict"):
            yield Hit("J56", operand, "~", "h! l~" if kind == "none" else "h~")


def check_compare(node: nodes.Compare, context: Context) -> Hits:
    """Comparisons."""
    if len(node.ops) > 1:
        yield Hit("J32", node, "this")
        return
    (operand,) = node.ops
    left, right = context.kinds.of(node.expr), context.kinds.of(operand.expr)
    if operand.op in ("eq", "ne"):
        if "list" in (left, right) and left == right:
            yield Hit("J49", node, "this")
        elif {left, right} in ({"str", "int"}, {"str", "float"}):
            yield Hit("J49", node, "this", "h~ l~")
    elif operand.op in ("lt", "lteq", "gt", "gteq") and "str" in (left, right):
        yield Hit("J51", node, "this")


def check_item(node: nodes.Getitem, context: Context) -> Hits:
    """Slices."""
    if isinstance(node.arg, nodes.Slice) and node.arg.step is not None:
        yield Hit("J33", node, "a slice with a step", "j~" if context.kinds.of(node.node) == "str" else None)


def check_dict(node: nodes.Dict, context: Context) -> Hits:
    """Keys of dicts."""
    for pair in node.items:
        if isinstance(pair.key, nodes.Const) and not isinstance(pair.key.value, str):
            yield Hit("J53", pair.key, repr(pair.key.value))


def check_positive(node: nodes.Pos, context: Context) -> Hits:
    """Unary plus."""
    yield Hit("J58", node, "+")


EXPRESSION_CHECKS: dict[type[nodes.Node], Callable[[Any, Context], Hits]] = {
    nodes.Call: check_call,
    nodes.Getattr: check_attribute,
    nodes.Filter: check_filter,
    nodes.Test: check_test,
    nodes.BinExpr: check_binary,
    nodes.Concat: check_concat,
    nodes.Compare: check_compare,
    nodes.Getitem: check_item,
    nodes.Dict: check_dict,
    nodes.Pos: check_positive,
}
"""By class of expression: its check."""
