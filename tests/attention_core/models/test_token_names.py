"""What tokens are called, by each kind of vocabulary that there is."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from tokenizers import decoders

from attention_core.models.token_names import TokenNames


def tokenizer(vocabulary: Sequence[str | None], decoder: Any, special: Sequence[int] = (0,)) -> Any:
    return SimpleNamespace(
        all_special_ids=list(special),
        backend_tokenizer=SimpleNamespace(decoder=decoder),
        convert_ids_to_tokens=lambda ids: [vocabulary[one] for one in ids],
    )


PIECES = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])


def named(vocabulary: Sequence[str | None], decoder: Any) -> tuple[str, ...]:
    return TokenNames(tokenizer(vocabulary, decoder)).of(range(len(vocabulary)))


def test_pieces_keep_their_blanks_and_bytes_are_parts_of_characters() -> None:
    got = named(["<s>", "▁Lily", "Lily", "▁", "▁g", "<0xC2>", "<0xB7>", "ir", "<0x0A>", "<0x09>"], PIECES)
    assert got == ("<s>", " Lily", "Lily", " ", " g", "·₁", "·₂", "ir", "\n", "\t")


def test_bytes_that_become_no_character_are_called_by_themselves() -> None:
    assert named(["<s>", "<0xED>", "<0x95>", "▁a", "<0xFF>"], PIECES) == ("<s>", "<0xED>", "<0x95>", " a", "<0xFF>")
    assert named(["<0xED>", "<0x95>", "<s>"], PIECES)[0] == "<0xED>"


def test_a_special_token_parts_a_character() -> None:
    names = TokenNames(tokenizer(["<s>", "<0xC2>", "<0xB7>"], PIECES))
    assert names.of([1, 2]) == ("·₁", "·₂")
    assert names.of([1, 0, 2]) == ("<0xC2>", "<s>", "<0xB7>")
    assert names.alone(1) == "<0xC2>"


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (["ĠLily", "Lily", "Ċ", "ĉ", "Ġ"], (" Lily", "Lily", "\n", "\t", " ")),
        (["Se", "Ã¡n"], ("Se", "án")),  # tokenizers#1470
        (["×", "ĳ×", "ł"], ("ב₁", "ב₂נ₁", "נ₂")),  # tokenizers, pull request 508
        (["Ġíķ", "ľ"], (" 한₁", "한₂")),
        (["<|im_start|>"], ("<|im_start|>",)),
    ],
)
def test_letters_of_bytes_are_spelled(forms: list[str], expected: tuple[str, ...]) -> None:
    assert TokenNames(tokenizer(forms, decoders.ByteLevel(), special=())).of(range(len(forms))) == expected


def test_pieces_of_words_keep_their_own_marks() -> None:
    assert named(["[CLS]", "the", "##zzy", "##ᅢ", "[UNK]"], decoders.WordPiece()) == (
        "[CLS]", "the", "##zzy", "##ᅢ", "[UNK]",
    )  # fmt: skip


def test_what_shows_nothing_by_itself_is_called_by_its_number() -> None:
    assert named(["<s>", "\u200d", "a\u200db", "<0xE2>", "<0x80>", "<0x8D>", "\x07"], PIECES) == (
        "<s>", "U+200D", "a\u200db", "U+200D₁", "U+200D₂", "U+200D₃", "U+0007",
    )  # fmt: skip


def test_signs_that_nobody_sees_are_told_apart() -> None:
    unseen = ["\u00a0", "\u3000", "\u200b\u200b", "\r\n", "a\u00a0b", "\u202ea", "e\u0301", "می\u200cشود", "👩\u200d👧"]
    assert named(["<s>", *unseen], PIECES)[1:] == (
        "U+00A0", "U+3000", "U+200BU+200B", "U+000D\n", "aU+00A0b", "U+202Ea", "e\u0301", "می\u200cشود", "👩\u200d👧",
    )  # fmt: skip


def test_a_number_without_a_form_is_called_by_itself() -> None:
    assert named(["<s>", None, "▁a"], None) == ("<s>", "<1>", " a")
