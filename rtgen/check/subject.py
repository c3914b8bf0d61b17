"""A template under examination: its program, its compiled parser, and example outputs for it."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import Any

from rtgen import compiler
from rtgen.check.samples import samples, text_of
from rtgen.delimiters.classify import Kind
from rtgen.identity import step, template_hash
from rtgen.lower import Program, lower
from rtgen.pattern.parse import parse
from rtgen.runtime.errors import FAULTS
from rtgen.template import PLACEHOLDER, Field, validate

WORDS = ("First words", "Second words")
"""The texts of example regions."""

LONGEST_PROBE = 2000
"""Characters of an example output; longer ones are not tried."""


@dataclass(frozen=True, slots=True)
class Region:
    """An example region of a field: `text` with its delimiters, `body` without them."""

    text: str
    body: str


class Subject:
    """A template and what its parser makes of example outputs. Raises TemplateError for a template that is refused."""

    def __init__(self, raw: Any) -> None:
        self.template = validate(raw)
        self.program: Program = lower(self.template)
        self.kinds: dict[tuple[str, str], Kind] = {
            (watch.field.name, watch.role): watch.kind
            for state in (self.program.start, *self.program.regions)
            for watch in state.watches
        }
        digest = template_hash(self.template.raw)
        with warnings.catch_warnings():  # what they say is found again, and said in the words of a check
            warnings.simplefilter("ignore")
            source = compiler.generate(self.template.raw)
        self._compiled = compiler.execute(source, None, digest)

    def path(self, field: Field, *keys: str) -> str:
        """The JSON path of a field, or of a key of it."""
        path = step("$.fields", field.name)
        for key in keys:
            path = step(path, key)
        return path

    def delimiter_path(self, field: Field, role: str) -> str:
        """The JSON path of a field's opener or closer."""
        delimiter = field.open if role == "open" else field.close
        return self.path(field, f"{role}_pattern" if delimiter is not None and delimiter.pattern is not None else role)

    def parse(self, text: str) -> dict[str, Any] | None:
        """The message of an output; None where it does not parse."""
        if len(text) > LONGEST_PROBE:
            return None
        try:
            message: dict[str, Any] = self._compiled.parse_response(text, prefix="")
        except FAULTS:
            return None
        return message

    def events(self, text: str) -> list[dict[str, Any]] | None:
        """The events of an output, also where a region is malformed; None where a limit ends the parse."""
        if len(text) > LONGEST_PROBE:
            return None
        parser = self._compiled.ResponseParser("", on_malformed="event")
        try:
            events: list[dict[str, Any]] = parser.feed(text)
            events += parser.finalize()[1]
        except FAULTS:
            return None
        return events

    def sample(self, field: Field, role: str) -> str | None:
        """The most usual text of a field's opener or closer; "" where it has none, None where none was found."""
        kind = self.kinds.get((field.name, role))
        if kind is None:
            return ""
        found = samples(kind)
        return found[0] if found else None

    def region(self, field: Field, number: int = 0) -> Region | None:
        """An example region of an explicit field that its parser reads; `number` (0 or 1) chooses the words in it."""
        opener, closer = self.sample(field, "open"), self.sample(field, "close")
        if opener is None or closer is None:
            return None
        for body in bodies(field, WORDS[number]):
            message = self.parse(opener + body + closer)
            if message is not None and field.name in message:
                return Region(opener + body + closer, body)
        return None


def bodies(field: Field, words: str) -> list[str]:
    """Texts that a region of the field may hold, with `words` in them where its parser takes words."""
    content = field.content
    if content == "text":
        return [words]
    if content == "int" or content == "float":
        return [str(len(words))]
    if content == "bool":
        return ["true"]
    if content == "python-call-list":
        return [f"[call(value={json.dumps(words)})]"]
    args = field.content_args if isinstance(field.content_args, dict) else {}
    if content == "kv-lines":
        return [f"key{args.get('kv_sep', ':')}{words}", "key: 1"]
    if content == "xml-inline":
        pattern = args.get("tag_pattern")
        tags = [_tag(pattern, words)] if isinstance(pattern, str) else []
        return [*tags, ""]
    return [json.dumps(value) for value in _objects(field, words)]


def _tag(pattern: str, words: str) -> str:
    try:
        return text_of(parse(pattern))
    except Exception:  # a tag_pattern is checked when a region is parsed, so it may be anything
        return words


def _objects(field: Field, words: str) -> list[Any]:
    """JSON values that have what the transform's placeholders reach for."""
    wanted: dict[str, Any] = {}
    for path in placeholders(field.transform):
        keys = path.split(".")
        if not field.transform_each:
            if keys[0] != "content":
                continue
            keys = keys[1:]
        inner = wanted
        for key in keys[:-1]:
            deeper = inner.setdefault(key, {})
            inner = deeper if isinstance(deeper, dict) else {}
        if keys:
            inner.setdefault(keys[-1], words)
    usual = wanted or {"name": words, "arguments": {}}
    return [[usual], usual, words] if field.transform_each else [usual, [usual], words]


def placeholders(transform: Any) -> list[str]:
    """The placeholders of a transform, such as `content.name`, in its order."""
    if isinstance(transform, dict):
        return [path for value in transform.values() for path in placeholders(value)]
    if isinstance(transform, list):
        return [path for value in transform for path in placeholders(value)]
    whole = PLACEHOLDER.fullmatch(transform) if isinstance(transform, str) else None
    return [] if whole is None else [whole.group(1)]
