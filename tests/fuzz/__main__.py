"""A coverage-guided run: `python -m tests.fuzz templates|parsers [FOLDER...] [-max_total_time=SECONDS ...]`.

Needs atheris (`pip install atheris`), which needs no compiler on Linux. What follows the subject goes to libFuzzer as
it stands; inputs are kept in the first folder. `tests/fuzz/corpus/<subject>` is a good second one.
"""

from __future__ import annotations

import os
import pkgutil
import sys
import tempfile
import types
import warnings
from importlib import import_module
from typing import Any

import atheris  # type: ignore[import-not-found]

PLAIN = ("rtgen.integrations", "rtgen.serve", "rtgen.cli", "rtgen.__main__", "rtgen.chat")
"""Parts that no input reaches."""


def instrument_module(compiled: Any) -> None:
    """Count the branches of the functions of a module that was compiled just now."""
    for value in vars(compiled._module).values():
        functions = vars(value).values() if isinstance(value, type) else (value,)
        for function in functions:
            if isinstance(function, types.FunctionType) and function.__module__ == compiled._module.__name__:
                atheris.instrument_func(function)


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    os.environ["RTGEN_CACHE_DIR"] = tempfile.mkdtemp()
    with atheris.instrument_imports(include=["rtgen"]):
        import rtgen

        for module in pkgutil.walk_packages(rtgen.__path__, "rtgen."):
            if not module.name.startswith(PLAIN):
                import_module(module.name)
        subject = import_module(f"tests.fuzz.{arguments[0]}")
    subject.instrument.append(instrument_module)
    sys.setrecursionlimit(4000)
    atheris.Setup([sys.argv[0], *arguments[1:]], subject.check)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
