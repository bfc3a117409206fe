"""The curves over the number of keys against an independent softmax, and the theory beside them."""

import math

import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, InvalidInput, LengthsConfig, draw_inputs, lengths
from attention_core.studies.lengths import MEASURES, QUERIES, SERIES, expected_entropy_share

SMALL = LengthsConfig(d_k=5, h=3, seed=11, seeds=2, ns=(7, 2, 300, 41))


@pytest.fixture(scope="module")
def points():
    return {(point.curve, point.n): point for point in lengths(SMALL)}


def rows(Q, K, factor):
    """Return largest weights and entropies ÷ ln n in float64, from the definition."""
    scores = Q @ K.transpose(0, 2, 1) * factor
    e = np.exp(scores - scores.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    return p.max(-1), -(p * np.log(p)).sum(-1) / math.log(p.shape[-1])


@pytest.mark.parametrize("curve", SERIES)
@pytest.mark.parametrize("n", [2, 7, 41, 300])
def test_a_point_is_the_softmax_of_the_first_keys_of_the_longest_draw(points, curve, n):
    point = points[curve, n]
    growth = {"softmax": 1.0, "log_n": math.log(n) / math.log(32)}[curve]
    for i, seed in enumerate((11, 12)):
        drawn = draw_inputs(AttentionConfig(n=300, h=3, d_k=5, tie=False, seed=seed))
        Q, K = drawn.Q.double().numpy()[:, : min(n, QUERIES)], drawn.K.double().numpy()[:, :n]
        largest, share = rows(Q, K, growth / math.sqrt(5))
        assert point.largest_weight[i].item() == pytest.approx(largest.mean(), rel=1e-5)
        assert point.entropy_share[i].item() == pytest.approx(share.mean(), rel=1e-5)


def test_points_come_in_order_with_their_spreads(points):
    assert list(points) == [(curve, n) for n in (2, 7, 41, 300) for curve in SERIES]
    point = points["log_n", 41]
    for measure in MEASURES:
        values = point.per_seed(measure).tolist()
        assert point.spread(measure) == pytest.approx((sum(values) / 2, min(values), max(values)))
    with pytest.raises(InvalidInput) as refusal:
        point.spread("median")
    assert (refusal.value.code, refusal.value.details["field"]) == ("unknown_choice", "measure")


def test_at_32_keys_a_growing_factor_is_the_usual_one():
    softmax, log_n = lengths(LengthsConfig(d_k=3, seeds=2, ns=(32,)))
    for measure in MEASURES:
        assert torch.equal(softmax.per_seed(measure), log_n.per_seed(measure))


def test_only_the_plain_softmax_fades_with_the_number_of_keys():
    """From 32 to 4,096 keys to less than a twentieth, and with a growing factor to more than a half."""
    of = {(point.curve, point.n): point.largest_weight for point in lengths(LengthsConfig(seeds=3, ns=(32, 4096)))}
    assert (of["softmax", 4096].max() / of["softmax", 32].min()).item() < 0.05
    assert (of["log_n", 4096].min() / of["log_n", 32].max()).item() > 0.5


@pytest.mark.parametrize("d_k", [3, 8, 64, 1024])
@pytest.mark.parametrize("curve", SERIES)
def test_where_the_expected_entropy_is_drawn_it_is_near(curve, d_k):
    """The mean of many seeds lies within the largest first correction that is allowed."""
    config = LengthsConfig(d_k=d_k, seeds=8)
    near = 0
    for point in lengths(config):
        expected = expected_entropy_share(config.attention(point.curve, 0, point.n))
        if point.curve != curve or expected is None:
            continue
        near += 1
        values = point.entropy_share
        wide = 4 * (values.std() / math.sqrt(len(values))).item()
        assert abs(values.mean().item() - expected) <= 0.05 + wide, point.n
    assert near >= {3: 1, 8: 4, 64: 8, 1024: 8}[d_k]


@pytest.mark.parametrize("d_k", [3, 16, 300])
@pytest.mark.parametrize("factor", [0.05, 0.3, 0.5])
def test_the_correction_decides_where_it_is_an_estimate(d_k, factor):
    """The mean of e^(σ²) (σ² − ½) + ½ over |q|², by quadrature over its χ² law."""
    t = factor**2
    x = np.linspace(1e-9, 40 * d_k + 4000, 2_000_001)
    log_density = (d_k / 2 - 1) * np.log(x) - x / 2 - math.lgamma(d_k / 2) - d_k / 2 * math.log(2)
    inside = np.exp(log_density + t * x) * (t * x - 0.5)
    correction = float(np.trapezoid(inside, x)) + 0.5
    for n in (2, 20, 200, 20_000, 2_000_000):
        config = AttentionConfig(n=n, h=1, d_k=d_k, tie=False, scaling="custom", scale=factor)
        found = expected_entropy_share(config)
        if abs(correction) / n / math.log(n) <= 0.05:
            assert found == pytest.approx((math.log(n) - t * d_k / 2) / math.log(n))
        else:
            assert found is None


def test_rows_whose_mean_correction_is_infinite_have_no_expected_entropy():
    for factor in (math.sqrt(0.5), 1.0, 16.0):
        config = AttentionConfig(n=4096, h=1, d_k=2, tie=False, scaling="custom", scale=factor)
        assert expected_entropy_share(config) is None
    far = AttentionConfig(n=4096, h=1, d_k=1_000_000, tie=False, scaling="custom", scale=0.1)
    assert expected_entropy_share(far) is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"d_k": 0}, "d_k must be at least 1; got 0."),
        ({"h": 0}, "h must be at least 1; got 0."),
        ({"seeds": 0}, "seeds must be at least 1; got 0."),
        ({"ns": ()}, "ns must be at least 1; got 0."),
        ({"ns": (4, 1)}, "n must be at least 2; got 1."),
    ],
)
def test_what_cannot_be_compared_is_refused(settings, message):
    with pytest.raises(InvalidInput) as caught:
        LengthsConfig(**settings)
    assert str(caught.value) == message


def test_seeds_after_the_largest_begin_at_0():
    assert LengthsConfig(seed=2**31 - 1, seeds=3).every_seed() == (2**31 - 1, 0, 1)


def test_an_unknown_series_is_refused_by_name():
    with pytest.raises(InvalidInput) as refusal:
        SMALL.attention("sigmoid", 0, 7)
    assert refusal.value.code == "unknown_choice"
