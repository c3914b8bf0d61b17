"""What of a template's tool calls can be told before a region closes: where the name and the arguments come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rtgen.pattern import facts
from rtgen.pattern.parse import parse
from rtgen.pattern.program import compile_program

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


@dataclass(frozen=True, slots=True)
class Plan:
    """How the calls of a field are told.

    `way` is "json" (arguments as they come), "tags" (each argument when its tag is complete) or "whole", and `why` says
    why it is "whole". The name is `name`, or the capture `capture`, or stands in the content under `name_key`;
    `arguments_key` is the key of the arguments in the content ("": the content is the arguments). `id_capture` is the
    capture that holds the call's id.
    """

    way: str
    why: str = ""
    name: str | None = None
    capture: str | None = None
    name_key: str | None = None
    arguments_key: str = ""
    id_capture: str | None = None


def plan_calls(field: dict[str, Any]) -> Plan:
    """The plan for a field's calls, from the field as it stands in its template."""
    transform = field.get("transform")
    if field.get("transform_each"):
        return Plan("whole", "a region holds a list of calls")
    function = transform.get("function") if isinstance(transform, dict) else None
    if function is None or not isinstance(transform, dict):
        return Plan("whole", "the template gives calls another form")
    call_id = _placeholder(transform.get("id"))
    if call_id is not None and call_id.startswith("content"):
        return Plan("whole", "the call's id stands in the content")
    if function == "{content}":
        plan = Plan("json", name_key="name", arguments_key="arguments", id_capture=call_id)
    elif isinstance(function, dict):
        plan = _from_parts(function, call_id)
    else:
        return Plan("whole", "the template gives calls another form")
    if plan.way == "whole":
        return plan
    kind = field.get("content", "text")
    arguments = field.get("content_args") or {}
    if kind == "json":
        if arguments:
            return Plan("whole", "the JSON is a dialect, whose text is not JSON")
        return plan
    if kind == "xml-inline" and plan.name_key is None and plan.arguments_key == "":
        if set(arguments) != {"tag_pattern"}:
            return Plan("whole", "values are parsed or merged when all of them are there")
        if tag_program(field) is None:
            return Plan("whole", "the tag_pattern is not certain to have a key and a value, or no regular one")
        return Plan("tags", "", plan.name, plan.capture, None, "", call_id)
    return Plan("whole", f"{kind} is read when it is complete")


def _from_parts(function: dict[str, Any], call_id: str | None) -> Plan:
    name, arguments = function.get("name"), function.get("arguments")
    root = _placeholder(arguments)
    if root is None or root.split(".")[0] != "content" or root.count(".") > 1 or not isinstance(name, str):
        return Plan("whole", "the arguments are put together from parts")
    key = root.partition(".")[2]
    source = _placeholder(name)
    if source is None:
        return Plan("json", name=name, arguments_key=key, id_capture=call_id)
    if source.split(".")[0] != "content":
        return Plan("json", capture=source, arguments_key=key, id_capture=call_id)
    if key == "" or source.count(".") != 1:
        return Plan("whole", "the name stands among the arguments")
    return Plan("json", name_key=source.partition(".")[2], arguments_key=key, id_capture=call_id)


def _placeholder(value: Any) -> str | None:
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        return value[1:-1]
    return None


def tag_program(field: dict[str, Any]) -> Any:
    """The program of a field's `tag_pattern` for `rtgen.runtime.pattern.Search`; None where it tells nothing early."""
    pattern = field["content_args"]["tag_pattern"]
    if not isinstance(pattern, str):
        return None
    try:
        node = parse(pattern)
        if facts.is_opaque(node) or facts.has_backreference(node):
            return None
        groups = facts.named_groups(node)
        if any(name not in groups or not facts.always_participates(node, name) for name in ("key", "value")):
            return None
        return compile_program(node)
    except Exception:  # whatever is wrong with it shows when a region is parsed
        return None


def describe_calls(fields: dict[str, dict[str, Any]]) -> str | None:
    """One line on how OpenAI's clients are told the arguments of calls; None for a template without calls."""
    if CALLS not in fields:
        return None
    plan = plan_calls(fields[CALLS])
    if plan.way == "json":
        return "arguments of tool calls as they come"
    return "each argument of a tool call when it is complete" if plan.way == "tags" else f"tool calls whole: {plan.why}"
