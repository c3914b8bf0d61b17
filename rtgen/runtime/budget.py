"""The budget of steps that a caller has set for the matchers that are made on its behalf."""

from __future__ import annotations

from contextvars import ContextVar

STEP_BUDGET: ContextVar[int | None] = ContextVar("STEP_BUDGET", default=None)
"""The steps that matchers with a budget may take which are made in this context; None: what their module says."""
