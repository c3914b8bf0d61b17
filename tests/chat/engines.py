"""The Jinja engines on which the lint's rules are measured.

minijinja comes with the extra `test`. @huggingface/jinja needs node and, once, outside of any test:

    npm install --prefix ~/.cache/rtgen-engines @huggingface/jinja

(or another folder, named by RTGEN_JINJA_ENGINES). An engine that is not there is `missing`, which says why.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.chat import oracle

Outcome = tuple[str, str]
"""`("text", what was rendered)` or `("error", the message)`."""

Case = tuple[str, dict[str, Any]]
"""A template and the values of its variables."""


def render(engine: str, cases: Sequence[Case]) -> list[Outcome]:
    """The outcomes on one engine, called as in rtgen.chat.linter.rules.ENGINES."""
    if engine == "huggingface.js":
        return _huggingface_js(cases)
    return [_one(engine, template, values) for template, values in cases]


def missing(engine: str) -> str | None:
    """Why the engine cannot be run here, or None."""
    if engine == "transformers":
        return None
    if engine in ("minijinja", "minijinja-pycompat", "tgi"):
        try:
            import minijinja  # noqa: F401
        except ImportError:
            return "minijinja is not installed (the extra `test` brings it)"
        return None
    if engine == "huggingface.js":
        if shutil.which("node") is None:
            return "there is no node"
        if not (_node_folder() / "node_modules" / "@huggingface" / "jinja").is_dir():
            return f"@huggingface/jinja is not installed: npm install --prefix {_node_folder()} @huggingface/jinja"
        return None
    return "its rules were measured elsewhere"


def _node_folder() -> Path:
    return Path(os.environ.get("RTGEN_JINJA_ENGINES") or Path.home() / ".cache" / "rtgen-engines")


def _one(engine: str, template: str, values: dict[str, Any]) -> Outcome:
    try:
        if engine == "transformers":
            from transformers.utils.chat_template_utils import _compile_jinja_template

            with oracle.standing_clock():
                return "text", _compile_jinja_template(template).render(**values)
        if engine == "tgi":  # which rewrites the source
            for tag, plain in (("{% generation %}", ""), ("{% endgeneration %}", ""), ("[::-1]", "|reverse")):
                template = template.replace(tag, plain)
        return "text", _minijinja(engine).render_str(template, **values)
    except Exception as error:
        return "error", f"{type(error).__name__}: {error}"


@functools.cache
def _minijinja(engine: str) -> Any:
    from minijinja import Environment

    blocks = engine != "tgi"
    env = Environment(trim_blocks=blocks, lstrip_blocks=blocks)
    env.pycompat = engine != "minijinja"

    def raise_exception(message: Any) -> None:
        raise ValueError(message)

    def strftime_now(format: str) -> str:
        return oracle.NOW.strftime(format)

    env.add_function("raise_exception", raise_exception)
    env.add_function("strftime_now", strftime_now)
    return env


def _huggingface_js(cases: Sequence[Case]) -> list[Outcome]:
    requests = "".join(json.dumps({"template": template, "values": values}) + "\n" for template, values in cases)
    script = Path(__file__).with_name("huggingface_js.mjs")
    done = subprocess.run(
        ["node", script, _node_folder()], input=requests, capture_output=True, text=True, encoding="utf-8", check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases), done.stderr
    return [("text", answer["text"]) if "text" in answer else ("error", answer["error"]) for answer in answers]
