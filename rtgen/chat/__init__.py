"""Chat templates: what turns messages into the text that a model reads.

`render` renders a template, `load` and `save` find and write the templates of a folder, `migrate` brings a folder to
the modern form, `lint` finds what other Jinja engines would render differently. The names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rtgen.chat.fixing import fix
    from rtgen.chat.linter import lint
    from rtgen.chat.migrating import migrate
    from rtgen.chat.rendering import Rendered, render
    from rtgen.chat.saving import save
    from rtgen.chat.storage import ChatTemplate, load

__all__ = ["ChatTemplate", "Rendered", "fix", "lint", "load", "migrate", "render", "save"]

_HOMES = {
    "ChatTemplate": "rtgen.chat.storage",
    "Rendered": "rtgen.chat.rendering",
    "fix": "rtgen.chat.fixing",
    "lint": "rtgen.chat.linter",
    "load": "rtgen.chat.storage",
    "migrate": "rtgen.chat.migrating",
    "render": "rtgen.chat.rendering",
    "save": "rtgen.chat.saving",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'rtgen.chat' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
