"""`find_template`: the bundled template of what is known, and a clear "none known" for all else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rtgen
from rtgen import library
from rtgen.integrations.transformers import NoTemplateError, attach, find_name, find_template
from rtgen.integrations.transformers.families import FINGERPRINTS, MODEL_TYPES
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


def test_the_table_names_what_is_bundled() -> None:
    named = {one.name for one in FINGERPRINTS} | set(MODEL_TYPES.values())
    assert named <= set(library.available())
    for one in FINGERPRINTS:
        assert one.anchor and one.has, one.name
        assert not set(one.lacks) & {*one.anchor, *one.has}, one.name
    assert set(MODEL_TYPES.values()) <= {
        one.name for one in FINGERPRINTS
    }, "a type whose chat template cannot be checked"


def test_bielik_is_found_as_qwen3() -> None:
    """Its chat template holds the same marks, so it has no row of its own; nor does it need one."""
    assert library.template("bielik3") == library.template("qwen3")


@pytest.mark.parametrize("name", sorted({one.name for one in FINGERPRINTS}))
def test_the_marks_of_a_family_are_no_other_s(name: str) -> None:
    """A text that holds just the marks of one family is taken for that family alone."""
    for one in FINGERPRINTS:
        if one.name == name:
            assert fingerprints("\n".join(one.anchor + one.has)) == [name]


@pytest.mark.parametrize("name", sorted({one.name for one in FINGERPRINTS}))
def test_the_chat_templates_of_the_library_are_known(name: str) -> None:
    path = Path(library._root()) / name / "chat_template.jinja"
    if not path.is_file():
        pytest.skip("this family has no chat template here")
    found = fingerprints(path.read_text(encoding="utf-8"))
    assert found in ([name], []), "it is taken for another family"


# By model_type


@pytest.mark.parametrize("model_type, name", MODEL_TYPES.items())
def test_by_model_type(model_type: str, name: str) -> None:
    assert find_name(model_type) == name
    assert find_template(model_type) == rtgen.load(name).template


@pytest.mark.parametrize(
    "model_type", ["llama", "mistral", "mistral3", "glm4_moe", "qwen3_moe", "deepseek_v3", "gpt2", "x", ""]
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
