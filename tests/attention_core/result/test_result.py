"""The quantities derived from the weights, each by its definition."""

import math

import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, compute, draw, softmax_jacobian

CONFIG = AttentionConfig(n=7, h=3, d_k=5, d_model=11, mask="causal")


def test_row_quantities_are_what_their_names_say():
    result = compute(CONFIG)
    p = result.weights.double()
    J = softmax_jacobian(p)
    rounding = 1e-6
    assert torch.allclose(result.entropy.double(), torch.special.entr(p).sum(-1), rtol=rounding, atol=rounding)
    assert torch.allclose(result.jacobian_norm.double(), J.norm(dim=(-2, -1)), rtol=rounding, atol=rounding)
    assert torch.allclose(result.jacobian_trace.double(), 1 - (p**2).sum(-1), rtol=rounding, atol=rounding)
    assert torch.allclose(result.largest_weight, result.weights.amax(-1), rtol=4 * 2**-24, atol=0)
    assert torch.equal(result.effective_keys, result.entropy.exp())
    assert torch.allclose(result.ceiling, torch.arange(1, 8).log())
    assert (result.entropy <= result.ceiling).all()


@pytest.mark.slow
def test_a_uniform_row_has_exactly_the_ceilings_entropy_and_n_effective_keys():
    """Never above the ceiling, at any n: a picture with points above it would be wrong."""
    for n in range(1, 60):
        nearly = compute(AttentionConfig(n=n, h=1, d_k=3, scaling="custom", scale=1e-5))
        assert (nearly.entropy <= nearly.ceiling).all()
        result = compute(AttentionConfig(n=n, h=1, d_k=3, scaling="custom", scale=0.0))
        assert result.entropy[0, 0].item() == pytest.approx(math.log(n), rel=1e-6)
        assert result.effective_keys[0, 0].item() == pytest.approx(n, rel=1e-5)


def test_a_saturated_row_has_no_entropy_and_no_gradient():
    result = compute(AttentionConfig(n=31, h=2, d_k=1021, scaling="custom", scale=16.0))
    assert (result.entropy >= 0).all()
    assert (result.jacobian_norm >= 0).all()
    assert result.entropy.median() < 1e-6
    assert result.jacobian_norm.median() < 1e-6


def test_a_query_without_a_key_is_zero_everywhere():
    """More queries than keys under a causal mask: the first two see nothing."""
    Q, K, V = (torch.randn(1, n, 3, generator=torch.Generator().manual_seed(n)) for n in (5, 3, 3))
    result = compute(AttentionConfig(source="upload", mask="causal"), AttentionInputs(Q, K, V))
    for quantity in (result.weights, result.output, result.entropy, result.jacobian_norm, result.jacobian_trace):
        assert not quantity[:, :2].any()
    assert result.ceiling[:2].tolist() == [0.0, 0.0]
    assert result.entropy.isfinite().all()
    assert result.score_variance.isfinite().all()


def test_concatenation_and_projection_follow_figure_2():
    result = compute(CONFIG)
    assert torch.equal(result.output, result.weights @ result.V)
    assert torch.equal(result.concatenation[2], torch.cat([result.output[head, 2] for head in range(3)]))
    W_O = draw(0, "W_O", 15, 11) / math.sqrt(15)
    assert torch.equal(result.projection, result.concatenation @ W_O)


def test_one_token_attends_to_itself():
    result = compute(AttentionConfig(n=1, h=2, d_k=3))
    assert torch.equal(result.weights, torch.ones(2, 1, 1))
    assert not result.entropy.any()
    assert not result.jacobian_norm.any()
    assert torch.equal(result.score_variance, torch.zeros(2))
