"""A message rendered, and cut where the generation prompt ends: the prefix, and what a model would have generated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from rtgen.roundtrip.battery import QUESTION, Example, Message
from rtgen.roundtrip.forms import PLAIN, Form

SWITCHES = ("enable_thinking", "thinking")
"""Variables of chat templates that switch reasoning on and off; each that a template reads is tried both ways."""

CLOCK = datetime(2026, 2, 3, 4, 5, 6)
"""The time that templates are told."""

UNFINISHED_TAG = re.compile(r"[<\[][^\s<>\[\]]*\Z")
"""The beginning of a tag at the end of a text: two texts that differ from within a tag on differ from its beginning."""

Renderer = Callable[..., str]
"""Called with messages and keyword arguments of `rtgen.chat.render`; raises what a template raises."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """One example in one mode.

    `prefix` is the prompt (or as much of it as the chat template writes again for the finished message), `text` what
    follows it, `end` how the text ends after a plain answer (the end token, perhaps and a newline; "" if it is not
    there). `mode` are the variables that were set. `error` says why there is no text.
    """

    example: Example
    mode: Mapping[str, Any]
    prefix: str = ""
    text: str = ""
    end: str = ""
    error: str | None = None

    @property
    def whole(self) -> str:
        """The rendered conversation."""
        return self.prefix + self.text

    @property
    def tools(self) -> list[Any] | None:
        """The tools that the parser gets."""
        return list(self.example.tools) if self.example.tools and self.example.cast else None


@dataclass(frozen=True)
class Writer:
    """A chat template that renders examples.

    `variables` are the switches that it reads; `form` is how calls are given to it; `turns` finds where the last turn
    in a text begins (None where none does).
    """

    renderer: Renderer
    variables: Sequence[str] = ()
    form: Form = PLAIN
    turns: Callable[[str], int | None] = lambda text: None
    _ends: dict[str, str] = field(default_factory=dict)
    _always: dict[str, bool] = field(default_factory=dict)

    def shaped(self, form: Form) -> Writer:
        """The same writer with calls in another form."""
        return replace(self, form=form, _ends={})

    def modes(self) -> list[dict[str, Any]]:
        """The settings of variables under which everything is tried."""
        return [{}] + [{name: on} for name in SWITCHES if name in self.variables for on in (True, False)]

    def render(self, messages: Sequence[Message], tools: Sequence[Any], mode: Mapping[str, Any], prompt: bool) -> str:
        """The text of the messages. Raises what the template raises.

        Without `prompt`, a generation prompt that the template writes all the same is cut off.
        """
        text = self._text(messages, tools, mode, prompt)
        if prompt or not self._always_prompts(mode):
            return text
        at = self.turns(text)
        return text if at is None else text[:at]

    def _text(self, messages: Sequence[Message], tools: Sequence[Any], mode: Mapping[str, Any], prompt: bool) -> str:
        shaped = self.form.shape(messages)
        return self.renderer(
            shaped, tools=list(tools) or None, add_generation_prompt=prompt, clock=lambda: CLOCK, **mode
        )

    def _always_prompts(self, mode: Mapping[str, Any]) -> bool:
        """Whether the template writes a generation prompt after a finished answer, asked for or not."""
        key = repr(mode)
        if key not in self._always:
            answered = (QUESTION, {"role": "assistant", "content": "An answer"})
            try:
                text = self._text(answered, (), mode, False)
                begins = self.turns(text)
                self._always[key] = begins is not None and begins > text.index("An answer")
            except Exception:  # it may refuse a conversation without tools
                return False
        return self._always[key]

    def split(self, example: Example, mode: Mapping[str, Any]) -> Rendered:
        """The example, its calls named, rendered and cut; where a template refuses it, a `Rendered` with an error."""
        example = replace(example, messages=tuple(self.form.named(example.messages)))
        try:
            whole = self.render(example.messages, example.tools, mode, False)
            prompt = self.render(example.messages[:-1], example.tools, mode, True)
            end = self.end(example.messages[:-1], example.tools, mode)
        except Exception as error:  # templates raise whatever they like
            return Rendered(example, mode, error=f"{type(error).__name__}: {error}")
        at = self._prompt_length(example, mode, whole, prompt)
        text = whole[at:]
        return Rendered(example, mode, whole[:at], text, end if text.endswith(end) else "")

    def _prompt_length(self, example: Example, mode: Mapping[str, Any], whole: str, prompt: str) -> int:
        """How much of the finished conversation is its generation prompt.

        Chat templates often write a finished message as if it had been generated in another mode (without reasoning, as
        if that had been off); then the prompt of that mode counts. If there is none, what is the same counts.
        """
        if not whole.startswith(prompt):
            others = (self.render(example.messages[:-1], example.tools, {**mode, **m}, True) for m in self.modes()[1:])
            prompt = max((other for other in others if whole.startswith(other)), key=len, default=prompt)
        length = shared(whole, prompt)
        if length == len(prompt):
            return length
        tag = UNFINISHED_TAG.search(whole, 0, length)
        return max(tag.start() if tag else length, self._end_of_same_turn(whole, prompt))

    def _end_of_same_turn(self, whole: str, prompt: str) -> int:
        """Where in `whole` the end of `prompt`, from the beginning of its turn at least, stands; 0 if nowhere."""
        begins = self.turns(prompt)
        if begins is None:
            return 0
        for before in (200, 40, 0):  # the more of the question stands there too, the surer is the place
            tail = prompt[max(0, begins - before) :]
            at = whole.rfind(tail)
            if at >= 0:
                return at + len(tail)
        return 0

    def end(self, before: Sequence[Message], tools: Sequence[Any], mode: Mapping[str, Any]) -> str:
        """What the template writes after the text of an answer: what two of them have in common at their ends."""
        key = repr((before, mode, bool(tools)))
        if key not in self._ends:
            answers = ({"role": "assistant", "content": text} for text in ("One answer", "Another 2"))
            first, second = (self.render([*before, answer], tools, mode, False) for answer in answers)
            length = shared(first[::-1], second[::-1])
            self._ends[key] = first[len(first) - length :]
        return self._ends[key]

    def writes_the_same(self, rendered: Rendered, message: Message) -> bool:
        """Whether another final message is rendered to the very same text, so that no parser can tell them apart."""
        example = rendered.example
        try:
            again = self.render([*example.messages[:-1], message], example.tools, rendered.mode, False)
        except Exception:  # it is no message for this template
            return False
        return again == rendered.whole


def shared(first: str, second: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    return next((at for at, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))


def all_rendered(writer: Writer, examples: Sequence[Example]) -> Iterator[Rendered]:
    """Each example in each mode; a mode that changes nothing for an example is left out."""
    modes = writer.modes()
    for example in examples:
        seen: set[tuple[str, str]] = set()
        for mode in modes:
            rendered = writer.split(example, mode)
            key = (rendered.prefix, rendered.text) if rendered.error is None else ("", rendered.error)
            if key not in seen:
                seen.add(key)
                yield rendered
