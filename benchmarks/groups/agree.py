"""Whether the engines give the same message: a comparison of speed is worth nothing where they do not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.engines import Engine


def same_message(engines: Sequence[Engine], loaded: Mapping[str, Any], text: str, prefix: str) -> str:
    """An empty string, or a note that the engines disagree about this text."""
    messages = {json.dumps(engine.parse(loaded[engine.name], text, prefix)) for engine in engines}
    return "" if len(messages) <= 1 else "the engines disagree"
