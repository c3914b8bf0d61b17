"""What there is to know about a chat template before it is rendered."""

from __future__ import annotations

from dataclasses import dataclass

from rtgen.chat.environment import environment
from rtgen.chat.location import located

STANDARD = ("messages", "tools", "documents", "add_generation_prompt")
"""The variables that every template gets."""


@dataclass(frozen=True, slots=True)
class Description:
    """The names that a template reads and no part of it sets, each group sorted.

    `standard` are those that every template gets, `tokens` special tokens, `variables` the others, which callers pass
    as keyword arguments. `functions` are the global functions that it names; `generation`: it has that tag.
    """

    standard: list[str]
    tokens: list[str]
    variables: list[str]
    functions: list[str]
    generation: bool


def describe(source: str, label: str) -> Description:
    """What the template reads. Raises jinja2.TemplateSyntaxError; `label` names the file in it."""
    from jinja2 import meta, nodes

    env = environment()
    with located(source, label):
        tree = env.parse(source)
    read = meta.find_undeclared_variables(tree)
    functions = read & env.globals.keys()
    tokens = {name for name in read if name.endswith("_token")}
    others = read - functions - tokens
    tags = {
        call.node.identifier
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.ExtensionAttribute) and call.node.name == "_text"
    }
    return Description(
        sorted(others & set(STANDARD)), sorted(tokens), sorted(others - set(STANDARD)), sorted(functions), bool(tags)
    )
