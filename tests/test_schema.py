"""Schemas of functions, beside `get_json_schema` of transformers."""

# Every spelling of a hint, the old ones too, is what is tested here.
# ruff: noqa: UP006, UP007, UP019, UP037, UP042, UP045, RUF013, RUF041, PIE796

from __future__ import annotations

import enum
import functools
import json
import subprocess
import sys
import types
import typing
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rtgen.runtime.schema import DocstringParsingException, TypeHintParsingException, function_to_schema

oracle = pytest.importorskip("transformers.utils.chat_template_utils")

RENAMED = {
    oracle.TypeHintParsingException: TypeHintParsingException,
    oracle.DocstringParsingException: DocstringParsingException,
}


def outcome(convert: Any, function: Any) -> tuple[str, Any]:
    """The schema as text (order of keys counts) or the class of the error, transformers' own named as ours."""
    try:
        return ("schema", json.dumps(convert(function)))
    except Exception as error:
        return ("error", RENAMED.get(type(error), type(error)))


def agree(function: Any) -> tuple[str, Any]:
    ours, theirs = outcome(function_to_schema, function), outcome(oracle.get_json_schema, function)
    assert ours == theirs
    return ours


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
    AZURE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    A = "a"


class Mixed(enum.Enum):
    A = 1
    B = "b"
    C = None
    D = 1.5
    E = 2


class Bits(enum.Flag):
    A = 1
    B = 2
    AB = 3


class Odd(enum.Enum):
    A = (1, 2)


class Empty(enum.Enum):
    pass


class Custom:
    pass


class Text(str):
    pass


class Typed(typing.TypedDict):
    a: int


class Pair(typing.NamedTuple):
    a: int


T = typing.TypeVar("T")
New = typing.NewType("New", int)

HINTS: list[Any] = [
    *(int, float, str, bool, None, type(None), list, tuple, dict, Any, object, bytes, set, complex, type, enum.Enum),
    *(list[int], list[list[str]], list[Any], list[None], typing.List, typing.List[int], list[Optional[int]]),
    *(
        tuple[int, str],
        tuple[int],
        tuple[()],
        tuple[int, ...],
        typing.Tuple,
        typing.Tuple[int, int],
        tuple[list[int], Any],
    ),
    *(dict[str, int], dict[int, list[str]], typing.Dict, typing.Dict[str, Any], dict[str, dict[str, Optional[bool]]]),
    *(set[int], frozenset[int], typing.Sequence[int], typing.Iterable[str], typing.Mapping[str, int], type[int]),
    *(typing.Callable, typing.Callable[[int], str], typing.Callable[..., Any], typing.Deque[int], typing.Type[int]),
    *(Optional[int], Optional[Any], Optional[list[int]], Optional[Color], Union[int, None], int | None, None | int),
    *(
        Union[int, str],
        str | int,
        Union[int, str, None],
        int | float | None,
        Union[str, int, float, bool],
        list | tuple,
    ),
    *(
        list | tuple | None,
        Union[list, tuple, int],
        Union[list[int], str],
        list[int] | None,
        list[int] | dict[str, int] | None,
    ),
    *(
        Union[int, list[Union[str, None]]],
        Union[Any, int],
        Any | None,
        Union[dict, list, None],
        Optional[Union[int, Optional[str]]],
    ),
    *(
        Literal["a"],
        Literal["a", "b"],
        Literal[1, "a", None, True, 1.5],
        Literal[True, False],
        Literal[1, 2],
        Literal[None],
    ),
    *(Literal[b"x"], Literal[Color.RED], Literal["a", "a"], Literal[1, True], Literal[Literal["a"], "b"], Literal),
    *(Optional[Literal["a", "b"]], Literal["a"] | None, Union[Literal["a"], int], Union[Literal[1], Literal["x"]]),
    *(list[Literal["a", 1]], dict[str, Literal["a"]], tuple[Literal[1], Color], Literal[()]),
    *(
        Color,
        Level,
        Word,
        Mixed,
        Bits,
        Odd,
        Empty,
        Color | None,
        Union[Color, Level],
        list[Color],
        dict[str, Mixed],
        Color | int,
    ),
    *(
        Custom,
        Text,
        Typed,
        Pair,
        T,
        New,
        Custom | None,
        Union[int, Custom],
        list[Custom],
        dict[str, Custom],
        Optional[Odd],
    ),
    *(Annotated[int, "x"], Annotated[list[Annotated[int, 1]], "x"], Optional[Annotated[int, "x"]], typing.Text),
    *(Optional[Annotated[Union[int, str], "x"]], Union[Annotated[Union[int, str], "x"], float], typing.Hashable),
    *("int", "int | None", "list['int']", "list[Color]", "Missing", "1 +", "'int'", "None", typing.ForwardRef("int")),
    *(
        typing.Final[int],
        typing.ClassVar[int],
        typing.Generic,
        typing.Union,
        typing.Optional,
        typing.NoReturn,
        typing.AnyStr,
    ),
    *(5, 1.5, [int], {"a": int}, (int,), ..., True, len, lambda x: x, b"int", typing.Self, typing.LiteralString),
    *(list[int, str], list[...], dict[str], dict[str, int, int], tuple[int, ..., str]),  # type: ignore[misc]
    *(typing.Pattern, typing.Pattern[str]),
    *(
        list["int"],
        dict["str", "Color"],
        Optional["int"],
        Union["int", "str"],
        "typing.Optional[Color]",
        types.NoneType,
    ),
]


@pytest.mark.parametrize("hint", HINTS, ids=repr)
def test_hints(hint: Any) -> None:
    def function(x):  # type: ignore[no-untyped-def]
        """Works.

        Args:
            x: what (choices: ["a", 1])
        """

    function.__annotations__ = {"x": hint}
    agree(function)

    def returning():  # type: ignore[no-untyped-def]
        """Works.

        Returns:
            Something (choices: ["a"])
        """

    returning.__annotations__ = {"return": hint}
    agree(returning)


DOCSTRINGS: list[str | None] = [
    None,
    "",
    "   \n ",
    "Only a summary.",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n",
    "Summary.\n\n    Args:\n        x: first\n        y: second\n    ",
    "Summary.\nArgs:\n    x: first\n    y: second\nReturns:\n    a thing\nRaises:\n    ValueError: never",
    "Args:\n    x: first\n    y: second",
    "\nArgs:\n    x: first\n    y: second",
    "Summary. Args:\n    x: first\n    y: second",
    "Summary.\n\nSee Args: below.\n\nArgs:\n    x: first\n    y: second",
    "Summary.\n\nArguments:\n    x: first\n    y: second",
    "Summary.\n\nArgs: \n    x: first\n    y: second",
    "Summary.\n\nArgs:\n\n\n    x: first\n\n    y: second\n\n",
    "Summary.\n\nArgs:\nx: first\ny: second",
    "Summary.\n\nArgs:\n    x: first\n        goes on\n        and on\n    y: second\n      here",
    "Summary.\n\nArgs:\n    x: first\n    goes on\n    y: second",
    "Summary.\n\nArgs:\n    x:\n        first\n    y:\n        second",
    "Summary.\n\nArgs:\n    x:\n    y: second",
    "Summary.\n\nArgs:\n    x: first\n    y:",
    "Summary.\n\nArgs:\n    x: first\n    y:   \n\n\n",
    "Summary.\n\nArgs:\n    x:\n    y:\n    z: third",
    "Summary.\n\nArgs:\n    x (int): first\n    y (list[int], optional): second",
    "Summary.\n\nArgs:\n    x(int): first\n    y \t (a: b): second",
    "Summary.\n\nArgs:\n    x (int) : first\n    y: second",
    "Summary.\n\nArgs:\n    x (f(1)): first\n    y: second",
    "Summary.\n\nArgs:\n    x : first\n    y: second",
    "Summary.\n\nArgs:\n    `x`: first\n    y: second",
    "Summary.\n\nArgs:\n    *x: first\n    **y: second",
    "Summary.\n\nArgs:\n    - x: first\n    - y: second",
    "Summary.\n\nArgs:\n    some words\n    x: first\n    y: second",
    "Summary.\n\nArgs:\n    x: first\n        y: deeper\n    z: third",
    "Summary.\n\nArgs:\n        x: first\n    y: shallower",
    "Summary.\n\nArgs:\n\tx: first\n\ty: second",
    "Summary.\n\nArgs:\n  x: first\n\ty: second",
    "Summary.\n\nArgs:\n    x: first: with colon\n        note: deeper\n    y: second",
    "Summary.\n\nArgs:\n    x: one\n    x: two\n    y: second",
    "Summary.\n\nArgs:\n    y: second\n    x: first",
    'Summary.\n\nArgs:\n    x: first (choices: [1, 2])\n    y: second (choices: [" a ", "b"])',
    "Summary.\n\nArgs:\n    x: first (CHOICES:[1])  \n    y: (choices: [])",
    "Summary.\n\nArgs:\n    x: first (choices: [1]).\n    y: second (choices: [1]) more",
    "Summary.\n\nArgs:\n    x: first (choices: ['a'])\n    y: second",
    "Summary.\n\nArgs:\n    x: first (choices: )\n    y: second",
    "Summary.\n\nArgs:\n    x: first (choices: a, b)\n    y: second",
    'Summary.\n\nArgs:\n    x: first (choices: {"a": 1})\n    y: second',
    'Summary.\n\nArgs:\n    x: first (choices: "ab")\n    y: second',
    "Summary.\n\nArgs:\n    x: first (choices: 5)\n    y: second",
    "Summary.\n\nArgs:\n    x: first (choices: null)\n    y: second",
    "Summary.\n\nArgs:\n    x: first (choices: [1]) (choices: [2])\n    y: second",
    "Summary.\n\nArgs:\n    x: first (see choices: [1])\n    y: second (choices:\n        [1,\n        2])",
    'Summary.\n\nArgs:\n    x: first (choices: ["(a)", "b)"])\n    y: second (choices: [[1, 2], null, 1.5])',
    "Summary.\n\nArgs:\n    x: first (choices: [1] )\n    y: second ((choices: [1]))",
    "Summary.\n\nArgs:\n    x: first (choices: [1]\u00a0)\n    y: second",
    "Summary.\n\nArgs:\n    x: first (choices:\u00a0[1])\n    y: second",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n\nReturns:\n    str: a thing",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n\nReturns:\n\n    two\n    lines",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n\nReturns: inline",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n\nReturns:\n",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n\nReturns:\nRaises:\n    X: y",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n\nRaises:\n    ValueError: bad\n\nReturns:\n    a thing",
    "Summary.\n\nReturns:\n    a thing\n\nArgs:\n    x: first\n    y: second",
    "Summary.\n\nRaises:\n    a thing\n\nArgs:\n    x: first\n    y: second",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n\nExample:\n    f(1)\n\nNote: more",
    "Summary.\n\nArgs:\n    x: first, Returns: early\n    y: second",
    "Summary.\n\nArgs:\n    x: first\n    y: second\n\nArgs:\n    x: again",
    "Summary.\n\nArgs:\n    x: first\n\nOther Args:\n    y: second",
    "Summary.\n\nKwargs:\n    x: first\n    y: second",
    "Summary.\n\nxArgs:\n  z: no\n\n  Args:\n    x: first\n    y: second",
    "Summary.\n\nArgs:\nReturns:\n    a thing",
    "Summary.\n\nArgs:\n    \u00e9: no\n    x: premi\u00e8re \u2603\n    y: \U0001f600",
    "Summary.\n\nArgs:\n    x: a\x0bb\x0c\n    y: a\x1cb\x85\n    z: \u2028 c",
    "Summary.\r\n\r\nArgs:\r\n    x: first\r\n    y: second\r\n",
    "Long\nsummary   \n\n\n  with gaps.  \n\n\nArgs:\n    x: first\n    y: second",
    ":param x: first\n:param y: second",
    "Summary.\n\nParameters\n----------\nx : int\n    first\ny : int\n    second",
    "Summary.\n \x0b \u2003 Args:\n    x: first\n    y: second",
    "Summary.\n\nArgs:\n    x:    first     word  \n    y: second\t\ttab",
]


@pytest.mark.parametrize("docstring", DOCSTRINGS, ids=lambda d: repr(d)[:60])
def test_docstrings(docstring: str | None) -> None:
    def function(x: int, y: str = "") -> str:
        return y

    def bare() -> None: ...

    for given_function in (function, bare):
        given_function.__doc__ = docstring
        agree(given_function)


LINES = st.one_of(
    st.sampled_from(
        [
            *(
                "Args:",
                "  Args:",
                "Returns:",
                "Raises:",
                "",
                "  ",
                "Summary.",
                "    x: first",
                "    y (str): second",
                "x:",
            ),
            *("  y:", "      x: deeper", "\tx: tab", "    and more", "    z: other Args:", "    x: a (choices: [1])"),
            *(
                "    x: a (choices:",
                "    [1, 2])",
                "    Returns: odd",
                "xArgs:",
                "    x: \u00a0",
                "    \u2003",
                "y(a:b): c",
                ") ",
            ),
        ]
    ),
    st.text(" \t:xy()\r\x0bA", max_size=8),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(LINES, max_size=10))
def test_random_docstrings(lines: list[str]) -> None:
    def function(x: int, y: str = "") -> str:
        return y

    def bare() -> Any: ...

    for given_function in (function, bare):
        given_function.__doc__ = "\n".join(lines)
        agree(given_function)


def documented(function: Any) -> Any:
    """Describe every parameter, so that only the signature is left to differ."""
    names = [*"abcxyz", "args", "kwargs", "self", "cls", "value"]
    function.__doc__ = "Does.\n\nArgs:\n" + "".join(f"    {n}: about {n}\n" for n in names) + "\nReturns:\n    it"
    return function


def wrapping(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def unwrapped(function: Any) -> Any:
    @documented
    def wrapper(*args, **kwargs):  # type: ignore[no-untyped-def]
        return function(*args, **kwargs)

    return wrapper


@documented
def defaults(a: int, b: str = "x", *, c: float = 1.0, z: bool) -> list[int]: ...  # type: ignore[empty-body]


@documented
def variadic(a: int, *args: str, **kwargs: float) -> None: ...


@documented
def variadic_bare(*args, **kwargs): ...  # type: ignore[no-untyped-def]


@documented
def positional(a: int, /, b: int) -> Custom: ...  # type: ignore[empty-body]


@documented
def unhinted(a, b: int): ...  # type: ignore[no-untyped-def]


@documented
def unhinted_return(a: int): ...  # type: ignore[no-untyped-def]


@documented
def first_self(self, a: int) -> None: ...  # type: ignore[no-untyped-def]


@documented
def hinted_self(self: int, a: int) -> None: ...


@documented
def later_self(a: int, self) -> None: ...  # type: ignore[no-untyped-def]


@documented
def first_cls(cls, a: "int | None" = None) -> "Custom": ...  # type: ignore[no-untyped-def,empty-body]


@documented
def only_self(self) -> Any: ...  # type: ignore[no-untyped-def]


@documented
def forward(a: "Nowhere") -> int: ...  # type: ignore[name-defined,empty-body]  # noqa: F821


@documented
def forward_return(a: int) -> "Nowhere": ...  # type: ignore[name-defined,empty-body]  # noqa: F821


@documented
async def coroutine(a: int) -> int: ...  # type: ignore[empty-body]


@documented
def generator(a: int) -> typing.Iterator[int]:
    yield a


@documented
def none_default(a: int = None, b: Optional[str] = None) -> None: ...  # type: ignore[assignment]


@documented
def undescribed(a: int, other: int) -> None: ...


class Base:
    @documented
    def method(self, a: int) -> str: ...  # type: ignore[empty-body]

    @classmethod
    @documented
    def class_method(cls, a: int) -> str: ...  # type: ignore[empty-body]

    @staticmethod
    @documented
    def static_method(a: int) -> str: ...  # type: ignore[empty-body]

    def inherited(self, a: int) -> None:
        """Inherited.

        Args:
            a: first
        """

    @documented
    def __call__(self, a: int) -> None: ...

    @property
    def value(self) -> int: ...  # type: ignore[empty-body]

    @documented
    def generic(self: Any, a: int) -> None: ...

    @documented
    def bound_self(this, self, a: int) -> None: ...  # type: ignore[no-untyped-def]


class Derived(Base):
    def inherited(self, a: int) -> None: ...


def renamed(function: Any, **attributes: Any) -> Any:
    copied = types.FunctionType(function.__code__, function.__globals__, "copied", function.__defaults__)
    copied.__annotations__, copied.__doc__ = dict(function.__annotations__), function.__doc__
    for key, value in attributes.items():
        setattr(copied, key, value)
    return copied


FUNCTIONS: dict[str, Any] = {
    **{f.__name__: f for f in (defaults, variadic, variadic_bare, positional, unhinted, unhinted_return, first_self)},
    **{f.__name__: f for f in (hinted_self, later_self, first_cls, only_self, forward, forward_return, coroutine)},
    **{f.__name__: f for f in (generator, none_default, undescribed)},
    "lambda": lambda x: x,
    "documented lambda": documented(lambda x: x),
    "documented lambda without parameters": documented(lambda: 0),
    "wraps": wrapping(defaults),
    "wraps twice": wrapping(wrapping(variadic)),
    "wraps unhinted": wrapping(unhinted),
    "wraps method": wrapping(Base.method),
    "unwrapped": unwrapped(defaults),
    "partial": functools.partial(defaults, 1),
    "documented partial": functools.update_wrapper(functools.partial(defaults, 1), defaults),
    "cache": functools.lru_cache(defaults),
    "singledispatch": functools.singledispatch(defaults),
    "method": Base().method,
    "unbound method": Base.method,
    "class method": Base.class_method,
    "class method of an instance": Derived().class_method,
    "static method": Base.static_method,
    "inherited docstring": Derived().inherited,
    "inherited docstring, unbound": Derived.inherited,
    "call method": Base().__call__,
    "callable object": Base(),
    "class": Base,
    "hinted self, bound": Base().generic,
    "hinted self, unbound": Base.generic,
    "self in second place, bound": Base().bound_self,
    "self in second place, unbound": Base.bound_self,
    "property": Base.value,
    "builtin": len,
    "builtin method": "".join,
    "type": int,
    "method of a lambda": types.MethodType(documented(lambda self: 0), 5),
    "no annotations": renamed(defaults, __annotations__={}),
    "annotations of no parameter": renamed(defaults, __annotations__={"a": int, "b": str, "y": int}),
    "annotations reordered": renamed(unhinted, __annotations__={"b": int, "a": str}),
    "annotation of nothing known": renamed(unhinted, __annotations__={"a": int, "b": int, "q": int}),
    "no name": renamed(defaults, __name__=""),
    "docstring not a string": renamed(defaults, __doc__=5),
    "signature given": renamed(defaults, __signature__=__import__("inspect").signature(unhinted_return)),
    "string": "function",
    "none": None,
    "number": 5,
    "dict": {"name": "f"},
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    agree(FUNCTIONS[name])


def test_enough_is_compared() -> None:
    shapes = [agree(function) for function in FUNCTIONS.values()]
    assert len(FUNCTIONS) >= 50 and len(HINTS) + len(DOCSTRINGS) >= 150
    assert sum(kind == "schema" for kind, _ in shapes) >= 20 and sum(kind == "error" for kind, _ in shapes) >= 15


def test_a_result_is_new_each_time() -> None:
    first = function_to_schema(defaults)
    assert function_to_schema(defaults) == first and function_to_schema(defaults) is not first


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (
            lambda x: x,
            DocstringParsingException,
            "function <lambda> needs a docstring, which describes it to the model",
        ),
        (
            undescribed,
            DocstringParsingException,
            "function undescribed: the Args section of its docstring has to describe the parameter 'other'",
        ),
        (unhinted, TypeHintParsingException, "function unhinted: the parameter 'a' has no type hint"),
    ],
)
def test_messages(function: Any, error: Any, message: str) -> None:
    with pytest.raises(error) as caught:
        function_to_schema(function)
    assert str(caught.value) == message


def test_images_and_audio(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of libraries that are not installed here; they count only where their module is loaded."""
    pil, torch = types.ModuleType("PIL.Image"), types.ModuleType("torch")
    pil.Image = type("Image", (), {})  # type: ignore[attr-defined]
    torch.Tensor = type("Tensor", (), {})  # type: ignore[attr-defined]

    def media(x, y=None):  # type: ignore[no-untyped-def]
        """Shows.

        Args:
            x: image
            y: audio
        """

    media.__annotations__ = {"x": pil.Image, "y": list[torch.Tensor] | None}
    with pytest.raises(TypeHintParsingException):
        function_to_schema(media)
    monkeypatch.setitem(sys.modules, "PIL.Image", pil)
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert function_to_schema(media)["function"]["parameters"]["properties"] == {  # type: ignore[index]
        "x": {"type": "image", "description": "image"},
        "y": {"type": "array", "items": {"type": "audio"}, "nullable": True, "description": "audio"},
    }


def test_import_is_light() -> None:
    code = (
        "import sys, types;"
        "[sys.modules.setdefault(n, types.ModuleType(n)).__dict__.update(__path__=[n.replace('.', '/')])"
        " for n in ('rtgen', 'rtgen.runtime')];"  # empty packages: what their `__init__` import is not counted
        "import rtgen.runtime.schema;"
        "print([m for m in ('inspect', 'typing', 'json', 're', 'enum', 'transformers') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env={"PYTHONPATH": "."})
    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_modules_with_evaluated_annotations() -> None:
    """This module's annotations are strings; a module without the future import has classes."""
    source = (
        "from typing import Optional\n"
        "def f(a: int, b: Optional[list[str]] = None, *, c: 'float' = 0.0) -> dict[str, int]:\n"
        "    '''Does.\n\n    Args:\n        a: x\n        b: y\n        c: z\n\n    Returns:\n        it\n    '''\n"
    )
    namespace: dict[str, Any] = {"__name__": "evaluated"}
    exec(compile(source, "<evaluated>", "exec", dont_inherit=True), namespace)
    kind, text = agree(namespace["f"])
    assert kind == "schema" and '"nullable": true' in text
