"""Footnote 4: the mean and variance of the scores, measured and predicted."""

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, compute
from attention_core.result.moments import measured_moments
from tests.attention_core.oracles import causal


def test_measured_moments_against_numpy_in_float64():
    scores = 1000 + torch.randn(3, 7, 11, generator=torch.Generator().manual_seed(0))
    mask = causal(7, 11)
    for allowed in (None, mask):
        mean, variance = measured_moments(scores, allowed)
        for head in range(3):
            cells = scores[head].double().numpy()[... if allowed is None else allowed.numpy()]
            plain = scores[head].numpy()[... if allowed is None else allowed.numpy()]
            assert abs(mean[head].item() - cells.mean()) <= 2 * np.spacing(np.float32(1000))
            rounding = cells.size * torch.finfo(torch.float32).eps * cells.var()
            assert abs(variance[head].item() - cells.var()) <= 2 * abs(plain.var() - cells.var()) + rounding


def test_moments_of_no_cell_are_not_numbers():
    mean, variance = measured_moments(torch.ones(2, 3, 5), torch.zeros(3, 5, dtype=torch.bool))
    assert mean.isnan().all()
    assert variance.isnan().all()


@pytest.mark.parametrize("d_k", [1, 13, 257])
@pytest.mark.parametrize("scaling", ["none", "sqrt_d_k", "d_k"])
def test_footnote_4_holds_for_gaussian_queries_and_keys(d_k, scaling):
    """Sixteen heads are independent measurements: their mean lies within five of its standard errors."""
    result = compute(AttentionConfig(n=127, h=16, d_k=d_k, scaling=scaling, seed=1))
    assert result.predicted_mean == 0
    assert result.predicted_variance == pytest.approx(d_k * {"none": 1, "sqrt_d_k": 1 / d_k, "d_k": d_k**-2}[scaling])
    for measured, predicted in (
        (result.score_mean, result.predicted_mean),
        (result.score_variance, result.predicted_variance),
    ):
        assert predicted is not None
        assert abs(measured.mean().item() - predicted) < 5 * measured.std().item() / 4


@pytest.mark.parametrize("given", [{"mechanism": "additive"}, {"source": "text"}])
def test_footnote_4_says_nothing_elsewhere(given):
    result = compute(AttentionConfig(n=5, h=2, d_k=3, **given))
    assert result.predicted_mean is None
    assert result.predicted_variance is None


def test_a_head_without_a_finite_score_has_no_moments_and_the_others_have_theirs():
    Q = torch.ones(2, 3, 4)
    Q[0] = 40000.0  # 4 · 40,000 · 1 leaves float16
    result = compute(
        AttentionConfig(source="upload", dtype="float16", scaling="none"),
        AttentionInputs(Q, torch.ones(2, 5, 4), torch.ones(2, 5, 4)),
    )
    assert result.scores[0].isinf().all()
    assert result.score_mean.isnan().tolist() == result.score_variance.isnan().tolist() == [True, False]
    assert (result.score_mean[1].item(), result.score_variance[1].item()) == (4.0, 0.0)
