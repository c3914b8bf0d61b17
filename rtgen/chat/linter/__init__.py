"""What in a chat template other Jinja engines refuse or render differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jinja2 import TemplateSyntaxError, nodes

from rtgen.chat.linter.findings import LEVELS, Finding, level_of
from rtgen.chat.linter.rules import ENGINES, RULES, effects

if TYPE_CHECKING:
    from rtgen.chat.linter.checks import Hit

__all__ = ["ENGINES", "LEVELS", "RULES", "Finding", "lint"]


def lint(source: str, *, engines: Iterable[str] | None = None) -> list[Finding]:
    """What is not portable in a template, in the order of its text.

    With `engines`, some of the values of `ENGINES`, only what breaks there, or may. A template that does not compile
    gives one finding, J00. Raises ValueError for an unknown engine.
    """
    chosen = list(ENGINES.values()) if engines is None else list(engines)
    for engine in chosen:
        if engine not in ENGINES.values():
            raise ValueError(f"there is no engine {engine!r}; they are {', '.join(ENGINES.values())}")
    found = []
    for rule_id, (line, column), what, marks in _hits(source):
        rule = RULES[rule_id]
        breaks = effects(rule.marks if marks is None else marks)
        shown = {engine: effect for engine, effect in breaks.items() if engine in chosen}
        if shown or (engines is None and not breaks):
            message = rule.text.replace("{}", what)
            found.append(
                Finding(rule.id, level_of(shown), line, column, message, shown, rule.instead, rule.id in _FIXABLE)
            )
    found.sort(key=lambda finding: (finding.line, finding.column, finding.rule))
    return [finding for number, finding in enumerate(found) if not number or finding != found[number - 1]]


_FIXABLE = frozenset(("J01", "J05", "J10", "J18", "J19", "J42", "J43"))
"""Rules of which `fix` mends at least some cases."""

_Hit = tuple[str, tuple[int, int], str, str | None]


def _hits(source: str) -> Iterator[_Hit]:
    """Rule, line and column, what was found, and what it breaks, if a table knows that."""
    from rtgen.chat.environment import compile_template, misplaced_loop_control
    from rtgen.chat.linter.lexical import check_blanks, check_tokens, generation_marks
    from rtgen.chat.linter.place import Place, PlacedTemplate

    try:
        template = PlacedTemplate(source)
    except TemplateSyntaxError as error:
        yield "J00", (error.lineno, 1), str(error.message), None
        return
    for hit in _walk(template.tree):
        place = hit.node.lineno
        where = template.line_and_column(place.offset) if isinstance(place, Place) else (place, 1)
        yield hit.rule, where, hit.what, generation_marks(template.text) if hit.rule == "J36" else hit.marks
    for lexical in (*check_tokens(template), *check_blanks(template, source)):
        yield lexical.rule, template.line_and_column(lexical.offset), lexical.what, None
    try:
        compile_template(source)
    except SyntaxError as error:
        yield "J00", (misplaced_loop_control(source) or 1, 1), str(error.msg), "t! m! p!"
    except TemplateSyntaxError:
        pass  # an unknown filter or test, which has a finding of its own


def _walk(tree: nodes.Template) -> Iterator[Hit]:
    """Every node's hits; a check of a class is made of its subclasses too."""
    from rtgen.chat.linter.checks import Context
    from rtgen.chat.linter.kinds import Kinds
    from rtgen.chat.linter.statements import CHECKS

    kinds = Kinds(tree)
    macros = frozenset(macro.name for macro in tree.find_all(nodes.Macro))
    todo: list[tuple[nodes.Node, nodes.Node | None]] = [(tree, None)]
    while todo:
        node, parent = todo.pop()
        for kind in type(node).__mro__:
            if kind in CHECKS:
                yield from CHECKS[kind](node, Context(kinds, parent, macros))
                break
        todo += [(child, node) for child in node.iter_child_nodes()]
