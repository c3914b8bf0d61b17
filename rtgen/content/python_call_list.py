"""`python-call-list`: calls with keyword arguments, `[get_weather(city="Paris")]`, into names and arguments.

The language is the strict one of transformers, `grammars/call_list.lark`: the reader is made of that file's terminals,
one compiled regex per place in the grammar, so that a well-formed call takes a match or two per argument. It reads no
content arguments, whatever they are.
"""

from __future__ import annotations

from typing import Any

from rtgen.content import grammar
from rtgen.content.common import Expr, call, pattern_constant
from rtgen.emit.source import Module, Writer, literal, signature

NAME = "python-call-list"

DEEPEST = 100
"""Lists and dicts that may enclose each other in an argument, as in transformers."""

LARGEST = 2**53 - 1
"""The greatest magnitude of an integer; what every JSON reader can hold."""

CONSTANTS = '{"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}'


def emit(out: Module, args: Any) -> Expr:
    """Write the reader; see `rtgen.content.emit`."""
    out.use("re")
    out.use_runtime("content", "call_list_fault", "unescape")
    tokens = _Tokens(out)
    body = Writer()
    body.doc("Read a list of calls: [name(key=value, ...), ...].")
    body.line()
    with body.block(signature("read", "at, depth")):
        _write_value(out, body, tokens)
    body.line()
    _write_calls(body, tokens)
    return call(out.function("python_call_list", "text", body))


def absent(args: Any) -> str | None:
    """See `rtgen.content.absent`."""
    return "TypeError"


class _Tokens:
    """The names of the compiled regexes; each steps over blanks first."""

    def __init__(self, out: Module) -> None:
        text = grammar.read("call_list")
        source = {
            name: grammar.terminal(text, name)
            for name in ("NAME", "INTEGER", "FRACTION", "EXPONENT", "SINGLE_QUOTED", "DOUBLE_QUOTED", "BLANK")
        }
        blank = f"{source['BLANK']}*"
        name = source["NAME"]
        string = f"{source['SINGLE_QUOTED']}|{source['DOUBLE_QUOTED']}"
        integer = source["INTEGER"]
        decimal = f"{integer}(?:{source['FRACTION']}(?:{source['EXPONENT']})?|{source['EXPONENT']})"

        def token(hint: str, pattern: str) -> str:
            return pattern_constant(out, hint, "re", blank + pattern)

        self.open_calls = token("open_calls", rf"\[({blank}\])?")
        self.call = token("call", rf"({name}){blank}\(({blank}\))?")
        self.argument = token("argument", rf"({name}){blank}=")
        self.next_argument = token("next_argument", r"([,)])")
        self.next_call = token("next_call", r"([,\]])")
        self.end = token("end", r"\Z")
        self.value = token(
            "value", rf"(?:({string})|({decimal})|({integer})|({name})|(\[)({blank}\])?|\{{({blank}\}})?)"
        )
        self.next_item = token("next_item", r"([,\]])")
        self.key = token("key", rf"({string}){blank}:")
        self.next_pair = token("next_pair", r"([,}])")


def _expect(body: Writer, token: str, what: str) -> None:
    """Write a match of `token` into `found`, and the fault where there is none."""
    body.line(f"found = {token}.match(text, at)")
    with body.block("if found is None:"):
        body.line(f"raise call_list_fault(text, at, {literal('expected ' + what)})")


def _write_calls(body: Writer, tokens: _Tokens) -> None:
    """Write the loop over the calls and, in it, the loop over a call's arguments."""
    body.line("calls = []")
    body.line("at = 0")
    _expect(body, tokens.open_calls, "'['")
    body.line("at, more = found.end(), found[1] is None")
    with body.block("while more:"):
        _expect(body, tokens.call, "a function name and '('")
        body.line("at, more = found.end(), found[2] is None")
        body.line("arguments: dict[str, Any] = {}")
        body.line('calls.append({"name": found[1], "arguments": arguments})')
        with body.block("while more:"):
            _expect(body, tokens.argument, "a keyword argument, its name and '='")
            body.line("key, start = found[1], at")
            body.line("value, at = read(found.end(), 0)")
            _write_unique(body, "arguments")
            _expect(body, tokens.next_argument, "',' or ')'")
            body.line('at, more = found.end(), found[1] == ","')
        _expect(body, tokens.next_call, "',' or ']'")
        body.line('at, more = found.end(), found[1] == ","')
    _expect(body, tokens.end, "nothing after the list")
    body.line("return calls")


def _write_unique(body: Writer, names: str) -> None:
    with body.block(f"if key in {names}:"):
        body.line('raise call_list_fault(text, start, "a name is repeated")')
    body.line(f"{names}[key] = value")


def _write_value(out: Module, body: Writer, tokens: _Tokens) -> None:
    """Write the reader of one value; `depth` is the number of lists and dicts around it."""
    constants = out.constant("call_constants", CONSTANTS)
    body.doc("Read the value at this place: the value, and where it ends.")
    _expect(body, tokens.value, "a string, number, list, dict, True, False or None")
    body.line("start, at = at, found.end()")
    with body.block("if found[1]:"):
        body.line("return unescape(text, start, found[1][1:-1]), at")
    with body.block("if found[2]:"):
        body.line("number = float(found[2])")
        with body.block('if number in (float("inf"), float("-inf")):'):
            body.line('raise call_list_fault(text, start, "a number is too large")')
        body.line("return number, at")
    with body.block("if found[3]:"):
        with body.block(f"if len(found[3]) > {len(str(-LARGEST))} or abs(int(found[3])) > {LARGEST}:"):
            body.line('raise call_list_fault(text, start, "an integer has more than 53 bits")')
        body.line("return int(found[3]), at")
    with body.block("if found[4]:"):
        with body.block(f"if found[4] not in {constants}:"):
            body.line('raise call_list_fault(text, start, "a name stands where a value should")')
        body.line(f"return {constants}[found[4]], at")
    with body.block(f"if depth == {DEEPEST}:"):
        body.line(f'raise call_list_fault(text, start, "lists and dicts are nested more than {DEEPEST} deep")')
    with body.block("if found[5]:"):
        body.line("items, more = [], found[6] is None")
        with body.block("while more:"):
            body.line("item, at = read(at, depth + 1)")
            body.line("items.append(item)")
            _expect(body, tokens.next_item, "',' or ']'")
            body.line('at, more = found.end(), found[1] == ","')
        body.line("return items, at")
    body.line("pairs, more = {}, found[7] is None")
    with body.block("while more:"):
        _expect(body, tokens.key, "a string and ':'")
        body.line("start = at")
        body.line("key = unescape(text, at, found[1][1:-1])")
        body.line("value, at = read(found.end(), depth + 1)")
        _write_unique(body, "pairs")
        _expect(body, tokens.next_pair, "',' or '}'")
        body.line('at, more = found.end(), found[1] == ","')
    body.line("return pairs, at")
