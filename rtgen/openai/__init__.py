"""OpenAI's form: a stream as `chat.completion.chunk` dicts, a message as a `chat.completion`.

How a call's text becomes chunks, from one module to the next:

    plan            from a field of a template: where its calls' names and arguments stand, in what language
    stream          the parser's events one by one; text goes to `text`, the regions of calls to `calls`
    calls           one region: hands its raw text to a walker, and tells its calls as far as the walker knows them
    json_walker, call_list_walker, tags_walker      read the raw text of a region as it comes, each its own language
                    (the first two made of `tokens`), and say: a call begins, these are its arguments, it ends
    arguments       what a walker reads, written as JSON as far as no later text can change it
    casts           which arguments the schemas of the tools may change, and what becomes of them
    completion      when the region has closed and its value is known: what is missing from what was told

What is told of a call's arguments is always the beginning of what `json_text.write_json` makes of them, so the value
of the region alone says what is missing at the end, and a walker may stop wherever it is in doubt.
"""

from __future__ import annotations

from rtgen.openai.finish import was_cut_off
from rtgen.openai.message import new_call_id, to_completion, to_message
from rtgen.openai.stream import Stream

__all__ = ["Stream", "new_call_id", "to_completion", "to_message", "was_cut_off"]
