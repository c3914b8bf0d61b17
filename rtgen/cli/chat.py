"""`rtgen chat`: chat templates, which turn messages into the text that a model reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from rtgen.cli.chat_common import diff, kind_option, known, template_option
from rtgen.cli.chat_lint import command as lint
from rtgen.cli.common import Command, read_file, to_json, tool_list, write
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


command.add_command(lint)
command.add_command(roundtrip)


@command.command(cls=Command, short_help="Render messages.")
@click.argument("source")
@click.argument("messages_file", metavar="MESSAGES")
@click.option("--tools", "tools_file", metavar="FILE", help="A file with a JSON list of tools.")
@click.option("--documents", "documents_file", metavar="FILE", help="A file with a JSON list of documents.")
@click.option("--add-generation-prompt", is_flag=True, help="End with the beginning of the assistant's message.")
@click.option(
    "--continue-final-message",
    is_flag=False,
    flag_value="content",
    metavar="[FIELD]",
    help="End where the final message (or this field of it) ends.",
)
@click.option("--var", "variables", multiple=True, metavar="NAME=VALUE", help="A variable; VALUE is JSON, else text.")
@click.option("--now", metavar="TIME", help="The time to tell, such as 2026-02-03T04:05:06 (default: the clock's).")
@click.option("--generation-spans", is_flag=True, help="Print JSON: the text and the spans the assistant wrote.")
@template_option
@kind_option
def render(
    source: str,
    messages_file: str,
    tools_file: str | None,
    documents_file: str | None,
    add_generation_prompt: bool,
    continue_final_message: str | None,
    variables: tuple[str, ...],
    now: str | None,
    generation_spans: bool,
    name: str | None,
    kind: Kind | None,
) -> None:
    """Print the text of the messages in the file MESSAGES (a JSON list, or an object with the key "messages").

    Nothing is added to the text. Several conversations (a list of lists) are printed as JSON.
    """
    from jinja2 import TemplateError

    from rtgen.chat.source import find

    found = find(source, kind)
    messages = _json_file(messages_file)
    if isinstance(messages, dict) and "messages" in messages:
        messages = messages["messages"]
    try:
        result = found.render(
            messages,
            chat_template=known(found.chat_template, name),
            tools=tool_list(tools_file),
            documents=None if documents_file is None else _json_file(documents_file),
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message or False,
            clock=None if now is None else _time(now),
            generation_spans=generation_spans,
            **dict(map(_variable, variables)),
        )
    except TemplateError as error:
        raise ValueError(f"the template cannot be rendered: {error}") from error
    if isinstance(result, str):
        write(result.encode("utf-8", "backslashreplace"))
    elif generation_spans:
        each = [{"text": one.text, "spans": one.spans} for one in (result if isinstance(result, list) else [result])]
        write(to_json(each if isinstance(result, list) else each[0]))
    else:
        write(to_json(result))


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
@click.option("--template", "name", metavar="NAME", default="default", help="Its name (default: default).")
def set_(source: str, template: str, name: str) -> None:
    """Make the file TEMPLATE.jinja the chat template of SOURCE: a folder, one of its JSON files, or a .jinja file.

    Templates of other names stay. The folder has the modern form afterwards (see `rtgen chat migrate`). A template that
    does not compile is refused.
    """
    import os

    from jinja2 import TemplateError

    from rtgen.chat.environment import compile_template
    from rtgen.chat.location import located
    from rtgen.chat.source import folder_of, read_template

    text = read_template(template)
    try:
        with located(text, template):
            compile_template(text)
    except (TemplateError, SyntaxError) as error:
        raise ValueError(f"the template does not compile, and nothing was written: {error}") from error
    if os.path.isfile(source) and not source.endswith(".json"):
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


def _json_file(path: str) -> Any:
    try:
        return json.loads(read_file(path))
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{path!r} is not JSON: {error}") from error


def _variable(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise click.UsageError(f"--var {text!r} is not of the form NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _time(text: str) -> Any:
    from datetime import datetime

    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise click.UsageError(f"--now {text!r} is no time, such as 2026-02-03T04:05:06") from error


def _facts(facts: dict[str, Any]) -> list[str]:
    lines = [f"kind       {facts['kind']}"]
    lines += [f"template   {name}: {path}" for name, path in facts["templates"].items()]
    lines.append(f"shown      {facts['shown']}, {facts['lines']} lines")
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
