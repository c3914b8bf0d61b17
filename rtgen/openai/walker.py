"""What walkers have in common: whom they tell, and how they stop."""

from __future__ import annotations

from typing import Protocol


class Unclear(Exception):
    """The text cannot be followed any further; what is left is told when the region has closed."""


class Listener(Protocol):
    """Whom a walker tells what it reads."""

    def begin(self, name: str) -> None:
        """A call to `name` begins; it is the last one's turn no more."""

    def write(self, text: str) -> None:
        """More of the JSON text of the present call's arguments; may come before `begin`, and waits for it then."""

    def end(self) -> None:
        """The arguments of the present call are complete."""


class Walker(Protocol):
    """Reads the raw text of one region, which comes piece by piece."""

    def feed(self, text: str) -> None:
        """Read on. Raises Unclear, after which there is no more to be had from it."""
