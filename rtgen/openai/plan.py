"""What of a template's tool calls can be told before a region closes: where the name and the arguments come from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import regex

from rtgen.openai.tag_pattern import TagPattern, read_tag_pattern
from rtgen.openai.tags_walker import ValueReader, value_reader
from rtgen.template import PLACEHOLDER

TEXT_FIELDS = {
    "content": "content",
    "reasoning_content": "reasoning_content",
    "reasoning": "reasoning_content",
    "thinking": "reasoning_content",
    "thought": "reasoning_content",
}
"""Fields of a message that are text, and where OpenAI's form has them."""

CALLS = "tool_calls"
"""The field of a message that holds calls."""

Path = list[str | None]
"""The keys under which a value stands in the content, one in the other; None for an item of a list."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How the calls of a field are told.

    `way` is "json", "call list" (arguments as they come), "tags" (strings as they come, other arguments when their tag
    is complete; all of them so where `tags` has no head) or "whole", and `why` says why it is "whole".

    The name is `name`, or the opener's capture `capture`, or stands in the content at `name_path`; `arguments_path` is
    where the arguments stand ([]: the content is the arguments). `listed`: the content is a list of calls.
    `id_capture` is the capture that holds the call's id, `call_id` the id that all calls have.

    `bare_keys` and `delimiters` (of strings) describe a dialect of JSON; `tags` and `read` the tags and their values.
    """

    way: str
    why: str = ""
    name: str | None = None
    capture: str | None = None
    name_path: Path | None = None
    arguments_path: Path | None = None
    listed: bool = False
    id_capture: str | None = None
    call_id: str | None = None
    bare_keys: bool = False
    delimiters: tuple[str, str] | None = None
    tags: TagPattern | None = None
    read: ValueReader | None = None


def plan_calls(field: dict[str, Any], *, string_aware: bool = False) -> Plan:
    """The plan for a field's calls, from the field as it stands in its template.

    `string_aware` is the option of the parser.
    """
    plan = _shape(field)
    if plan.way == "whole":
        return plan
    content, arguments = field.get("content", "text"), field.get("content_args", {})
    if not isinstance(arguments, dict):
        return Plan("whole", "no region can be parsed")
    if content == "json":
        return _json(plan, arguments)
    if content == "python-call-list" and plan.listed:
        if (plan.name_path, plan.arguments_path) == ([None, "name"], [None, "arguments"]):
            return replace(plan, way="call list")
        return Plan("whole", "the calls of a list are put together in another way")
    if content == "xml-inline" and not plan.name_path and not plan.arguments_path:
        return _tags(plan, field, arguments, string_aware)
    return Plan("whole", f"{content} is read when it is complete")


def _shape(field: dict[str, Any]) -> Plan:
    """What the transform says: the plan without the language of the content."""
    transform, listed = field.get("transform"), bool(field.get("transform_each"))
    function = transform.get("function") if isinstance(transform, dict) else None
    if not isinstance(transform, dict) or not isinstance(function, (dict, str)):
        return Plan("whole", "the template gives calls another form")
    if isinstance(function, str):
        source = _placeholder(function)
        if source is None:
            return Plan("whole", "the template gives calls another form")
        function = {"name": f"{{{source}.name}}", "arguments": f"{{{source}.arguments}}"}
    name, arguments = function.get("name"), function.get("arguments")
    path = _path(_placeholder(arguments), listed)
    if path is None or not isinstance(name, str):
        return Plan("whole", "the arguments are put together from parts")
    plan = Plan("json", arguments_path=path, listed=listed)
    call_id = transform.get("id")
    source = _placeholder(call_id)
    if source is not None:
        if _path(source, listed) is not None:
            return Plan("whole", "the call's id stands in the content")
        plan = replace(plan, id_capture=source)
    elif isinstance(call_id, str) and call_id:
        plan = replace(plan, call_id=call_id)
    source = _placeholder(name)
    if source is None:
        return replace(plan, name=name)
    name_path = _path(source, listed)
    if name_path is None:
        if source in _groups(field, "close_pattern"):
            return Plan("whole", "the closer may give the name")
        return replace(plan, capture=source)
    if listed and source.partition(".")[0] in _groups(field, "open_pattern") | _groups(field, "close_pattern"):
        return Plan("whole", "an item without a name has that of the delimiter")
    if name_path[: len(path)] == path:
        return Plan("whole", "the name stands among the arguments")
    return replace(plan, name_path=name_path)


def _json(plan: Plan, arguments: dict[str, Any]) -> Plan:
    """The plan for JSON and its dialects."""
    if arguments.get("allow_non_json"):
        return Plan("whole", "only the end tells whether the content is JSON")
    plan = replace(plan, bare_keys=bool(arguments.get("unquoted_keys")))
    delims = arguments.get("string_delims")
    if not delims:
        return plan
    if not isinstance(delims, list) or len(delims) != 1:
        return Plan("whole", "each pair of string delimiters is looked for in all of the content, one after the other")
    pair = delims[0]
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) and part for part in pair):
        return Plan("whole", "the string delimiters are no pair of strings")
    opener, closer = pair
    if opener[0].isalnum() or opener[0].isspace() or opener[0] in "_-+./\\\"'{}[]:,":
        return Plan("whole", "what opens a string of the dialect may be JSON of another meaning")
    return replace(plan, delimiters=(opener, closer))


def _tags(plan: Plan, field: dict[str, Any], arguments: dict[str, Any], string_aware: bool) -> Plan:
    """The plan for tags."""
    if arguments.get("merge_duplicates"):
        return Plan("whole", "an argument becomes a list when its tag comes again")
    read = None
    if arguments.get("value_parser") is not None:
        read = value_reader(arguments["value_parser"])
        if read is None:
            return Plan("whole", "values are parsed when all of them are there")
    pattern = arguments.get("tag_pattern")
    tags = read_tag_pattern(pattern) if isinstance(pattern, str) else None
    if tags is None:
        return Plan("whole", "the tag_pattern is not certain to have a key and a value, or no regular one")
    if string_aware:
        from rtgen.runtime.tags import tag_shape

        shape = tag_shape(field)
        if shape is not None and not shape.chained:
            return Plan("whole", "whether a tag's closer is data is known when the region has closed")
    return replace(plan, way="tags", tags=tags, read=read)


def _path(placeholder: str | None, listed: bool) -> Path | None:
    """Where in the content a placeholder points; None if it does not."""
    if placeholder is None:
        return None
    root, *keys = placeholder.split(".")
    if listed:
        return [None, root, *keys]
    return [*keys] if root == "content" else None


def _placeholder(value: Any) -> str | None:
    whole = PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
    return None if whole is None else str(whole[1])


def _groups(field: dict[str, Any], delimiter: str) -> set[str]:
    """The names of the groups that a delimiter captures."""
    try:
        return set(regex.compile(field.get(delimiter) or "", regex.DOTALL).groupindex)
    except regex.error:
        return set()


def describe_calls(fields: dict[str, dict[str, Any]]) -> str | None:
    """One line on how OpenAI's clients are told the arguments of calls; None for a template without calls."""
    if CALLS not in fields:
        return None
    plan = plan_calls(fields[CALLS])
    if plan.way == "whole":
        return f"tool calls whole: {plan.why}"
    if plan.way != "tags":
        return "arguments of tool calls as they come"
    if plan.tags is None or plan.tags.head is None or plan.read is not None:
        return "each argument of a tool call when it is complete"
    return "arguments of tool calls as they come, those that a tool's schema may cast when their tag is complete"
