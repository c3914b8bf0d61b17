"""`python -m rtgen.regenerate`: write the parsers of the bundled templates, one `generated/<name>.py` for each.

Files are written only where they change, and those without a template are removed. With `--check` nothing is touched,
and the exit code is 1 where anything would be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from rtgen import library
from rtgen.compiler import generate
from rtgen.emit.header import format_source
from rtgen.files import holds, write_if_changed

COMMAND = "python -m rtgen.regenerate"


def module(name: str) -> str:
    """The source of a bundled template's parser, as its file holds it. Raises UnknownTemplateError, TemplateError."""
    return format_source(generate(library.template(name), name=name))


def folder() -> Path:
    """Where the generated parsers are.

    Raises RuntimeError where they are those of another checkout: a development install names the folders of the
    checkout that it was made from, whichever checkout this module is of.
    """
    found = Path(import_module("rtgen.generated").__path__[0])
    own = Path(__file__).resolve().parent.parent / "generated"
    if own.is_dir() and own != found.resolve():
        raise RuntimeError(f"rtgen.generated is {found}, of another checkout; install the one with {own}")
    return found


def stale(names: Sequence[str]) -> list[Path]:
    """Generated parsers without a template among `names`."""
    return sorted(path for path in folder().glob("*.py") if path.stem not in (*names, "__init__"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring the generated parsers up to date; returns the exit code."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Write the parsers of the bundled templates.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if anything is out of date")
    check = parser.parse_args(arguments).check
    try:
        folder()
    except RuntimeError as error:
        parser.error(str(error))
    names = library.available()
    changed = 0
    for name in names:
        path = str(folder() / f"{name}.py")
        source = module(name)
        if check:
            different = not holds(path, source)
        else:
            different = write_if_changed(path, source)
        if different:
            print(f"{'out of date' if check else 'written'}: {path}")
        changed += different
    for old in stale(names):
        print(f"{'without a template' if check else 'removed'}: {old}")
        if not check:
            old.unlink()
        changed += 1
    if check and changed:
        print(f"run: {COMMAND}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
