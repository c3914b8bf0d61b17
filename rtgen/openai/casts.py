"""The arguments that the schemas of the tools may change: they are told when they are complete, and as they become."""

from __future__ import annotations

from typing import Any

from rtgen.runtime.tools import cast_arguments, castable

Parameters = dict[str, dict[str, object]]
"""The parameters of each tool, as `rtgen.runtime.tools.tool_parameters` gives them; empty without tools."""


class Casts:
    """What becomes of the arguments of a call to the tool called `name`."""

    def __init__(self, name: str, parameters: Parameters) -> None:
        self._name, self._parameters = name, parameters
        self._properties = parameters.get(name) or {}

    def may_change(self, key: str, first: str) -> bool:
        """Whether the argument `key`, whose JSON text begins with the character `first`, may become another value."""
        if key not in self._properties or first not in ('"', "["):
            return False
        try:
            text, items = castable(self._properties[key])
        except (TypeError, RecursionError):
            return True  # a schema that cannot be read: the region will be refused
        return text if first == '"' else items

    def cast(self, key: str, value: Any) -> Any:
        """The argument `key` as the message has it. Raises what `cast_arguments` raises for a schema that is none."""
        arguments = {key: value}
        cast_arguments({"function": {"name": self._name, "arguments": arguments}}, self._parameters)
        return arguments[key]
