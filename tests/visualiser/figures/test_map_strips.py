"""The strips along a sequence, as data."""

import itertools

import numpy as np
import pytest
import torch

from attention_core import AttentionStatistics, attention_statistics, draw
from visualiser.figures.plots.strips import drawing, strips
from visualiser.listed_statistics import STRIPS, label


@pytest.fixture
def statistics() -> AttentionStatistics:
    Q, K = (torch.stack([draw(head, name, 41, 5) for head in range(3)]) for name in "QK")
    return attention_statistics(Q, K, causal=True)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_strip_has_its_own_axis_over_common_positions(statistics: AttentionStatistics, lang: str) -> None:
    drawn = drawing(statistics, 2, lang, 7, 30)
    values = (statistics.entropy, statistics.largest_weight, statistics.effective_keys)
    for trace, axis, each, expected in zip(drawn.data, ("y", "y2", "y3"), STRIPS, values, strict=False):
        np.testing.assert_array_equal(trace["x"], np.arange(7, 30))
        np.testing.assert_array_equal(trace["y"], expected[1, 7:30])
        assert (trace["xaxis"], trace["yaxis"]) == ("x", axis)
        assert drawn.layout[f"yaxis{axis[1:]}"]["title"]["text"] == label(lang, each)
    np.testing.assert_allclose(drawn.data[len(STRIPS)]["y"], np.log(np.arange(8, 31)), rtol=1e-6)  # the causal ceiling
    assert drawn.layout["xaxis"]["range"] == [6.5, 29.5]
    domains = [drawn.layout[f"yaxis{suffix}"]["domain"] for suffix in ("3", "2", "")]
    assert all(low[1] < high[0] for low, high in itertools.pairwise(domains))


def test_a_notebook_gets_all_queries(statistics: AttentionStatistics) -> None:
    traces = strips(statistics, 1).to_dict()["data"]
    assert len(traces) == len(STRIPS) + 1
    assert traces[0]["name"] == "entropy (nats)"
    assert strips(statistics, 1).to_plotly_json()["layout"]["xaxis"]["range"] == [-0.5, 40.5]
