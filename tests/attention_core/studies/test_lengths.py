"""The curves over the number of keys against independent weights, and the theory beside them."""

import math

import mpmath
import numpy as np
import pytest
import torch

from attention_core import AttentionConfig, InvalidInput, LengthsConfig, draw_inputs, lengths
from attention_core.studies.lengths import MEASURES, QUERIES, SERIES, expected_entropy_share

SMALL = LengthsConfig(d_k=5, h=3, seed=11, seeds=2, ns=(7, 2, 300, 41))


@pytest.fixture(scope="module")
def points():
    return {(point.curve, point.n): point for point in lengths(SMALL)}


def rows(Q, K, factor, sink=None):
    """Return largest weights, shares of the largest entropy and a sink's weights in float64, from the definition."""
    e = np.exp(Q @ K.transpose(0, 2, 1) * factor)  # of scores below 20
    beside = np.full((*e.shape[:2], 0 if sink is None else 1), math.exp(sink or 0.0))
    p = np.concatenate([e, beside], -1) / (e.sum(-1, keepdims=True) + beside.sum(-1, keepdims=True))
    share = -(p * np.log(p)).sum(-1) / math.log(p.shape[-1])
    return p[..., : e.shape[-1]].max(-1), share, 1 - p[..., : e.shape[-1]].sum(-1)


@pytest.mark.slow
@pytest.mark.parametrize("curve", SERIES)
@pytest.mark.parametrize("n", [2, 7, 41, 300])
def test_a_point_has_the_weights_of_the_first_keys_of_the_longest_draw(points, curve, n):
    point = points[curve, n]
    growth, sink = {"softmax": (1.0, None), "log_n": (math.log(n) / math.log(32), None), "sink": (1.0, 0.0)}[curve]
    for i, seed in enumerate((11, 12)):
        drawn = draw_inputs(AttentionConfig(n=300, h=3, d_k=5, tie=False, seed=seed))
        Q, K = drawn.Q.double().numpy()[:, : min(n, QUERIES)], drawn.K.double().numpy()[:, :n]
        largest, share, sunk = rows(Q, K, growth / math.sqrt(5), sink)
        assert point.largest_weight[i].item() == pytest.approx(largest.mean(), rel=1e-5)
        assert point.entropy_share[i].item() == pytest.approx(share.mean(), rel=1e-5)
        assert point.sink_weight[i].item() == pytest.approx(sunk.mean(), rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_keys_with_a_sink_in_mpmath(n):
    """1 more outcome of weight 1 / (1 + Σ e^s), with 40 digits."""
    point = next(point for point in lengths(LengthsConfig(d_k=3, seeds=1, seed=4, ns=(n,))) if point.curve == "sink")
    drawn = draw_inputs(AttentionConfig(n=n, h=1, d_k=3, tie=False, seed=4))
    Q, K = drawn.Q[0].double().tolist(), drawn.K[0].double().tolist()
    with mpmath.workdps(40):
        found = []
        for q in Q:
            e = [mpmath.exp(mpmath.fdot(q, k) / mpmath.sqrt(3)) for k in K]
            p = [mpmath.mpf(each) / (1 + mpmath.fsum(e)) for each in (*e, 1)]
            entropy = -mpmath.fsum(each * mpmath.log(each) for each in p)
            found.append((max(p[:-1]), entropy / mpmath.log(n + 1), p[-1]))
        largest, share, sunk = (float(mpmath.fsum(values) / n) for values in zip(*found, strict=True))
    assert point.largest_weight.item() == pytest.approx(largest, rel=1e-6)
    assert point.entropy_share.item() == pytest.approx(share, rel=1e-6)
    assert point.sink_weight.item() == pytest.approx(sunk, rel=1e-6)


def test_points_come_in_order_with_their_spreads(points):
    assert list(points) == [(curve, n) for n in (2, 7, 41, 300) for curve in SERIES]
    point = points["log_n", 41]
    for measure in (*MEASURES, "sink_weight"):
        values = point.per_seed(measure).tolist()
        assert point.spread(measure) == pytest.approx((sum(values) / 2, min(values), max(values)))
    with pytest.raises(InvalidInput) as refusal:
        point.spread("median")
    assert (refusal.value.code, refusal.value.details["field"]) == ("unknown_choice", "measure")


def test_at_32_keys_a_growing_factor_is_the_usual_one():
    softmax, log_n, _ = lengths(LengthsConfig(d_k=3, seeds=2, ns=(32,)))
    for measure in MEASURES:
        assert torch.equal(softmax.per_seed(measure), log_n.per_seed(measure))


@pytest.mark.slow
def test_only_the_plain_softmax_fades_with_the_number_of_keys():
    """From 32 to 4,096 keys to less than a twentieth, and with a growing factor to more than a half."""
    of = {(point.curve, point.n): point.largest_weight for point in lengths(LengthsConfig(seeds=3, ns=(32, 4096)))}
    assert (of["softmax", 4096].max() / of["softmax", 32].min()).item() < 0.05
    assert (of["log_n", 4096].min() / of["log_n", 32].max()).item() > 0.5


@pytest.mark.night
def test_more_keys_leave_a_sink_less_until_its_rows_are_those_of_the_softmax():
    """Seed by seed. A sink's weight is near e^(−½) / n; it takes a share q of every weight, and adds to the entropy."""
    config = LengthsConfig(seeds=3)
    of = {(point.curve, point.n): point for point in lengths(config)}
    for n, longer in zip(config.ns, config.ns[1:], strict=False):
        assert (of["sink", longer].sink_weight < of["sink", n].sink_weight).all(), n
    for n in config.ns:
        softmax, sink = of["softmax", n], of["sink", n]
        assert softmax.sink_weight.tolist() == [0.0] * 3
        taken = 1 - sink.largest_weight / softmax.largest_weight
        assert ((taken > 0) & (taken < 1.7 / (1 + n))).all(), n
        more = sink.entropy_share * math.log(n + 1) - softmax.entropy_share * math.log(n)
        assert (more > 0).all(), n
    assert of["sink", 4096].sink_weight.mean().item() == pytest.approx(math.exp(-0.5) / 4096, rel=0.05)
    assert of["sink", 2].sink_weight.mean().item() > 0.2


@pytest.mark.night
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("b", [-3.0, 0.0, 1.0, 4.0])
@pytest.mark.parametrize(("d_k", "factor"), [(4, 0.5), (64, 0.125), (64, 0.2), (16, 0.1)])
def test_the_term_of_a_sink_is_what_it_adds_to_many_rows(b, d_k, factor):
    """Entropies of the same 400 rows of 4,000 keys with a sink and without differ by the term, to order 1/n."""
    n = 4000
    draws = np.random.default_rng(d_k)
    Q, K = draws.standard_normal((1, 400, d_k)), draws.standard_normal((1, n, d_k))
    Q *= math.sqrt(d_k) / np.sqrt((Q**2).mean(1, keepdims=True).sum(-1, keepdims=True))  # the mean of |q|² is d_k
    (_, with_sink, _), (_, without, _) = rows(Q, K, factor, b), rows(Q, K, factor)
    added = (with_sink * math.log(n + 1) - without * math.log(n)).mean() * n
    settings = {"n": n, "h": 1, "d_k": d_k, "tie": False, "scaling": "custom", "scale": factor}
    plain = AttentionConfig(**settings)
    sunk = AttentionConfig(**settings, normalisation="sink", sink=b)
    more, less = expected_entropy_share(sunk), expected_entropy_share(plain)
    assert more is not None
    assert less is not None
    term = (more * math.log(n + 1) - less * math.log(n)) * n
    level, variance = math.exp(b - factor**2 * d_k / 2), factor**2 * d_k
    # a mean over few keys is loose by 1/√n, the next order by e^b / n, and (1 − b + σ²) may be small
    assert abs(added - term) <= 0.15 * level * (1 + abs(1 - b) + variance), (added, term)


@pytest.mark.parametrize("b", [8.0, 16.0, -16.0])
def test_a_large_sink_has_no_expected_entropy_and_a_small_one_changes_nothing(b):
    config = AttentionConfig(n=4096, h=1, d_k=64, tie=False, normalisation="sink", sink=b)
    found = expected_entropy_share(config)
    if b > 0:
        assert found is None
    else:
        assert found == pytest.approx((math.log(4096) - 0.5) / math.log(4097), abs=1e-9)


def test_other_weights_are_refused_by_name():
    for name in ("sigmoid", "entmax"):
        with pytest.raises(InvalidInput) as refusal:
            expected_entropy_share(AttentionConfig(n=64, h=1, d_k=8, tie=False, normalisation=name))
        assert (refusal.value.code, refusal.value.details["field"]) == ("unknown_choice", "normalisation")


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
