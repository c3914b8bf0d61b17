"""The cost of telling a call grows with its arguments and no faster, in chunks of a few characters."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest

import rtgen
from rtgen.openai.calls import Calls
from rtgen.openai.plan import Plan, plan_calls
from rtgen.runtime.tools import tool_parameters
from tests.openai_calls import FORMATS

SMALL, LARGE = 10_000, 80_000
TOOLS = [{"name": "f", "parameters": {"properties": {"n": {"type": "array"}}}}]


def body(name: str, arguments: dict[str, Any]) -> str:
    """The text of a region between its delimiters, near enough: what follows the last known opener."""
    text = FORMATS[name](random.Random(0), [("f", arguments)])
    openers = {"gemma4": "call:f", "lfm2_lfm2_5": "<|tool_call_start|>", "mistral_nemo_v3": "[TOOL_CALLS]"}
    openers |= {"qwen3": "<tool_call>", "glm4_7": "<tool_call>f", "qwen3_coder": "<function=f>", "toolace": "f("}
    return text[text.index(openers[name]) + len(openers[name]) :]


def cost(plan: Plan, text: str) -> float:
    """The seconds of processor time that a region takes, in chunks of four characters: the best of two."""
    times = []
    for _ in range(2):
        calls = Calls(plan, {"name": "f"}, tool_parameters(TOOLS), lambda given: (0, "id"), False)
        begun = time.process_time()
        told = sum(len(calls.add(text[at : at + 4])) for at in range(0, len(text), 4))
        times.append(time.process_time() - begun)
        assert told or text.lstrip()[0] != "{" or '"n"' in text or "n:" in text
    return min(times)


SHAPES: dict[str, Any] = {
    "string": lambda size: {"a": "word " * (size // 5)},
    "blanks": lambda size: {"a": " " * size},
    "closers": lambda size: {"a": "</arg_value>\n" * (size // 13)},
    "small values": lambda size: {f"k{i}": i for i in range(size // 12)},
    "held": lambda size: {"n": json.dumps(list(range(size // 7)))},
    "number": lambda size: {"a": 0.5, "b": [0.25] * (size // 6)},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "name", ["qwen3", "gemma4", "mistral_nemo_v3", "lfm2_lfm2_5", "glm4_7", "qwen3_coder", "toolace"]
)
def test_linear(name: str, shape: str) -> None:
    plan = plan_calls(rtgen.load(name).template["fields"]["tool_calls"])
    small, large = (body(name, SHAPES[shape](size)) for size in (SMALL, LARGE))
    ratios = []
    for _ in range(3):  # a machine with other work makes a good run look bad, never the other way round
        ratios.append(cost(plan, large) / cost(plan, small) / (len(large) / len(small)))
        if ratios[-1] <= 1.6:
            return
    # Quadratic cost would be eight times as much for each character.
    assert min(ratios) <= 2.5, ratios
