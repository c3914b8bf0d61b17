"""`rtgen chat render`: the text of messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from rtgen.cli.chat_common import kind_option, known, template_option
from rtgen.cli.common import Command, read_file, to_json, tool_list, write

if TYPE_CHECKING:
    from rtgen.chat.storage import Kind

CONVERSATION = "a list of messages (objects), or several such lists"


@click.command("render", cls=Command, short_help="Render messages.")
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
def command(
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
    """Print the text of the messages in the file MESSAGES: a JSON list, or an object with the key "messages", perhaps
    with "tools" and "documents" too, which hold where the options give none.

    Nothing is added to the text. Several conversations (a list of lists) are printed as JSON.
    """
    from jinja2 import TemplateError

    from rtgen.chat.source import find

    if continue_final_message and (add_generation_prompt or generation_spans):
        other = "--add-generation-prompt" if add_generation_prompt else "--generation-spans"
        raise click.UsageError(f"--continue-final-message and {other} exclude each other")
    found = find(source, kind)
    messages = _json_file(messages_file)
    given = messages if isinstance(messages, dict) else {}
    messages = _conversations(given.get("messages", messages), messages_file)
    if continue_final_message:
        _can_be_continued(messages, continue_final_message, messages_file)
    tools, documents = tool_list(tools_file), None if documents_file is None else _json_file(documents_file)
    if tools is None:
        tools = _objects(given.get("tools"), "tools", messages_file)
    documents = _objects(given.get("documents"), "documents", messages_file) if documents is None else documents
    try:
        result = found.render(
            messages,
            chat_template=known(found.chat_template, name),
            tools=tools,
            documents=_objects(documents, "documents", documents_file or messages_file),
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


def _json_file(path: str) -> Any:
    try:
        return json.loads(read_file(path))
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{path!r} is not JSON: {error}") from error


def _conversations(value: Any, path: str) -> Any:
    """The conversation or conversations. Raises click.UsageError for anything else, and for none."""
    if not isinstance(value, list):
        raise click.UsageError(f"{path!r} holds no conversation: that is {CONVERSATION}")
    for one in value if value and all(isinstance(each, list) for each in value) else [value]:
        if not one:
            raise click.UsageError(f"{path!r} holds no message to render; a conversation has at least one")
        if not all(isinstance(message, dict) for message in one):
            raise click.UsageError(f"{path!r} holds something else than messages: a conversation is {CONVERSATION}")
    return value


def _can_be_continued(messages: Any, field: str, path: str) -> None:
    for one in messages if isinstance(messages[0], list) else [messages]:
        if one[-1].get(field) is None:
            raise click.UsageError(f"the final message in {path!r} has no {field!r} to continue")


def _objects(value: Any, what: str, path: str) -> list[Any] | None:
    """A list of objects, or None. Raises click.UsageError for anything else."""
    if value is not None and not (isinstance(value, list) and all(isinstance(one, dict) for one in value)):
        raise click.UsageError(f"the {what} in {path!r} are not a JSON list of objects")
    return value


def _variable(text: str) -> tuple[str, Any]:
    import inspect

    from rtgen.chat.rendering import render_source

    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise click.UsageError(f"--var {text!r} is not of the form NAME=VALUE")
    if name in (*inspect.signature(render_source).parameters, "chat_template"):
        raise click.UsageError(f"--var cannot set {name!r}: that is no variable of the template's own")
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
