"""The sweep against `compute` at the same seeds, and the directions that section 3.2.1 claims."""

import math
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
import torch

from attention_core import AttentionConfig, InvalidInput, SweepConfig, compute, draw_inputs, mechanisms, sweep
from attention_core.studies.score_gradient import at_correct_key, correct_keys, score_gradient
from attention_core.studies.sweep import CURVES, MEASURES

SMALL = SweepConfig(n=7, h=3, seed=11, seeds=2, d_ks=(1, 5, 13, 29))


@pytest.fixture(scope="module")
def points():
    return {(point.curve, point.d_k): point for point in sweep(SMALL)}


@pytest.fixture(scope="module")
def whole():
    """Return the default sweep: n = 32, d_k = 1 … 1024, five seeds."""
    return {(point.curve, point.d_k): point for point in sweep(SweepConfig())}


def expected(curve, d_k, seed):
    mechanism, scaling = {
        "scaled": ("dot_product", "sqrt_d_k"),
        "unscaled": ("dot_product", "none"),
        "additive": ("additive", "none"),
    }[curve]
    config = AttentionConfig(n=7, h=3, d_k=d_k, tie=False, seed=seed, mechanism=mechanism, scaling=scaling)
    assert SMALL.attention(curve, seed, d_k) == config
    return compute(config), draw_inputs(config).V


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("d_k", [1, 5, 13, 29])
def test_a_point_is_what_compute_says_of_that_config(points, curve, d_k):
    """The same products summed in another order: a few units in float32's last place apart."""
    point = points[curve, d_k]
    for i, seed in enumerate((11, 12)):
        result, V = expected(curve, d_k, seed)
        measured = {
            "variance": result.score_variance.mean(),
            "entropy": result.entropy.mean(),
            "largest_weight": result.largest_weight.mean(),
            "jacobian_norm": result.jacobian_norm.mean(),
        }
        gradient = score_gradient(result.scaled, V @ V.mT / d_k, correct_keys(seed, 3, 7))
        measured["gradient"] = at_correct_key(gradient, correct_keys(seed, 3, 7)).quantile(0.5)
        measured["gradient_norm"] = gradient.norm(dim=-1).quantile(0.5)
        assert set(measured) == set(MEASURES)
        for measure, value in measured.items():
            assert point.per_seed(measure)[i].item() == pytest.approx(value.item(), rel=3e-5), measure


NORMED = SweepConfig(
    n=7, h=3, seed=11, seeds=2, d_ks=(1, 5, 13, 29), curves=("qk_norm_unscaled", "unscaled", "qk_norm")
)


@pytest.mark.parametrize(("curve", "power"), [("qk_norm", 0.5), ("qk_norm_unscaled", 0.0)])
def test_with_qk_norm_a_score_is_d_k_cos_theta_of_the_first_components(curve, power):
    """In float64, from the angles between the same draws."""
    found = {(point.curve, point.d_k): point for point in sweep(NORMED)}
    assert list(found)[:3] == [("qk_norm_unscaled", 1), ("unscaled", 1), ("qk_norm", 1)]
    for i, seed in enumerate((11, 12)):
        drawn = draw_inputs(AttentionConfig(n=7, h=3, d_k=29, tie=False, seed=seed))
        for d_k in NORMED.d_ks:
            q, k = (vectors[..., :d_k].double() for vectors in (drawn.Q, drawn.K))
            cosine = torch.nn.functional.cosine_similarity(q[:, :, None], k[:, None], dim=-1)
            scores = cosine * d_k ** (1 - power)
            weights = scores.softmax(-1)
            point = found[curve, d_k]
            assert scores.abs().max().item() <= d_k ** (1 - power) * (1 + 1e-12)
            assert point.variance[i].item() == pytest.approx(scores.var((-2, -1), correction=0).mean().item(), rel=1e-5)
            assert point.largest_weight[i].item() == pytest.approx(weights.amax(-1).mean().item(), rel=1e-5)
            entropy = torch.special.entr(weights).sum(-1).mean().item()
            assert point.entropy[i].item() == pytest.approx(entropy, rel=1e-5)
            assert NORMED.attention(curve, seed, d_k).qk_norm


@pytest.mark.slow
def test_qk_norm_alone_saturates_as_unscaled_and_with_the_factor_is_as_scaled():
    """Random directions keep the variance, so only the factor takes d_k away."""
    curves = ("unscaled", "scaled", "qk_norm", "qk_norm_unscaled")
    of = {(point.curve, point.d_k): point for point in sweep(SweepConfig(curves=curves))}
    for d_k in SweepConfig().d_ks:
        assert of["qk_norm_unscaled", d_k].variance.mean().item() == pytest.approx(d_k, rel=0.2)
        assert of["qk_norm", d_k].variance.mean().item() == pytest.approx(1, rel=0.2)
    last = {curve: of[curve, 1024] for curve in curves}
    assert last["qk_norm_unscaled"].entropy.max() < 0.4 < 2.5 < last["qk_norm"].entropy.min()
    assert last["qk_norm_unscaled"].gradient.max() < 1e-9 < 5e-3 < last["qk_norm"].gradient.min()
    for one, other in (("qk_norm", "scaled"), ("qk_norm_unscaled", "unscaled")):
        assert last[one].spread("entropy")[0] == pytest.approx(last[other].spread("entropy")[0], abs=0.05)


def test_an_unknown_curve_is_refused_by_name():
    with pytest.raises(InvalidInput) as refusal:
        SweepConfig(curves=("scaled", "cosine"))
    assert (refusal.value.code, refusal.value.details["field"]) == ("unknown_choice", "curve")
    with pytest.raises(InvalidInput):
        SweepConfig(curves=())
    assert SweepConfig(curves=("additive", "scaled", "additive")).curves == ("additive", "scaled")


def test_points_come_in_order_and_only_as_far_as_they_are_asked_for():
    config = SweepConfig(n=5, seeds=1, d_ks=(7, 2, 7, 10**9))
    assert config.d_ks == (2, 7, 10**9)
    first = islice(sweep(SweepConfig(n=5, seeds=1, d_ks=(7, 2, 3))), 4)
    assert [(point.curve, point.d_k) for point in first] == [
        ("scaled", 2),
        ("unscaled", 2),
        ("additive", 2),
        ("scaled", 3),
    ]


@pytest.mark.slow
def test_variance_follows_footnote_4(whole):
    """A head's variance over 32² scores varies by about √(2/32), the mean of five seeds by less than a third."""
    for d_k in SweepConfig().d_ks:
        assert whole["unscaled", d_k].variance.mean().item() == pytest.approx(d_k, rel=0.3)
        assert whole["scaled", d_k].variance.mean().item() == pytest.approx(1, rel=0.3)
        assert whole["additive", d_k].variance.mean().item() < 1


def test_only_the_unscaled_softmax_saturates(whole):
    """experiments.md's margins, at other inputs: the pull on the correct key falls to 1e-20 and stays elsewhere."""
    for d_k in (256, 1024):
        scaled, unscaled, additive = (whole[curve, d_k] for curve in CURVES)
        assert unscaled.entropy.max() < 0.4 < 2.5 < min(scaled.entropy.min(), additive.entropy.min())
        assert unscaled.largest_weight.min() > 0.8 > 0.3 > scaled.largest_weight.max() > additive.largest_weight.max()
        assert unscaled.jacobian_norm.max() < 0.15 < min(scaled.jacobian_norm.min(), additive.jacobian_norm.min())
        assert unscaled.gradient.max() < 1e-9
        assert min(scaled.gradient.min(), additive.gradient.min()) > 5e-3
        norms = [point.spread("gradient_norm")[0] for point in (unscaled, scaled, additive)]
        assert norms[0] < 0.01 < 0.02 < min(norms[1:])
    assert whole["unscaled", 1024].gradient.max() < 1e-15
    for measure in MEASURES:
        assert torch.equal(whole["scaled", 1].per_seed(measure), whole["unscaled", 1].per_seed(measure))
    assert max(point.entropy.max().item() for point in whole.values()) <= math.log(32)


def test_the_middle_is_the_mean_and_for_gradients_the_median(points):
    point = points["unscaled", 13]
    mean, least, greatest = point.spread("variance")
    assert mean == pytest.approx(point.variance.mean().item())
    assert (least, greatest) == (point.variance.min().item(), point.variance.max().item())
    three = next(iter(sweep(SweepConfig(n=7, seeds=3, d_ks=(29,)))))
    assert three.spread("gradient")[0] == three.gradient.sort().values[1].item()


def test_products_are_added_up_only_for_a_mechanism_of_products(monkeypatch):
    """A mechanism that says otherwise computes its own scores, times the factor of the curve."""
    config = SweepConfig(n=5, seeds=2, d_ks=(3, 7))
    added = {(point.curve, point.d_k): point.variance for point in sweep(config)}
    table = mechanisms.MECHANISMS
    other = replace(table["dot_product"], products=False, scores=lambda Q, K, _: 2 * Q @ K.mT)
    monkeypatch.setattr(mechanisms, "MECHANISMS", {**table, "dot_product": other})
    for point in sweep(config):
        factor = 1 if point.curve == "additive" else 4
        expected = factor * added[point.curve, point.d_k]
        # scores are float32 and added up in another order
        torch.testing.assert_close(point.variance, expected, rtol=16 * torch.finfo(torch.float32).eps, atol=0)


def test_seeds_after_the_largest_begin_at_0():
    assert SweepConfig(seed=2**31 - 1, seeds=3).every_seed() == (2**31 - 1, 0, 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": 1}, "n must be at least 2; got 1."),
        ({"seeds": 0}, "seeds must be at least 1; got 0."),
        ({"d_ks": ()}, "d_ks must be at least 1; got 0."),
        ({"d_ks": (4, 0.5)}, "d_k must be a whole number; got 0.5."),
    ],
)
def test_what_cannot_be_swept_is_refused(settings, message):
    with pytest.raises(InvalidInput) as caught:
        SweepConfig(**settings)
    assert str(caught.value) == message


def made(**given: Any) -> SweepConfig:
    return SweepConfig(**given)


def test_numbers_are_whole_however_json_wrote_them():
    written = made(n=7.0, h=3.0, seed=2.0, seeds=4.0, d_ks=(5.0, 2))
    assert repr(written) == repr(made(n=7, h=3, seed=2, seeds=4, d_ks=(2, 5)))


@pytest.mark.parametrize(("field", "least"), [("n", 2), ("h", 1), ("seed", 0), ("seeds", 1)])
def test_each_number_has_a_least_value(field, least):
    assert getattr(made(**{field: least}), field) == least
    with pytest.raises(InvalidInput, match=f"^{field} must be (at least|between) {least}.*; got {least - 1}"):
        made(**{field: least - 1})


def test_a_measure_that_is_none_is_refused_by_its_field():
    point = next(iter(sweep(SweepConfig(n=3, seeds=1, d_ks=(1,)))))
    with pytest.raises(InvalidInput) as refusal:
        point.spread("median")
    assert (refusal.value.code, refusal.value.details["field"]) == ("unknown_choice", "measure")
