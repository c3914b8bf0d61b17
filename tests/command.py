"""Running the command line inside the test's process."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from typing import Any

from rtgen.cli import main


@dataclass(frozen=True)
class Result:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """The JSON values of the lines on stdout."""
        return [json.loads(line) for line in self.out.splitlines()]


class _Stdout(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined]


def run(*arguments: str, stdin: bytes | str = b"") -> Result:
    """`rtgen` with these arguments and this on stdin."""
    data = stdin if isinstance(stdin, bytes) else stdin.encode("utf-8")
    saved = sys.stdin, sys.stdout, sys.stderr
    out, err = _Stdout(), _Stdout()
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"), out, err
    try:
        code = main(arguments)
    finally:
        sys.stdin, sys.stdout, sys.stderr = saved
    return Result(code, out.text(), err.text())
