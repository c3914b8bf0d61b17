"""The replacements that leave every rendered text as it is: what `rtgen chat lint --fix` writes.

A template that renders renders the same; one that raises may go on instead (`x.strip()` fails for an undefined `x`,
`x|trim` does not).
"""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import nodes

from rtgen.chat.linter.lexical import check_tokens
from rtgen.chat.linter.place import Place, PlacedTemplate, Token

Edit = tuple[int, int, str]
"""Start, end, and what stands there instead."""

_FILTERS = {"strip": "trim", "lower": "lower", "upper": "upper", "items": "items"}
"""Methods without arguments, and the filters that do the same."""


def fix(source: str) -> str:
    """The template with what can be replaced safely replaced. Raises jinja2.TemplateSyntaxError."""
    newline = "\r\n" if "\r\n" in source else "\n"
    template = PlacedTemplate(source)
    text = _edited(template.text, [*_spelling(template), *_expressions(template)])
    text = _blanks_fixed(text)
    if text.endswith("\n") and not text.endswith("\n\n"):
        text = text[:-1]  # Jinja drops it
    return text.replace("\n", newline)


def _edited(text: str, edits: list[Edit]) -> str:
    """The text with the edits made; of two that overlap, the one that begins first."""
    pieces: list[str] = []
    position = 0
    for start, stop, new in sorted(set(edits), key=lambda edit: (edit[0], -edit[1])):
        if start >= position:
            pieces += (text[position:start], new)
            position = stop
    return "".join([*pieces, text[position:]])


def _spelling(template: PlacedTemplate) -> Iterator[Edit]:
    """J01."""
    for hit in check_tokens(template):
        if hit.rule == "J01":
            yield hit.offset, hit.offset + len(hit.what), hit.what.lower()


def _expressions(template: PlacedTemplate) -> Iterator[Edit]:
    """J05, J10, J18 and J19."""
    tokens = [token for token in template.tokens if token.kind != "whitespace"]
    at = {token.start: number for number, token in enumerate(tokens)}
    todo: list[tuple[nodes.Node, nodes.Node]] = [(template.tree, template.tree)]
    while todo:
        node, parent = todo.pop()
        todo += [(child, node) for child in node.iter_child_nodes()]
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            if not (node.args or node.kwargs) and not isinstance(parent, nodes.Test):
                yield from _method(node.node, node, parent, tokens, at)
        elif isinstance(node, nodes.Filter) and isinstance(node.lineno, Place):
            yield from _arguments(node, tokens, at[node.lineno.offset])


def _method(
    method: nodes.Getattr, call: nodes.Call, parent: nodes.Node, tokens: list[Token], at: dict[int, int]
) -> Iterator[Edit]:
    """`x.strip()` as `x|trim`; `d.keys()` as `d` where it is looped over or looked into."""
    if not isinstance(method.lineno, Place):
        return
    number = at[method.lineno.offset]
    dot, name, opened, closed = tokens[number : number + 4]
    follows = tokens[number + 4].text
    if (dot.text, name.text, opened.text, closed.text) != (".", method.attr, "(", ")") or follows in (".", "[", "("):
        return
    if method.attr in _FILTERS:
        yield dot.start, closed.end, f"|{_FILTERS[method.attr]}"
    elif method.attr == "keys":
        looped = isinstance(parent, nodes.For) and parent.iter is call
        if looped or (isinstance(parent, nodes.Operand) and parent.op in ("in", "notin")):
            yield dot.start, closed.end, ""


def _arguments(node: nodes.Filter, tokens: list[Token], number: int) -> Iterator[Edit]:
    """`tojson(ensure_ascii=false)`, which is what it does anyway; `default(x, boolean=true)`."""
    keywords: dict[str, nodes.Node] = {str(pair.key): pair.value for pair in node.kwargs}
    if tokens[number + 1].text != "(":
        return
    if node.name == "tojson" and keywords.keys() == {"ensure_ascii"} and not node.args:
        value = keywords["ensure_ascii"]
        if isinstance(value, nodes.Const) and value.value is False and tokens[number + 5].text == ")":
            yield tokens[number + 1].start, tokens[number + 5].end, ""
    elif node.name == "tojson" and "ensure_ascii" in keywords and not node.args:
        value = keywords["ensure_ascii"]
        first = tokens[number + 2 : number + 6]
        if isinstance(value, nodes.Const) and value.value is False and first[0].text == "ensure_ascii":
            yield first[0].start, tokens[number + 6].start, ""
    elif node.name == "default" and keywords.keys() == {"boolean"} and len(node.args) == 1:
        for place in range(number + 2, len(tokens) - 2):
            if tokens[place].text == "boolean" and tokens[place + 1].text == "=":
                yield tokens[place].start, tokens[place + 2].start, ""
                return


def _blanks_fixed(source: str) -> str:
    """J42: the template with dashes, or without the blanks, where blanks would else be printed by hosts that trim none.

    The template itself, if that did not come out the same.
    """
    trimmed, raw = PlacedTemplate(source), PlacedTemplate(source, trim=False)
    edits: list[Edit] = []
    texts: list[str] = []
    for (_, wanted, _), (left, found, right) in zip(_gaps(trimmed), _gaps(raw)):
        made = [] if wanted == found else list(_dashes(left, found, right, wanted))
        edits += made
        texts += ["", wanted[1:]] if any(new.startswith(_NEWLINE) for _, _, new in made) else [wanted]
    result = _edited(raw.text, edits)
    return result if [gap[1] for gap in _gaps(PlacedTemplate(result))] == texts else source


_NEWLINE = "{{ '\\n' }}"


_Gap = tuple[Token | None, str, Token | None]


def _gaps(template: PlacedTemplate) -> list[_Gap]:
    """The texts between tags, also the empty ones, with the tokens beside them."""
    gaps: list[_Gap] = []
    left: Token | None = None
    text = ""
    for token in template.tokens:
        if token.kind == "data":
            text += token.text
        elif token.kind.endswith(("_begin", "raw_end")):
            gaps.append((left, text, token))
            left, text = (token, "") if token.kind.startswith("raw") else (None, "")
        elif token.kind.endswith("_end"):
            left, text = token, ""
    gaps.append((left, text, None))
    return gaps


def _dashes(left: Token | None, found: str, right: Token | None, wanted: str) -> Iterator[Edit]:
    """The edits by which `found`, between the two tokens, is printed as `wanted` on every host."""
    can_left = (
        left is not None and left.kind in ("block_end", "comment_end", "variable_end") and left.text[0] not in "-+"
    )
    can_right = right is not None and right.kind in ("block_begin", "comment_begin", "variable_begin")
    can_right = can_right and right is not None and right.text[-1] not in "-+"
    if left is not None and can_left and found.lstrip() == wanted:
        yield left.start, left.start, "-"
    elif right is not None and can_right and found.rstrip() == wanted:
        yield right.end, right.end, "-"
    elif left is not None and right is not None and can_left and can_right and found.strip() == wanted:
        yield left.start, left.start, "-"
        yield right.end, right.end, "-"
    elif left is None or not left.kind.startswith("raw"):
        start = 0 if left is None else left.end
        if left is not None and left.kind != "variable_end" and wanted.startswith("\n"):
            wanted = _NEWLINE + wanted[1:]  # the newline itself would be trimmed
        yield start, start + len(found), wanted
