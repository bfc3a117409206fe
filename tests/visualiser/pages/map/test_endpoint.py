"""The endpoint for programs: the dense numbers, and its refusals."""

import json
from typing import Any

import gradio as gr
import numpy as np
import pytest

from attention_core import AttentionConfig, compute
from visualiser.pages.map import pass_price
from visualiser.pages.map.endpoint import QUANTILES, long_sequence
from visualiser.server.admission.cost import Shape, Sized


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
@pytest.mark.parametrize("treated", [{}, {"qk_norm": True, "log_n": True}])
def test_the_numbers_are_those_of_the_dense_matrix(mask: str, treated: dict[str, Any]) -> None:
    given: dict[str, Any] = {"n": 211, "h": 3, "d_k": 7, "mask": mask, "window": 13, "seed": 5, "scaling": "none"}
    came: Any = long_sequence(**given, **treated)
    config = AttentionConfig(**given, **treated, source="structured")
    result = compute(config)
    assert (came["n"], came["h"], came["d_k"]) == (211, 3, 7)
    expected = {
        "entropy": result.entropy.mean(-1),
        "effective_keys": result.effective_keys.mean(-1),
        "score_mean": result.score_mean,
        "score_variance": result.score_variance,
        "jacobian_norm": result.jacobian_norm.mean(-1),
        "jacobian_trace": result.jacobian_trace.mean(-1),
        "largest_weight": result.largest_weight.amax(-1),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(came[name], values.numpy(), rtol=2e-4, atol=2e-5, err_msg=name)
    ordered = result.entropy.sort(-1).values
    quantiles = [[float(row[round(share * 210)]) for share in QUANTILES] for row in ordered]
    np.testing.assert_allclose(came["entropy_quantiles"], quantiles, atol=2e-5)
    assert came["entropy_ceiling"] == pytest.approx(float(result.ceiling.max()))
    for head in range(3):
        query, key = came["largest_weight_query"][head], came["largest_weight_key"][head]
        assert float(result.weights[head, query, key]) == pytest.approx(came["largest_weight"][head], rel=1e-5)


def test_the_answer_is_small_however_long_the_sequence() -> None:
    assert len(json.dumps(long_sequence(n=2003, h=2, d_k=4))) < 1500


_WIDE = AttentionConfig(source="structured", h=16, d_k=1024, tie=False)
FITS = max(
    n for n in range(2, 16_384) if pass_price.has_room(Sized(_WIDE, Shape(h=16, n_q=n, n_k=n, d_k=1024, d_v=1024)))
)
"""The most tokens of a map of 16 heads of 1024 components."""


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"n": 1}, "n must be between 2 and "),
        ({"n": 10**9}, "n must be between 2 and "),
        ({"h": 17}, "h must be between 1 and 16, got 17"),
        ({"source": "text"}, "source must be gaussian, structured or model here"),
        ({"scaling": "big"}, "scaling must be one of "),
        ({"seed": -1}, "seed must be between 0 and "),
        ({"n": 16_384, "h": 16, "d_k": 1024}, f"n must be at most {FITS} with these heads on this machine, got 16384"),
        ({"n": 16_384, "h": 8}, "n must be at most 15811 with these heads on this machine, got 16384"),
    ],
)
def test_what_a_stranger_may_not_ask_is_refused_in_words(asked: dict, message: str) -> None:
    with pytest.raises(gr.Error) as refused:
        long_sequence(**asked)
    assert str(refused.value.message).startswith(message)
