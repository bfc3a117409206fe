"""The measures of heads, against patterns made by hand."""

from itertools import islice

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core.language.measures import MEASURES, chance, even_weights, induction_keys, scores
from attention_core.language.texts import KINDS, Document, Place, documents

REPEAT = Document(
    "repeats",
    ("<bos>", "red", "keys", "old", "dogs", "Anna", "keys", "old", "dogs", "Anna", "keys", "old", "dogs", "Anna"),
    tuple(Place("repeat", query, query - 3) for query in range(6, 13)),
)
"""A list of period 4 that begins at position 2."""

SENTENCE = Document(
    "sentences",
    ("<bos>", "[", "the", "keys", "to", "the", "door", "are", "old", ".", "]", "the", "dog", "sleeps", "."),
    (Place("agreement", 6, 3), Place("bracket", 9, 1), Place("agreement", 12, 12)),
)


def one_hot(keys: list[int]) -> torch.Tensor:
    """Return the weights of a head whose query q reads keys[q] alone."""
    return torch.eye(len(keys))[keys].unsqueeze(0)


def scored(name: str, document: Document, weights: torch.Tensor) -> float:
    return scores(name, [(document, [weights])]).item()


PERFECT = {
    "previous_token": (REPEAT, [0, *range(13)]),
    "sink": (REPEAT, [0] * 14),
    "induction": (REPEAT, [0] * 6 + [q - 3 for q in range(6, 14)]),
    "same_token": (REPEAT, [0] * 6 + [q - 4 for q in range(6, 14)]),
    "agreement": (SENTENCE, [0] * 6 + [3] + [0] * 8),
    "bracket": (SENTENCE, [0] * 9 + [1] + [0] * 5),
}


def test_every_measure_has_its_pattern():
    assert list(PERFECT) != []
    assert set(PERFECT) == set(MEASURES)


@pytest.mark.parametrize("name", PERFECT)
def test_the_pattern_of_a_behaviour_scores_one_and_those_of_others_less(name: str):
    document, keys = PERFECT[name]
    if name == "same_token":  # `the` and `.` of the sentence are said again; this text has the list alone
        assert scored(name, document, one_hot(keys)) == 1
    assert scored(name, document, one_hot(keys)) == 1
    for other, (text, pattern) in PERFECT.items():
        if other != name and text is document:
            assert scored(name, document, one_hot(pattern)) < 0.5


def test_induction_reads_what_followed_all_earlier_mentions():
    ids = torch.tensor(REPEAT.ids)
    found = induction_keys(ids)
    assert {(q, k) for q, k in found.nonzero().tolist()} == {
        *((q, q - 3) for q in range(6, 14)),
        *((q, q - 7) for q in range(10, 14)),
    }
    half = torch.zeros(1, 14, 14)
    for q in range(6, 14):
        half[0, q, q - 3] = 0.5
        half[0, q, q - 7] = 0.25
    # queries 6 … 12 have a next word: all read q − 3, and those from 10 on q − 7 as well
    assert scored("induction", REPEAT, half) == pytest.approx((7 * 0.5 + 3 * 0.25) / 7)
    wrong_by_one = one_hot([0] * 6 + [q - 4 for q in range(6, 14)])
    assert scored("induction", REPEAT, wrong_by_one) == 0


def test_a_subject_reaches_to_the_next_noun_and_needs_one():
    for key, expected in ((1, 0), (2, 1), (3, 1), (4, 1), (5, 1), (6, 0)):
        pattern = [0] * 6 + [key] + [0] * 5 + [12, 0, 0]
        assert scored("agreement", SENTENCE, one_hot(pattern)) == expected


def test_an_open_bracket_may_be_read_from_the_word_behind_it():
    for key, expected in ((0, 0), (1, 1), (2, 1), (3, 0), (9, 0)):
        assert scored("bracket", SENTENCE, one_hot([0] * 9 + [key] + [0] * 5)) == expected


def test_even_weights_score_what_they_must():
    n = len(REPEAT.words)
    inverse = sum(1 / (q + 1) for q in range(1, n)) / (n - 1)
    assert chance("previous_token", [REPEAT]) == pytest.approx(inverse)
    assert chance("sink", [REPEAT]) == pytest.approx(inverse)
    expected = sum((1 + (q >= 10)) / (q + 1) for q in range(6, 13)) / 7
    assert chance("induction", [REPEAT]) == pytest.approx(expected)
    assert chance("agreement", [SENTENCE]) == pytest.approx(4 / 7)
    assert chance("bracket", [SENTENCE]) == pytest.approx(2 / 10)


def test_scores_are_means_over_the_queries_of_all_texts():
    """A text with more queries counts more; a kind that a measure does not read counts nothing."""
    perfect, nothing = one_hot(PERFECT["agreement"][1]), one_hot([0] * 15)
    two = Document("sentences", SENTENCE.words, (*SENTENCE.places, Place("agreement", 8, 3)))
    read = [(SENTENCE, [perfect]), (two, [nothing]), (REPEAT, [one_hot([0] * 14)])]
    assert scores("agreement", read).item() == pytest.approx(1 / 3)
    assert scores("agreement", [(REPEAT, [even_weights(14)])]).isnan().all()


@given(st.sampled_from(sorted(KINDS)), st.integers(0, 10**6))
def test_every_score_lies_between_nothing_and_all(kind: str, seed: int):
    read = []
    for document in islice(documents(seed, "test", kind, 43), 3):
        raw = torch.randn(2, 3, 43, 43, generator=torch.Generator().manual_seed(seed)) * 5
        weights = raw.masked_fill(~torch.ones(43, 43).tril().bool(), -torch.inf).softmax(-1)
        read.append((document, list(weights)))
    for name in MEASURES:
        found = scores(name, read)
        assert found.isnan().all() or (found.shape == (2, 3) and bool(((found >= 0) & (found <= 1 + 1e-6)).all()))
