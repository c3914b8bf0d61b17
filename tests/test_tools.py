"""Tools and the casting of arguments, beside the parser of transformers."""

from __future__ import annotations

import copy
import itertools
import json
import random
import subprocess
import sys
from collections import OrderedDict, defaultdict
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rtgen.runtime.schema import DocstringParsingException
from rtgen.runtime.tools import cast_arguments, tool_parameters

oracle = pytest.importorskip("transformers.utils.chat_parsing.response_parser")

TEMPLATE = {"start_anchor": "<start>", "fields": {"content": {"close": "<end>"}}}
BUILTIN_CLASSES = (RecursionError, AttributeError, TypeError, KeyError, ValueError)


def outcome(function: Any, *args: Any) -> Any:
    """What a call returns, or the builtin class of what it raises."""
    try:
        return ("value", function(*args))
    except BUILTIN_CLASSES as error:
        return ("error", next(kind for kind in BUILTIN_CLASSES if isinstance(error, kind)))


def oracle_parameters(tools: Any) -> Any:
    return oracle.ResponseParser(TEMPLATE, prefix="", tools=tools)._tool_params


def oracle_cast(value: Any, parameters: Any) -> Any:
    parser = oracle.ResponseParser(TEMPLATE, prefix="")
    parser._tool_params = parameters
    return parser._coerce_tool_calls(value) if parameters else value


def same(left: Any, right: Any) -> bool:
    """Equal, with the same types inside (1 is not 1.0 or True) and the same order of keys."""
    return repr(left) == repr(right)


def tool(name: Any = "f", properties: Any = None, **schema: Any) -> dict[str, Any]:
    properties = {"a": {"type": "integer"}} if properties is None else properties
    parameters = {"type": "object", "properties": properties, **schema}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def plain_function(count: int, label: str | None = None) -> str:
    """Repeats.

    Args:
        count: how often
        label: of what
    """
    return ""


class Service:
    def lookup(self, key: float) -> None:
        """Looks up.

        Args:
            key: which
        """

    @classmethod
    def build(cls, kind: bool) -> None:
        """Builds.

        Args:
            kind: which
        """

    @staticmethod
    def check(code: list[int]) -> None:
        """Checks.

        Args:
            code: which
        """

    def __call__(self, key: float) -> None:
        """Calls.

        Args:
            key: which
        """


class LoudDict(dict):  # type: ignore[type-arg]
    """A dict subclass, as configuration libraries make them."""


TOOLS: dict[str, Any] = {
    "none": None,
    "empty list": [],
    "empty tuple": (),
    "zero": 0,
    "false": False,
    "empty string": "",
    "openai": [tool()],
    "bare": [tool()["function"]],
    "two": [tool("f"), tool("g", {"b": {"type": "string"}})],
    "duplicate": [tool("f", {"a": 1}), tool("g"), tool("f", {"b": 2})],
    "duplicate of another form": [tool("f")["function"], tool("f", {"b": 2})],
    "duplicate without properties": [tool("f"), {"function": {"name": "f"}}],
    "dict instead of list": tool(),
    "string instead of list": "tools",
    "number instead of list": 7,
    "true instead of list": True,
    "tuple": (tool(),),
    "dict of tools": {"f": tool()},
    "strings in list": ["f", b"f", 3, None, True, 1.5, [tool()], (tool(),), {tool: 1}.keys()],
    "function not a dict": [{"type": "function", "function": "f"}, {"function": None}, {"function": [1]}],
    "function key beside a name": [{"name": "f", "function": None, "parameters": {"properties": {"a": {}}}}],
    "no name": [{"function": {"parameters": {"properties": {}}}}, {}],
    "name not a string": [tool(None), tool(5), tool(["f"]), tool(True)],
    "no parameters": [{"function": {"name": "f"}}],
    "parameters not a dict": [{"function": {"name": n, "parameters": p}} for n, p in zip("abcd", (None, [], "x", 5))],
    "properties not a dict": [tool(n, p) for n, p in zip("abcd", ([], "x", 5, True))],
    "empty properties": [tool("f", {})],
    "dict subclasses": [
        LoudDict(tool("a")),
        OrderedDict(tool("b")),
        {"function": LoudDict(tool("c")["function"])},
        {"function": {"name": "d", "parameters": OrderedDict(properties=LoudDict(x=1))}},
        defaultdict(dict, name="e"),
    ],
    "str subclass as name": [tool(type("Name", (str,), {})("f"))],
    "function": [plain_function],
    "methods": [Service().lookup, Service.build, Service.check, Service().check],
    "unbound method": [Service.lookup],
    "other callables": [Service(), Service, len, print, partial(plain_function, 1), "".join, int, type, dict.get],
    "mixed": [tool("x"), plain_function, None, Service().lookup, len, {"name": "z"}, tool("x", {"q": {}})],
}


@pytest.mark.parametrize("name", TOOLS)
def test_tool_parameters(name: str) -> None:
    tools = TOOLS[name]
    ours, theirs = outcome(tool_parameters, tools), outcome(oracle_parameters, tools)
    assert same(ours, theirs)


def test_tool_parameters_of_a_generator() -> None:
    tools = [tool("f"), plain_function, tool("g")]
    assert same(tool_parameters(iter(tools)), oracle_parameters(iter(tools)))
    assert same(tool_parameters(t for t in tools), oracle_parameters(tools))


def test_tool_parameters_are_the_callers_own() -> None:
    given_tool = tool()
    assert tool_parameters([given_tool])["f"] is given_tool["function"]["parameters"]["properties"]


def test_tool_parameters_does_not_fill_a_default_dict() -> None:
    source = defaultdict(dict, name="f")
    tool_parameters([source])
    assert dict(source) == {"name": "f"}


def test_a_function_that_has_no_schema_is_an_error() -> None:
    def bare(x: int) -> None: ...

    with pytest.raises(DocstringParsingException, match="function bare needs a docstring"):
        tool_parameters([tool(), bare])


BARE_PACKAGES = (
    "import sys, types;"
    "[sys.modules.setdefault(n, types.ModuleType(n)).__dict__.update(__path__=[n.replace('.', '/')])"
    " for n in ('rtgen', 'rtgen.runtime')];"
)
"""Code that puts empty packages in place, as in a standalone module: what their `__init__` import is not counted."""


def test_plain_tools_import_no_reflection() -> None:
    code = (
        BARE_PACKAGES + "from rtgen.runtime.tools import cast_arguments, tool_parameters;"
        "p = tool_parameters([{'type': 'function', 'function': {'name': 'f', 'parameters':"
        " {'properties': {'a': {'type': 'integer'}}}}}]);"
        "assert cast_arguments({'function': {'name': 'f', 'arguments': {'a': '1'}}}, p)['function']['arguments']"
        " == {'a': 1};"
        "print([m for m in ('inspect', 'typing', 'json', 're', 'transformers', 'regex') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env={"PYTHONPATH": "."})
    assert (run.stdout, run.stderr) == ("[]\n", "")


# ---------------------------------------------------------------- casting

TYPE_NAMES = ("string", "integer", "number", "boolean", "null", "object", "array")

TEXTS = [
    *("", " ", "a", "5", " 5 ", "-0", "+7", "05", "1_000", "__1", "0x10", "\u0665", "5.", ".5", "5.0", "5.5", "-0.0"),
    *("1e5", "1E400", "-1e400", "1e-400", "1.0e2", "1e22", "12345678901234567890123", "1" * 300, "9" * 4300),
    *("9" * 4301, "1" * 5000, "-" + "2" * 6000, "1" * 5000 + ".0", "nan", "NaN", "inf", "-Infinity", "infinity"),
    *("true", "True", " TRUE\n", "false", "FALSE", "1", "0", "yes", "t", "null", " None ", "none", "NULL", "nil"),
    *("{}", '{"a": 1}', ' {"a": [1, 2.0]} ', '{"a": 1, "a": 2}', "[]", "[1]", '["a", null]', "[1,]", "{'a': 1}"),
    *("[NaN]", '{"a": Infinity}', '"text"', '"5"', "[" + "1" * 5000 + "]", "\ufeff[]", "\x00", "\ud800", "5\x00"),
    *("\u00a05\u2003", "\x1c5\x1f", "\x1ctrue\x1f", "\u2003null", "(1, 2)", "[1] [2]", "1,5", "1 2", "--1", "1e", "e5"),
]

ODD_SCHEMAS: list[Any] = [
    {},
    None,
    "string",
    [],
    ["integer"],
    5,
    True,
    {"type": None},
    {"type": 5},
    {"type": {}},
    {"type": []},
    {"type": [None, 5, ["integer"], "integer"]},
    {"type": ("integer",)},
    {"type": "Integer"},
    {"type": "int"},
    {"type": "any"},
    {"type": "image"},
    {"type": ""},
    {"type": ["integer", "integer"]},
    {"type": "integer", "enum": ["1", "2"]},
    {"enum": [1, 2]},
    {"const": 5},
    {"$ref": "#/x"},
    {"allOf": [{"type": "integer"}]},
    {"not": {"type": "integer"}},
    {"anyOf": []},
    {"anyOf": None},
    {"anyOf": 0},
    {"anyOf": 5},
    {"anyOf": True},
    {"anyOf": "integer"},
    {"anyOf": {"type": "integer"}},
    {"anyOf": {"integer": {"type": "integer"}}.values()},
    {"anyOf": [None, 5, "integer", {"type": "integer"}]},
    {"anyOf": [[{"type": "integer"}]]},
    {"oneOf": 1.5},
    {"oneOf": [{"type": "boolean"}, {"type": "integer"}]},
    {"oneOf": [{"type": "boolean"}], "anyOf": [{"type": "integer"}]},
    {"oneOf": [{"type": "null"}], "anyOf": [{"type": "string"}], "type": "array"},
    {"anyOf": [{"anyOf": [{"oneOf": [{"type": "integer"}, {"type": "array"}]}]}, {"type": "null"}]},
    {"anyOf": [{"type": "string", "nullable": True}, {"type": "integer"}]},
    {"anyOf": [{"type": "null"}, {"type": "integer"}], "nullable": True},
    {"nullable": True},
    {"nullable": 1, "type": "integer"},
    {"nullable": "no", "type": "integer"},
    {"nullable": 0, "type": "integer"},
    {"nullable": [], "type": ["integer"]},
    {"nullable": True, "type": "null"},
    {"nullable": True, "type": ["integer", "null", "boolean"]},
    {"nullable": True, "type": "number", "anyOf": [{"type": "boolean"}]},
    OrderedDict(type="integer"),
]

OTHER_ARGUMENTS: list[Any] = [
    *(None, True, False, 0, 5, 1.5, {}, {"a": "1"}, [], ["5"], ["5", "x", 5, None, ["5"], {"a": "5"}]),
    *(["true", "5.0", "null"], [["1"]], ("5",), b"5", float("nan"), ["[1]", "{}"], type("Text", (str,), {})("5")),
]


def call(argument: Any, name: Any = "f") -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": {"a": copy.deepcopy(argument), "zz": "1"}}}


def both(value: Any, parameters: Any) -> None:
    """The same result or kind of error, and the same changes of the value passed in."""
    ours, theirs = copy.deepcopy(value), copy.deepcopy(value)
    assert same(outcome(cast_arguments, ours, parameters), outcome(oracle_cast, theirs, parameters)), (
        repr(value)[:300],
        parameters,
    )
    assert same(ours, theirs)


SCHEMAS = [
    *({"type": name} for name in TYPE_NAMES),
    *({"type": list(names)} for names in itertools.permutations(TYPE_NAMES, 2)),
    *({"anyOf": [{"type": name} for name in names]} for names in itertools.permutations(TYPE_NAMES[:5], 3)),
    *ODD_SCHEMAS,
]


def test_every_schema_with_every_text() -> None:
    for schema in SCHEMAS:
        for argument in [*TEXTS, *OTHER_ARGUMENTS]:
            both(call(argument), {"f": {"a": schema}})


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        5,
        [],
        {},
        ["a", None, {"function": None}],
        {"function": []},
        {"function": {}},
        {"function": {"name": "f"}},
        {"function": {"name": 5, "arguments": {"a": "1"}}},
        {"function": {"name": ["f"], "arguments": {"a": "1"}}},
        {"function": {"name": "f", "arguments": [{"a": "1"}]}},
        {"function": {"name": "f", "arguments": '{"a": "1"}'}},
        {"function": {"name": "g", "arguments": {"a": "1"}}},
        {"function": {"name": "unknown", "arguments": {"a": "1"}}},
        {"name": "f", "arguments": {"a": "1"}},
        {"function": OrderedDict(name="f", arguments=OrderedDict(a="1"))},
        {"function": {"name": "f", "arguments": {"b": {"a": "1"}, "a": "1", 5: "1", None: "1", ("t",): "1"}}},
        [call("1"), call("2"), [call("3"), [call("x")]], "x", call("4", "g")],
        {"tool_calls": [call("1")]},
        ({"function": {"name": "f", "arguments": {"a": "1"}}},),
    ],
)
def test_shapes_of_values(value: Any) -> None:
    for parameters in ({"f": {"a": {"type": "integer"}}, "g": {}}, {"f": {}}, {}):
        both(value, parameters)


def test_the_call_is_changed_in_place_and_a_list_is_new() -> None:
    first, second = call("1"), call("2")
    parameters = {"f": {"a": {"type": "integer"}}}
    assert cast_arguments(first, parameters) is first
    calls = [first, second]
    result = cast_arguments(calls, parameters)
    assert isinstance(result, list) and result is not calls and result[0] is first
    assert second["function"]["arguments"] == {"a": 2, "zz": "1"}


def test_a_schema_that_holds_itself() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    schema["anyOf"] = [schema]
    for argument in ("1", ["1"], 1, None):
        ours = outcome(cast_arguments, call(argument), {"f": {"a": schema}})
        theirs = outcome(oracle_cast, call(argument), {"f": {"a": schema}})
        assert ours == theirs == ("error", RecursionError)


def test_values_nested_too_deeply() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    parameters = {"f": {"a": {"type": "array"}}}
    for value in (deep, call("[" * 200_000)):
        assert outcome(cast_arguments, value, parameters) == ("error", RecursionError)
        assert outcome(oracle_cast, value, parameters) == ("error", RecursionError)
    while deep:  # taken apart by hand: the interpreter's own recursion over it is not what is tested
        deep = deep.pop()


types = st.sampled_from([*TYPE_NAMES, "unknown"])
schemas = st.recursive(
    st.one_of(
        st.fixed_dictionaries(
            {}, optional={"type": st.one_of(types, st.lists(types, max_size=3)), "nullable": st.booleans()}
        ),
        st.sampled_from(ODD_SCHEMAS),
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.one_of(types, st.lists(types, max_size=2)),
            "anyOf": st.lists(inner, max_size=3),
            "oneOf": st.lists(inner, max_size=3),
            "nullable": st.booleans(),
        },
    ),
    max_leaves=5,
)
texts = st.one_of(
    st.sampled_from(TEXTS),
    st.text(max_size=5),
    st.text("0123456789.eE+-_ ", max_size=8),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3), st.lists, max_leaves=4
    ).map(json.dumps),
)
arguments = st.one_of(
    texts, st.lists(st.one_of(texts, st.integers(), st.lists(texts, max_size=2)), max_size=3), st.integers()
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abc"), schemas, max_size=3),
    st.lists(st.dictionaries(st.sampled_from("abcd"), arguments, max_size=4), max_size=3),
)
def test_random_schemas_and_arguments(properties: Any, calls: Any) -> None:
    value = [{"type": "function", "function": {"name": "f", "arguments": one}} for one in calls]
    both(value, {"f": properties})


def test_random_tool_lists() -> None:
    source = random.Random(5)
    pool = list(itertools.chain.from_iterable(t for t in TOOLS.values() if isinstance(t, list)))
    for _ in range(200):
        tools = source.sample(pool, source.randint(0, 8))
        assert same(outcome(tool_parameters, tools), outcome(oracle_parameters, tools))
