"""Measures over texts of any kind: their rows together, however they are spread over the texts."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from attention_core.learned import shipped_model, text_measures

TEXTS = ("Anna Miller sees Ben Taylor .", "Ben", "Anna sees Ben . Anna likes the keys .")


def test_a_mean_is_taken_over_the_rows_of_all_texts():
    model = shipped_model("headlight")
    found = text_measures(model, TEXTS)
    read = []
    for text in TEXTS:
        weights = np.asarray(model.run(text).layers[0].weights[0], dtype=np.float64)
        read += list(np.diagonal(weights, -1))
    assert found.documents == 3
    assert float(found.means["previous_token"][0, 0]) == pytest.approx(np.mean(read), rel=1e-6)
    assert found.score("previous_token", layer=1, head=1).rows == len(read)


def test_induction_is_not_measured_over_texts():
    found = text_measures(shipped_model("headlight"), TEXTS)
    assert math.isnan(float(found.means["induction"][1, 0]))
    assert "induction" not in found.chance


def test_texts_come_one_after_the_other():
    """A file that is streamed never stands in memory as a whole: a text is asked for when the last one is read."""
    told: list[object] = []

    def streamed() -> Iterator[str]:
        for text in TEXTS:
            told.append(text)
            yield text

    text_measures(shipped_model("headlight"), streamed(), told.append)
    assert told == [TEXTS[0], 1, TEXTS[1], 2, TEXTS[2], 3]


def test_a_mean_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        text_measures(shipped_model("headlight"), ())
