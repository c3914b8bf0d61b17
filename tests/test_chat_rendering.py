"""Rendering equals transformers: random conversations over the tests' templates, and the corners one by one."""

from __future__ import annotations

import dataclasses
import datetime
import json
from pathlib import Path
from typing import Any

import pytest

import rtgen.chat
from tests.chat import conversations, differential, oracle

HI = [{"role": "user", "content": "Hi"}]
ECHO = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"


@pytest.mark.parametrize("name", differential.templates(differential.OWN_TEMPLATES))
def test_random_conversations(name, tmp_path):
    (tmp_path / name).write_bytes((differential.OWN_TEMPLATES / name).read_bytes())
    counts, differences = differential.run(tmp_path, runs=25, seed=0)
    assert differences == []
    assert sum(counts.values()) == 25


@dataclasses.dataclass
class Said:
    role: str
    content: Any
    tool_calls: Any = None


class Dumped:
    def model_dump(self) -> dict[str, Any]:
        return {"role": "assistant", "content": "dumped", "reasoning": "r", "refusal": None}


class Text(str):
    pass


@pytest.mark.parametrize(
    ("messages", "options"),
    [
        ([], {}),
        ([[]], {}),
        ([HI, HI], {}),
        (HI[0], {}),
        ("text", {}),
        ([3], {}),
        ([Said("user", "x"), Dumped()], {}),
        ([Said("user", [Said("a", "b")])], {}),
        ([{"role": Text("user"), "content": Text("t")}], {}),
        ([{"role": "user", "content": {1, 2}}], {}),
        ([{"role": "user", "content": datetime.date(2026, 1, 2)}], {}),
        ([{"role": "user", "content": "x", "z": None}], {}),
        (HI, {"tools": []}),
        (HI, {"tools": [conversations.get_weather]}),
        (HI, {"tools": [len]}),
        (HI, {"tools": [lambda x: x]}),
        (HI, {"tools": {"a": 1}}),
        (HI, {"documents": [3]}),
        (HI, {"add_generation_prompt": True, "continue_final_message": True}),
        ([{"role": "assistant", "content": " x "}], {"continue_final_message": True}),
        ([{"role": "assistant", "content": "x"}], {"continue_final_message": "nope"}),
        ([{"role": "assistant", "content": None}], {"continue_final_message": True}),
        ([{"role": "assistant", "content": [{"type": "text", "text": "x"}]}], {"continue_final_message": True}),
        ([{"role": "assistant", "content": [{"type": "image"}]}], {"continue_final_message": True}),
        ([{"role": "assistant", "content": "a", "thinking": "t"}], {"continue_final_message": "reasoning"}),
        (HI, {"bos_token": "other", "x": object(), "y": (1, Text("z"))}),
    ],
)
@pytest.mark.parametrize(
    "template",
    [ECHO, "{{ messages|tojson }}{{ tools|tojson }}{{ bos_token }}{{ x }}{{ y }}", "{{ messages[0].content|upper }}"],
)
def test_corners(template, messages, options):
    _, difference = differential.compare(template, messages, options)
    assert difference is None, difference


def test_numpy_values_are_plain():
    numpy = pytest.importorskip("numpy")
    messages = [{"role": "user", "content": numpy.float64(1.5), "n": numpy.int64(3), "b": numpy.bool_(False)}]
    wanted = oracle.render(messages, "{{ messages|tojson }}", {})
    assert rtgen.chat.render(messages, "{{ messages|tojson }}") == wanted


@pytest.mark.parametrize(
    ("template", "error", "line"),
    [
        ("a\n{% for m in messages %}\n{{ m.x.y }}\n{% endfor %}", "UndefinedError", 3),
        ("a\r\n\r\n{{ raise_exception('no') }}", "TemplateError", 3),
        ("x\n{% foo %}", "TemplateSyntaxError", 2),
        ("x\n\n{{ 1|foo }}", "TemplateAssertionError", 3),
        ("{% macro f() %}\n{{ 1 + 'a' }}{% endmacro %}\n\n{{ f() }}", "TypeError", 2),
        ("{% for i in messages %}\n\n{% generation %}{% continue %}{% endgeneration %}{% endfor %}", "SyntaxError", 3),
        ("\n{% include 'x' %}", "TypeError", 2),
        ("\n{{ messages.append(1) }}", "SecurityError", 2),
    ],
)
def test_errors_name_file_and_line(template, error, line, tmp_path):
    with pytest.raises(Exception, match=rf"\(chat_template\.jinja, line {line}\)") as raised:
        rtgen.chat.render(HI, template)
    assert type(raised.value).__name__ == error
    path = tmp_path / "chat_template.jinja"
    path.write_bytes(template.encode())
    for render in (rtgen.chat.load(tmp_path).render, lambda messages: rtgen.chat.render(messages, path)):
        with pytest.raises(type(raised.value)) as loaded:
            render(HI)
        assert f"({path}, line {line})" in str(loaded.value)


@pytest.mark.parametrize(
    ("template", "parts"),
    [
        ("{% for m in messages %}a{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}", ["Hi"]),
        ("{% macro m(x) %}pre{% generation %}{{ x }}{% endgeneration %}{% endmacro %}a{{ m('Q') }}", ["Q"]),
        ("abcd{% set x %}Q{% generation %}zz{% endgeneration %}{% endset %}{{ x }}", ["zz"]),
        ("{% set x %} {% generation %} y {% endgeneration %}\n{% endset %}[{{ x|trim }}]", ["y"]),
        ("{% set x %}{% generation %}a b{% endgeneration %}{% endset %}{{ x ~ '-' ~ x|upper }}", ["a b", "A B"]),
        ("{% set x %}{% generation %}ab{% endgeneration %}{% endset %}{{ [x, 'c', x]|join(', ') }}", ["ab", "ab"]),
        (
            "{% set x %}1{% generation %}2{% endgeneration %}3{% endset %}{{ 'é' + x + x[1:] + x.split('2')[1] }}",
            ["2"] * 2,
        ),
        ("{% set x %}a{% generation %}bcd{% endgeneration %}{% endset %}{{ x|replace('c', 'long') }}", ["b", "d"]),
        ("{% generation %}a{% generation %}b{% endgeneration %}{% endgeneration %}", ["ab"]),
        ("{% generation %}{% endgeneration %}", [""]),
        ("{% filter trim %} {% generation %} x {% endgeneration %} {% endfilter %}", ["x"]),
        (
            "{% set ns = namespace(t='') %}{% for i in 'ab' %}{% set y %}{% generation %}{{ i }}"
            "{% endgeneration %}{% endset %}{% set ns.t = ns.t + y + '.' %}{% endfor %}{{ ns.t }}",
            ["a", "b"],
        ),
    ],
)
def test_generation_spans_are_right_wherever_the_text_goes(template, parts):
    text, spans = rtgen.chat.render(HI, template, generation_spans=True)
    assert text == rtgen.chat.render(HI, template)
    assert type(text) is str
    assert [text[start:end] for start, end in spans] == parts


@pytest.mark.parametrize("number", range(40))
def test_generation_spans_equal_those_of_transformers_where_these_are_right(number):
    from random import Random

    from rtgen.chat.messages import conversation

    template = (differential.OWN_TEMPLATES / "generation_tags.jinja").read_text(encoding="utf-8")
    messages = conversations.conversation(Random(f"spans {number}"), tame=True)
    texts, spans = oracle.render_spans([conversation(messages)], template, {"add_generation_prompt": True})
    found = rtgen.chat.render(
        messages, template, special_tokens=oracle.TOKENS, add_generation_prompt=True, generation_spans=True
    )
    assert (found.text, found.spans) == (texts[0], spans[0])


def test_spans_of_a_template_without_the_tag_and_of_several_conversations():
    with pytest.warns(UserWarning, match="no generation tag"):
        assert rtgen.chat.render(HI, "x", generation_spans=True) == ("x", [])
    template = "{% generation %}{{ messages|length }}{% endgeneration %}"
    assert rtgen.chat.render([HI, HI * 2], template, generation_spans=True) == [("1", [(0, 1)]), ("2", [(0, 1)])]


def test_the_clock_is_injected():
    template = "{{ strftime_now('%Y-%m-%d') }}"
    assert rtgen.chat.render(HI, template, clock=oracle.NOW) == "2026-02-03"
    assert rtgen.chat.render(HI, template, clock=lambda: oracle.NOW) == "2026-02-03"
    assert rtgen.chat.render(HI, template) == datetime.datetime.now().strftime("%Y-%m-%d")


def test_which_of_several_templates_is_rendered(tmp_path):
    templates = {"default": "D{{ bos_token }}", "tool_use": "T", "rag": "R"}
    rtgen.chat.save(tmp_path, templates)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"bos_token": "<s>"}))
    loaded = rtgen.chat.load(tmp_path, kind="tokenizer")
    assert loaded.render(HI) == "D<s>"
    assert loaded.render(HI, tools=[]) == "T"
    assert loaded.render(HI, chat_template="rag", tools=[]) == "R"
    assert loaded.render(HI, chat_template="nope") == "nope"
    assert loaded.render(HI, special_tokens={"bos_token": "!"}) == "D!"
    assert rtgen.chat.load(tmp_path, kind="processor").render(HI, tools=[]) == "D<s>"
    assert rtgen.chat.render(HI, templates, tools=[]) == "T"
    assert rtgen.chat.render(HI, Path(tmp_path)) == "D<s>"
    assert rtgen.chat.render(HI, loaded) == "D<s>"
    with pytest.raises(ValueError, match="'rag'"):
        rtgen.chat.render(HI, {"rag": "x"})


def test_a_processor_reads_openai_images(tmp_path):
    rtgen.chat.save(tmp_path, "{{ messages[0].content|tojson }}")
    messages = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}]
    assert rtgen.chat.load(tmp_path, kind="processor").render(messages) == '[{"type": "image", "url": "u"}]'
    assert "image_url" in rtgen.chat.load(tmp_path, kind="tokenizer").render(messages)


@pytest.mark.parametrize("name", ["messages", "template"])
def test_names_that_are_parameters_are_no_variables(name):
    with pytest.raises(TypeError):
        rtgen.chat.render(HI, "x", **{name: 1})


def test_importing_any_part_first_leaves_the_functions_callable():
    import subprocess
    import sys

    code = (
        "import rtgen.chat.rendering, rtgen.chat.linter, rtgen.chat.fixing, rtgen.chat.migrating, rtgen.chat as c; "
        "assert all(callable(getattr(c, name)) for name in c.__all__)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
