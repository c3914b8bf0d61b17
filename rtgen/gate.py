"""The gate before execution: generated source runs only if it is made of what the emitter writes.

Templates come from strangers, and a cache folder can be written to by others. So the syntax tree of every generated
module, fresh or cached, is walked before it is compiled, and whatever is not listed here refuses the whole module. The
lists are data: whoever makes the emitter write something new adds it to them, and a test beside.

What the lists have to keep out is a way from constants (which may hold any text) to code: names and attributes are
fixed by the lists or bound in the module, no attribute leads into the interpreter's own structures (`__class__`,
`f_globals`, `str.format`, which reads attributes named in its text), and nothing but definitions and constants runs on
import.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import NoReturn

from rtgen.errors import GateError
from rtgen.runtime.trees import read_tree


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULES: dict[str, frozenset[str]] = {
    "json": _words("JSONDecodeError JSONDecoder JSONEncoder dumps loads"),
    "math": _words("inf isfinite isinf isnan nan"),
    "re": _words("DOTALL IGNORECASE MULTILINE UNICODE Match Pattern compile escape"),
    "regex": _words("DOTALL IGNORECASE MULTILINE UNICODE V0 Match Pattern compile error escape"),
}
"""The modules that may be imported, and what may be used of each; never the module itself as a value."""

FROM_IMPORTS: dict[str, frozenset[str]] = {
    "__future__": frozenset({"annotations"}),
    "collections.abc": frozenset({"Callable", "Iterable", "Sequence"}),
    "typing": frozenset({"Any", "overload"}),
}
"""What may be imported by name from elsewhere than the runtime."""

RUNTIME_PART = re.compile(r"rtgen\.runtime\.[a-z][a-z0-9_]*")
"""The modules that any name without a leading underscore may be imported from, if it is defined in the runtime."""

BUILTINS = _words("""
    abs all any bool dict enumerate filter float frozenset int isinstance iter len list map max min next ord range repr
    reversed set sorted str sum tuple zip
    AttributeError BaseException Exception IndexError KeyError LookupError NotImplementedError OverflowError
    RecursionError RuntimeError StopIteration TypeError ValueError
    __name__
    """)
"""The builtin names; besides, `type(x)` may be compared or asked for its `__name__`, and `super()` for an attribute."""

ANNOTATION_NAMES = BUILTINS | {"bytes", "object", "type"}
"""Names in annotations, besides those bound in the module; they are not evaluated."""

DECORATORS = frozenset({"overload", "property", "staticmethod"})
"""What may stand above a function."""

DEFINED_DUNDERS = frozenset({"__all__", "__doc__", "__init__", "__module__", "__name__", "__slots__"})
"""Names with two leading underscores that may be assigned or defined, in a module or class alone."""

ATTRIBUTES = _words("""
    casefold count endswith find index isalnum isalpha isascii isdigit isidentifier isspace join lower lstrip partition
    removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip split splitlines startswith strip translate
    upper
    add append clear copy discard extend get insert items keys pop popitem remove reverse setdefault sort update values
    bit_length is_integer
    end findall finditer fullmatch group groupdict groupindex groups lastgroup lastindex match pattern search span start
    sub subn
    args decode encode msg pos raw_decode
    excerpt fault feed field finalize initial_events position
    """)
"""Attributes of any value: methods of str, containers, numbers, regexes and matches, json; what runtime objects have.

Of `self`, `super()` and classes, names with one leading underscore may be used besides.
"""

OPERATORS = frozenset({ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.Not, ast.USub})
"""Operators with one or two operands; every comparison, `and` and `or` may be used."""

CONSTANTS = frozenset({str, int, float, bool, type(None)})
"""The types of literals."""

NODES: dict[type[ast.AST], tuple[str, ...]] = {
    # statements in functions
    ast.AugAssign: ("op", "target", "value"),
    ast.Assign: ("value", "targets"),
    ast.Break: (),
    ast.Continue: (),
    ast.For: ("iter", "target", "body", "orelse"),
    ast.If: ("test", "body", "orelse"),
    ast.Pass: (),
    ast.Raise: ("exc", "cause"),
    ast.Return: ("value",),
    ast.Try: ("body", "handlers", "orelse", "finalbody"),
    ast.While: ("test", "body", "orelse"),
    # expressions
    ast.BinOp: ("left", "op", "right"),
    ast.BoolOp: ("values",),
    ast.Dict: ("keys", "values"),
    ast.FormattedValue: ("value",),
    ast.IfExp: ("test", "body", "orelse"),
    ast.JoinedStr: ("values",),
    ast.List: ("elts",),
    ast.Set: ("elts",),
    ast.Slice: ("lower", "upper", "step"),
    ast.Starred: ("value",),
    ast.Subscript: ("value", "slice"),
    ast.Tuple: ("elts",),
    ast.UnaryOp: ("op", "operand"),
    # operators
    **dict.fromkeys(OPERATORS, ()),
}
"""The node types that a function may hold, and which parts of them are walked; `_Gate` has methods for a few more."""

FIXED_NODES = frozenset(
    {ast.Attribute, ast.BinOp, ast.Call, ast.Constant, ast.Dict, ast.List, ast.Name, ast.Set, ast.Tuple, ast.UnaryOp}
    | {ast.Load, ast.keyword}
    | OPERATORS
)
"""The node types of values in module and class bodies and of parameters' defaults, which are evaluated on import."""

FIXED_CALLS = frozenset({"dict", "float", "frozenset", "set", "tuple"})
"""Builtins that such values may call; besides, names from the runtime, and what `MODULES` lists."""

DEEP = "code nested so deeply that it cannot be read"

_CODING = re.compile(r" *#.*coding[:=]")
_SHADOWED = frozenset(vars(builtins))


def check(source: str, *, name: str) -> ast.Module:
    """The syntax tree of a generated module, if it holds nothing but what the emitter writes; none of it is executed.

    `name` is the module's name, for the error. The source has to be printable ASCII and newlines, so that what is read
    here and what Python reads from a file cannot differ. The parts of the runtime that it names are imported, to see
    what they define. Raises GateError, which names the construct and its line.
    """
    if not source.isascii() or not source.replace("\n", "").isprintable():
        raise GateError(name, "characters other than printable ASCII and newlines")
    if not source.startswith(("#", '"""')):
        raise GateError(name, "a beginning other than its header", 1)
    for line, text in enumerate(source.split("\n", 2)[:2], 1):
        if _CODING.match(text):
            raise GateError(name, "a declaration of its encoding", line)
    try:
        tree: ast.Module = read_tree(source)
    except SyntaxError as error:
        raise GateError(name, "invalid syntax", error.lineno) from error
    except (MemoryError, RecursionError, ValueError) as error:
        raise GateError(name, DEEP) from error
    try:
        _Gate(name, tree).walk()
    except RecursionError as error:
        raise GateError(name, DEEP) from error
    return tree


class _Gate:
    """One walk over one module.

    Names are resolved as Python does: what a function assigns is its own, what else it uses must be bound in the
    module or listed. `_loads` holds the names that the present scope uses with the line of their first use, `_binds`
    those that it binds.
    """

    def __init__(self, name: str, tree: ast.Module) -> None:
        self._name = name
        self._tree = tree
        self._modules: set[str] = set()
        self._imported: set[str] = set()
        self._classes: set[str] = set()
        self._global_binds: set[str] = set()
        self._global_loads: dict[str, int] = {}
        self._binds = self._function_binds = self._global_binds
        self._loads = self._global_loads
        self._receiver: str | None = None
        self._special: dict[type[ast.AST], Callable[..., None]] = {
            ast.Name: self._name_node,
            ast.Constant: self._constant,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Compare: self._compare,
            ast.Expr: self._expression_statement,
            ast.AnnAssign: self._annotated,
            ast.ExceptHandler: self._handler,
            ast.FormattedValue: self._formatted,
            ast.NamedExpr: self._named,
            ast.FunctionDef: self._nested,
            ast.ListComp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
        }

    def _refuse(self, node: ast.AST, construct: str) -> NoReturn:
        raise GateError(self._name, construct, getattr(node, "lineno", None))

    # Modules, classes and functions.

    def walk(self) -> None:
        """Check the module; raises GateError."""
        body = _without_docstring(self._tree.body)
        for node in body:  # first, since functions use what stands below them
            if isinstance(node, ast.Import):
                self._import(node)
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node)
            elif isinstance(node, ast.ClassDef):
                self._bind_global(node, node.name)
                self._classes.add(node.name)
        for node in body:
            if isinstance(node, ast.FunctionDef):
                self._bind_global(node, node.name)
                self._function(node, None)
            elif isinstance(node, ast.ClassDef):
                self._class(node)
            elif not isinstance(node, (ast.Import, ast.ImportFrom)):
                self._fixed_statement(node, self._bind_global)
        self._resolve(self._global_binds | BUILTINS, self._global_loads)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name not in MODULES or alias.asname is not None:
                self._refuse(node, f"an import of {alias.name}{' under another name' if alias.asname else ''}")
            self._modules.add(alias.name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        known = _runtime_names(module) if RUNTIME_PART.fullmatch(module) else FROM_IMPORTS.get(module, frozenset())
        for alias in node.names:
            name = alias.name
            if name not in known or alias.asname is not None:
                self._refuse(node, f"an import of {name} from {module}{' under another name' if alias.asname else ''}")
            if module != "__future__":
                self._bind_global(node, name)
                self._imported.add(name)
                if name[0].isupper():
                    self._classes.add(name)

    def _bind_global(self, node: ast.AST, name: str) -> None:
        """Bind a name of the module. It may not hide a builtin: before it is bound, the builtin would be meant."""
        if name in _SHADOWED and name not in DEFINED_DUNDERS:
            self._refuse(node, f"the name {name} as its own")
        if name in self._imported or name in self._classes:
            self._refuse(node, f"the name {name} for two things")
        self._check_bind(node, name, DEFINED_DUNDERS)
        self._global_binds.add(name)

    def _class(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            if not isinstance(base, ast.Name) or base.id not in self._imported:
                self._refuse(node, f"a class {node.name} whose base is not imported")
        if node.keywords or node.decorator_list or getattr(node, "type_params", None):
            self._refuse(node, f"a class {node.name} with keywords, decorators or type parameters")
        loads: dict[str, int] = {}
        binds: set[str] = set()

        def bind(target: ast.AST, name: str) -> None:
            self._check_bind(target, name, DEFINED_DUNDERS)
            binds.add(name)

        for statement in _without_docstring(node.body):
            if isinstance(statement, ast.FunctionDef):
                bind(statement, statement.name)
                arguments = statement.args.posonlyargs + statement.args.args
                static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in statement.decorator_list)
                self._function(statement, arguments[0].arg if arguments and not static else None)
            elif not isinstance(statement, ast.Pass):
                self._loads = loads
                self._fixed_statement(statement, bind)
                self._loads = self._global_loads
        for name, line in loads.items():
            if name not in binds or name in _SHADOWED:  # before it is bound, the builtin would be meant
                self._global_loads.setdefault(name, line)

    def _function(self, node: ast.FunctionDef, receiver: str | None) -> None:
        """Check a function; `receiver` is the first parameter of a method."""
        if getattr(node, "type_params", None):
            self._refuse(node, f"a function {node.name} with type parameters")
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Name) or decorator.id not in DECORATORS:
                self._refuse(node, f"a decorator of {node.name} other than {', '.join(sorted(DECORATORS))}")
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self._fixed(default)
        self._binds = self._function_binds = set()
        self._loads = {}
        self._receiver = None
        parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        for argument in (*parameters, arguments.vararg, arguments.kwarg):
            if argument is not None:
                self._bind(argument, argument.arg)
                self._annotation(argument.annotation)
        self._annotation(node.returns)
        self._receiver = receiver
        for statement in _without_docstring(node.body):
            self._visit(statement)
        self._receiver = None
        for name, line in self._loads.items():
            if name not in self._binds:
                self._global_loads.setdefault(name, line)
        self._binds = self._function_binds = self._global_binds
        self._loads = self._global_loads

    def _nested(self, node: ast.FunctionDef) -> None:
        """A function inside a function; what it uses may be bound in the outer one."""
        self._bind(node, node.name)
        outer = (self._binds, self._function_binds, self._loads, self._receiver)
        before, self._global_loads = self._global_loads, {}
        self._function(node, None)
        free, self._global_loads = self._global_loads, before
        self._binds, self._function_binds, self._loads, self._receiver = outer
        for name, line in free.items():
            self._loads.setdefault(name, line)

    def _resolve(self, known: set[str] | frozenset[str], loads: dict[str, int]) -> None:
        for name, line in loads.items():
            if name not in known:
                raise GateError(self._name, f"the name {name}", line)

    # What is evaluated on import.

    def _fixed_statement(self, node: ast.stmt, bind: Callable[[ast.AST, str], None]) -> None:
        """An assignment of a fixed value, or a call of a name from the runtime with fixed arguments."""
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
            self._annotation(node.annotation)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            targets = []
            if not isinstance(node.value.func, ast.Name):
                self._refuse(node, "a call of an attribute outside a function")
        else:
            self._refuse(node, f"{_article(node)} outside a function")
        for target in targets:
            if not isinstance(target, ast.Name):
                self._refuse(node, "an assignment to something else than a name outside a function")
            bind(target, target.id)
        if node.value is not None:
            self._fixed(node.value)

    def _fixed(self, node: ast.expr) -> None:
        """A value made of literals, earlier values, and calls that the emitter makes on import."""
        for part in ast.walk(node):
            if type(part) not in FIXED_NODES:
                self._refuse(node, f"{_article(part)} in a value made on import")
            called = part.func.id if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) else None
            if called is not None and called not in FIXED_CALLS and called not in self._imported:
                self._refuse(part, f"a call of {called} on import")
        self._visit(node)

    # What functions hold.

    def _visit(self, node: ast.AST) -> None:
        kind = type(node)
        special = self._special.get(kind)
        if special is not None:
            special(node)
            return
        parts = NODES.get(kind)
        if parts is None:
            self._refuse(node, _article(node))
        for part in parts:
            value = getattr(node, part)
            if type(value) is list:
                for item in value:
                    if item is not None:
                        self._visit(item)
            elif value is not None:
                self._visit(value)

    def _bind(self, node: ast.AST, name: str) -> None:
        """Bind a name of the function."""
        self._check_bind(node, name)
        if name in self._classes:
            self._refuse(node, f"the name {name} for two things")
        if name == self._receiver:
            self._refuse(node, f"an assignment to {name} in a method")
        self._binds.add(name)

    def _check_bind(self, node: ast.AST, name: str, dunders: frozenset[str] = frozenset()) -> None:
        if name.startswith("__") and name not in dunders:
            self._refuse(node, f"the name {name} as its own")
        if name in self._modules:
            self._refuse(node, f"the name {name} for two things")

    def _name_node(self, node: ast.Name) -> None:
        name = node.id
        if type(node.ctx) is ast.Store:
            self._bind(node, name)
        elif name in self._modules:
            self._refuse(node, f"the module {name} as a value")
        elif name not in self._loads:
            self._loads[name] = node.lineno

    def _constant(self, node: ast.Constant) -> None:
        if type(node.value) not in CONSTANTS:
            self._refuse(node, f"a literal of type {type(node.value).__name__}")

    def _attribute(self, node: ast.Attribute) -> None:
        value, attribute = node.value, node.attr
        base = value.id if isinstance(value, ast.Name) else None
        if base is not None and base in self._modules:
            if attribute not in MODULES[base]:
                self._refuse(node, f"the attribute {base}.{attribute}")
            return
        above = self._receiver is not None and _is_super(value)
        if attribute.startswith("__"):
            asked = _type_of(value) if attribute == "__name__" else None
            if asked is None and not (above and attribute == "__init__"):
                self._refuse(node, f"the attribute {attribute}")
            if asked is not None:
                self._visit(asked)
            return
        # A generated class may use what it and its base define, which has one underscore unless it is public.
        own = above or (base is not None and (base == self._receiver or base in self._classes))
        if attribute not in ATTRIBUTES and not (own and attribute[0] == "_"):
            self._refuse(node, f"the attribute {attribute}")
        if type(node.ctx) is ast.Store and (base is None or base != self._receiver):
            self._refuse(node, f"an assignment to the attribute {attribute} of something else than self")
        if not above:
            self._visit(value)

    def _call(self, node: ast.Call) -> None:
        if not isinstance(node.func, (ast.Name, ast.Attribute)):
            self._refuse(node, f"a call of {_article(node.func)}")
        self._visit(node.func)
        for argument in node.args:
            self._visit(argument)
        for keyword in node.keywords:
            if keyword.arg is not None and keyword.arg.startswith("__"):
                self._refuse(node, f"the argument {keyword.arg}")
            self._visit(keyword.value)

    def _compare(self, node: ast.Compare) -> None:
        for operand in (node.left, *node.comparators):
            self._visit(_type_of(operand) or operand)

    def _expression_statement(self, node: ast.Expr) -> None:
        value = node.value
        if isinstance(value, ast.Constant) and value.value is ...:  # the body of an overload
            return
        if not isinstance(value, (ast.Call, ast.BinOp)):  # BinOp: an operation for the TypeError it may raise
            self._refuse(node, f"{_article(value)} as a statement")
        self._visit(value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        self._annotation(node.annotation)
        if node.value is not None:
            self._visit(node.value)
        self._visit(node.target)

    def _annotation(self, node: ast.expr | None) -> None:
        """An annotation: names, `|`, subscripts; `typing.get_type_hints` would evaluate the text of others."""
        if node is None or (isinstance(node, ast.Constant) and node.value in (None, ...)):
            return
        if isinstance(node, ast.Name):
            if node.id not in ANNOTATION_NAMES:
                self._global_loads.setdefault(node.id, node.lineno)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self._modules:
            self._attribute(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self._annotation(node.left)
            self._annotation(node.right)
        elif isinstance(node, ast.Subscript):
            self._annotation(node.value)
            self._annotation(node.slice)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for part in node.elts:
                self._annotation(part)
        else:
            self._refuse(node, f"{_article(node)} in an annotation")

    def _handler(self, node: ast.ExceptHandler) -> None:
        if node.type is None:
            self._refuse(node, "an except without a class")
        self._visit(node.type)
        if node.name is not None:
            self._bind(node, node.name)
        for statement in node.body:
            self._visit(statement)

    def _formatted(self, node: ast.FormattedValue) -> None:
        if node.format_spec is not None:
            self._refuse(node, "a format after a colon in an f-string")
        self._visit(node.value)

    def _named(self, node: ast.NamedExpr) -> None:
        binds, self._binds = self._binds, self._function_binds  # a comprehension gives it to the function
        self._visit(node.target)
        self._binds = binds
        self._visit(node.value)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        binds, loads = self._binds, self._loads
        self._binds, self._loads = set(), {}
        for generator in node.generators:
            if generator.is_async:
                self._refuse(node, "an asynchronous comprehension")
            self._visit(generator.target)
            self._visit(generator.iter)
            for test in generator.ifs:
                self._visit(test)
        for element in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self._visit(element)
        for name, line in self._loads.items():
            if name not in self._binds:
                loads.setdefault(name, line)
        self._binds, self._loads = binds, loads


@cache
def _runtime_names(module: str) -> frozenset[str]:
    """The names that a part of the runtime defines, or takes from another part; not what it imports from elsewhere."""
    try:
        part = importlib.import_module(module)
    except ImportError:
        return frozenset()
    names = set()
    for name, value in vars(part).items():
        origin = getattr(value, "__module__", None)  # plain constants have none
        own = origin is None or str(origin).startswith("rtgen.runtime.")
        if own and not name.startswith("_") and not isinstance(value, ModuleType):
            names.add(name)
    return frozenset(names)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0].value if body and isinstance(body[0], ast.Expr) else None
    return body[1:] if isinstance(first, ast.Constant) and type(first.value) is str else body


def _is_super(node: ast.expr) -> bool:
    """Whether this is `super()`."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return False
    return isinstance(node.func, ast.Name) and node.func.id == "super"


def _type_of(node: ast.expr) -> ast.expr | None:
    """`x`, if this is `type(x)`."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        argument = node.args[0]
        if isinstance(node.func, ast.Name) and node.func.id == "type" and not isinstance(argument, ast.Starred):
            return argument
    return None


def _article(node: ast.AST) -> str:
    kind = type(node).__name__
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"
