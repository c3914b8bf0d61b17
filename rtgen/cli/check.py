"""`rtgen check`: what is wrong or fragile in a template."""

from __future__ import annotations

import click

from rtgen.cli.common import FAULTS_FOUND, Command, find


@click.command(cls=Command, short_help="Find what is wrong or fragile in a template.")
@click.argument("source")
@click.option("--portable", is_flag=True, help="Say too where other engines for response templates would disagree.")
def command(source: str, portable: bool) -> int:
    """Look for faults in the template at SOURCE and print one a line, with the name of its rule.

    Errors lose text, warnings are fragile (or engines disagree), notes are for information. The exit code is 1 if there
    are errors or warnings.
    """
    found = find(source)

    from rtgen.check import check

    findings = check(found.template, portable=portable)
    for finding in findings:
        click.echo(f"{finding.level}: {finding.where}: {finding.message} [{finding.rule}]")
    complaints = [finding for finding in findings if finding.level != "note"]
    return FAULTS_FOUND if complaints else 0
