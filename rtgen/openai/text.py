"""The text fields of a message: what of their regions' text is told, so that it adds up to the message's."""

from __future__ import annotations

from typing import Any


class Text:
    """One text field. White space at the ends of a region, which the message does not have, is not told either.

    `field` is the field as it stands in the template, `default` what the message begins with.
    """

    def __init__(self, field: dict[str, Any], default: Any) -> None:
        arguments = field.get("content_args")
        self._strip = bool(arguments.get("strip", True)) if isinstance(arguments, dict) else True
        self._join = field.get("join")
        self._before = default if isinstance(default, str) and self._join is not None else ""
        self._regions = 1 if self._before else 0
        self._pending = ""
        self._begun = False

    def open(self) -> str:
        """A region opens; nothing is told."""
        self._pending, self._begun = "", False
        return ""

    def add(self, text: str) -> str:
        """What is told for one more piece of the region's text."""
        if not self._strip:
            return self._lead() + text
        pending, self._pending = self._pending, ""
        pending += text  # in place, so that long white space costs no more than its length
        if not text.strip():
            self._pending = pending if self._begun else ""
            return ""
        if not self._begun:
            pending = pending.lstrip()
        told = pending.rstrip()
        self._pending = pending[len(told) :]
        return self._lead() + told

    def close(self) -> str:
        """What is told when the region has closed."""
        return self._lead()

    def _lead(self) -> str:
        """What goes before the first text of a region."""
        if self._begun:
            return ""
        self._begun = True
        self._regions += 1
        before, self._before = self._before, ""
        return before + (str(self._join) if self._join is not None and self._regions > 1 else "")


class JoinedText(Text):
    """One text field whose regions `repair` joins: those of the implicit field go on, others begin lines."""

    def __init__(self, field: dict[str, Any]) -> None:
        super().__init__(field, None)
        self._goes_on = not {"open", "open_pattern"} & field.keys()
        self._told = False

    def open(self) -> str:
        """A region opens; nothing is told."""
        return "" if self._goes_on else super().open()

    def close(self) -> str:
        """What is told when the region has closed: nothing."""
        return ""

    def _lead(self) -> str:
        before = "\n" if self._told and not self._begun and not self._goes_on else ""
        self._begun = self._told = True
        return before
