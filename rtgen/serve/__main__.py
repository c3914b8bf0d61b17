"""`python -m rtgen.serve RECORDINGS.json [--port N]`: the example server on loopback.

The file maps names of models to recordings: objects with `template`, `prefix`, `text` and what else `Recording` has.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import uvicorn

from rtgen.serve.app import Recording, application


def main() -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m rtgen.serve", description="Replay recorded generations.")
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    recorded = json.loads(options.recordings.read_text(encoding="utf-8"))
    app = application({name: Recording(**recording) for name, recording in recorded.items()})
    uvicorn.run(app, host="127.0.0.1", port=options.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
