"""All verdicts of a pair of templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rtgen.errors import ParseError
from rtgen.roundtrip import sturdy
from rtgen.roundtrip.battery import TOOLS, WITHOUT_TOOLS, Example, battery
from rtgen.roundtrip.compare import has_ids, normal, same
from rtgen.roundtrip.forms import FORMS, Form
from rtgen.roundtrip.judge import EQUAL, FRAGILE, LIMIT, LOST, WRONG, Judgement, judge, outcome
from rtgen.roundtrip.literals import literals
from rtgen.roundtrip.rendering import Rendered, Writer, all_rendered
from rtgen.roundtrip.shrink import shrink

if TYPE_CHECKING:
    from rtgen.roundtrip.source import Pair

PROMPT = "prompt alone"
CUT = "cut off anywhere"

PROBES = ("calls: one", "calls: two", "calls: no arguments", "turns: after a tool result", "turns: another call")
"""The examples by which the form of calls is chosen."""


@dataclass(frozen=True, slots=True)
class Row:
    """The verdict on one example in one mode (the chat template's variables that were set)."""

    name: str
    mode: str
    judgement: Judgement
    example: Example | None = None

    @property
    def verdict(self) -> str:
        """The verdict's name."""
        return self.judgement.verdict

    @property
    def subject(self) -> str:
        """The example's name, whether the parser was given the tools or not."""
        return self.name.removesuffix(WITHOUT_TOOLS)


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts on the examples, and those on malformed outputs; `notes` say how the battery was set up."""

    rows: list[Row]
    malformed: list[Row]
    notes: list[str]

    def counts(self) -> Counter[str]:
        """How many examples have each verdict."""
        return Counter(row.verdict for row in self.rows)

    def faults(self, strict: bool = False) -> list[Row]:
        """The rows that are wrong; with `strict` also the malformed outputs that are read as something else."""
        return [r for r in self.rows if r.verdict == WRONG] + [
            r for r in self.malformed if strict and r.verdict == FRAGILE
        ]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A battery rendered for a pair of templates, so that altered response templates can be held against it."""

    writer: Writer
    rendered: list[Rendered]
    malformed: list[sturdy.Malformed]
    prompts: list[tuple[str, str]]

    def judgements(self, parser: Any) -> Iterator[Row]:
        """The verdict on each example and each malformed output, the cheap and telling ones first."""
        for mode, prompt in self.prompts:
            yield Row(PROMPT, mode, sturdy.judge_prompt(prompt, parser))
        for rendered in self.rendered:
            example = rendered.example
            yield Row(example.name, mode_name(rendered.mode), judge(rendered, parser, self.writer), example)
        for item in self.malformed:
            yield Row(item.name, mode_name(item.source.mode), sturdy.judge_malformed(item, parser))


def mode_name(mode: Mapping[str, Any]) -> str:
    """A mode for people: `enable_thinking=false`, or `default`."""
    return ", ".join(f"{name}={str(value).lower()}" for name, value in mode.items()) or "default"


def prepare(writer: Writer, parser: Any, end_tokens: Sequence[str] = ()) -> Prepared:
    """The battery for a chat template and a response template.

    `end_tokens` are the tokens that end a turn; if there are none, the last one that the chat template writes is.
    """
    writer = writer.shaped(_form(writer, parser))
    examples = battery(literals(parser.template))
    rendered = list(all_rendered(writer, examples))
    malformed: list[sturdy.Malformed] = []
    prompts: dict[str, str] = {}
    for each in rendered:
        if each.error is not None:
            continue
        if each.example.name == "content: plain":
            for mode in writer.modes():
                prompts.setdefault(writer.render(each.example.messages[:-1], (), mode, True), mode_name(mode))
        if each.example.name in sturdy.SAMPLES and judge(each, parser, writer).verdict == EQUAL:
            malformed += sturdy.malformed(each, parser, end_tokens or sturdy.last_token(each.end))
    return Prepared(writer, rendered, malformed, [(mode, prompt) for prompt, mode in prompts.items()])


def prove(pair: Pair, prepared: Prepared | None = None) -> Report:
    """The report for a chat template and a compiled response template; `prepared`: their battery, if at hand."""
    parser = pair.parser
    prepared = prepared or prepare(pair.writer, parser, pair.end_tokens)
    names = {rendered.example.name for rendered in prepared.rendered}
    rows: list[Row] = []
    malformed: list[Row] = []
    for row in prepared.judgements(parser):
        reason = _limit(pair.limits, row) if row.verdict == WRONG else None
        if reason is not None:
            row = replace(row, judgement=replace(row.judgement, verdict=LIMIT, why=reason))
        (rows if row.name in names else malformed).append(row)
    for rendered in prepared.rendered:
        if rendered.example.name in sturdy.SAMPLES and rendered.error is None:
            name = f"{rendered.example.name}, {CUT}"
            malformed.append(Row(name, mode_name(rendered.mode), sturdy.judge_cuts(rendered, parser)))
    form = prepared.writer.form
    notes = list(form.notes())
    if form.ids != "none" and not _reads_ids(prepared, parser):
        notes.append("the response template does not read the ids of calls")
    return Report(rows, malformed, notes)


def _limit(limits: Mapping[str, str], row: Row) -> str | None:
    """Why an example is known to come back wrong: a limit is that of one example, or of all parsed without tools."""
    if row.subject in limits:
        return limits[row.subject]
    return limits.get(WITHOUT_TOOLS.strip()) if row.name.endswith(WITHOUT_TOOLS) else None


def smallest(pair: Pair, row: Row) -> tuple[Rendered, Judgement]:
    """The smallest example that comes back wrong as `row` does, rendered, and the verdict on it."""
    assert row.example is not None
    parser = pair.parser
    writer = pair.writer.shaped(_form(pair.writer, parser))
    mode = next(mode for mode in writer.modes() if mode_name(mode) == row.mode)

    def examine(example: Example) -> tuple[Rendered, Judgement]:
        rendered = writer.split(example, mode)
        return rendered, judge(rendered, parser, writer)

    return examine(shrink(row.example, lambda example: examine(example)[1].verdict == WRONG))


def _form(writer: Writer, parser: Any) -> Form:
    """The form of calls in which the template carries most of a few examples there and back, the plainest of these."""
    probes = [example for example in battery() if example.name in PROBES]

    def carried(form: Form) -> tuple[int, ...]:
        shaped = writer.shaped(form)
        verdicts = [_verdict(shaped.split(example, {}), parser, shaped) for example in probes]
        return tuple(sum(verdict in good for verdict in verdicts) for good in ((EQUAL,), (EQUAL, LOST), (WRONG,)))

    return max(FORMS, key=carried)


def _verdict(rendered: Rendered, parser: Any, writer: Writer) -> str | None:
    """The verdict on an example; None where the template refuses it."""
    return judge(rendered, parser, writer).verdict if rendered.error is None else None


def _reads_ids(prepared: Prepared, parser: Any) -> bool:
    for rendered in prepared.rendered:
        if rendered.example.name == "calls: one" and rendered.error is None:
            got = outcome(parser, rendered.prefix, [rendered.text], list(TOOLS), whole=True)
            if not isinstance(got, ParseError) and same(rendered.example.final, got):
                return has_ids(normal(got))
    return True
