"""Marian's tokenizers: the segmentation with the largest sum of scores, the vocabulary beside it, damaged files."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import InvalidInput
from attention_core.models import ModelFolder
from attention_core.models.cutting import Cutter
from attention_core.models.piece_tokenizer import PieceTokenizer
from tests.attention_core.models import small_folders
from tests.attention_core.models.pieces import CONTROL, ENGLISH, NORMAL, UNKNOWN, VOCABULARY, Pieces, written
from tests.draws import cases


def made(pieces: bytes = Pieces().source, vocabulary: str = Pieces().vocabulary, **named: Any) -> PieceTokenizer:
    return PieceTokenizer(pieces, vocabulary.encode(), named)


def best(word: str, scores: dict[str, float]) -> float:
    """Return the largest sum of scores of a way to cut a word, by trying all of them."""
    sums = [0.0, *[float("-inf")] * len(word)]
    for stop in range(1, len(word) + 1):
        sums[stop] = max(sums[start] + scores.get(word[start:stop], float("-inf")) for start in range(stop))
    return sums[-1]


@settings(max_examples=cases(60), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_text_is_cut_where_the_sum_of_scores_is_largest(seed: int) -> None:
    draw = random.Random(seed)
    words = {"▁" * draw.randrange(2) + "".join(draw.choices("abc", k=draw.randrange(1, 5))) for _ in range(20)}
    pieces = [(word, -draw.random() * 9, NORMAL) for word in sorted(words)] + [(one, -9.5, NORMAL) for one in "abc▁"]
    scores = {piece: score for piece, score, _ in reversed(pieces)}
    vocabulary = {
        name: number for number, name in enumerate(["</s>", "<unk>", *dict.fromkeys(p for p, _, _ in pieces)])
    }
    unique = list({piece: (piece, score, kind) for piece, score, kind in reversed(pieces)}.values())
    scores = {piece: score for piece, score, _ in unique}
    tokenizer = made(written([("<unk>", 0.0, UNKNOWN), *unique]), json.dumps(vocabulary))
    text = " ".join("".join(draw.choices("abc", k=draw.randrange(1, 7))) for _ in range(4))
    found = tokenizer.encode(text, add_special_tokens=False)
    assert "".join(found.tokens) == "".join(f"▁{word}" for word in text.split())
    assert [vocabulary[token] for token in found.tokens] == found.ids
    expected = sum(best(f"▁{word}", scores) for word in text.split())
    assert sum(scores[token] for token in found.tokens) == pytest.approx(expected, abs=1e-4)
    assert tokenizer.decode(found.ids) == text


def test_the_vocabulary_numbers_the_pieces() -> None:
    cutter = Cutter(made())
    cut = cutter.cut("the cats", 20)
    assert cut.tokens == (" the", " cat", "s", "</s>")
    assert cut.ids == (*(VOCABULARY[one] for one in ("▁the", "▁cat", "s")), 0)
    assert cutter.cut("the cats", 20, alone=True).ids == cut.ids[:-1]
    assert cutter.cut("the cats", 3).tokens == (" the", " cat", "</s>")
    coded = cutter.cut(">>deu<< the cat", 20)
    assert coded.tokens == (">>deu<<", " the", " cat", "</s>")
    assert coded.ids[0] == VOCABULARY[">>deu<<"]
    assert cutter.cut(">>none<< cat", 20).ids[0] != VOCABULARY[">>deu<<"]


def test_what_a_side_does_not_know_is_unknown_unless_the_other_does() -> None:
    cut = made().encode("ßz漢 the", add_special_tokens=False)
    named = dict(zip(cut.tokens, cut.ids, strict=True))
    assert named["▁the"] == VOCABULARY["▁the"]
    assert named["z"] == 1  # a piece that the vocabulary lacks
    assert made().encode("ß", add_special_tokens=False).ids[-1] == VOCABULARY["ß"]
    assert made().encode("漢", add_special_tokens=False).ids[-1] == 1
    assert made().encode("Katze", add_special_tokens=False).ids[-1] != VOCABULARY["▁Katze"]


def test_special_pieces_are_never_in_a_text() -> None:
    cut = made(written([*ENGLISH, ("<pad>", 5.0, CONTROL)])).encode("a </s> <pad> <unk>", add_special_tokens=False)
    assert not {VOCABULARY["</s>"], VOCABULARY["<pad>"]} & set(cut.ids)


BROKEN = {
    "cut off": Pieces().source[:-3],
    "a length beyond the file": b"\x0a\xff\xff\xff\xff\x07",
    "a number that does not end": b"\x08" + b"\xff" * 30,
    "groups": b"\x0b\x0c",
    "empty": b"",
    "bytes that are no text": written([])[:0] + b"\x0a\x04\x0a\x02\xff\xfe",
    "pieces merged by rank": written(ENGLISH, kind=2),
    "a wrong table of characters": Pieces().source + b"\x1a\x06\x12\x04abcd",
}


@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN)
def test_damaged_pieces_are_a_sentence(tmp_path: Path, broken: str) -> None:
    small_folders.write(tmp_path, "marian", tokenizer=Pieces(source=BROKEN[broken]))
    with pytest.raises(InvalidInput, match=r"^The model marian has no tokenizer that can be read\.$"):
        ModelFolder(tmp_path).load("marian")


@pytest.mark.slow
@pytest.mark.parametrize(
    "vocabulary", ["[]", "{}", '{"</s>": 0}', '{"</s>": 0, "<unk>": "x"}', '{"</s>": 0, "<unk>": 7}', "\x00"]
)
def test_a_damaged_vocabulary_is_a_sentence(tmp_path: Path, vocabulary: str) -> None:
    small_folders.write(tmp_path, "marian", tokenizer=Pieces(vocabulary=vocabulary))
    with pytest.raises(InvalidInput) as caught:
        ModelFolder(tmp_path).load("marian")
    assert caught.value.code in ("model_tokenizer", "model_weights")
