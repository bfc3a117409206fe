import math

import mpmath
import numpy as np
import pytest
import torch

from attention_core.studies.score_density import score_density
from visualiser.drawing.saturation import histograms, saturated_share, threshold
from visualiser.drawing.score_curves import REACH, score_curves
from visualiser.figures.plots.score_distribution import _axis_range, drawing
from visualiser.state.view import View


def traces(one, kind):
    return [trace for trace in one.data if trace["meta"].get("kind") == kind]


def test_bars_are_the_mean_of_the_heads_and_lines_the_heads(result):
    one = drawing(result(n=31))
    (pooled,), heads = traces(one, "pooled"), traces(one, "head")
    assert (pooled["type"], len(heads)) == ("bar", 3)
    np.testing.assert_allclose(pooled["y"], np.mean([head["y"] for head in heads], axis=0))
    assert one.layout["xaxis"]["title"]["text"] == "score"
    assert one.layout["yaxis"]["title"]["text"] == "density"


@pytest.mark.parametrize(
    ("low", "high", "limits"),
    [
        (-3.5, 3.9, (-5, 5)),
        (-27.7, 28.1, (-50, 50)),
        (-79, 81.5, (-100, 100)),
        (-0.4, 0.2, (-0.5, 0.5)),
        (-1, 0.9, (-1, 1)),
        (-1.9, 1.2, (-2, 2)),
        (-0.0099, 0.0091, (-0.01, 0.01)),
        (-5.000004, 4, (-5, 5)),  # rounding
        (-5.00001, 4, (-10, 10)),
        (30.2, 31.1, (30.2, 31.2)),
        (-0.1, 8, (-2, 8)),
    ],
)
def test_the_axis_keeps_still_between_coarse_steps(low: float, high: float, limits: tuple[float, float]) -> None:
    np.testing.assert_allclose(_axis_range(low, high), limits)


def test_wide_scores_take_more_of_their_axis_than_narrow_ones(result) -> None:
    """Finding 2: at d_k 64 and 512 unscaled the histogram looked the same."""

    def share(d_k: int) -> float:
        one = drawing(result(d_k=d_k, n=31, scaling="none"))
        (line,), (low, high) = traces(one, "deviation"), one.layout["xaxis"]["range"]
        return (line["x"][1] - line["x"][0]) / (high - low)

    assert share(512) > 1.3 * share(64)


def test_the_heads_are_one_quiet_entry_of_the_legend_or_one_head_by_name(result) -> None:
    every, alone = traces(drawing(result()), "head"), traces(drawing(result(), View(head=2)), "head")
    assert [trace["name"] for trace in every if trace["showlegend"]] == ["each head"]
    assert len({trace["line"]["color"] for trace in every}) == 1
    assert [trace["name"] for trace in alone if trace["showlegend"]] == ["head 2"]


def test_densities_are_those_of_numpy_and_integrate_to_one(result):
    scores = result(n=31).scaled.flatten(1)
    edges, density = histograms(scores)
    np.testing.assert_allclose((density * np.diff(edges)).sum(-1), 1)
    expected = np.histogram(scores[1].numpy().astype(np.float64), edges)[0]
    counts = density[1] * np.diff(edges) * scores.shape[1]
    assert np.abs(counts - expected).sum() <= 2  # one score on an edge may fall to either side


@pytest.mark.parametrize("scores", [torch.zeros(3, 5), torch.full((3, 5), 1e6), torch.empty(3, 0)])
def test_equal_or_no_scores_still_have_bins(scores):
    edges, density = histograms(scores)
    assert (np.diff(edges) > 0).all()
    assert np.isfinite(density).all()


def test_only_allowed_cells_count(result):
    one = result(n=31, mask="causal")
    allowed = one.scaled[:, one.mask]
    edges, _ = histograms(allowed)
    (pooled,) = traces(drawing(one), "pooled")
    np.testing.assert_allclose(pooled["x"], (edges[:-1] + edges[1:]) / 2)


@pytest.mark.night(but=3)
@pytest.mark.parametrize("d_k", [1, 2, *(pytest.param(d_k, marks=pytest.mark.slow) for d_k in (13, 61, 509))])
@pytest.mark.parametrize(("scaling", "factor"), [("none", lambda d_k: 1), ("sqrt_d_k", lambda d_k: d_k**-0.5)])
def test_the_curves_are_the_exact_density_and_the_normal_one_of_its_variance(d_k, scaling, factor, result):
    one = drawing(result(d_k=d_k, scaling=scaling, tie=False))
    (exact,), (normal,) = traces(one, "exact"), traces(one, "normal")
    x, f, order = exact["x"], factor(d_k), (d_k - 1) / 2
    size = np.abs(np.where(x == 0, 1e-12, x)) / f
    log_bessel = np.array([float(mpmath.log(mpmath.besselk(order, one))) for one in size])
    log_density = order * np.log(size / 2) + log_bessel - math.lgamma(d_k / 2) - 0.5 * math.log(math.pi) - math.log(f)
    np.testing.assert_allclose(exact["y"], np.exp(log_density), rtol=1e-9)
    variance = d_k * f**2
    np.testing.assert_allclose(normal["y"], np.exp(-(x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance))
    np.testing.assert_array_equal(normal["x"], x)
    assert [trace["showlegend"] for trace in (exact, normal)] == [True, True]


def test_the_exact_curve_of_one_component_leaves_the_axis_and_is_finite(result) -> None:
    one = drawing(result(d_k=1, n=31, tie=False))
    (curve,), top = traces(one, "exact"), one.layout["yaxis"]["range"][1]
    assert np.isfinite(curve["y"]).all()
    assert curve["y"].max() > top
    (pooled,) = traces(one, "pooled")
    assert top < 3 * pooled["y"].max()


@pytest.mark.parametrize("d_k", [2, 4, 509])
def test_the_axis_holds_the_whole_exact_curve_of_more_components(d_k: int, result) -> None:
    one = drawing(result(d_k=d_k, n=211, tie=False))
    (curve,) = traces(one, "exact")
    assert one.layout["yaxis"]["range"][1] > curve["y"].max()
    low, high = one.layout["xaxis"]["range"]
    assert curve["x"][0] < low < high < curve["x"][-1]


@pytest.mark.parametrize("d_k", [4, 17, 67, 257, 1024])
def test_the_curve_of_cosines_hides_no_bend_between_its_points(d_k: int, result) -> None:
    curves = score_curves(result(d_k=d_k, qk_norm=True))
    ends = np.array([-1, 1]) * min(REACH, math.sqrt(d_k)) * curves.spread
    np.testing.assert_allclose(curves.scores[[0, -1]], ends, rtol=1e-12)
    between = (curves.scores[1:] + curves.scores[:-1]) / 2
    deviation = math.sqrt(d_k)
    exact = score_density(torch.from_numpy(between / curves.spread * deviation), d_k, normed=True).numpy()
    drawn = (curves.exact[1:] + curves.exact[:-1]) / 2
    # a thousandth of the height is less than a pixel; of 4 components the density falls upright at its end
    apart = np.abs(drawn - exact * deviation / curves.spread)[np.diff(curves.scores) > 1e-12]
    assert apart.max() < (0.01 if d_k == 4 else 0.001) * curves.summit


@pytest.mark.parametrize(
    "settings",
    [{"mechanism": "additive"}, {"source": "text"}, {"source": "structured"}, {"scaling": "custom", "scale": 0.0}],
)
def test_no_curve_where_no_density_is_known(settings, result):
    for kind in ("exact", "normal"):
        (curve,) = traces(drawing(result(**settings)), kind)
        assert len(curve["x"]) == 0
        assert not curve["showlegend"]


def test_the_mean_is_measured(result):
    one = result()
    (line,) = traces(drawing(one), "mean")
    assert math.isclose(line["x"][0], float(one.score_mean.mean()))


def test_the_locked_row_of_the_chosen_head_is_marked(result):
    one = result(mask="causal")
    marks = next(trace for trace in drawing(one, View(row=4, head=2)).data if "row_of" in trace["meta"])
    assert (marks["meta"]["row_of"], marks["meta"]["head"]) == ("scores", 2)
    np.testing.assert_array_equal(marks["x"], one.scaled[1, 4, :5])
    assert len(next(trace for trace in drawing(one).data if "row_of" in trace["meta"])["x"]) == 0


def test_the_shaded_region_ends_ln_100_below_the_largest_score(result):
    one = result(d_k=509, scaling="none")
    view = View(row=4, head=2)
    assert math.isclose(threshold(one, view), float(one.scaled[1, 4].max()) - math.log(100), rel_tol=1e-6)
    shape = drawing(one, view).layout["shapes"][0]
    assert math.isclose(shape["x1"], threshold(one, view))
    below = one.scaled[1, 4] < threshold(one, view)
    assert (one.weights[1, 4][below] < one.weights[1, 4].max() / 100).all()
    assert math.isclose(saturated_share(one, view), float(below.float().mean()), rel_tol=1e-6)


def test_the_saturated_share_judges_each_row_by_its_own_largest(result):
    one = result(d_k=509, scaling="none")
    far = one.scaled < one.scaled.amax(-1, keepdim=True) - math.log(100)
    assert math.isclose(saturated_share(one, View()), float(far.float().mean()), rel_tol=1e-6)


def test_the_saturated_share_of_a_locked_row_is_that_of_the_head_shown(result):
    one = result(n=31, d_k=509, scaling="none")
    below = one.scaled < one.scaled.amax(-1, keepdim=True) - math.log(100)
    shares = [saturated_share(one, View(row=4, head=head)) for head in (1, 2, 3)]
    assert shares == [pytest.approx(float(below[head, 4].float().mean())) for head in range(3)]
    assert len(set(shares)) == 3


def test_equal_scores_have_the_same_bins_beside_one_that_is_not_finite():
    scores = torch.full((1, 8), 3.0)
    edges, density = histograms(scores)
    scores[0, 0] = math.inf
    beside, without = histograms(scores)
    np.testing.assert_allclose(beside, edges)
    np.testing.assert_allclose(without, density)
