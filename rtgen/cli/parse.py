"""`rtgen parse`: turn a model's output into a message; with `--jsonl`, many outputs."""

from __future__ import annotations

import sys

import click

from rtgen.cli.common import (
    FAULTS_FOUND,
    NO_PREFIX,
    Command,
    parser_for,
    prompt,
    prompt_options,
    read_text,
    to_json,
    tool_list,
    write,
)


@click.command(cls=Command, short_help="Turn a model's output into a message, or many of them.")
@click.argument("source")
@click.argument("text", required=False)
@prompt_options
@click.option("--jsonl", is_flag=True, help="Read JSON Lines instead: objects with text, and maybe prefix and tools.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --jsonl: how many processes. [default: all CPUs for a large file, else 1]",
)
def command(
    source: str,
    text: str | None,
    prefix: str | None,
    prefix_file: str | None,
    tools_file: str | None,
    jsonl: bool,
    jobs: int | None,
) -> int:
    """Parse TEXT (- or nothing: stdin) with the template at SOURCE and print the message as JSON.

    With --jsonl, TEXT is a file of JSON Lines (- or nothing: stdin): {"text": …, "prefix": …, "tools": …}, where
    --prefix and --tools stand in for what a line lacks. There is one line of output for each line that is not blank, in
    the same order: the message, or {"error": …, "line": …}. If there are errors, the exit code is 1.
    """
    given, tools = prompt(prefix, prefix_file), tool_list(tools_file)
    if jsonl:
        from rtgen.cli.jsonl import run

        return 0 if run(source, text, given, tools, jobs) else FAULTS_FOUND
    if jobs is not None:
        raise click.UsageError("--jobs goes with --jsonl", click.get_current_context())
    if given is None:
        raise click.UsageError(NO_PREFIX, click.get_current_context())
    parser = parser_for(source)
    message = parser.parse_response(read_text(text), prefix=given, tools=tools)
    write(to_json(message, indent=2 if sys.stdout.isatty() else None))
    return 0
