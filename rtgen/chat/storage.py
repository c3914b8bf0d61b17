"""Which chat templates a folder holds.

The rules are those of transformers' guide to chat templates; where transformers 5.24.0 reads a folder otherwise, a
warning says what it does. A template is read from, each replacing what the ones before it gave under the same name:

1. the key `chat_template` of `tokenizer_config.json` (tokenizers) or of `chat_template.json` (processors);
2. `chat_template.jinja`, which is `default`;
3. each `additional_chat_templates/<name>.jinja`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rtgen import library
from rtgen.chat.config import existing_folder, read_object, read_text
from rtgen.chat.tokens import TOKENIZER_CONFIG, special_tokens
from rtgen.read import SourceError

Kind = Literal["tokenizer", "processor"]

KINDS: tuple[Kind, ...] = ("tokenizer", "processor")
"""Who reads a template: a tokenizer or a processor; their rules differ."""

ROOT_FILE = "chat_template.jinja"
ADDITIONAL_FOLDER = "additional_chat_templates"
SUFFIX = ".jinja"
PROCESSOR_CONFIG = "processor_config.json"
LEGACY_FILE = "chat_template.json"
KEY = "chat_template"
DEFAULT = "default"
TOOL_USE = "tool_use"

Place = Literal[
    "tokenizer_config.json",
    "chat_template.json",
    "processor_config.json",
    "chat_template.jinja",
    "additional_chat_templates",
]
"""Where in a folder a template can stand."""


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """The chat templates of a tokenizer or processor.

    `chat_template` is the source of the only template, or a dict of name to source, or None. `source` is the path of
    the file that holds the default template (the first one, if none is called `default`), `sources` that of each name.
    `special_tokens` is name to token, of those that are set.
    """

    chat_template: str | dict[str, str] | None
    source: str | None = None
    special_tokens: dict[str, str] = field(default_factory=dict)
    kind: Kind = "tokenizer"
    sources: dict[str, str] = field(default_factory=dict)

    def choose(self, chat_template: str | None = None, *, tools: Any = None) -> tuple[str, str]:
        """The source of the template to render, and what its file is called in errors.

        `chat_template` is the name of one of several templates; any other string is a template itself. Without it, a
        tokenizer with tools (not None) takes `tool_use` if there is one, else `default`.
        Raises ValueError if there is none to take.
        """
        if isinstance(self.chat_template, dict):
            name = chat_template
            if name is None:
                wanted = TOOL_USE if tools is not None and self.kind == "tokenizer" else DEFAULT
                name = wanted if wanted in self.chat_template else DEFAULT
                if name not in self.chat_template:
                    names = ", ".join(map(repr, sorted(self.chat_template)))
                    raise ValueError(f"no chat template is called 'default'; name one of {names}")
            if name in self.chat_template:
                return self.chat_template[name], self.sources.get(name, ROOT_FILE)
        elif chat_template is None:
            if self.chat_template is None:
                raise ValueError(f"the {self.kind} has no chat template; pass one, or put it into {ROOT_FILE}")
            return self.chat_template, self.sources.get(DEFAULT, ROOT_FILE)
        assert chat_template is not None
        return chat_template, ROOT_FILE

    def render(
        self,
        messages: Any,
        *,
        chat_template: str | None = None,
        tools: Any = None,
        special_tokens: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        """As `rtgen.chat.render`, with this template and its special tokens; `special_tokens` override these.

        `chat_template` is the name of one of several templates, or a template. A processor reads OpenAI's `image_url`
        parts as images.
        """
        from rtgen.chat.rendering import render_source

        source, label = self.choose(chat_template, tools=tools)
        options.setdefault("image_urls", self.kind == "processor")
        return render_source(
            messages,
            source,
            label=label,
            tools=tools,
            special_tokens={**self.special_tokens, **(special_tokens or {})},
            **options,
        )


def load(folder: str | os.PathLike[str], *, kind: Kind | None = None) -> ChatTemplate:
    """The chat templates of a model's folder, as a tokenizer or a processor has them, or the bundled one of this name.

    A string that is the name of a bundled template stands for that; a folder of the same name is `./name`. Without
    `kind` they are those of the tokenizer; where it has none, those of the processor.

    Raises SourceError (a ValueError): no such folder, a file that cannot be decoded, or a `chat_template.json` beside
    `.jinja` files, which processors refuse. Warns where transformers 5.24.0 would take another template.
    """
    if kind not in (None, *KINDS):
        raise ValueError(f"kind is 'tokenizer' or 'processor', not {kind!r}")
    if isinstance(folder, str) and library.exists(folder):
        return bundled(folder, kind)
    folder = existing_folder(folder)
    found = Folder.read(folder)
    if kind != "tokenizer" and found.legacy is not None and found.has_jinja:
        raise SourceError(
            f"{folder!r} mixes {LEGACY_FILE} with .jinja files, which processors refuse; `rtgen chat migrate` mends it"
        )
    tokens = special_tokens(folder)
    if kind is None:
        held = found.templates("tokenizer")
        kind = "tokenizer" if held or not found.templates("processor") else "processor"
    for sentence in found.differences(kind):
        warnings.warn(sentence, stacklevel=2)
    held = found.templates(kind)
    sources = {name: path for name, (_, path) in held.items()}
    source = sources.get(DEFAULT, next(iter(sources.values()), None))
    return ChatTemplate(joined({name: text for name, (text, _) in held.items()}), source, tokens, kind, sources)


def bundled(name: str, kind: Kind | None = None) -> ChatTemplate:
    """The chat template of the bundled template of this name."""
    path = library.chat_template_file(name)
    text, _ = from_jinja(path, DEFAULT)[DEFAULT]
    return ChatTemplate(text, path, {}, kind or "tokenizer", {DEFAULT: path})


def joined(templates: Mapping[str, str]) -> str | dict[str, str] | None:
    """The templates by name as they are stored: None if there is none, the source alone if it is `default`."""
    if not templates:
        return None
    return templates[DEFAULT] if list(templates) == [DEFAULT] else dict(templates)


Named = dict[str, tuple[str, str]]
"""By name: a template's source and the path of its file."""


@dataclass(frozen=True, slots=True)
class Folder:
    """What the files of a folder hold, each for itself: by name, source and path.

    `legacy` is that of `chat_template.json`, `processor` that of `processor_config.json`; None: there is no such key.
    """

    path: str
    tokenizer: Named
    legacy: Named | None
    processor: Named | None
    root: Named
    additional: Named

    @classmethod
    def read(cls, folder: str) -> Folder:
        """Read all the files. Raises SourceError."""
        return cls(
            folder,
            from_json(os.path.join(folder, TOKENIZER_CONFIG)) or {},
            from_json(os.path.join(folder, LEGACY_FILE)),
            from_json(os.path.join(folder, PROCESSOR_CONFIG)),
            from_jinja(os.path.join(folder, ROOT_FILE), DEFAULT),
            _additional(folder),
        )

    @property
    def has_jinja(self) -> bool:
        return bool(self.root or self.additional)

    def templates(self, kind: Kind) -> Named:
        """The templates that `kind` has by the guide's rules."""
        if kind == "tokenizer":
            return {**self.tokenizer, **self.root, **self.additional}
        # The guide does not speak of a template in processor_config.json; transformers lets it win over every file.
        return self.processor or {**(self.legacy or {}), **self.root, **self.additional}

    def places(self) -> dict[str, dict[Place, str]]:
        """By name, all places that hold a template, and the template that each holds."""
        held: tuple[tuple[Place, Named | None], ...] = (
            ("tokenizer_config.json", self.tokenizer),
            ("chat_template.json", self.legacy),
            ("processor_config.json", self.processor),
            ("chat_template.jinja", self.root),
            ("additional_chat_templates", self.additional),
        )
        found: dict[str, dict[Place, str]] = {}
        for place, templates in held:
            for name, (text, _) in (templates or {}).items():
                found.setdefault(name, {})[place] = text
        return found

    def differences(self, kind: Kind) -> list[str]:
        """What transformers 5.24.0 does otherwise with the folder, in sentences."""
        said = []
        if kind == "tokenizer":
            dropped = self.tokenizer.keys() - self.root.keys() - self.additional.keys()
            if self.has_jinja and dropped:
                names = ", ".join(map(repr, sorted(dropped)))
                said.append(
                    f"transformers drops the template {names} of {TOKENIZER_CONFIG}, because there are .jinja files"
                )
            if self.root and "file" in self.additional:
                said.append(f"transformers takes {ADDITIONAL_FOLDER}/file{SUFFIX} for {ROOT_FILE}; rename it")
        elif self.processor:
            if self.legacy or self.has_jinja:
                said.append(f"the template in {PROCESSOR_CONFIG} wins over every file; move it to {ROOT_FILE}")
        else:
            if self.root and DEFAULT in self.additional:
                said.append(
                    f"transformers' processors take {ROOT_FILE} and pass over {ADDITIONAL_FOLDER}/{DEFAULT}{SUFFIX}"
                )
            if joined({name: text for name, (text, _) in self.templates(kind).items()}) == "":
                said.append("transformers' processors take an empty template for none")
        return said


def from_json(path: str) -> Named | None:
    """The templates under the key `chat_template` of a JSON file; None if the file or the key is not there.

    Raises SourceError.
    """
    value = (read_object(path) or {}).get(KEY)
    if value is None:
        return None
    if isinstance(value, str):
        value = {DEFAULT: value}
    elif isinstance(value, list):
        try:
            value = {entry["name"]: entry["template"] for entry in value}
        except (TypeError, KeyError) as error:
            raise SourceError(f"{path!r}: {KEY!r} is a list of something else than a name and a template") from error
    if not isinstance(value, dict) or not all(isinstance(text, str) for pair in value.items() for text in pair):
        raise SourceError(f"{path!r}: {KEY!r} is neither a template nor a list of names and templates")
    return {str(key): (text, path) for key, text in value.items()}


def from_jinja(path: str, name: str) -> Named:
    """The template in a `.jinja` file, by `name`; nothing if there is no such file."""
    text = read_text(path)
    return {} if text is None else {name: (text.replace("\r\n", "\n").replace("\r", "\n"), path)}


def _additional(folder: str) -> Named:
    try:
        names = sorted(os.listdir(os.path.join(folder, ADDITIONAL_FOLDER)))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    found: Named = {}
    for name in names:
        if name.endswith(SUFFIX):
            found |= from_jinja(os.path.join(folder, ADDITIONAL_FOLDER, name), name.removesuffix(SUFFIX))
    return found
