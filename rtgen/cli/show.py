"""`rtgen show`: the program that a template is compiled to."""

from __future__ import annotations

import click

from rtgen.cli.common import Command, find


@click.command(cls=Command, short_help="Print the program that a template is compiled to.")
@click.argument("source")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "mermaid", "dot"]),
    default="text",
    show_default=True,
    help="The form.",
)
def command(source: str, form: str) -> None:
    """Print the states and transitions of the template at SOURCE, with what each delimiter can hold back at most."""
    found = find(source)

    from rtgen.show import render

    click.echo(render(found.template, form).rstrip("\n"))
