"""Python's own syntax trees, made safely where several threads make them."""

from __future__ import annotations

import threading
import time
from typing import Any

_reading = threading.Lock()


def read_tree(source: str) -> Any:
    """The tree that `ast.parse` makes of the source, an `ast.Module`. Raises what `ast.parse` raises.

    CPython 3.11 counts the depth of all trees that are being made in one place, and raises SystemError where threads
    make several at once; so one is made at a time, and again where other code made one meanwhile. The lock is not
    waited for without end: a process that was forked while it was held would wait for ever.
    """
    import ast

    held = _reading.acquire(timeout=1)
    try:
        for _ in range(20):
            try:
                return ast.parse(source)
            except SystemError:
                time.sleep(0.002)
        return ast.parse(source)
    finally:
        if held:
            _reading.release()
