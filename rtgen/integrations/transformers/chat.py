"""`apply_chat_template` of a tokenizer, rendered by `rtgen.chat`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def require_chat() -> Callable[..., str]:
    """`rtgen.chat.render`. Raises ImportError where this rtgen does not have it."""
    import rtgen.chat

    render: Callable[..., str] | None = getattr(rtgen.chat, "render", None)
    if render is None:
        raise ImportError("attach(..., chat=True) needs rtgen.chat.render, which this version of rtgen does not have")
    return render


def apply_chat_template(
    self: Any,
    conversation: Any,
    tools: Any = None,
    documents: Any = None,
    chat_template: str | None = None,
    add_generation_prompt: bool = False,
    continue_final_message: bool | str = False,
    tokenize: bool = True,
    sanitize_control_tokens: bool = False,
    padding: Any = False,
    truncation: bool = False,
    max_length: int | None = None,
    return_tensors: Any = None,
    return_dict: bool = True,
    return_assistant_tokens_mask: bool = False,
    tokenizer_kwargs: dict[str, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Render a conversation (or a batch of them) with the tokenizer's chat template, and turn it into token ids.

    The arguments and results are those of transformers 5.24. What needs the tokens that transformers marks while it
    renders (`return_assistant_tokens_mask`, `sanitize_control_tokens`) is left to transformers.
    """
    if return_assistant_tokens_mask or sanitize_control_tokens:
        own = type(self).apply_chat_template
        return own(
            self,
            conversation,
            tools=tools,
            documents=documents,
            chat_template=chat_template,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            tokenize=tokenize,
            sanitize_control_tokens=sanitize_control_tokens,
            padding=padding,
            truncation=truncation,
            max_length=max_length,
            return_tensors=return_tensors,
            return_dict=return_dict,
            return_assistant_tokens_mask=return_assistant_tokens_mask,
            tokenizer_kwargs=tokenizer_kwargs,
            **kwargs,
        )
    render = require_chat()
    template = self.get_chat_template(chat_template, tools)
    if isinstance(conversation, (list, tuple)) and not conversation:
        raise ValueError("a conversation needs at least one message")
    batched = isinstance(conversation, (list, tuple)) and (
        isinstance(conversation[0], (list, tuple)) or hasattr(conversation[0], "messages")
    )
    rendered = [
        render(
            getattr(one, "messages", one),
            template,
            tools=tools,
            documents=documents,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            special_tokens=self.special_tokens_map,
            **kwargs,
        )
        for one in (conversation if batched else [conversation])
    ]
    texts: Any = rendered if batched else rendered[0]
    if not tokenize:
        return texts
    encoded = self(
        texts,
        padding=padding,
        truncation=truncation,
        max_length=max_length,
        add_special_tokens=False,
        return_tensors=return_tensors,
        **(tokenizer_kwargs or {}),
    )
    return encoded if return_dict else encoded["input_ids"]
