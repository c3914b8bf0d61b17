"""Proof by round trip: that a response template reads what a chat template writes.

literals    the delimiters of a response template as plain text
battery     the messages, as data
rendering   each message rendered, the generation prompt cut off: what a model would have generated
compare     when two messages are the same, and when a difference is the chat template's doing
judge       one text parsed whole, without its end and in several chunkings, and the verdict
sturdy      texts made from rendered ones: end tokens twice, regions that are not closed, outputs cut off
shrink      the smallest message that still comes back wrong
report      all verdicts of a pair of templates
table       the report for people
source      the pair of templates that a bundled name or a tokenizer's folder holds
"""

from __future__ import annotations

from rtgen.roundtrip.report import Report, Row, prove
from rtgen.roundtrip.source import Pair, find

__all__ = ["Pair", "Report", "Row", "find", "prove"]
