"""`rtgen chat`: chat templates, which turn messages into the text that a model reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from rtgen.cli.chat_common import diff, kind_option, known, template_option
from rtgen.cli.chat_lint import command as lint
from rtgen.cli.chat_render import command as render
from rtgen.cli.common import Command, to_json, write
from rtgen.cli.roundtrip import command as roundtrip

if TYPE_CHECKING:
    from rtgen.chat.migrating import Preference
    from rtgen.chat.storage import Kind


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]}, short_help="Chat templates: render, check, migrate."
)
def command() -> None:
    """Chat templates turn messages into the text that a model reads.

    SOURCE is a model's folder, its tokenizer_config.json, another JSON file with a key chat_template, a .jinja file, or
    the name of a bundled template (see `rtgen templates`).
    """


command.add_command(render)
command.add_command(lint)
command.add_command(roundtrip)


@command.command(cls=Command, short_help="Tell what a template reads, or take it out.")
@click.argument("source")
@click.option("-o", "--output", metavar="FILE", help="Write the template to FILE (-: stdout) for editing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@template_option
@kind_option
def show(source: str, output: str | None, as_json: bool, name: str | None, kind: Kind | None) -> None:
    """Tell which templates there are at SOURCE, from which files, and which variables and special tokens they read."""
    from rtgen.chat.source import find

    found = find(source, kind)
    text, label = found.choose(known(found.chat_template, name))
    if output is not None:
        data = text.encode("utf-8")
        if output == "-":
            write(data)
        else:
            from rtgen.files import write_atomically

            write_atomically(output, data)
        return
    from rtgen.chat.describe import describe

    templates = found.chat_template if isinstance(found.chat_template, dict) else {"default": text}
    facts: dict[str, Any] = {
        "kind": found.kind,
        "templates": {each: found.sources.get(each, label) for each in templates},
        "shown": name or ("default" if "default" in templates else next(iter(templates))),
    }
    facts["lines"] = text.count("\n") + (not text.endswith("\n"))
    about = describe(text, label)
    facts |= {
        "variables": about.standard + about.variables,
        "functions": about.functions,
        "generation": about.generation,
        "tokens": {token: found.special_tokens.get(token) for token in about.tokens},
        "other_tokens": {name: text for name, text in found.special_tokens.items() if name not in about.tokens},
    }
    write(to_json(facts, indent=2)) if as_json else click.echo("\n".join(_facts(facts)))


@command.command("set", cls=Command, short_help="Put a template into a folder.")
@click.argument("source")
@click.argument("template", metavar="TEMPLATE.jinja")
@click.option("--template", "name", metavar="NAME", help="Its name, in a folder. [default: default]")
def set_(source: str, template: str, name: str | None) -> None:
    """Make the file TEMPLATE.jinja the chat template of SOURCE: a folder, one of its JSON files, or a .jinja file.

    Templates of other names stay. The folder has the modern form afterwards (see `rtgen chat migrate`). A template that
    does not compile is refused.
    """
    import os

    from jinja2 import TemplateError

    from rtgen.chat.environment import compile_template
    from rtgen.chat.location import located
    from rtgen.chat.saving import is_file_name
    from rtgen.chat.source import folder_of, read_template

    into_file = os.path.isfile(source) and not source.endswith(".json")
    if into_file and name is not None:
        raise click.UsageError(f"{source!r} is one template, so --template says nothing; give the folder")
    name = "default" if name is None else name
    if not is_file_name(name):
        raise click.UsageError(f"--template {name!r} is no name for a template: such a file would leave its folder")
    text = read_template(template)
    try:
        with located(text, template):
            compile_template(text)
    except (TemplateError, SyntaxError) as error:
        raise ValueError(f"the template does not compile, and nothing was written: {error}") from error
    if into_file:
        from rtgen.files import write_if_changed

        click.echo(source if write_if_changed(source, text) else "nothing to change")
        return
    from rtgen.chat.migrating import settled
    from rtgen.chat.saving import save
    from rtgen.chat.storage import Folder

    folder = folder_of(source)
    try:
        others, _ = settled(Folder.read(folder), replaced=(name,))
    except ValueError as error:
        raise ValueError(f"nothing was written; run `rtgen chat migrate` first: {error}") from error
    paths = save(folder, others | {name: text})
    click.echo("\n".join(paths) if paths else "nothing to change")


def _facts(facts: dict[str, Any]) -> list[str]:
    lines = [f"kind       {facts['kind']}"]
    lines += [f"template   {name}: {path}" for name, path in facts["templates"].items()]
    lines.append(f"shown      {facts['shown']}, {facts['lines']} line{'' if facts['lines'] == 1 else 's'}")
    lines.append(f"variables  {', '.join(facts['variables']) or 'none'}")
    lines.append(f"functions  {', '.join(facts['functions']) or 'none'}")
    for name, text in facts["tokens"].items():
        lines.append(f"token      {name} = {'not set' if text is None else json.dumps(text, ensure_ascii=False)}")
    for name, text in facts["other_tokens"].items():
        lines.append(f"unread     {name} = {json.dumps(text, ensure_ascii=False)}")
    lines.append(f"generation tag: {'yes' if facts['generation'] else 'no'}")
    return lines


@command.command(cls=Command, short_help="Bring a folder to the modern form.")
@click.argument("folder")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option(
    "--prefer",
    metavar="WHICH",
    help="Which template stays where two differ: a place, or what tokenizer or processor reads.",
)
def migrate(folder: str, dry_run: bool, prefer: Preference | None) -> None:
    """Move the chat templates of FOLDER from its JSON files to chat_template.jinja and additional_chat_templates/.

    Where templates of one name differ, nothing is done until --prefer says which stays: tokenizer_config.json,
    chat_template.json, processor_config.json, chat_template.jinja, additional_chat_templates, or tokenizer or processor
    for what that reads now. A second run changes nothing.
    """
    from rtgen.chat.migrating import PREFERENCES
    from rtgen.chat.migrating import migrate as run

    if prefer is not None and prefer not in PREFERENCES:
        raise click.UsageError(f"--prefer is one of {', '.join(PREFERENCES)}, not {prefer!r}")
    done = run(folder, dry_run=dry_run, prefer=prefer)
    for note in done.notes:
        click.echo(f"rtgen: warning: {note}", err=True)
    for change in done.changes:
        if dry_run:
            click.echo(diff(change.path, change.before, change.after), nl=False)
        else:
            verb = "deleted" if change.after is None else "written" if change.before is None else "changed"
            click.echo(f"{verb} {change.path}")
    if not done.changes:
        click.echo("nothing to change")
