"""The Jinja environment of chat templates, and templates compiled in it.

Its options, filters, globals and tags are those of transformers 5.24.0: the sandbox that changes nothing, `trim_blocks`
and `lstrip_blocks`, loop controls, `generation`, and JSON without HTML escapes.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any

import jinja2
from jinja2 import Template, nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, LoopControlExtension
from jinja2.filters import do_join
from jinja2.nodes import EvalContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, pass_eval_context

from rtgen.chat import generation

FILE_NAME = "chat_template.jinja"
"""What templates are called in tracebacks."""

OLDEST_JINJA = (3, 1, 6)
"""Sandboxes of earlier versions can be escaped from."""

REMEMBERED = 128
"""Compiled templates that are kept."""

Clock = Callable[[], datetime] | datetime
"""What `strftime_now` asks for the time."""

_clock: ContextVar[Clock | None] = ContextVar("clock", default=None)


@functools.lru_cache(maxsize=REMEMBERED)
def compile_template(source: str, spans: bool = False) -> Template:
    """The template compiled; with `spans`, what it renders knows its generated parts (`generation.spans_of`).

    Raises jinja2.TemplateSyntaxError, SyntaxError (`break` or `continue` outside a loop, or in a `generation` tag
    inside it), ImportError if Jinja2 is too old.
    """
    chosen = environment(spans)
    code = chosen.compile(source, filename=FILE_NAME)
    return chosen.template_class.from_code(chosen, code, chosen.make_globals(None))


@functools.lru_cache(maxsize=2)
def environment(spans: bool = False) -> ChatEnvironment:
    """The environment, made once. Raises ImportError if Jinja2 is too old."""
    if tuple(int(part) for part in jinja2.__version__.split(".")[:3] if part.isdigit()) < OLDEST_JINJA:
        needed = ".".join(map(str, OLDEST_JINJA))
        raise ImportError(
            f"chat templates need jinja2 {needed} or newer, whose sandbox is closed; this is {jinja2.__version__}"
        )
    return SpanEnvironment() if spans else ChatEnvironment()


@contextmanager
def clock_set(clock: Clock | None) -> Iterator[None]:
    """Within it, `strftime_now` asks `clock`: a function, or a time that stands still; None is the real time."""
    token = _clock.set(clock)
    try:
        yield
    finally:
        _clock.reset(token)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """The environment in which transformers renders chat templates."""

    generation_tag: type[Extension] = generation.GenerationTag

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[self.generation_tag, LoopControlExtension])
        self.filters["tojson"] = tojson
        self.globals |= {
            "raise_exception": raise_exception,
            "strftime_now": strftime_now,
            "dict": _Dict(),
            "namespace": _PublicNamespace,
        }


class SpanEnvironment(ChatEnvironment):
    """The same, with strings that know which parts of them were generated."""

    generation_tag = generation.SpanTag
    code_generator_class = generation.SpanCodeGenerator
    concat = staticmethod(generation.concat)
    concat_values = staticmethod(generation.concat_values)

    def __init__(self) -> None:
        super().__init__()
        self.filters["join"] = _join


def tojson(
    x: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    """The filter `tojson`: JSON as `json.dumps` writes it, not escaped for HTML. The order of parameters counts."""
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message: Any) -> None:
    """The function with which templates refuse a conversation. Raises jinja2.TemplateError."""
    raise TemplateError(message)


def strftime_now(format: str) -> str:
    """The function with which templates tell the time."""
    clock = _clock.get()
    if clock is None:
        return datetime.now().strftime(format)
    return (clock() if callable(clock) else clock).strftime(format)


class _Dict:
    """What templates know as `dict`: makes dicts, and leads nowhere else."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """`dict.fromkeys`."""
        return dict.fromkeys(*args, **kwargs)


class _PublicNamespace(Namespace):
    """What templates know as `namespace`: attributes that begin with an underscore are refused."""

    def __init__(*args: Any, **kwargs: Any) -> None:  # an attribute may be called "self"
        attributes = dict(*args[1:], **kwargs)
        for name in attributes:
            _check_public(name)
        Namespace.__init__(args[0], attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_public(name)
        super().__setitem__(name, value)


def _check_public(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace of a chat template has no attribute {name!r}: it begins with an underscore")


@pass_eval_context
def _join(eval_ctx: EvalContext, value: Any, d: str = "", attribute: Any = None) -> str:
    """The filter `join`, which keeps spans."""
    if attribute is not None:
        joined: str = do_join(eval_ctx, value, d, attribute)
        return joined
    return generation.join(str(d), map(str, value))


def misplaced_loop_control(source: str, spans: bool = False) -> int | None:
    """The line of the first `break` or `continue` that has no loop around it in its own function, or None."""
    todo: list[tuple[nodes.Node, bool]] = [(environment(spans).parse(source), False)]
    while todo:
        node, looping = todo.pop()
        if type(node).__name__ in ("Break", "Continue") and not looping:
            return node.lineno
        inside = isinstance(node, nodes.For) or (looping and not isinstance(node, (nodes.Macro, nodes.CallBlock)))
        todo += [(child, inside) for child in reversed(list(node.iter_child_nodes()))]
    return None
