"""`python -m rtgen.serve RECORDINGS.json [--port N]`: the example server on loopback.

The file maps names of models to recordings: objects with `template`, `prefix`, `text` and what else `Recording` has.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rtgen.serve.recordings import RecordingError, read_recordings


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; exits with 2 and a sentence where the recordings cannot be served."""
    parser = argparse.ArgumentParser(
        prog="python -m rtgen.serve",
        description="Replay recorded generations at /v1/chat/completions.",
        epilog='RECORDINGS is a JSON file: {"MODEL": {"template": NAME, "prefix": PROMPT, "text": OUTPUT}, ...}',
    )
    parser.add_argument("recordings", metavar="RECORDINGS")
    parser.add_argument("--port", type=int, default=8000, help="the port on loopback (default: 8000)")
    options = parser.parse_args(arguments)
    try:
        import uvicorn

        from rtgen.serve.app import application
    except ImportError as error:
        parser.error(f"{error}; the server needs `pip install 'rtgen[serve]'`")
    try:
        app = application(read_recordings(options.recordings))
    except RecordingError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(f"{options.recordings!r} cannot be read: {error.strerror or error}")
    uvicorn.run(app, host="127.0.0.1", port=options.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
