"""What kind of value an expression of a template has, where its text tells."""

from __future__ import annotations

from typing import Literal

from jinja2 import nodes

from rtgen.chat.linter.rules import each

Kind = Literal["str", "int", "float", "bool", "none", "list", "dict", "tuple"]

_TEXT_RESULTS = (
    "lower upper trim join indent string tojson title capitalize replace format strip lstrip rstrip safe escape e "
    "urlencode pprint removeprefix removesuffix zfill"
)

RESULTS: dict[str, Kind] = {
    **each(_TEXT_RESULTS, "str"),
    **each("length count int find rfind index rindex wordcount", "int"),
    **each("split rsplit splitlines list sort dictsort", "list"),
    **each("startswith endswith isdigit isalpha isupper islower isspace isalnum isnumeric", "bool"),
    "float": "float",
}
"""What filters and methods of these names return."""

_LOOP: dict[str, Kind] = {
    **each("index index0 revindex revindex0 length depth depth0", "int"),
    "first": "bool",
    "last": "bool",
}

_VARIABLES: dict[str, Kind] = {"messages": "list", "add_generation_prompt": "bool"}


class Kinds:
    """The kinds of a template's expressions. A variable has one if everything that is ever put into it has this one."""

    def __init__(self, tree: nodes.Template) -> None:
        self._macros = {macro.name for macro in tree.find_all(nodes.Macro)}
        self._assigned: dict[str, list[nodes.Node | None]] = {}
        for assign in tree.find_all(nodes.Assign):
            self._put(assign.target, assign.node)
            call = assign.node
            if isinstance(assign.target, nodes.Name) and isinstance(call, nodes.Call) and _is_namespace(call):
                for pair in call.kwargs:
                    self._assigned.setdefault(f"{assign.target.name}.{pair.key}", []).append(pair.value)
        for block in tree.find_all(nodes.AssignBlock):
            self._put(block.target, nodes.Const("") if block.filter is None else None)
        for loop in tree.find_all(nodes.For):
            self._put(loop.target, None)
        for macro in tree.find_all(nodes.Macro):
            for argument in macro.args:
                self._put(argument, None)
        self._known: dict[str, Kind | None] = {}

    def _put(self, target: nodes.Node, value: nodes.Node | None) -> None:
        if isinstance(target, nodes.Tuple):
            for item in target.items:
                self._put(item, None)
        elif isinstance(target, nodes.NSRef):
            self._assigned.setdefault(f"{target.name}.{target.attr}", []).append(value)
        elif isinstance(target, nodes.Name):
            self._assigned.setdefault(target.name, []).append(value)

    def variable(self, name: str) -> Kind | None:
        """The kind of a variable, or of an attribute of a namespace (`ns.x`)."""
        if name not in self._assigned:
            return _VARIABLES.get(name)
        if name not in self._known:
            self._known[name] = None  # for what is made from itself, such as x = x + [y], the others decide
            values = [value for value in self._assigned[name] if value is None or not _mentions(value, name)]
            kinds = {None if value is None else self.of(value) for value in values}
            kind = kinds.pop() if len(kinds) == 1 else None
            # What is set to none at first is set to something else in ways that are not seen here.
            self._known[name] = None if kind == "none" else kind
        return self._known[name]

    def of(self, node: nodes.Node) -> Kind | None:
        """The kind of an expression, None if it is not known."""
        if isinstance(node, nodes.Const):
            return _constant(node.value)
        if isinstance(node, (nodes.TemplateData, nodes.Concat)):
            return "str"
        if isinstance(node, (nodes.List, nodes.Dict, nodes.Tuple)):
            return "list" if isinstance(node, nodes.List) else "dict" if isinstance(node, nodes.Dict) else "tuple"
        if isinstance(node, (nodes.Compare, nodes.Test, nodes.Not)):
            return "bool"
        if isinstance(node, nodes.Name):
            return self.variable(node.name)
        if isinstance(node, nodes.Filter):
            return RESULTS.get(node.name)
        if isinstance(node, nodes.Call):
            if isinstance(node.node, nodes.Getattr):
                return RESULTS.get(node.node.attr)
            return "str" if isinstance(node.node, nodes.Name) and node.node.name in self._macros else None
        if isinstance(node, nodes.Getattr):
            if not isinstance(node.node, nodes.Name):
                return None
            return _LOOP.get(node.attr) if node.node.name == "loop" else self.variable(f"{node.node.name}.{node.attr}")
        if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice):
            return self.of(node.node)
        if isinstance(node, (nodes.And, nodes.Or)):
            return self._same(node.left, node.right)
        if isinstance(node, nodes.CondExpr):
            return None if node.expr2 is None else self._same(node.expr1, node.expr2)
        if isinstance(node, (nodes.Add, nodes.Sub, nodes.Mul)):
            left, right = self.of(node.left), self.of(node.right)
            if "str" in (left, right):
                return "str"
            return left if left == right else None
        return None

    def _same(self, left: nodes.Node, right: nodes.Node) -> Kind | None:
        kind = self.of(left)
        return kind if kind == self.of(right) else None


def _is_namespace(call: nodes.Call) -> bool:
    return isinstance(call.node, nodes.Name) and call.node.name == "namespace"


def _mentions(value: nodes.Node, name: str) -> bool:
    return isinstance(value, nodes.Expr) and name.partition(".")[0] in {
        found.name for found in (value, *value.find_all(nodes.Name)) if isinstance(found, nodes.Name)
    }


def _constant(value: object) -> Kind | None:
    if value is None:
        return "none"
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            name: Kind = kind.__name__  # type: ignore[assignment]
            return name
    return None
