"""`rtgen cache`: where compiled templates are kept, and how to drop them."""

from __future__ import annotations

import click

from rtgen.cli.common import FAULTS_FOUND, Command


@click.group(short_help="Show or clear the cache of compiled templates.")
def command() -> None:
    """Show or clear the cache of compiled templates."""


@command.command(cls=Command, name="dir", short_help="Print the folder of the cache.")
def print_directory() -> None:
    """Print the folder of the cache: RTGEN_CACHE_DIR, else the platform's place for caches."""
    from rtgen.cache import CacheError, directory

    try:
        click.echo(directory())
    except CacheError as error:
        raise click.UsageError(str(error)) from error


@command.command(cls=Command)
def clear() -> int:
    """Delete the compiled templates."""
    from rtgen import cache

    try:
        count = cache.clear()
    except cache.CacheError as error:
        click.echo(f"rtgen: error: the cache is not cleared: {error}", err=True)
        return FAULTS_FOUND
    click.echo(f"{count} compiled template{'' if count == 1 else 's'} deleted from {cache.directory()}")
    return 0
