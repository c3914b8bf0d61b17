"""Where in a chat template an error arose, said in the error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jinja2 import TemplateSyntaxError

from rtgen.chat.environment import FILE_NAME, misplaced_loop_control


@contextmanager
def located(source: str, label: str) -> Iterator[None]:
    """Within it, an error of the template says at its end `(<label>, line <n>)`, and keeps its class.

    `label` names the file for its author. What cannot hold another message gets a note (`__notes__`).
    """
    try:
        yield
    except Exception as error:
        line = _line(error, source)
        if line is not None:
            _say(error, f"({label}, line {line})")
        raise


def _line(error: Exception, source: str) -> int | None:
    """The line of the template: that of a syntax error, else that of the innermost frame of template code."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    if isinstance(error, SyntaxError):
        return misplaced_loop_control(source)
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE_NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _say(error: Exception, where: str) -> None:
    if isinstance(error, SyntaxError):
        error.msg = f"{error.msg} {where}"
        error.filename = error.lineno = error.text = None  # they tell of the code that Jinja wrote
    elif len(error.args) == 1 and (error.args[0] is None or isinstance(error.args[0], str)):
        error.args = (f"{error.args[0] or ''} {where}".lstrip(),)
    else:
        error.add_note(where)
