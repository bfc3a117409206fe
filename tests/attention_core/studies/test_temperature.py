"""The same rows at every factor, against the softmax and entropy of those scores in float64."""

import math

import pytest
import torch

from attention_core import AttentionConfig, AttentionInputs, InvalidInput, compute, temperature
from attention_core.studies.temperature import FACTORS


def test_the_factors_reach_from_beyond_uniform_to_beyond_one_hot():
    assert FACTORS[0] < 1 / 1024
    assert FACTORS[-1] == 16.0
    assert {1.0, 1 / math.sqrt(64), 1 / 64} <= set(FACTORS)


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("mechanism", ["dot_product", "additive"])
def test_means_over_rows_at_every_factor(mask, mechanism):
    result = compute(AttentionConfig(n=7, h=3, d_k=5, mask=mask, mechanism=mechanism))
    curve = temperature(result, (0.1, 1.3, 11.0))
    assert curve.queries == 7
    assert curve.ceiling == pytest.approx(result.ceiling.mean().item())
    allowed = torch.ones(7, 7, dtype=torch.bool) if result.mask is None else result.mask
    for i, factor in enumerate((0.1, 1.3, 11.0)):
        p = (result.scores.double() * factor).masked_fill(~allowed, -torch.inf).softmax(-1)
        J = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
        for ours, exact in (
            (curve.entropy, torch.special.entr(p).sum(-1)),
            (curve.largest_weight, p.amax(-1)),
            (curve.jacobian_norm, J.flatten(-2).norm(dim=-1)),
            (curve.jacobian_trace, 1 - p.square().sum(-1)),
        ):
            torch.testing.assert_close(ours[i].double(), exact.mean(-1), rtol=2e-5, atol=2e-6)


def test_its_own_factor_gives_the_result_s_own_numbers():
    result = compute(AttentionConfig(n=7, h=3, d_k=16, tie=False))
    curve = temperature(result, (0.25,))
    torch.testing.assert_close(curve.entropy[0], result.entropy.mean(-1))
    torch.testing.assert_close(curve.jacobian_norm[0], result.jacobian_norm.mean(-1))


def test_the_crossings_lie_where_a_finer_grid_puts_them():
    result = compute(AttentionConfig(n=31, h=2, d_k=64, tie=False))
    coarse = temperature(result)
    assert coarse.uniform_below is not None
    assert coarse.collapsed_above is not None
    assert coarse.uniform_below < 1 / 8 < 1 / 2 < coarse.collapsed_above
    there = temperature(result, (coarse.uniform_below, coarse.collapsed_above))
    assert there.entropy[0].mean().item() == pytest.approx(math.log(0.9 * 31), abs=0.01)
    assert there.entropy[1].mean().item() == pytest.approx(math.log(1.5), abs=0.01)


@pytest.mark.parametrize(
    ("factors", "crossings"),
    [((0.9, 1.0), (None, None)), ((1e-5, 1e-4), (1e-4, None)), ((900.0, 1000.0), (None, 900.0))],
)
def test_a_crossing_outside_the_factors_is_none_or_the_end(factors, crossings):
    curve = temperature(compute(AttentionConfig(n=31, h=2, d_k=1, tie=False)), factors)
    assert (curve.uniform_below, curve.collapsed_above) == pytest.approx(crossings)


def test_many_rows_are_thinned_evenly():
    result = compute(AttentionConfig(n=13, h=2, d_k=5))
    curve = temperature(result, (1.0,), most_queries=5)
    assert curve.queries == 5
    expected = compute(AttentionConfig(n=13, h=2, d_k=5, scaling="none")).entropy[:, ::3].mean(-1)
    torch.testing.assert_close(curve.entropy[0], expected)


def test_one_row_may_stand_for_all_and_none_may_not():
    result = compute(AttentionConfig(n=9, h=2, d_k=3, tie=False))
    one = temperature(result, (1.0,), most_queries=1)
    assert one.queries == 1
    torch.testing.assert_close(one.largest_weight[0], result.scores[:, 0].softmax(-1).amax(-1))
    with pytest.raises(InvalidInput, match="most_queries"):
        temperature(result, (1.0,), most_queries=0)


def test_rows_without_a_key_are_left_out():
    inputs = AttentionInputs(torch.randn(1, 5, 3), torch.randn(1, 3, 3), torch.randn(1, 3, 3))
    result = compute(AttentionConfig(source="upload", mask="causal"), inputs)
    curve = temperature(result, (1.0,))
    assert curve.queries == 3
    assert curve.ceiling == pytest.approx((0 + math.log(2) + math.log(3)) / 3)


def test_scores_of_any_size_stay_finite():
    big = 1e18 * torch.randn(1, 3, 2, generator=torch.Generator().manual_seed(0))
    curve = temperature(compute(AttentionConfig(source="upload"), AttentionInputs(big, big, big)), (1e-3, 1e3))
    assert curve.entropy.isfinite().all()
    assert curve.largest_weight.tolist() == [[1.0], [1.0]]


def test_a_factor_of_zero_or_below_has_no_place_on_the_axis():
    with pytest.raises(InvalidInput, match=r"^factor must be between 1e-06 and 1000000.0; got 0.0.$"):
        temperature(compute(AttentionConfig(n=5, h=1, d_k=2)), (0.0,))
