"""`rtgen compile`: write the parser of a template to a file."""

from __future__ import annotations

import os

import click

from rtgen.cli.common import FAULTS_FOUND, Command, find, write

OUTPUT = "response_parser.py"
"""The file that is written where `-o` names none."""


@click.command(cls=Command, short_help="Write a template's parser as a Python module.")
@click.argument("source")
@click.option(
    "-o", "--output", metavar="FILE", help=f"The file to write, or - for stdout. [default: {OUTPUT} beside SOURCE]"
)
@click.option("--standalone", is_flag=True, help="Write one file that needs no rtgen to run.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the file is not what would be written.")
@click.option("--force", is_flag=True, help="Write over a file too that rtgen has not generated.")
def command(source: str, output: str | None, standalone: bool, check: bool, force: bool) -> int:
    """Write the parser for the template at SOURCE as a Python module.

    Without -o the module is response_parser.py beside SOURCE (for a bundled template: in the current folder), and its
    path is printed. A file that already holds the right module is left alone; one that rtgen has not generated is not
    written over without --force.
    """
    if check and output == "-":
        raise click.UsageError("--check compares with a file, so -o - makes no sense", click.get_current_context())
    found = find(source)

    from rtgen.compiler import generate
    from rtgen.emit.header import compile_command, format_source, with_command
    from rtgen.files import holds, write_if_changed

    path = output or os.path.join(os.path.dirname(found.path or ""), OUTPUT)
    if not (check or force or output == "-" or may_be_replaced(path)):
        raise click.UsageError(
            f"{path!r} is not a file that rtgen has generated, so it is not written over; name another one with -o, or "
            "use --force",
            click.get_current_context(),
        )
    module = format_source(generate(found.template, name=found.name, standalone=standalone))
    if output == "-":
        write(module.encode("utf-8"))
        return 0
    file = os.path.basename(path)  # no folder goes in, so that the module is the same wherever it is made
    if file != OUTPUT:
        module = with_command(module, compile_command(found.name, standalone=standalone, output=file))
    if check:
        if holds(path, module):
            return 0
        options = f"{' --standalone' if standalone else ''}{'' if may_be_replaced(path) else ' --force'}"
        again = click.style(f"rtgen compile {source} -o {path}{options}", bold=True)
        what = "is not what would be written" if os.path.exists(path) else "does not exist"
        click.echo(f"rtgen: {path} {what}; run: {again}", err=True)
        return FAULTS_FOUND
    write_if_changed(path, module)
    if output is None:
        click.echo(path)
    return 0


def may_be_replaced(path: str) -> bool:
    """Whether nothing of a person is lost by writing to `path`: no file, an empty or generated one, or a device.

    Raises OSError for a file that cannot be read.
    """
    from rtgen.emit.header import GENERATED

    if not os.path.isfile(path):
        return True
    with open(path, "rb") as opened:
        beginning = opened.read(len(GENERATED))
    return beginning in (b"", GENERATED.encode())
