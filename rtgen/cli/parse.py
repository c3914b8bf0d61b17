"""`rtgen parse`: turn a model's output into a message; with `--jsonl`, many outputs."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click

from rtgen.cli.common import (
    FAULTS_FOUND,
    NO_PREFIX,
    Command,
    malformed_region,
    parser_for,
    prompt,
    prompt_options,
    read_text,
    serving,
    serving_options,
    to_json,
    tool_list,
    warn_of_anchor,
    write,
)


@click.command(cls=Command, short_help="Turn a model's output into a message, or many of them.")
@click.argument("source")
@click.argument("text", required=False)
@prompt_options
@serving_options
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
    on_malformed: str | None,
    string_aware: bool,
    repair: bool,
    jsonl: bool,
    jobs: int | None,
) -> int:
    """Parse TEXT (- or nothing: stdin) with the template at SOURCE and print the message as JSON.

    With --jsonl, TEXT is a file of JSON Lines (- or nothing: stdin): {"text": …, "prefix": …, "tools": …}, where
    --prefix and --tools stand in for what a line lacks. There is one line of output for each line that is not blank, in
    the same order: the message, or {"error": …, "line": …}. If there are errors, the exit code is 1.

    With --on-malformed event or content, what is malformed is no error: a warning on stderr names it.
    """
    options = serving(on_malformed=on_malformed, string_aware=string_aware, repair=repair)
    given, tools = prompt(prefix, prefix_file), tool_list(tools_file)
    if jsonl:
        from rtgen.cli.jsonl import Request, run

        return 0 if run(Request(source, given, tools, options), text, jobs) else FAULTS_FOUND
    if jobs is not None:
        raise click.UsageError("--jobs goes with --jsonl", click.get_current_context())
    if given is None:
        raise click.UsageError(NO_PREFIX, click.get_current_context())
    parser = parser_for(source)
    warn_of_anchor(parser.template, given)
    malformed: list[dict[str, Any]] = []
    if options:
        options["malformed"] = malformed
    message = parser.parse_response(read_text(text), prefix=given, tools=tools, **options)
    for event in malformed:
        warnings.warn(malformed_region(event), stacklevel=2)
    write(to_json(message, indent=2 if sys.stdout.isatty() else None))
    return 0
