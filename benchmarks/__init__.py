"""The benchmark: `python -m benchmarks` compares rtgen, transformers and the floor in one process.

texts     what the texts hold: prose, code, CJK and emoji, from a fixed seed
shapes    the seven kinds of template: how a model would write an answer for each of them
engines   rtgen, transformers and the floor behind one interface
timing    alternating rounds, medians, growth
groups    what is measured, one module per group
report    tables and JSON from the rows that the groups return
chart     one SVG per group
guard     the few numbers that CI holds on to
"""
