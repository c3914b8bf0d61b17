"""`rtgen chat roundtrip`: whether a response template reads what a chat template writes."""

from __future__ import annotations

import click

from rtgen.cli.common import FAULTS_FOUND, Command, to_json, write

MOST_SHOWN = 5
"""Wrong examples that are made small and shown."""


@click.command("roundtrip", cls=Command, short_help="Prove a response template against a chat template.")
@click.argument("source")
@click.option(
    "--response-template", "-r", metavar="T", help="The response template: a bundled name, a file or a folder."
)
@click.option("--template", "name", metavar="NAME", help="Which chat template, of several.")
@click.option("--strict", is_flag=True, help="Malformed outputs that are misread count as faults too.")
@click.option("--details", is_flag=True, help="Tell what is lost, and how malformed outputs are read.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    source: str,
    response_template: str | None,
    name: str | None,
    strict: bool,
    details: bool,
    as_json: bool,
) -> None:
    """Render messages with the chat template at SOURCE, parse them back, and compare.

    SOURCE is a tokenizer's folder (its tokenizer_config.json holds the response template), a file with a chat template,
    or the name of a bundled template. Each message is rendered, the generation prompt is cut off as the prefix, and the
    rest is parsed whole, without its end token and in several chunkings. The verdicts are equal, lost (the chat template
    never rendered it) and wrong; of what is wrong, the smallest message that shows it is printed. Malformed outputs (end
    tokens twice, regions that are not closed, text after calls) are tried besides.

    The exit code is 1 if anything is wrong, or nothing came back equal.
    """
    from rtgen.roundtrip import find, prove, table
    from rtgen.roundtrip.judge import WRONG
    from rtgen.roundtrip.report import smallest

    pair = find(source, response_template, name)
    report = prove(pair)
    if as_json:
        write(to_json(table.as_json(report), indent=2))
    else:
        for line in table.lines(report, details):
            click.echo(line)
        shown = {row.subject: row for row in reversed(report.rows) if row.verdict == WRONG}
        for row in list(reversed(shown.values()))[:MOST_SHOWN]:
            click.echo()
            for line in table.wrong(row, *smallest(pair, row)):
                click.echo(line)
    if report.faults(strict) or not report.counts()["equal"]:
        ctx.exit(FAULTS_FOUND)
