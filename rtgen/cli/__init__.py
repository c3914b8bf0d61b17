"""The command line: `rtgen`, or `python -m rtgen`. Each command is a module of its own, imported when it is called.

Exit codes: 0 good; 1 the work found faults; 2 wrong usage, or a file that is missing or cannot be read; 130
interrupted; 141 the reader of the output went away. Errors are one sentence on stderr; `--verbose` adds the traceback.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, TextIO

import click

from rtgen.cli.common import FAULTS_FOUND, WRONG_USAGE, State

COMMANDS = ("compile", "parse", "stream", "check", "show", "templates", "chat", "cache")
"""The commands in the order of `rtgen --help`; `rtgen.cli.<name>.command` is each one."""

_INTERRUPTED = 130
_PIPE_CLOSED = 141


class _Commands(click.Group):
    """The group of all commands. It imports a command when it is asked for, and turns exceptions into sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(f"rtgen.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"they are {', '.join(COMMANDS)}"
            raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        state = ctx.ensure_object(State)
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            ctx.exit(_INTERRUPTED)
        except BrokenPipeError:
            # The reader has seen enough. What is still buffered must not complain when the interpreter exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(_PIPE_CLOSED)
        except Exception as error:
            if state.verbose:
                import traceback

                traceback.print_exc()
            _say(f"error: {_sentence(error, state.source)}")
            ctx.exit(_exit_code(error))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="rtgen", prog_name="rtgen", message="%(prog)s %(version)s")
@click.option("--verbose", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def commands(ctx: click.Context, verbose: bool) -> None:
    """Compile response templates into parsers for the output of language models.

    SOURCE is a tokenizer_config.json, a tokenizer folder, a bare template .json, or the name of a bundled template
    (see `rtgen templates`).
    """
    ctx.ensure_object(State).verbose |= verbose


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (without the program's name; None: that of this process) and return its exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            result = commands.main(arguments, prog_name="rtgen", standalone_mode=False, obj=State())
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            return error.exit_code
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            command = "rtgen" if context is None else context.command_path
            message = error.format_message().rstrip(".")
            _say(f"error: {message[:1].lower()}{message[1:]} (see `{command} --help`)")
            return error.exit_code
        except click.Abort:
            return _INTERRUPTED
    return result if isinstance(result, int) else 0


def _exit_code(error: Exception) -> int:
    from rtgen.read import SourceError

    return WRONG_USAGE if isinstance(error, (SourceError, OSError)) else FAULTS_FOUND


def _sentence(error: Exception, source: str | None = None) -> str:
    """What to say about an exception that ends a command, on one line; `source` is the file of the template."""
    from rtgen.errors import ParseError, TemplateError
    from rtgen.read import SourceError

    if isinstance(error, TemplateError):
        named = source is None or isinstance(error, SourceError)  # those name the file themselves
        text = str(error) if named else f"{source!r}: {error}"
    elif isinstance(error, ParseError):
        text = f"the output does not parse: {error}"
    elif isinstance(error, OSError) and error.strerror:
        name = error.filename.decode(errors="replace") if isinstance(error.filename, bytes) else error.filename
        text = error.strerror if name is None else f"{name!r}: {error.strerror}"
    elif isinstance(error, ValueError) and str(error):
        text = str(error)
    else:
        text = f"{type(error).__name__}: {error} (--verbose shows where)"
    return " ".join(text.split())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print what rtgen warns of on one line; warnings that are for programmers are left out."""
    if issubclass(category, (UserWarning, RuntimeWarning)):
        _say(f"warning: {message}")


def _say(text: str) -> None:
    click.echo(f"rtgen: {text}".encode("utf-8", "backslashreplace"), err=True)
