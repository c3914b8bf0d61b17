"""Which bundled template belongs to which models: data, read by `rtgen.integrations.transformers.find`.

To add a family: a row in FINGERPRINTS, and its types in MODEL_TYPES if they are its own.
"""

from __future__ import annotations

from typing import NamedTuple

MODEL_TYPES: dict[str, str] = {
    "beam": "beam",
    "cohere2": "cohere_r7b",
    "cohere2_moe": "cohere_r7b",
    "diffusion_gemma": "gemma4",
    "gemma4": "gemma4",
    "gemma4_text": "gemma4",
    "glm4_moe_lite": "glm4_7",
    "glm_moe_dsa": "glm4_7",
    "gpt_oss": "gpt_oss",
    "hunyuan_v1_moe": "hunyuan_a13b",
    "hy_v3": "hunyuan_hy3",
    "hy_v4": "hunyuan_hy3",
    "inkling_mm_model": "inkling",
    "kimi_k2": "kimi_k2",
    "laguna": "laguna",
    "lfm2": "lfm2_lfm2_5",
    "lfm2_moe": "lfm2_lfm2_5",
    "minimax_m2": "minimax_m2",
    "ministral3": "mistral_v11_v13",
    "muse_glimmer": "muse_glimmer",
    "muse_spark": "muse_glimmer",
    "qwen2": "qwen2_5_hermes_mimo",
    "qwen2_5_vl": "qwen2_5_hermes_mimo",
    "qwen3": "qwen3",
    "qwen3_5": "qwen3_5_3_8",
    "qwen3_5_moe": "qwen3_5_3_8",
    "qwen3_5_moe_text": "qwen3_5_3_8",
    "qwen3_5_text": "qwen3_5_3_8",
    "qwen3_vl": "qwen3",
    "qwen3_vl_moe": "qwen3",
    "smollm3": "smollm3_python",
    "solar_open": "solar_open",
    "step3p5": "stepfun3_5",
}
"""model_type (of config.json) -> template, where all chat models that the makers of a type published under it write
this format. Types that hold several formats are missing on purpose (`llama`, `mistral3`, `qwen3_moe`, `glm4_moe`,
`deepseek_v3`, `granite`, `nemotron_h`, `phi3`, …): there the chat template has to tell. It is asked first in any case,
because others publish models with formats of their own under every type.

Source: the models that transformers' configuration classes name, and the formats that the templates were made for.
"""


class Fingerprint(NamedTuple):
    """What a chat template of the family `name` holds: all of `anchor` and `has`, and nothing of `lacks`.

    `anchor` are the marks around turns; where the model_type names the family already, and the chat template says
    nothing of tools, they have to suffice.
    """

    name: str
    anchor: tuple[str, ...]
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()


_OTHER_CALLS = ("<function=", "<arg_key>", "<|tool_call_start|>", "xml_tools", "<invoke ", "<param")
"""Ways to write calls that a family of `<tool_call>{json}</tool_call>` does not have."""

FINGERPRINTS: tuple[Fingerprint, ...] = (
    Fingerprint("apriel", ("<|begin_assistant|>",), ("[BEGIN FINAL RESPONSE]", "<tool_calls>")),
    Fingerprint("beam", ("<|start|>assistant",), ("<|constrain|>xml", "rfl:parameter")),
    Fingerprint("cohere_r7b", ("<|CHATBOT_TOKEN|>",), ("<|START_ACTION|>", "<|START_RESPONSE|>")),
    Fingerprint("cohere_r7b", ("<|CHATBOT_TOKEN|>",), ("<|START_ACTION|>", "<|START_TEXT|>")),
    Fingerprint(
        "deepseek_r1_v3", ("<｜Assistant｜>",), ("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "```json"), ("｜DSML｜",)
    ),
    Fingerprint(
        "deepseek_v3_1", ("<｜Assistant｜>",), ("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"), ("｜DSML｜", "```json")
    ),
    Fingerprint("ernie", ("Assistant:",), ("<tool_call>", "<response>", "</response>")),
    Fingerprint("firefunction_phi4mini_functools", ("assistant",), ("functools[",)),
    Fingerprint("functiongemma", ("<start_of_turn>",), ("<start_function_call>", "<end_function_call>")),
    Fingerprint("gemma4", ("<|turn>",), ("<|tool_call>", "<tool_call|>")),
    Fingerprint("gigachat3", ("<|role_sep|>", "<|message_sep|>"), ("function call",), ("<|function_call_begin|>",)),
    Fingerprint("glm4_5_4_6", ("<|assistant|>",), ("<arg_key>", "\\n<think></think>' if (enable_thinking")),
    Fingerprint("glm4_7", ("<|assistant|>",), ("<arg_key>", "think>' if (enable_thinking", "else '<think>'")),
    Fingerprint("gpt_oss", ("<|start|>assistant",), ("<|channel|>", "<|call|>"), ("rfl:", "atem:")),
    Fingerprint("granite3", ("<|start_of_role|>",), ("<|tool_call|>",)),
    Fingerprint("granite4", ("<|start_of_role|>",), ("<tool_call>", "</tool_call>"), ("<|tool_call|>", *_OTHER_CALLS)),
    Fingerprint("granite_20b_fc", ("ASSISTANT:",), ("<function_call>",)),
    Fingerprint("hunyuan_a13b", ("<|extra_0|>",), ("<tool_calls>", "<|extra_4|>")),
    Fingerprint("hunyuan_hy3", ("hy_Assistant",), ("tool_sep", "arg_key")),
    Fingerprint("inkling", ("<|message_model|>",), ("<|content_invoke_tool_json|>",)),
    Fingerprint("kimi_k2", ("<|im_assistant|>",), ("<|tool_calls_section_begin|>", "<|tool_call_argument_begin|>")),
    Fingerprint("laguna", ("<assistant>",), ("<arg_key>", "</assistant>")),
    Fingerprint("lfm2_lfm2_5", ("<|im_start|>",), ("<|tool_call_start|>",)),
    Fingerprint("lfm2_lfm2_5", ("<|im_start|>",), ("<|tool_list_start|>", "<|tool_response_start|>")),
    Fingerprint("ling3", ("<role>ASSISTANT</role>",), ("<arg_key>", "<|role_end|>")),
    Fingerprint("longcat", ("<longcat_assistant>",), ("<longcat_tool_call>",), ("<longcat_arg_key>",)),
    Fingerprint("minimax_m2", ("]~b]",), ("<minimax:tool_call>", "<invoke name="), ("]<]minimax[>[",)),
    Fingerprint(
        "mistral_nemo_v3", ("[/INST]",), ("[TOOL_CALLS]",), ("[ARGS]", "[SYSTEM_PROMPT]", "[THINK]", "[CALL_ID]")
    ),
    Fingerprint("mistral_v11_v13", ("[/INST]",), ("[TOOL_CALLS]", "[ARGS]")),
    Fingerprint("muse_glimmer", ("<|start|>assistant",), ("atem:invoke", "<|eom|>")),
    Fingerprint("nemotron3", ("<|im_start|>",), ("<function=", "<think></think>"), ("<arg_key>",)),
    Fingerprint("nemotron_nano_v2", ("<SPECIAL_11>",), ("<TOOLCALL>",)),
    Fingerprint("phi4_mini", ("<|assistant|>",), ("<|tool_call|>", "<|/tool_call|>"), ("functools",)),
    Fingerprint("plamo3", ("<|plamo:op|>",), ("<|plamo:begin_tool_request:plamo|>",)),
    Fingerprint(
        "qwen2_5_hermes_mimo",
        ("<|im_start|>",),
        ("<tool_call>", "</tool_call>", "arguments"),
        ("<think>", *_OTHER_CALLS),
    ),
    Fingerprint("qwen3", ("<|im_start|>",), ("<tool_call>", "arguments", "<think>", "enable_thinking"), _OTHER_CALLS),
    Fingerprint(
        "qwen3_5_3_8",
        ("<|im_start|>",),
        ("<function=", "<parameter=", "<think>\\n\\n</think>\\n\\n", "enable_thinking"),
        ("<think></think>",),
    ),
    Fingerprint("qwen3_coder", ("<|im_start|>",), ("<tool_call>", "<function=", "<parameter="), ("<think>",)),
    Fingerprint("qwq", ("<|im_start|>",), ("<tool_call>", "arguments", "<think>"), ("enable_thinking", *_OTHER_CALLS)),
    Fingerprint("reka_edge", ("<sep>", "assistant:"), ("<tool_call>", "</tool_call>")),
    Fingerprint("smollm3_python", ("<|im_start|>",), ("xml_tools", "<tool_call>")),
    Fingerprint("solar_open", ("<|begin|>assistant",), ("<|tool_call:begin|>",)),
    Fingerprint("spark2_5", ("<|Bot|>",), ("<arg_key>",)),
    Fingerprint("step3", ("<|BOT|>",), ("steptml:invoke",)),
    Fingerprint(
        "stepfun3_5",
        ("<|im_start|>",),
        ("<function=", "<parameter=", "<think>", "<|im_start|>tool_response"),
        ("<think></think>", "enable_thinking"),
    ),
)
