"""Heads over texts: each number of a head is that of a plain computation over the model's own weights."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from attention_core.inputs.random_streams import stream
from attention_core.language import corpus
from attention_core.learned import shipped_model
from attention_core.learned.head_texts import DISTANCES, STRONGEST, Passage, TextReading, read_texts
from attention_core.learned.head_texts.cutting import read_at_once
from attention_core.learned.over_corpus import text_of

MODEL = shipped_model("headlight")
TEXTS = [*read_at_once(MODEL, (text_of(document) for document in corpus()[:150]))]
LAYER, HEAD = 2, 4


@pytest.fixture(scope="module")
def found() -> TextReading:
    return read_texts(MODEL, TEXTS)


def weights() -> Iterator[tuple[str, tuple[int, ...], np.ndarray]]:
    """Yield each text with its tokens and the weights of one head."""
    for text in TEXTS:
        run = MODEL.run(text)
        yield text, run.ids, np.asarray(run.layers[LAYER - 1].weights[HEAD - 1], dtype=np.float64)


def test_a_mean_is_taken_over_the_rows_of_all_texts(found: TextReading):
    read = np.concatenate([np.diagonal(p, -1) for _, _, p in weights()])
    assert found.measures.documents == len(TEXTS)
    score = found.measures.score("previous_token", LAYER, HEAD)
    assert score.value == pytest.approx(read.mean(), rel=1e-6)
    assert score.rows == len(read)


def test_induction_is_not_measured_over_texts(found: TextReading):
    assert math.isnan(float(found.measures.means["induction"][1, 0]))
    assert "induction" not in found.measures.chance
    assert found.strongest("induction", 2, 1) == ()


def test_the_strongest_passages_are_those_of_all(found: TextReading):
    told = [(np.diagonal(p, -1).mean(), text, len(p) - 1) for text, _, p in weights() if len(p) > 5]
    told.sort(key=lambda one: -one[0])
    strongest = found.strongest("previous_token", LAYER, HEAD)
    assert len(strongest) == STRONGEST
    for (score, text, rows), passage in zip(told[:STRONGEST], strongest, strict=True):
        assert passage == (text, pytest.approx(score, rel=1e-5), rows)


def test_one_row_makes_no_strong_passage():
    few = read_texts(MODEL, ["Ben sees Anna", "Anna Miller sees Ben Taylor ."])
    assert [passage.text for passage in few.strongest("previous_token", 1, 1)] == ["Anna Miller sees Ben Taylor ."]


def test_the_sample_is_a_hundred_passages_drawn_alike_in_five_bands(found: TextReading):
    assert found.sampled == 100
    bands = found.bands("entropy", LAYER, HEAD)
    scores = [passage.score for band in bands for passage in band]
    assert scores == sorted(scores, reverse=True)
    assert max(map(len, bands)) - min(map(len, bands)) <= 1
    drawn, generator = list(range(100)), stream(0, "passages")
    for number in range(100, len(TEXTS)):
        place = int(torch.randint(number + 1, (), generator=generator))
        if place < 100:
            drawn[place] = number
    kept = {TEXTS[number] for number in drawn}
    assert {passage.text for band in bands for passage in band} <= kept
    assert len(scores) > 80


def test_a_sample_of_few_passages_is_all_of_them():
    few = read_texts(MODEL, TEXTS[:7])
    assert few.sampled == 7
    told = {Passage(*one) for band in few.bands("entropy", 1, 1) for one in band}
    assert {passage.text for passage in told} == {text for text in TEXTS[:7] if len(MODEL.run(text).ids) >= 5}


def test_a_head_joins_each_row_with_the_key_that_it_reads_most(found: TextReading):
    rows = first = tokens = 0
    pairs: dict[tuple[int, int], list[float]] = {}
    stand: dict[int, int] = {}
    for _, ids, p in weights():
        tokens += len(ids) - 1
        for i in range(1, len(ids)):
            stand[ids[i]] = stand.get(ids[i], 0) + 1
            j = int(p[i, : i + 1].argmax())
            rows, first = rows + 1, first + (j == 0)
            if j:
                pairs.setdefault((ids[i], ids[j]), []).append(p[i, j])
    joined = found.joined(LAYER, HEAD, most=10_000)
    assert (joined.rows, joined.on_first, joined.tokens, joined.missed) == (rows, first, tokens, 0)
    assert {(one.query, one.key): one.rows for one in joined.pairs} == {at: len(p) for at, p in pairs.items()}
    assert all(one.p == pytest.approx(np.mean(pairs[one.query, one.key]), rel=1e-5) for one in joined.pairs)
    assert [one.rows for one in joined.pairs] == sorted((len(p) for p in pairs.values()), reverse=True)
    for end, listed in enumerate((joined.queries, joined.keys)):
        told: dict[int, list[float]] = {}
        for at, p in pairs.items():
            told.setdefault(at[end], []).extend(p)
        assert {one.id: (one.rows, one.of) for one in listed} == {id_: (len(p), stand[id_]) for id_, p in told.items()}
        assert all(one.p == pytest.approx(np.mean(told[one.id]), rel=1e-5) for one in listed)
    assert found.joined(LAYER, HEAD, most=3).pairs == joined.pairs[:3]


def test_the_distances_share_all_weight_of_the_rows(found: TextReading):
    told, even, rows = np.zeros(len(DISTANCES)), np.zeros(len(DISTANCES)), 0
    for _, ids, p in weights():
        rows += len(ids) - 1
        for i in range(1, len(ids)):
            for j in range(i + 1):
                at = max(place for place, begin in enumerate(DISTANCES) if begin <= i - j)
                told[at] += p[i, j]
                even[at] += 1 / (i + 1)
    joined = found.joined(LAYER, HEAD)
    np.testing.assert_allclose(joined.distances, told / rows, atol=1e-6)
    np.testing.assert_allclose(joined.even, even / rows, atol=1e-6)


def test_texts_come_one_after_the_other():
    """A file that is streamed never stands in memory as a whole: a text is asked for when the last one is read."""
    told: list[object] = []

    def streamed() -> Iterator[str]:
        for text in TEXTS[:3]:
            told.append(text)
            yield text

    read_texts(MODEL, streamed(), told.append)
    assert told == [TEXTS[0], 1, TEXTS[1], 2, TEXTS[2], 3]


def test_of_many_texts_those_are_forgotten_that_no_head_needs():
    few = read_texts(MODEL, ["Anna Miller sees Ben Taylor ."] + ["Ben sees Anna"] * 300)
    assert len(few._texts) <= 101


def test_a_mean_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        read_texts(MODEL, ())
