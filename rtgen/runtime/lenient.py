"""What `string_aware` and `repair` take besides `rtgen.runtime.serving`, which loads this when they are asked for.

A module that stands alone holds all of it in the body of the function that loads it, so that it costs nothing before.
"""

from __future__ import annotations

from rtgen.runtime.aware import implicit_mask, mask_for, scan_aware, stray_closer, stray_opener
from rtgen.runtime.lost_texts import LostTexts
from rtgen.runtime.mending import Mender, exact_tools

__all__ = [
    "LostTexts",
    "Mender",
    "exact_tools",
    "implicit_mask",
    "mask_for",
    "scan_aware",
    "stray_closer",
    "stray_opener",
]
