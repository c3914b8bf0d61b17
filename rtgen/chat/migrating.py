"""Bringing a folder's chat templates to the modern form, `.jinja` files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from rtgen.chat.config import read_object
from rtgen.chat.saving import Change, apply, by_name, planned
from rtgen.chat.storage import KEY, LEGACY_FILE, PROCESSOR_CONFIG, TOKENIZER_CONFIG, Folder, Kind, Named
from rtgen.read import SourceMissingError


@dataclass(frozen=True, slots=True)
class Migration:
    """What becomes of the files, in the order in which it happens, and sentences on what is lost by it."""

    changes: list[Change]
    notes: list[str]


def migrate(folder: str | os.PathLike[str], *, dry_run: bool = False, prefer: Kind | None = None) -> Migration:
    """Bring the folder to the modern form: no template in a JSON file, none that would win over a `.jinja` file.

    Templates that `.jinja` files hold already stay as they are, and win over those of `chat_template.json`. Where the
    tokenizer and the processor have different templates of one name, `prefer` says which of them stays. With `dry_run`
    nothing is written. A second run changes nothing.

    Raises ValueError (two different templates and no `prefer`), SourceError, OSError.
    """
    folder = os.fspath(folder)
    if not os.path.isdir(folder):
        raise SourceMissingError(f"there is no folder {folder!r}")
    found = Folder.read(folder)
    notes: list[str] = []
    wanted = {name: text for name, (text, _) in found.templates("tokenizer").items()}
    jinja = {**found.root, **found.additional}
    if found.legacy is not None:
        _note_lost(found.legacy, jinja, notes)
        legacy = {name: pair for name, pair in found.legacy.items() if name not in jinja}
        _add(wanted, legacy, LEGACY_FILE, TOKENIZER_CONFIG, prefer)
    if found.processor is not None:
        _add(wanted, found.processor, PROCESSOR_CONFIG, "the other files", prefer)
    others = sorted((read_object(os.path.join(folder, LEGACY_FILE)) or {}).keys() - {KEY})
    if others:
        notes.append(f"{LEGACY_FILE} goes with its other keys: {', '.join(others)}")
    changes = planned(folder, by_name(wanted)) if wanted else []
    if not dry_run:
        apply(changes)
    return Migration(changes, notes)


def _note_lost(legacy: Named, jinja: Named, notes: list[str]) -> None:
    for name, (text, _) in legacy.items():
        if name in jinja and jinja[name][0].rstrip("\n") != text.rstrip("\n"):
            notes.append(f"the template {name!r} of {LEGACY_FILE} is another than that of the .jinja file, and is lost")


def _add(
    wanted: dict[str, str], more: Mapping[str, tuple[str, str]], file: str, other: str, prefer: Kind | None
) -> None:
    """Add what processors read to what tokenizers read. Raises ValueError where they differ and none is preferred."""
    for name, (text, _) in more.items():
        if name not in wanted or prefer == "processor":
            wanted[name] = text
        elif wanted[name] != text and prefer is None:
            raise ValueError(
                f"the template {name!r} of {file} is another than that of {other}; say which one stays: "
                "--prefer tokenizer or --prefer processor"
            )
