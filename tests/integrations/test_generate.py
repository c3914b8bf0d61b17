"""With torch: a tiny model, made here with random weights, really generates through the streamers and the pipeline."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import rtgen
from rtgen.integrations.transformers import AsyncResponseStreamer, ResponseStreamer, attach, installed
from tests.integrations import making
from tests.integrations.making import OUTPUT, PROMPT, TEMPLATE

torch = pytest.importorskip("torch", reason="torch is not installed, so nothing can be generated")

TEXT: dict[str, Any] = {**TEMPLATE, "fields": {k: v for k, v in TEMPLATE["fields"].items() if k != "tool_calls"}}


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    tokenizer = making.byte_level()
    tokenizer.response_template = TEXT
    return attach(tokenizer)


@pytest.fixture(scope="module")
def model(tokenizer: Any) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        max_position_embeddings=512, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()


def generate(model: Any, tokenizer: Any, prompt: str, seed: int = 0, **more: Any) -> list[int]:
    inputs = tokenizer(prompt, return_tensors="pt")
    torch.manual_seed(seed)
    output = model.generate(
        input_ids=inputs.input_ids, attention_mask=inputs.attention_mask, max_new_tokens=60, do_sample=True, **more
    )
    ids: list[int] = output[0][inputs.input_ids.shape[1] :].tolist()
    return ids


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("prompt", [PROMPT, PROMPT + "<think>\n"])
def test_generation_through_the_streamer(model: Any, tokenizer: Any, prompt: str, seed: int) -> None:
    """Random weights write random bytes and tokens, half characters among them."""
    events: list[dict[str, Any]] = []
    streamer = ResponseStreamer(tokenizer, on_event=events.append)
    ids = generate(model, tokenizer, prompt, seed, streamer=streamer)
    assert streamer.message == tokenizer.parse_response(ids, prefix=prompt)
    parser = rtgen.ResponseParser(TEXT, prompt)
    right = parser.initial_events + parser.feed(tokenizer.decode(ids))
    assert making.merged(events) == making.merged(right + parser.finalize()[1])


def test_generation_through_the_async_streamer(model: Any, tokenizer: Any) -> None:
    async def serve() -> tuple[Any, str]:
        streamer = AsyncResponseStreamer(tokenizer)
        thread = threading.Thread(target=generate, args=(model, tokenizer, PROMPT), kwargs={"streamer": streamer})
        thread.start()
        text = ""
        async for event in streamer:
            if event["type"] == "region_chunk" and event["field"] == "content":
                text += event["text"]
        thread.join()
        return streamer.message, text

    message, text = asyncio.run(serve())
    assert message == tokenizer.parse_response(generate(model, tokenizer, PROMPT), prefix=PROMPT)
    assert message.get("content", "") in text


def test_a_pipeline_with_a_chat_uses_rtgen(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import pipeline

    tokenizer = making.byte_level()
    seen: list[Any] = []
    plain = rtgen.compiler.CompiledTemplate.parse_response
    monkeypatch.setattr(
        rtgen.compiler.CompiledTemplate,
        "parse_response",
        lambda self, text, **more: seen.append(text) or plain(self, text, **more),
    )
    ids = tokenizer(OUTPUT).input_ids
    queue = list(ids)

    def force(_: Any, scores: Any) -> Any:
        """The next token is the next of the queue, whatever the model thinks."""
        return torch.full_like(scores, -1e9).index_fill_(1, torch.tensor([queue.pop(0)]), 0.0)

    generator = pipeline("text-generation", model=model, tokenizer=tokenizer)
    chat = [{"role": "user", "content": "Weather?"}]
    results = []
    for ours in (False, True):
        queue[:] = ids
        if ours:
            with installed():
                answer = generator(chat, max_new_tokens=len(ids), logits_processor=[force], do_sample=False)
        else:
            answer = generator(chat, max_new_tokens=len(ids), logits_processor=[force], do_sample=False)
        results.append(answer[0]["generated_text"])
        assert len(seen) == (1 if ours else 0)
    assert results[0] == results[1]
    assert results[1][-1]["content"] == making.MESSAGE["content"]


def test_tensors_and_token_ids(tokenizer: Any) -> None:
    parser = tokenizer.get_response_parser(
        TEMPLATE, prefix=torch.tensor(tokenizer(PROMPT).input_ids), tools=making.TOOLS
    )
    ids = torch.tensor(tokenizer(OUTPUT).input_ids)
    parser.feed_ids(ids[:5])
    parser.feed_ids(ids[None, 5:9])
    for one in ids[9:]:
        parser.feed_ids(one)
    assert parser.finalize()[0] == making.MESSAGE
