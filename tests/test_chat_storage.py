"""Chat templates in folders: a case per row of tests/chat/data/storage.json, beside transformers; save and migrate."""

from __future__ import annotations

import itertools
import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

import rtgen.chat
from rtgen.chat.config import without_key
from tests.chat import oracle

CASES = json.loads((Path(__file__).parent / "chat" / "data" / "storage.json").read_text(encoding="utf-8"))
assert len(CASES) > 15


def make(folder: Path, files: dict[str, Any]) -> Path:
    for name, held in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes((held if isinstance(held, str) else json.dumps(held, indent=2)).encode())
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def tokenizer_reads(folder: Path) -> Any:
    """What transformers' tokenizer of the folder has."""
    from transformers import PreTrainedTokenizerFast

    if not (folder / "tokenizer.json").exists():
        oracle.tokenizer().backend_tokenizer.save(str(folder / "tokenizer.json"))
    return PreTrainedTokenizerFast.from_pretrained(folder).chat_template


def processor_reads(folder: Path) -> Any:
    """What transformers' processor of the folder has."""
    from transformers import ProcessorMixin

    try:
        return ProcessorMixin.get_processor_dict(str(folder))[0].get("chat_template")
    except ValueError:
        return "error"


@pytest.mark.parametrize("kind", ["tokenizer", "processor"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_each_row_of_the_table(case, kind, tmp_path):
    folder = make(tmp_path, case["files"])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if case[kind] == "error":
            with pytest.raises(ValueError, match=r"chat_template\.json"):
                rtgen.chat.load(folder, kind=kind)
        else:
            assert rtgen.chat.load(folder, kind=kind).chat_template == case[kind]
    assert bool(said) == (kind in case.get("warns", ()))
    theirs = tokenizer_reads(folder) if kind == "tokenizer" else processor_reads(folder)
    assert (theirs != case[kind]) == (kind in case.get("differs", ())), theirs


def test_without_a_kind_both_are_looked_at(tmp_path):
    legacy = make(tmp_path / "legacy", {"chat_template.json": {"chat_template": "L"}})
    assert rtgen.chat.load(legacy).chat_template == "L"
    assert rtgen.chat.load(legacy).kind == "processor"
    assert rtgen.chat.load(make(tmp_path / "both", {"chat_template.jinja": "R"})).source.endswith("chat_template.jinja")
    mixed = make(tmp_path / "mixed", {"chat_template.json": {"chat_template": "L"}, "chat_template.jinja": "R"})
    with pytest.raises(ValueError, match="mixes"):
        rtgen.chat.load(mixed)


def test_special_tokens_are_those_of_transformers(tmp_path):
    config = {
        "bos_token": {"__type": "AddedToken", "content": "<s>", "lstrip": False, "rstrip": False, "normalized": False},
        "eos_token": "</s>",
        "pad_token": None,
        "image_token": "<image>",
        "add_bos_token": True,
        "extra_special_tokens": {"audio_token": "<audio>"},
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    folder = make(tmp_path, {"tokenizer_config.json": config, "chat_template.jinja": "x"})
    oracle.tokenizer().backend_tokenizer.save(str(folder / "tokenizer.json"))
    from transformers import PreTrainedTokenizerFast

    theirs = PreTrainedTokenizerFast.from_pretrained(folder).special_tokens_map
    assert rtgen.chat.load(folder).special_tokens == theirs


@pytest.mark.parametrize(
    "templates", ["one\n", {"default": "a\r\n", "tool_use": "b", "rag": "é"}, {"rag": "alone"}, {"default": ""}]
)
def test_what_is_saved_is_loaded(templates, tmp_path):
    old = {
        "tokenizer_config.json": {"bos_token": "<s>", "chat_template": "old", "x": 1},
        "chat_template.json": {"chat_template": "old"},
        "processor_config.json": {"chat_template": "old", "processor_class": "P"},
        "chat_template.jinja": "old",
        "additional_chat_templates/stale.jinja": "old",
        "additional_chat_templates/kept.txt": "mine",
    }
    make(tmp_path, old)
    rtgen.chat.save(tmp_path, templates)
    wanted = templates["default"] if isinstance(templates, dict) and list(templates) == ["default"] else templates
    if isinstance(wanted, dict):
        wanted = {name: text.replace("\r\n", "\n") for name, text in wanted.items()}
    for kind in ("tokenizer", "processor"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert rtgen.chat.load(tmp_path, kind=kind).chat_template == wanted
    assert tokenizer_reads(tmp_path) == wanted
    assert (processor_reads(tmp_path) or "") == wanted
    assert json.loads((tmp_path / "tokenizer_config.json").read_text()) == {"bos_token": "<s>", "x": 1}
    assert (tmp_path / "additional_chat_templates" / "kept.txt").exists()


@pytest.mark.parametrize(
    "name", ["../evil", "a/b", "", ".", "..", ".hidden", "a\\b", "/abs", "nul\0", "new\nline", "c:x"]
)
def test_names_that_leave_the_folder_are_refused_before_anything_is_written(name, tmp_path):
    with pytest.raises(ValueError, match="name"):
        rtgen.chat.save(tmp_path / "in", {"default": "x", name: "y"})
    assert list(tmp_path.iterdir()) == []


def test_a_link_into_a_cache_gives_way_to_a_file(tmp_path):
    blob = tmp_path / "blob"
    blob.write_text("old")
    folder = tmp_path / "snapshot"
    folder.mkdir()
    os.symlink(blob, folder / "chat_template.jinja")
    rtgen.chat.save(folder, "new")
    assert (blob.read_text(), (folder / "chat_template.jinja").read_text()) == ("old", "new")


def held_in(file: str, held: Any) -> dict[str, str]:
    """The templates by name in a file of a case."""
    if file.endswith(".jinja") and "/" in file:
        return {Path(file).stem: held}
    value = held if file == "chat_template.jinja" else held.get("chat_template", {}) if isinstance(held, dict) else {}
    if isinstance(value, list):
        return {entry["name"]: entry["template"] for entry in value}
    return {"default": value} if isinstance(value, str) else value


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_migration_leaves_what_transformers_reads_as_the_guide_does(case, tmp_path):
    folder = make(tmp_path, case["files"])
    before = tree(folder)
    places: dict[str, list[str]] = {}  # by name, what stands there in all files together
    for name, held in case["files"].items():
        for each, text in held_in(name, held).items():
            places.setdefault(each, []).append(text)
    clashing = any(len(set(texts)) > 1 for texts in places.values())
    if clashing:
        with pytest.raises(ValueError, match="--prefer"):
            rtgen.chat.migrate(folder)
        assert tree(folder) == before
    prefer = "tokenizer" if clashing else None
    planned = rtgen.chat.migrate(folder, dry_run=True, prefer=prefer)
    assert tree(folder) == before
    assert rtgen.chat.migrate(folder, prefer=prefer).changes == planned.changes
    assert rtgen.chat.migrate(folder).changes == []
    wanted = case["processor"] if case["tokenizer"] is None else case["tokenizer"]
    if case["name"] == "legacy and additional":
        wanted = {"rag": "A", "default": "L"}
    if case["name"] != "additional file and root":  # whose name transformers takes for another
        assert tokenizer_reads(folder) == wanted
    assert (processor_reads(folder) or "") == (wanted or "")
    assert not (folder / "chat_template.json").exists()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"k": 1}', "{}"),
        ('{"k": 1, "b": 2}', '{ "b": 2}'),
        ('{"a": 0, "k": {"k": [1]}, "b": 1e30}', '{"a": 0, "b": 1e30}'),
        ('{\n  "a": 1,\n  "k": "x"\n}\n', '{\n  "a": 1\n}\n'),
        ('{"a": {"k": 1}}', '{"a": {"k": 1}}'),
        ('{"k": 1, "a": 2, "k": 3}', '{ "a": 2}'),
    ],
)
def test_a_key_is_taken_out_and_the_rest_stays(text, left):
    assert without_key(text, "k") == left


PLACES = {
    "tokenizer_config.json": {"chat_template": "C", "k": 1},
    "chat_template.json": {"chat_template": "L"},
    "processor_config.json": {"chat_template": "P"},
    "chat_template.jinja": "R",
    "additional_chat_templates/default.jinja": "A",
}
TEXTS = dict(zip([name.split("/")[0] for name in PLACES], "CLPRA"))


@pytest.mark.parametrize("two", list(itertools.combinations(PLACES, 2)), ids="+".join)
def test_migration_drops_no_template_that_differs_unasked(two, tmp_path):
    folder = make(tmp_path / "before", {name: PLACES[name] for name in two})
    before = tree(folder)
    places = [name.split("/")[0] for name in two]
    with pytest.raises(ValueError, match="--prefer") as raised:
        rtgen.chat.migrate(folder)
    assert all(f"--prefer {place}" in str(raised.value) for place in places)
    for place in set(TEXTS) - set(places):
        with pytest.raises(ValueError, match="differ"):
            rtgen.chat.migrate(folder, prefer=place)
    assert tree(folder) == before
    for place in places:
        made = make(tmp_path / "after" / place, {name: PLACES[name] for name in two})
        done = rtgen.chat.migrate(made, prefer=place)
        assert rtgen.chat.load(made).chat_template == TEXTS[place]
        (other,) = set(places) - {place}
        assert any(other in note for note in done.notes)


def test_migration_takes_templates_for_the_same_that_render_the_same(tmp_path):
    files = {"tokenizer_config.json": {"chat_template": "a\r\nb"}, "chat_template.jinja": "a\nb\n"}
    rtgen.chat.migrate(make(tmp_path, files))
    assert rtgen.chat.load(tmp_path).chat_template == "a\nb\n"


def test_migration_does_not_take_one_kind_for_another(tmp_path):
    files = {"processor_config.json": {"chat_template": "P"}, "chat_template.json": {"chat_template": "L"}}
    folder = make(tmp_path, files)
    with pytest.raises(ValueError, match="differ"):
        rtgen.chat.migrate(folder, prefer="tokenizer")
    rtgen.chat.migrate(folder, prefer="processor")
    assert rtgen.chat.load(folder).chat_template == "P"
    with pytest.raises(ValueError, match="prefer is one of"):
        rtgen.chat.migrate(folder, prefer="config")


def test_migration_keeps_a_template_that_nobody_reads(tmp_path):
    legacy = {"chat_template": [{"name": "default", "template": "P"}, {"name": "rag", "template": "L"}]}
    files = {"processor_config.json": {"chat_template": "P"}, "chat_template.json": legacy}
    rtgen.chat.migrate(make(tmp_path, files))
    assert rtgen.chat.load(tmp_path).chat_template == {"default": "P", "rag": "L"}
