"""Token ids to text: in total what decoding everything gives, whole characters alone, and special tokens known."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from rtgen.integrations.transformers import Piece, detokenizer, response_parser
from rtgen.integrations.transformers.exact_ids import ByteLevelIds, FallbackIds, byte_of
from rtgen.integrations.transformers.ids import as_ids
from rtgen.integrations.transformers.window_ids import StreamIds, WholeIds, WindowIds
from tests.integrations import making
from tests.integrations.making import MESSAGE, OUTPUT, PROMPT, TEMPLATE, TOOLS

EXACT = ["byte level", "byte fallback", "byte fallback, nothing stripped"]


def piece_texts(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def stepwise(tokenizer: Any, groups: list[list[int]]) -> tuple[list[str], str]:
    """The text that each group of ids gave, and what the end gave."""
    way = detokenizer(tokenizer)
    return [piece_texts(way.push(group)) for group in groups], piece_texts(way.finish())


@pytest.mark.parametrize(
    "kind, way",
    [
        ("byte level", ByteLevelIds),
        ("byte fallback", FallbackIds),
        ("byte fallback, nothing stripped", FallbackIds),
        ("metaspace", StreamIds),
        ("word piece", StreamIds),
        ("no decoder", StreamIds),
    ],
)
def test_each_decoder_goes_its_way(kind: str, way: type) -> None:
    assert type(detokenizer(making.made(kind))) is way


@pytest.mark.parametrize("kind", making.KINDS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_total_is_that_of_decoding_everything(kind: str, data: st.DataObject) -> None:
    """Any ids at all, in any groups: most such sequences are no output of a model, and full of broken characters."""
    tokenizer = making.made(kind)
    size = len(tokenizer)
    common = [tokenizer.convert_tokens_to_ids(text) for text in (*making.SPECIAL, *making.ADDED)]
    ids = data.draw(st.lists(st.one_of(st.integers(0, size + 3), st.sampled_from(common)), max_size=40))
    groups = making.chunks(ids, data.draw(st.randoms(use_true_random=False)))
    texts, rest = stepwise(tokenizer, groups)
    assert "".join(texts) + rest == tokenizer.decode(ids)


@pytest.mark.parametrize("kind", EXACT)
def test_the_total_of_real_text(kind: str) -> None:
    tokenizer = making.made(kind)
    for text in [*making.LINES, OUTPUT, PROMPT + OUTPUT, " lead", "  two", "e\u0301 \ufffd \ufffd\ufffdx", ""]:
        ids = tokenizer(text, add_special_tokens=False).input_ids
        texts, rest = stepwise(tokenizer, [[one] for one in ids])
        assert "".join(texts) + rest == tokenizer.decode(ids)


@given(st.lists(st.binary(min_size=1, max_size=5), min_size=1, max_size=12), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_tokens_of_any_bytes(parts: list[bytes], random_source: random.Random) -> None:
    tokenizer = making.of_bytes(parts)
    ids = making.ids_of(tokenizer, parts)
    texts, rest = stepwise(tokenizer, making.chunks(ids, random_source))
    assert "".join(texts) + rest == tokenizer.decode(ids) == b"".join(parts).decode("utf-8", "replace")


def test_the_table_of_bytes_is_the_library_s() -> None:
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    ours = byte_of()
    seen: set[int] = set()
    for point in [*range(0x800), *range(0x800, 0xD800, 0x400), *range(0xE000, 0x110000, 0x1000)]:
        data = chr(point).encode()
        assert level.pre_tokenize_str(chr(point))[0][0] == making.written(data)
        seen |= set(data)
    assert seen == set(range(256)) - {0xC0, 0xC1, *range(0xF5, 0x100)}  # which are in no text
    assert set(ours) == set(level.alphabet()) and sorted(ours.values()) == list(range(256))


def test_the_characters_come_when_their_last_byte_has_come() -> None:
    """And no earlier: at every place in the middle of a character, its text waits."""
    tokenizer = making.of_bytes([])
    text = "aé你😀z"
    parts = [bytes((byte,)) for byte in text.encode()]
    texts, rest = stepwise(tokenizer, [[one] for one in making.ids_of(tokenizer, parts)])
    assert texts == ["a", "", "é", "", "", "你", "", "", "", "😀", "z"] and rest == ""


def test_a_real_replacement_character_does_not_wait() -> None:
    tokenizer = making.of_bytes([])
    texts, rest = stepwise(tokenizer, [[one] for one in making.ids_of(tokenizer, [b"\xef", b"\xbf", b"\xbd"])])
    assert texts == ["", "", "\ufffd"] and rest == ""


def test_a_character_that_is_never_complete() -> None:
    tokenizer = making.of_bytes([])
    half = making.ids_of(tokenizer, [b"\xf0", b"\x9f", b"\x98"])
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert stepwise(tokenizer, [half]) == ([""], "\ufffd")
    way = detokenizer(tokenizer)
    assert way.push([*half, end]) == [Piece("\ufffd"), Piece("<|im_end|>", True)]
    assert way.push(half) == [] and way.finish() == [Piece("\ufffd")] and way.finish() == []
    assert way.push(making.ids_of(tokenizer, [b"x"])) == [Piece("x")]


def test_a_run_of_bytes_waits_for_its_end_with_byte_fallback() -> None:
    """The library reads a run of bytes as a whole: one bad byte spoils it, back to its beginning."""
    tokenizer = making.made("byte fallback")
    wave = [tokenizer.convert_tokens_to_ids(f"<0x{byte:02X}>") for byte in "😀".encode()]
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert stepwise(tokenizer, [wave, [end]]) == (["", "😀<|im_end|>"], "")
    assert stepwise(tokenizer, [wave, wave[:1], [end]]) == (["", "", "\ufffd" * 5 + "<|im_end|>"], "")
    assert stepwise(tokenizer, [wave, wave[1:2], [end]]) == (["", "\ufffd" * 5, "<|im_end|>"], "")
    assert stepwise(tokenizer, [wave[:2]]) == ([""], "\ufffd\ufffd")


def test_special_tokens_are_known() -> None:
    for kind in making.KINDS:
        tokenizer = making.made(kind)
        ids = [tokenizer.convert_tokens_to_ids(text) for text in ("<think>", "<|im_end|>", "</think>", "<|im_start|>")]
        way = detokenizer(tokenizer)
        pieces = [piece for one in ids for piece in way.push([one])] + way.finish()
        assert {piece.text.strip() for piece in pieces if piece.special} == {"<|im_end|>", "<|im_start|>"}
        assert [piece.special for piece in pieces if "think>" in piece.text] == [False, False]


def test_ids_that_nobody_knows_write_nothing() -> None:
    for kind in EXACT:
        tokenizer = making.made(kind)
        word = tokenizer.convert_tokens_to_ids("<think>")
        assert stepwise(tokenizer, [[word, 10_000, word]]) == (["<think><think>"], "")


def test_tokens_that_are_added_later_are_found() -> None:
    tokenizer = making.byte_level()
    ids = [len(tokenizer), len(tokenizer) + 1]
    assert stepwise(tokenizer, [ids]) == ([""], "")
    tokenizer.add_tokens(["<｜新｜>"])
    tokenizer.add_special_tokens({"additional_special_tokens": ["<é x>"]})
    way = detokenizer(tokenizer)
    assert way.push(ids) == [Piece("<｜新｜>"), Piece("<é x>", True)]


def test_a_tokenizer_that_decodes_in_its_own_way() -> None:
    class Shouting(type(making.made("byte level"))):  # type: ignore[misc]
        def decode(self, token_ids: Any, **more: Any) -> Any:
            return super().decode(token_ids, **more).upper()

    tokenizer = making.byte_level()
    tokenizer.__class__ = Shouting
    assert type(detokenizer(tokenizer)) is WindowIds
    ids = tokenizer(OUTPUT).input_ids
    texts, rest = stepwise(tokenizer, [[one] for one in ids])
    assert "".join(texts) + rest == tokenizer.decode(ids) and "CAFÉ" in "".join(texts)


def test_a_tokenizer_whose_text_is_cleaned_up_waits_for_the_end() -> None:
    tokenizer = making.word_piece(clean_up_tokenization_spaces=True)
    assert type(detokenizer(tokenizer)) is WholeIds
    ids = tokenizer(making.LINES[0]).input_ids
    texts, rest = stepwise(tokenizer, [[one] for one in ids])
    assert set(texts) == {""} and rest == tokenizer.decode(ids)


def test_a_tokenizer_that_takes_text_back_is_an_error() -> None:
    class Fickle(type(making.made("byte level"))):  # type: ignore[misc]
        def decode(self, token_ids: Any, **more: Any) -> Any:
            text = super().decode(token_ids, **more)
            return text[::-1] if len(text) > 5 else text

    tokenizer = making.byte_level()
    tokenizer.__class__ = Fickle
    parser = response_parser(tokenizer, TEMPLATE, prefix="")
    parser.feed_ids(tokenizer("abcdefgh").input_ids)
    for one in tokenizer("ijkl").input_ids:
        parser.feed_ids(one)
    with pytest.raises(ValueError, match="at once"):
        parser.finalize()
    with pytest.raises(RuntimeError, match="at once"):
        parser.feed("x")


# The parser


def parse(tokenizer: Any, groups: list[Any], **more: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    parser = response_parser(tokenizer, TEMPLATE, prefix=PROMPT, tools=TOOLS, **more)
    events = list(parser.initial_events)
    for group in groups:
        events += parser.feed_ids(group)
    message, last = parser.finalize()
    return message, making.merged(events + last)


@pytest.mark.parametrize("kind", ["byte level", "byte fallback"])
def test_feeding_ids_is_feeding_their_text(kind: str) -> None:
    tokenizer = making.made(kind)
    ids = tokenizer(OUTPUT, add_special_tokens=False).input_ids
    parser = response_parser(tokenizer, TEMPLATE, prefix=PROMPT, tools=TOOLS)
    events = parser.feed(tokenizer.decode(ids))
    message, last = parser.finalize()
    assert message == MESSAGE
    source = random.Random(5)
    for groups in ([ids], [[one] for one in ids], ids, *(making.chunks(ids, source) for _ in range(10))):
        assert parse(tokenizer, groups) == (message, making.merged(events + last))


def test_tokens_that_split_characters_and_delimiters_at_every_place() -> None:
    """Every token that covers up to nine bytes of the output, anywhere in it, with single bytes around."""
    data = OUTPUT.encode()
    sizes = (2, 3, 4, 5, 9)
    tokenizer = making.of_bytes({data[at : at + size] for size in sizes for at in range(len(data))})
    single = making.ids_of(tokenizer, [bytes((byte,)) for byte in data])
    expected = parse(tokenizer, [single])
    assert expected[0] == MESSAGE
    for size in sizes:
        for at in range(len(data) - size + 1):
            (token,) = making.ids_of(tokenizer, [data[at : at + size]])
            groups = [[one] for one in (*single[:at], token, *single[at + size :])]
            assert parse(tokenizer, groups) == expected
    source = random.Random(3)
    for _ in range(50):  # and outputs that are made of such tokens alone
        parts, at = [], 0
        while at < len(data):
            size = source.choice((1, *sizes))
            parts.append(data[at : at + size])
            at += size
        known = [part for part in parts if len(part) in (1, *sizes)] == parts
        if known:
            assert parse(tokenizer, making.chunks(making.ids_of(tokenizer, parts), source)) == expected


def test_all_forms_of_ids() -> None:
    assert as_ids(5) == as_ids([5]) == as_ids((5,)) == as_ids(np.array(5)) == as_ids(np.array([5])) == [5]
    assert as_ids(np.array([[5, 6]])) == as_ids([[5, 6]]) == as_ids([np.array([5, 6])]) == as_ids(range(5, 7)) == [5, 6]
    assert as_ids([np.int64(5), np.int32(6)]) == [5, 6] and type(as_ids([np.int64(5)])[0]) is int
    assert as_ids([]) == as_ids(np.array([], dtype=int)) == as_ids(np.zeros((1, 0), dtype=int)) == []
    for several in ([[5], [6]], np.array([[5], [6]])):
        with pytest.raises(ValueError, match="not of 2"):
            as_ids(several)


def test_half_a_character_at_the_end_is_parsed() -> None:
    tokenizer = making.of_bytes([])
    parser = response_parser(tokenizer, TEMPLATE, prefix="")
    parser.feed_ids(making.ids_of(tokenizer, [b"o", b"k", b"\xf0", b"\x9f"]))
    message, events = parser.finalize()
    assert message["content"] == "ok\ufffd" and events[0]["text"] == "\ufffd"
    for call in (parser.finalize, lambda: parser.feed("x"), lambda: parser.feed_ids([]), lambda: parser.feed_ids(3)):
        with pytest.raises(RuntimeError):
            call()


def test_ids_and_text_take_turns() -> None:
    tokenizer = making.byte_level()
    parser = response_parser(tokenizer, TEMPLATE, prefix="")
    parser.feed("a<thi")
    parser.feed("nk>b")
    parser.feed_ids(tokenizer("c</think>d").input_ids)
    assert parser.finalize()[0] == {"role": "assistant", "content": "d", "reasoning_content": "bc"}


def test_pieces_can_be_fed_too() -> None:
    parser = response_parser(making.made("byte level"), TEMPLATE, prefix="")
    parser.feed_pieces([Piece("<think>"), Piece("a")])
    parser.feed_pieces([])
    assert parser.finalize()[0]["reasoning_content"] == "a"


def test_outputs_do_not_share_what_waits() -> None:
    tokenizer = making.of_bytes([])
    half = making.ids_of(tokenizer, [b"\xf0", b"\x9f"])
    first, second = detokenizer(tokenizer), detokenizer(tokenizer)
    assert first.push(half) == [] and second.push(making.ids_of(tokenizer, [b"x"])) == [Piece("x")]
    assert first.finish() == [Piece("\ufffd")] and second.finish() == []
    assert type(detokenizer(copy.deepcopy(tokenizer))) is ByteLevelIds
