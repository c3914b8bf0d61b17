"""`python -m tests.golden`: write the golden files again, where they change."""

from __future__ import annotations

from rtgen.files import write_if_changed
from tests.golden import FOLDER, cases, checked, shown

for file, text in [*shown(), *((f"check/{path.name}", checked(path)) for path in cases())]:
    if write_if_changed(str(FOLDER / file), text):
        print(f"written: tests/golden/{file}")
