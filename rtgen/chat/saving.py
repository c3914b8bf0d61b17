"""Writing chat templates into a folder, in the modern form alone: `.jinja` files.

After it, the folder holds the templates that were saved and no others, for tokenizers and processors alike.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rtgen.chat.config import decode_object, read_text, without_key
from rtgen.chat.storage import (
    ADDITIONAL_FOLDER,
    DEFAULT,
    KEY,
    LEGACY_FILE,
    PROCESSOR_CONFIG,
    ROOT_FILE,
    SUFFIX,
    ChatTemplate,
)
from rtgen.chat.tokens import TOKENIZER_CONFIG
from rtgen.files import write_atomically

if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file: its text before (None: there was none) and after (None: it is deleted)."""

    path: str
    before: str | None
    after: str | None


def save(folder: str | os.PathLike[str], template: str | Mapping[str, str] | ChatTemplate) -> list[str]:
    """Make `template` the chat template of the folder; returns the paths that were written or deleted.

    A string, or what is called `default` in a dict, goes to `chat_template.jinja`, the others to
    `additional_chat_templates/<name>.jinja`. The key `chat_template` leaves `tokenizer_config.json` and
    `processor_config.json`; `chat_template.json` and `.jinja` files of other templates are deleted, since they would be
    read beside the new ones. Each file is written whole or not at all, and nothing is written if anything is refused.

    Raises ValueError (a name that is none or would leave the folder, no template, text that is no Unicode), TypeError
    (names or templates that are no strings), SourceError (a config that cannot be decoded), OSError.
    """
    return apply(planned(os.fspath(folder), by_name(template)))


def by_name(template: str | Mapping[str, str] | ChatTemplate) -> dict[str, str]:
    """The templates by name, checked. Raises ValueError, TypeError."""
    value: Any = template.chat_template if isinstance(template, ChatTemplate) else template
    if isinstance(value, str):
        value = {DEFAULT: value}
    if not isinstance(value, Mapping):
        raise TypeError(f"a chat template is a string or a dict of name to string, not {type(value).__name__}")
    if not value:
        raise ValueError("there is no chat template to save: the dict is empty")
    for name, text in value.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise TypeError(f"the chat template {name!r} is not a string with a string for its name")
        if not is_file_name(name):
            raise ValueError(f"{name!r} is no name for a chat template: such a file would leave its folder")
        text.encode("utf-8")
    return dict(value)


def is_file_name(name: str) -> bool:
    """Whether a template can have this name: a file called so stays in its folder, on every system."""
    if not name or name != name.strip() or name.startswith("."):
        return False
    return all(character not in '/\\:*?"<>|' and character.isprintable() for character in name)


def planned(folder: str, templates: Mapping[str, str]) -> list[Change]:
    """The changes that make `templates`, checked, the chat templates of the folder. Raises SourceError.

    New files come first, so that there is a template at every moment.
    """
    wanted = {_path(folder, name): text for name, text in templates.items()}
    changes = [Change(path, read_text(path), text) for path, text in wanted.items()]
    for name in (TOKENIZER_CONFIG, PROCESSOR_CONFIG):
        path = os.path.join(folder, name)
        text = read_text(path)
        if text is not None and KEY in decode_object(text, path):
            changes.append(Change(path, text, without_key(text, KEY)))
    stale = [os.path.join(folder, LEGACY_FILE), os.path.join(folder, ROOT_FILE)]
    additional = os.path.join(folder, ADDITIONAL_FOLDER)
    if os.path.isdir(additional):
        stale += [os.path.join(additional, name) for name in sorted(os.listdir(additional)) if name.endswith(SUFFIX)]
    changes += [Change(path, read_text(path), None) for path in stale if path not in wanted]
    return [change for change in changes if change.before != change.after]


def apply(changes: list[Change]) -> list[str]:
    """Make the changes; returns the paths. Raises OSError."""
    for change in changes:
        if change.after is None:
            os.unlink(change.path)
        elif change.before is None:
            os.makedirs(os.path.dirname(change.path) or ".", exist_ok=True)
            write_atomically(change.path, change.after.encode("utf-8"))
        else:  # a symbolic link gives way to a file: it may lead into a cache that others read
            mode = stat.S_IMODE(os.stat(change.path).st_mode)
            write_atomically(change.path, change.after.encode("utf-8"))
            os.chmod(change.path, mode)
    return [change.path for change in changes]


def _path(folder: str, name: str) -> str:
    if name == DEFAULT:
        return os.path.join(folder, ROOT_FILE)
    return os.path.join(folder, ADDITIONAL_FOLDER, name + SUFFIX)
