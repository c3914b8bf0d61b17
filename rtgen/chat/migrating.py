"""Bringing a folder's chat templates to the modern form, `.jinja` files."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import get_args

from rtgen.chat.config import existing_folder, read_object
from rtgen.chat.saving import Change, apply, by_name, planned
from rtgen.chat.storage import KEY, KINDS, LEGACY_FILE, Folder, Kind, Place

Preference = Kind | Place
"""Which template stays where places differ: what that kind reads now, or what stands in that place."""

PREFERENCES: tuple[Preference, ...] = (*KINDS, *get_args(Place))


@dataclass(frozen=True, slots=True)
class Migration:
    """What becomes of the files, in the order in which it happens, and sentences on what is lost by it."""

    changes: list[Change]
    notes: list[str]


def migrate(folder: str | os.PathLike[str], *, dry_run: bool = False, prefer: Preference | None = None) -> Migration:
    """Bring the folder to the modern form: no template in a JSON file, none that would win over a `.jinja` file.

    Where two places (files, or `additional_chat_templates`) have different templates of one name, `prefer` says which
    stays: that of a place, or what a tokenizer or a processor reads. With `dry_run` nothing is written. A second run
    changes nothing.

    Raises ValueError (different templates that `prefer` does not decide on), SourceError, OSError.
    """
    folder = existing_folder(folder)
    found = Folder.read(folder)
    wanted, notes = settled(found, prefer)
    others = sorted((read_object(os.path.join(folder, LEGACY_FILE)) or {}).keys() - {KEY})
    if others:
        notes.append(f"{LEGACY_FILE} goes with its other keys: {', '.join(others)}")
    changes = planned(folder, by_name(wanted)) if wanted else []
    if not dry_run:
        apply(changes)
    return Migration(changes, notes)


def settled(
    found: Folder, prefer: Preference | None = None, *, replaced: Collection[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """The one template of each name, and sentences on those that are lost; names in `replaced` need no decision.

    Raises ValueError where places differ and `prefer` does not say which of them stays.
    """
    if prefer is not None and prefer not in PREFERENCES:
        raise ValueError(f"prefer is one of {', '.join(map(repr, PREFERENCES))}, not {prefer!r}")
    wanted: dict[str, str] = {}
    notes: list[str] = []
    clashes: list[str] = []
    places: dict[Place, None] = {}
    for name, held in found.places().items():
        text = _chosen(found, name, held, prefer)
        others = [place for place, other in held.items() if not _same(other, text)]
        wanted[name] = text
        if not others or name in replaced:
            continue
        if _decided(found, name, held, prefer):
            notes += [
                f"the template {name!r} of {place} is another than the one that stays, and goes" for place in others
            ]
        else:
            clashes.append(f"the templates {name!r} of {' and '.join(held)} differ")
            places |= dict.fromkeys(held)
    if clashes:
        choices = " or ".join(f"--prefer {place}" for place in places)
        raise ValueError(
            f"{'; '.join(clashes)}; say which one stays: {choices}, or what the folder's readers take now: "
            f"{' or '.join(f'--prefer {kind}' for kind in KINDS)}"
        )
    return wanted, notes


def _chosen(found: Folder, name: str, held: dict[Place, str], prefer: Preference | None) -> str:
    """What stays under this name: the template of the place or of the kind, else the tokenizer's or the processor's."""
    if prefer is not None and prefer not in KINDS and prefer in held:
        return held[prefer]
    kinds = sorted(KINDS, key=lambda kind: kind != prefer)  # the preferred one first
    read = (found.templates(kind)[name][0] for kind in kinds if name in found.templates(kind))
    return next(read, held[next(reversed(held))])  # one that nobody reads stays too


def _decided(found: Folder, name: str, held: dict[Place, str], prefer: Preference | None) -> bool:
    if prefer is None:
        return False
    return name in found.templates(prefer) if prefer in KINDS else prefer in held


def _same(one: str, other: str) -> bool:
    """Whether two templates render the same: line ends are all one to Jinja, and it drops a last one."""
    return _lines(one) == _lines(other)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
