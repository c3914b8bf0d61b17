"""`find_template`: the bundled template of what is known, and a clear "none known" for all else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rtgen
from rtgen import library
from rtgen.integrations.transformers import NoTemplateError, attach, families, find_name, find_template
from rtgen.integrations.transformers.find import fingerprints
from tests.integrations import making

QWEN3 = (
    '{%- if tools %}{{ \'<|im_start|>system\nFor each call: <tool_call>{"name": ..., "arguments": ...}</tool_call>\' }}'
    "{{ tools | tojson }}{{ '<|im_end|>\n' }}{%- endif %}"
    "{%- for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{%- if enable_thinking is defined and not enable_thinking %}{{ '<think>\n\n</think>\n\n' }}{% endif %}{% endif %}"
)
HERMES = QWEN3.replace("<think>\n\n</think>\n\n", "").replace("enable_thinking", "x")
LLAMA = (
    "{%- for m in messages %}{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\n\n' + m.content }}{%- endfor %}"
)


def folder(path: Path, chat_template: Any = None, config: Any = None, form: str = "file") -> Path:
    """A saved tokenizer's folder, by hand; `form` is where the chat template is written."""
    path.mkdir(exist_ok=True)
    tokenizer_config: dict[str, Any] = {}
    if chat_template is not None:
        if form == "file":
            (path / "chat_template.jinja").write_text(chat_template, encoding="utf-8")
        elif form == "processor":
            (path / "chat_template.json").write_text(json.dumps({"chat_template": chat_template}), encoding="utf-8")
        else:
            tokenizer_config["chat_template"] = chat_template
    (path / "tokenizer_config.json").write_text(json.dumps(tokenizer_config), encoding="utf-8")
    if config is not None:
        (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return path


# The table

NAMES = library.available()

SAME_PROMPT = {"toolace", "pythonic_llama3_2_llama4_gemma3"}
"""Their public chat templates under the header of Llama 3 ask for calls in the same words: only a name tells them."""


@pytest.mark.parametrize("name", NAMES)
def test_every_family_is_known_by_something(name: str) -> None:
    known = library.meta(name)["known_by"]
    assert set(known) == {"model_types", "chat_templates"}
    assert known["chat_templates"], "no marks"
    for one in known["chat_templates"]:
        assert set(one) - {"lacks"} == {"turns", "has"} and one["turns"] and one["has"]
        assert not set(one.get("lacks", ())) & {*one["turns"], *one["has"]}


def test_no_type_belongs_to_two_families() -> None:
    listed = [each for name in NAMES for each in library.meta(name)["known_by"]["model_types"]]
    assert len(listed) == len(set(listed)) == len(families.model_types())


@pytest.mark.parametrize("one", families.fingerprints(), ids=lambda one: f"{one.name}: {one.has[0]}")
def test_the_marks_of_a_family_are_no_other_s(one: families.Fingerprint) -> None:
    """A text that holds just the marks of one family is taken for that family alone."""
    found = fingerprints("\n".join(one.turns + one.has))
    shared = one.name in SAME_PROMPT and one.turns == ("<|start_header_id|>",)
    assert set(found) == (SAME_PROMPT if shared else {one.name})


@pytest.mark.parametrize("name", NAMES)
def test_the_chat_templates_of_the_library_are_known(name: str, tmp_path: Path) -> None:
    text = Path(library.chat_template_file(name)).read_text(encoding="utf-8")
    assert fingerprints(text) == [name]
    assert find_name(folder(tmp_path, text.rstrip("\n"))) == name
    by_marks = [one.name for one in families.fingerprints() if _has_marks(one, text)]
    assert set(by_marks) <= {name}, "its marks are those of another family"


def _has_marks(one: families.Fingerprint, text: str) -> bool:
    return all(mark in text for mark in one.turns + one.has) and not any(mark in text for mark in one.lacks)


# By model_type


@pytest.mark.parametrize(
    "model_type, name",
    [
        *families.model_types().items(),
        ("seed_oss", "seed_oss"),
        ("deepseek_v32", "deepseek_v3_2"),
        ("deepseek_v4", "deepseek_v4"),
        ("granitemoehybrid", "granite4"),
        ("kimi_k25", "kimi_k2"),
        ("gpt_oss", "gpt_oss"),
    ],
)
def test_by_model_type(model_type: str, name: str) -> None:
    assert find_name(model_type) == name
    assert find_template(model_type) == rtgen.load(name).template


@pytest.mark.parametrize(
    "model_type",
    [
        "llama",
        "llama4",
        "mistral",
        "mistral3",
        "glm4_moe",
        "qwen3_moe",
        "deepseek_v3",
        "longcat_flash",
        "gpt2",
        "x",
        "",
    ],
)
def test_a_type_of_several_formats_or_of_none_is_no_answer(model_type: str) -> None:
    with pytest.raises(NoTemplateError, match="none known") as caught:
        find_template(model_type)
    assert isinstance(caught.value, LookupError) and repr(model_type) in str(caught.value)


def test_what_is_found_is_one_s_own() -> None:
    find_template("qwen3")["fields"].clear()
    assert find_template("qwen3")["fields"]


# By folder


@pytest.mark.parametrize("form", ["file", "config", "processor"])
def test_by_the_chat_template_of_a_folder(tmp_path: Path, form: str) -> None:
    assert find_name(folder(tmp_path, QWEN3, form=form)) == "qwen3"
    assert find_name(str(folder(tmp_path, HERMES, form=form))) == "qwen2_5_hermes_mimo"
    with pytest.raises(NoTemplateError, match="of no known family"):
        find_name(folder(tmp_path, LLAMA, form=form))


def test_named_chat_templates(tmp_path: Path) -> None:
    named = [{"name": "default", "template": LLAMA}, {"name": "tool_use", "template": QWEN3}]
    assert find_name(folder(tmp_path, named, form="config")) == "qwen3"


def test_the_chat_template_is_asked_before_the_type(tmp_path: Path) -> None:
    assert find_name(folder(tmp_path, HERMES, {"model_type": "qwen3"})) == "qwen2_5_hermes_mimo"
    assert find_name(folder(tmp_path, QWEN3, {"model_type": "llama"})) == "qwen3"


def test_a_type_whose_chat_template_is_another_family_s_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NoTemplateError, match="qwen3, but its chat template"):
        find_name(folder(tmp_path, LLAMA, {"model_type": "qwen3"}))


def test_a_type_whose_chat_template_says_nothing_of_tools(tmp_path: Path) -> None:
    silent = "{{ '<|im_start|>' + messages[0].content }}"
    assert find_name(folder(tmp_path, silent, {"model_type": "qwen2_5_vl"})) == "qwen2_5_hermes_mimo"


def test_a_folder_without_a_chat_template(tmp_path: Path) -> None:
    assert find_name(folder(tmp_path, config={"model_type": "gemma4"})) == "gemma4"
    assert (
        find_name(folder(tmp_path, config={"model_type": "wrapper", "text_config": {"model_type": "gpt_oss"}}))
        == "gpt_oss"
    )
    for config in ({"model_type": "llama"}, {}, []):
        with pytest.raises(NoTemplateError):
            find_name(folder(tmp_path, config=config))
    (tmp_path / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(NoTemplateError):
        find_name(tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    for missing in (tmp_path / "missing", str(tmp_path / "missing")):
        with pytest.raises(NoTemplateError, match="no folder"):
            find_name(missing)


def test_two_families_at_once_are_no_answer() -> None:
    tokenizer = making.byte_level()
    tokenizer.chat_template = QWEN3 + "<start_of_turn> <start_function_call> <end_function_call>"
    with pytest.raises(NoTemplateError, match="functiongemma or qwen3"):
        find_name(tokenizer)


def test_chat_templates_that_ask_for_calls_in_the_same_words_are_no_answer(tmp_path: Path) -> None:
    text = LLAMA + "{# [func_name1(x=1)] #}"
    with pytest.raises(NoTemplateError, match=r"none known: .*pythonic_llama3_2_llama4_gemma3 or toolace"):
        find_name(folder(tmp_path, text))


def test_reasoning_that_is_always_prefilled_is_qwq_s(tmp_path: Path) -> None:
    text = QWEN3.replace("assistant\n", "assistant\\n<think>\\n")
    assert find_name(folder(tmp_path, text)) == "qwq"


# By tokenizer


def test_a_tokenizer_without_a_template_gets_one(tmp_path: Path) -> None:
    tokenizer = attach(making.byte_level())
    tokenizer.response_template = None
    with pytest.raises(NoTemplateError, match="of no known family"):
        find_template(tokenizer)
    tokenizer.chat_template = QWEN3
    tokenizer.response_template = find_template(tokenizer)
    ids = tokenizer(making.OUTPUT).input_ids
    assert tokenizer.parse_response(ids, prefix=making.PROMPT, tools=making.TOOLS) == making.MESSAGE
    tokenizer.save_pretrained(tmp_path)
    assert rtgen.compile(tmp_path).template == find_template(tmp_path) == rtgen.load("qwen3").template
    assert find_name(tmp_path) == "qwen3"


def test_a_tokenizer_knows_its_folder_and_a_config_its_type(tmp_path: Path) -> None:
    from transformers import AutoTokenizer, GptOssConfig

    tokenizer = making.byte_level()
    tokenizer.chat_template = None
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt_oss"}', encoding="utf-8")
    assert find_name(AutoTokenizer.from_pretrained(tmp_path)) == "gpt_oss"
    assert find_name(GptOssConfig()) == "gpt_oss"
    with pytest.raises(NoTemplateError, match="tells nothing"):
        find_name(object())


def test_a_family_that_cannot_be_said_is_refused_with_the_reason():
    for name, found in library.not_possible().items():
        with pytest.raises(NoTemplateError) as caught:
            find_template(name)
        assert found["reason"] in str(caught.value)
