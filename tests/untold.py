"""Alterations of delimiters that nothing can tell, by family: where, and why the altered template means the same."""

from __future__ import annotations

_SKIPPED = (
    "what stands in front of a key is skipped where it is not matched: only the end of the value before it needs it"
)
_PROMPT = "the prompt of some versions; without it the message is the same, after an empty region of reasoning"
_ROLE = "the role token is dropped by the one pattern or the other"

UNTOLD: dict[str, dict[str, str]] = {
    "beam": {"$.fields.tool_calls.content_args.tag_pattern ('<rfl:parameter name=\"')": _SKIPPED},
    "bielik3": {"$.start_anchor[1] ('<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n')": _PROMPT},
    "deepseek_v3_1": {"$.start_anchor[1] ('<｜Assistant｜><think></think>')": _PROMPT},
    "deepseek_v3_2": {
        "$.start_anchor[1] ('<｜Assistant｜></think>')": _PROMPT,
        "$.start_anchor[4] ('</function_results>\\n\\n<think></think>')": _PROMPT,
        "$.fields.tool_calls.content_args.tag_pattern ('<｜DSML｜parameter name=\"')": _SKIPPED,
    },
    "deepseek_v4": {
        "$.start_anchor[1] ('<｜Assistant｜><think></think>')": _PROMPT,
        "$.fields.tool_calls.content_args.tag_pattern ('<｜DSML｜parameter name=\"')": _SKIPPED,
    },
    "functionary_v3_2": {
        "$.fields.tool_calls.open_pattern ('python\\n')": "of two openers at one place the field first by name wins"
    },
    "gemma4": {"$.start_anchor_pattern ('<|channel>thought\\n<channel|>')": _PROMPT},
    "glm4_5_4_6": {"$.fields.tool_calls.content_args.tag_pattern ('<arg_key>')": _SKIPPED},
    "glm4_7": {"$.fields.tool_calls.content_args.tag_pattern ('<arg_key>')": _SKIPPED},
    "hunyuan_hy3": {
        "$.fields.tool_calls.content_args.tag_pattern ('<arg_key')": _SKIPPED,
        "$.fields.tool_calls.content_args.tag_pattern (':opensource')": _SKIPPED,
    },
    "inkling": {
        "$.fields.reasoning_content.open_pattern ('<|message_model|>')": _ROLE,
        "$.fields.content.close_pattern ('<|message_model|>')": _ROLE,
    },
    "k2_horizon_ifm": {"$.fields.tool_calls.content_args.tag_pattern ('<ifm|arg_key>')": _SKIPPED},
    "kimi_k3": {"$.fields.tool_calls.content_args.tag_pattern ('<|open|>argument key=\"')": _SKIPPED},
    "laguna": {"$.fields.tool_calls.content_args.tag_pattern ('<arg_key>')": _SKIPPED},
    "ling3": {"$.fields.tool_calls.content_args.tag_pattern ('<arg_key>')": _SKIPPED},
    "minicpm5": {
        "$.fields.tool_calls.content_args.tag_pattern ('<param')": _SKIPPED,
        "$.fields.tool_calls.content_args.tag_pattern ('name=\"')": _SKIPPED,
    },
    "minimax_m2": {"$.fields.tool_calls.content_args.tag_pattern ('<parameter name=\"')": _SKIPPED},
    "muse_glimmer": {"$.fields.tool_calls.content_args.tag_pattern ('<atem:parameter ')": _SKIPPED},
    "qwq": {"$.start_anchor[2] ('<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n')": _PROMPT},
    "smollm3_python": {"$.start_anchor[2] ('<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n')": _PROMPT},
    "spark2_5": {"$.fields.tool_calls.content_args.tag_pattern ('<arg_key>')": _SKIPPED},
    "step3": {"$.fields.tool_calls.content_args.tag_pattern ('<steptml:parameter name=\"')": _SKIPPED},
}
"""A family's anchors for other prompts are not told apart by messages; that they open no empty region is seen in the
prompts that its own chat template writes."""
