"""What the commands of `rtgen chat` share."""

from __future__ import annotations

import click

template_option = click.option("--template", "name", metavar="NAME", help="Which one, of several templates.")
kind_option = click.option(
    "--kind",
    type=click.Choice(["tokenizer", "processor"]),
    help="Whose template to take (default: any).",
)


def known(templates: str | dict[str, str] | None, name: str | None) -> str | None:
    """`name`, if there is a template of this name. Raises click.UsageError."""
    names = list(templates) if isinstance(templates, dict) else ["default"]
    if name is not None and name not in names:
        raise click.UsageError(f"there is no template {name!r}; there is {', '.join(map(repr, names))}")
    return name if isinstance(templates, dict) else None


def diff(path: str, before: str | None, after: str | None) -> str:
    """A unified diff, with /dev/null for a file that is not there."""
    import difflib

    lines = difflib.unified_diff(
        (before or "").splitlines(keepends=True),
        (after or "").splitlines(keepends=True),
        "/dev/null" if before is None else path,
        "/dev/null" if after is None else path,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
