"""Coverage-guided fuzzing: `tests.fuzz.__main__` runs it, `corpus/` keeps what it found worth keeping."""
