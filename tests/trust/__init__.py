"""Hostile templates and hostile outputs: nothing runs, nothing hangs, nothing grows without bound."""
