"""What the commands share: the source of a template, the text and the prompt they parse, JSON that they print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rtgen.compiler import CompiledTemplate
    from rtgen.read import Source

FAULTS_FOUND = 1
"""Exit code: output that does not parse, a template that is refused, a check that complains."""

WRONG_USAGE = 2
"""Exit code: wrong usage, or a file that is missing or cannot be read."""

NO_PREFIX = (
    "give the prompt with --prefix or --prefix-file, because prompts often hold the beginning of the message "
    "(such as <think>); --prefix '' says that there is none"
)

NO_ANCHOR = "is not found in the {}, so all of it is parsed as the beginning of the output"
"""What a warning says of a prompt without the anchor, behind the anchor."""

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


@dataclass
class State:
    """What holds for the whole run."""

    verbose: bool = False
    source: str | None = None
    """The file of the template that the command works on, once it has been read."""


class Command(click.Command):
    """A command that takes `--verbose`, as the group does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(
            click.Option(
                ["--verbose"],
                is_flag=True,
                expose_value=False,
                callback=_set_verbose,
                help="Show the traceback of an error.",
            )
        )


def _set_verbose(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    ctx.ensure_object(State).verbose |= value


def prompt_options(command: _Decorated) -> _Decorated:
    """Adds the options `--prefix`, `--prefix-file` and `--tools`; `prompt` and `tool_list` read their values."""
    for option in (
        click.option(
            "--tools", "tools_file", metavar="FILE", help="The tools of the request: a file with a JSON list."
        ),
        click.option("--prefix-file", metavar="FILE", help="A file that holds the prompt."),
        click.option("--prefix", metavar="TEXT", help="The prompt that the model continued; '' if there is none."),
    ):
        command = option(command)
    return command


def serving_options(command: _Decorated) -> _Decorated:
    """Adds the options for broken output that `parse` and `stream` share; `serving` reads their values."""
    for option in (
        click.option("--repair", is_flag=True, help="Repair common faults, such as commas too many in JSON."),
        click.option("--string-aware", is_flag=True, help="Take a closer inside a string for data."),
        click.option(
            "--on-malformed",
            type=click.Choice(["raise", "event", "content"]),
            help="What becomes of a region that does not parse: an error, an event, or text. [default: raise]",
        ),
    ):
        command = option(command)
    return command


def serving(**options: Any) -> dict[str, Any]:
    """The keyword arguments of a parser that the options give, without those that are not there."""
    return {name: value for name, value in options.items() if value}


def malformed_region(event: dict[str, Any]) -> str:
    """What a warning says of a region that is malformed."""
    return f"a region of {event['field']!r} is malformed: {event['error']}"


def prompt(prefix: str | None, prefix_file: str | None) -> str | None:
    """The prompt that the options give, or None. Raises click.UsageError if they give two, OSError."""
    if prefix is not None and prefix_file is not None:
        raise click.UsageError("--prefix and --prefix-file exclude each other")
    return prefix if prefix_file is None else read_file(prefix_file)


def lost_anchor(template: dict[str, Any], prefix: str | None) -> str | None:
    """The anchor, as a warning shows it, if a prompt does not hold it; None if it does, or if there is no prompt."""
    if not prefix:
        return None
    given: Any = template.get("start_anchor", template.get("start_anchor_pattern"))
    if "start_anchor" in template:
        found = any(literal in prefix for literal in ([given] if isinstance(given, str) else given))
    else:
        import regex

        try:
            found = regex.search(given, prefix, regex.DOTALL, timeout=1) is not None
        except TimeoutError:
            return None
    return None if found else json.dumps(given, ensure_ascii=False)


def warn_of_anchor(template: dict[str, Any], prefix: str | None) -> None:
    """Warn of a prompt without the anchor: most often it is another model's, or of another turn."""
    anchor = lost_anchor(template, prefix)
    if anchor is not None:
        import warnings

        warnings.warn(f"the template's anchor {anchor} {NO_ANCHOR.format('prompt')}", stacklevel=2)


def tool_list(tools_file: str | None) -> list[Any] | None:
    """The tools in the file, or None. Raises click.UsageError for anything but a JSON list, OSError."""
    if tools_file is None:
        return None
    try:
        tools = json.loads(read_file(tools_file))
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"--tools {tools_file!r} is not JSON: {error}") from error
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise click.UsageError(f"--tools {tools_file!r} is not a JSON list of tools, which are objects")
    return tools


def find(source: str) -> Source:
    """The template at SOURCE; warns of keys that stand in it twice. Raises SourceError."""
    import warnings

    from rtgen.read import read

    found = read(source)
    click.get_current_context().ensure_object(State).source = found.path
    for path in found.repeated:
        warnings.warn(f"the key {path} stands twice in the template; the last one counts", stacklevel=2)
    return found


def parser_for(source: str) -> CompiledTemplate:
    """The compiled template at SOURCE. Raises SourceError, TemplateError."""
    import rtgen

    found = find(source)
    if found.path is None and found.name is not None:
        return rtgen.load(found.name)
    if not isinstance(found.template, dict):  # a string is no name here: let it be refused as other commands refuse it
        from rtgen.compiler import compile_template

        return compile_template(found.template)
    return rtgen.compile(found.template)


def read_file(path: str) -> str:
    """The text of a file, its line ends as they are. Raises OSError, click.UsageError if it is not UTF-8."""
    with open(path, "rb") as file:
        return decode(file.read(), repr(path))


def read_text(argument: str | None) -> str:
    """The text that the argument is, or that stands on stdin (None or `-`), with no character added or removed."""
    return decode(sys.stdin.buffer.read(), "stdin") if argument in (None, "-") else str(argument)


def decode(data: bytes, where: str) -> str:
    """`data` as UTF-8. Raises click.UsageError that names `where`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(
            f"{where} is not UTF-8: the byte at offset {error.start} is part of no character"
        ) from error


def to_json(value: Any, *, indent: int | None = None) -> bytes:
    """`value` as JSON in UTF-8 and a newline.

    Characters stand for themselves, save lone surrogates, which UTF-8 cannot hold: they are written as JSON's escapes.
    """
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str).encode("utf-8", "backslashreplace") + b"\n"


def write(data: bytes) -> None:
    """Write to stdout at once."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
