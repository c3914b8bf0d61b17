"""The rules of statements, and of what is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import nodes

from rtgen.chat.linter.checks import EXPRESSION_CHECKS, Context, Hit, Hits
from rtgen.chat.linter.kinds import Kind

_PRINTED: dict[Kind, tuple[str, str, str]] = {
    "list": ("J34", "a list", "h~ l~"),
    "dict": ("J34", "a dict", "h~ l~ j~"),
    "tuple": ("J34", "a tuple", "h! l~"),
    "bool": ("J35", "true or false", "h~"),
    "none": ("J35", "none", "h~ l~ j~"),
}
"""By kind of what is printed: the rule, what it is, what breaks."""

_STATEMENTS: dict[type[nodes.Node], tuple[str, str]] = {
    nodes.With: ("with", "h! l! j!"),
    nodes.Include: ("include", "t! m! p! h! l! j!"),
    nodes.Import: ("import", "t! m! p! h! l! j!"),
    nodes.FromImport: ("from ... import", "t! m! p! h! l! j!"),
    nodes.Extends: ("extends", "t! m! p! h! l! j!"),
    nodes.Block: ("block", "h! l! j!"),
}


def check_output(node: nodes.Output, context: Context) -> Hits:
    """What is printed. Both branches of `a if x else b` are looked at."""
    todo = list(node.nodes)
    while todo:
        each = todo.pop()
        if isinstance(each, nodes.CondExpr):
            todo += [branch for branch in (each.expr1, each.expr2) if branch is not None]
            continue
        kind = context.kinds.of(each)
        if kind in _PRINTED:
            rule, what, marks = _PRINTED[kind]
            if isinstance(each, nodes.List) and all(context.kinds.of(item) == "int" for item in each.items):
                marks = "l~"  # huggingface.js prints JSON, which is the same for numbers
            yield Hit(rule, each, what, marks)


def check_for(node: nodes.For, context: Context) -> Hits:
    """Loops."""
    if node.recursive:
        yield Hit("J38", node, "this")
    kind = context.kinds.of(node.iter)
    if kind == "str":
        yield Hit("J55", node.iter, "this")
    elif kind == "none":
        yield Hit("J46", node.iter, "none")
    if isinstance(node.target, nodes.Tuple) and isinstance(node.iter, (nodes.List, nodes.Tuple)):
        for item in node.iter.items:
            if isinstance(item, nodes.Tuple):
                yield Hit("J54", item, "a tuple in a list")


def check_statement(node: nodes.Node, context: Context) -> Hits:
    """Statements that not all engines have."""
    name, marks = _STATEMENTS[type(node)]
    yield Hit("J37", node, f"`{name}`", marks)


def check_call_block(node: nodes.CallBlock, context: Context) -> Hits:
    """`call`, and the tag `generation`, which is a call too."""
    if isinstance(node.call.node, nodes.ExtensionAttribute):
        yield Hit("J36", node, "generation")
    else:
        yield Hit("J37", node, "`call`", "l!")


def check_set_block(node: nodes.AssignBlock, context: Context) -> Hits:
    """`{% set x | filter %}`."""
    if node.filter is not None:
        yield Hit("J40", node, "this")


def check_set(node: nodes.Assign, context: Context) -> Hits:
    """`{% set a, b = ... %}`."""
    if isinstance(node.target, nodes.Tuple):
        yield Hit("J41", node, "this")


def check_macro(node: nodes.Macro, context: Context) -> Hits:
    """`kwargs` and `varargs`."""
    parameters = {argument.name for argument in node.args}
    for name in node.find_all(nodes.Name):
        if name.name in {"kwargs", "varargs"} - parameters and name.ctx == "load":
            yield Hit("J39", name, name.name, "m! p! l~ j!" if name.name == "kwargs" else "m! p! l~")


CHECKS: dict[type[nodes.Node], Callable[[Any, Context], Hits]] = {
    **EXPRESSION_CHECKS,
    nodes.Output: check_output,
    nodes.For: check_for,
    **dict.fromkeys(_STATEMENTS, check_statement),
    nodes.CallBlock: check_call_block,
    nodes.AssignBlock: check_set_block,
    nodes.Assign: check_set,
    nodes.Macro: check_macro,
}
"""By class of node: its check. A check of a class is made of its subclasses too."""
