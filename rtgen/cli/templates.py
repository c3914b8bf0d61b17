"""`rtgen templates`: the bundled templates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from rtgen import library
from rtgen.cli.common import Command, to_json, write


@click.command(cls=Command, short_help="List the bundled templates, or print one.")
@click.argument("name", required=False)
@click.option("--notes", is_flag=True, help="Print what is known about the template instead of its JSON.")
def command(name: str | None, notes: bool) -> None:
    """List the bundled templates, or print the JSON of the one called NAME."""
    if name is None:
        if notes:
            raise click.UsageError("--notes needs the name of a template", click.get_current_context())
        _list()
    elif not library.exists(name):
        raise click.UsageError(f"there is no bundled template {name!r}; {library.suggestion(name)}")
    elif notes:
        lines = [line for key, value in library.meta(name).items() for line in _lines(key, value)]
        click.echo("\n".join([name, *lines, "", library.notes(name).rstrip()]).rstrip())
    else:
        write(to_json(library.template(name), indent=2))


def _list() -> None:
    names = library.available()
    width = max(map(len, names), default=0)
    for name in names:
        meta = library.meta(name)
        click.echo(f"{name:{width}}  {_plain(meta.get('models', ''))}".rstrip())
        for key in ("reasoning", "tools", "limits"):
            if meta.get(key):
                click.echo(f"{'':{width}}  {key:9}  {_plain(meta[key])}")
    for name, found in library.not_possible().items():
        click.echo(f"{name:{width}}  {found['models']}")
        click.echo(f"{'':{width}}  not possible: {found['reason']}")


def _lines(key: str, value: Any, indent: str = "") -> Iterator[str]:
    """A key of `meta.json` and its value for people, what is inside of it on lines of its own; marks are quoted."""
    inner = value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
    if not isinstance(inner[0], dict):
        quoted = bool(indent) and isinstance(value, list)
        yield f"{indent}{key}: {', '.join(map(json.dumps, value)) if quoted else _plain(value)}"
        return
    for one in inner:
        yield f"{indent}{key}:"
        for name, item in one.items():
            yield from _lines(name, item, f"{indent}  ")


def _plain(value: Any) -> str:
    """A value of `meta.json` for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)
