"""`rtgen chat lint`: what other engines refuse or render differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rtgen.cli.chat_common import diff, kind_option, known, template_option
from rtgen.cli.common import FAULTS_FOUND, Command, to_json, write

if TYPE_CHECKING:
    from rtgen.chat.storage import Kind


@click.command("lint", cls=Command, short_help="Find what other engines refuse or render differently.")
@click.argument("source")
@click.option("--engine", "engines", multiple=True, metavar="NAME", help="Only what breaks there (repeat for more).")
@click.option("--format", "output", type=click.Choice(["text", "json", "sarif"]), default="text", show_default=True)
@click.option("--fix", is_flag=True, help="Write the safe replacements, and show them as a diff.")
@click.option("--dry-run", is_flag=True, help="With --fix: show the diff alone.")
@template_option
@kind_option
def command(
    source: str, engines: tuple[str, ...], output: str, fix: bool, dry_run: bool, name: str | None, kind: Kind | None
) -> int:
    """Check the templates at SOURCE on other Jinja engines: transformers, minijinja, minijinja-pycompat, tgi,
    huggingface.js, llama.cpp, minja.

    Errors are refused by an engine, warnings are rendered differently, notes depend on the values. The exit code
    is 1 if there are errors.
    """
    from rtgen import library
    from rtgen.chat.linter import ENGINES
    from rtgen.chat.linter import lint as run
    from rtgen.chat.source import find

    unknown = [engine for engine in engines if engine not in ENGINES.values()]
    if unknown:
        raise click.UsageError(f"there is no engine {unknown[0]!r}; they are {', '.join(ENGINES.values())}")
    found = find(source, kind)
    names = [name] if name is not None else list(found.sources)
    templates = {each: found.choose(known(found.chat_template, each)) for each in names}
    if fix:
        if library.exists(source) and not dry_run:
            raise click.UsageError(
                f"{source!r} is bundled and stays as it is; `rtgen chat show {source} -o` takes it out"
            )
        templates = _fixed(source, templates, dry_run)
    findings = {
        _label(each, path, names): run(text, engines=engines or None) for each, (text, path) in templates.items()
    }
    if output == "sarif":
        from rtgen.chat.sarif import sarif

        write(to_json(sarif(findings), indent=2))
    elif output == "json":
        write(to_json({path: [finding.to_dict() for finding in each] for path, each in findings.items()}, indent=2))
    else:
        for path, each in findings.items():
            for finding in each:
                breaks = ", ".join(f"{engine}: {effect}" for engine, effect in finding.effects.items())
                instead = f"; instead: {finding.instead}" if finding.instead else ""
                click.echo(
                    f"{path}:{finding.line}:{finding.column}: {finding.level}: {finding.message}{instead}"
                    f"{f' ({breaks})' if breaks else ''} [{finding.rule}]"
                )
    return FAULTS_FOUND if any(finding.level == "error" for each in findings.values() for finding in each) else 0


def _label(name: str, path: str, names: list[str]) -> str:
    return path if path.endswith(".jinja") or len(names) == 1 else f"{path}#{name}"


def _fixed(source: str, templates: dict[str, tuple[str, str]], dry_run: bool) -> dict[str, tuple[str, str]]:
    """The templates fixed; shows the diffs on stderr, and writes the files unless `dry_run`."""
    import os

    from jinja2 import TemplateSyntaxError

    from rtgen.chat.config import read_text
    from rtgen.chat.fixing import fix
    from rtgen.files import write_if_changed

    result = {}
    for name, (text, path) in templates.items():
        whole = read_text(path) or ""
        text = whole if path.endswith(".jinja") else text
        try:
            fixed = fix(text)
        except TemplateSyntaxError:
            fixed = text  # which the lint will say
        result[name] = fixed, path
        click.echo(diff(path, text, fixed), nl=False, err=True)
        if dry_run or fixed == text:
            continue
        if path.endswith(".json"):
            if not os.path.isdir(source) and not path.endswith("tokenizer_config.json"):
                raise ValueError(f"{path!r} is no .jinja file; take the template out with `rtgen chat show -o`")
            raise ValueError(
                f"{path!r} is no .jinja file; bring the folder to the modern form with `rtgen chat migrate`"
            )
        write_if_changed(path, fixed)
    return result
