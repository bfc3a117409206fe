import inspect
import math
from typing import Any

import numpy as np
import pytest

from attention_core import LengthsConfig, SweepConfig, lengths, sweep
from attention_core.studies.sweep import CURVES, MEASURES
from tests.visualiser.figures.test_structure import structure
from visualiser import figures
from visualiser.figures.plots.sweep import drawing
from visualiser.locale import texts
from visualiser.state.view import View
from visualiser.theme import CURVES as CURVE_COLOURS
from visualiser.theme import DASHES

CONFIG = SweepConfig(n=7, seeds=3, d_ks=(2, 5, 13))


@pytest.fixture(scope="module")
def points():
    return list(sweep(CONFIG))


def lines(drawn):
    return {(t["meta"]["curve"], t["meta"]["measure"]): t for t in drawn.data if "curve" in t["meta"]}


def test_a_line_is_the_middle_of_every_point_and_a_band_its_ends(points):
    drawn = drawing(CONFIG, points, 5)
    found = {(point.curve, point.d_k): point for point in points}
    bands = [trace for trace in drawn.data if trace["meta"].get("kind") == "band"]
    assert len(lines(drawn)) == len(bands) == 18
    for i, measure in enumerate(MEASURES):
        for j, curve in enumerate(CURVES):
            spread = np.array([found[curve, d_k].spread(measure) for d_k in CONFIG.d_ks])
            line, band = lines(drawn)[curve, measure], bands[3 * i + j]
            np.testing.assert_array_equal(line["x"], [2, 5, 13])
            np.testing.assert_array_equal(line["y"], spread[:, 0])
            np.testing.assert_array_equal(band["x"], [2, 5, 13, 13, 5, 2])
            np.testing.assert_array_equal(band["y"], [*spread[:, 2], *spread[::-1, 1]])
            assert line["xaxis"] == band["xaxis"] == ("x" if i == 0 else f"x{i + 1}")


def test_what_is_to_come_has_its_place_and_no_value(points):
    drawn = drawing(CONFIG, points[:4], 5)
    for (curve, measure), line in lines(drawn).items():
        expected = [True, curve == "scaled", False]
        assert np.isfinite(line["y"]).tolist() == expected, (curve, measure)
    assert list(lines(drawn)["additive", "entropy"]["text"][1:]) == ["", ""]


def test_a_growing_sweep_and_a_moving_marker_change_numbers_only(points):
    one, other = drawing(CONFIG, [], 5), drawing(CONFIG, points, 13)
    assert structure(one.data) == structure(other.data)
    assert structure(one.layout) == structure(other.layout)
    assert [shape["x0"] for shape in other.layout["shapes"]] == [13.0] * 6


def test_footnote_4_and_the_ceilings_are_drawn(points):
    references = [t for t in drawing(CONFIG, points, 5).data if t["meta"].get("kind") == "reference"]
    predicted, ceiling, largest, uniform, uniform_norm = references
    np.testing.assert_array_equal(predicted["x"], [2, 13, np.nan, 2, 13])
    np.testing.assert_array_equal(predicted["y"], [2, 13, np.nan, 1, 1])
    assert ceiling["y"].tolist() == [math.log(7)] * 2
    assert largest["y"].tolist() == [0.5] * 2
    assert uniform["y"].tolist() == [1 / 7] * 2
    assert uniform_norm["y"].tolist() == pytest.approx([math.sqrt(6) / 7] * 2)
    assert [t["yaxis"] for t in references] == ["y", "y2", "y4", "y3", "y4"]


def test_logarithmic_axes_hold_every_value(points):
    drawn = drawing(CONFIG, points, 5)
    for measure, axis in (("variance", "yaxis"), ("gradient", "yaxis5"), ("gradient_norm", "yaxis6")):
        low, high = drawn.layout[axis]["range"]
        ends = [point.spread(measure)[1:] for point in points]
        assert drawn.layout[axis]["type"] == "log"
        assert low <= np.log10(np.min(ends))
        assert high >= np.log10(np.max(ends))
    assert drawn.layout["xaxis3"]["ticktext"] == ["2", "5", "13"]


@pytest.mark.parametrize("view", [View(), View(columns=2, theme="dark")])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_plotly_accepts_it(points, lang, view):
    figure: Any = figures.sweep(CONFIG, points, 5, lang, view)
    assert figure.layout.yaxis.type == "log"
    assert figure.to_json()


@pytest.mark.parametrize("name", ["sweep", "temperature", "numerics", "cost_time", "cost_memory"])
def test_each_figure_says_how_it_can_mislead(name):
    module = inspect.getmodule(getattr(figures, name))
    assert "How this can mislead:" in (inspect.getdoc(module) or "")
    assert "How this can mislead:" in texts("en")[f"figure.{name}.hint"]
    assert "오해하기 쉬운 점:" in texts("ko")[f"figure.{name}.hint"]
    assert texts("en")[f"figure.{name}.title"]


KEYS = LengthsConfig(d_k=16, seeds=2, ns=(2, 32, 64, 4096))


@pytest.fixture(scope="module")
def key_points():
    return list(lengths(KEYS))


@pytest.mark.slow
def test_over_the_number_of_keys_each_curve_has_its_line_and_band(key_points):
    drawn = drawing(KEYS, key_points, 64)
    found = {(point.curve, point.n): point for point in key_points}
    for panel, measure in enumerate(("largest_weight", "entropy_share")):
        for curve in ("softmax", "log_n", "sink"):
            line = lines(drawn)[curve, measure]
            np.testing.assert_array_equal(line["x"], KEYS.ns)
            np.testing.assert_array_equal(line["y"], [found[curve, n].spread(measure)[0] for n in KEYS.ns])
            assert line["xaxis"] == ("x2" if panel else "x")
            assert line["line"].get("dash") == {"softmax": None, "log_n": "dash", "sink": "dashdot"}[curve]
    assert [shape["x0"] for shape in drawn.layout["shapes"]] == [64.0, 64.0]
    assert drawn.layout["yaxis"]["type"] == "log"
    assert drawn.layout["yaxis"]["range"][0] <= math.log10(1 / 4096)
    assert drawn.layout["yaxis"]["range"][1] == 0  # no weight exceeds 1
    assert structure(drawing(KEYS, [], 2).data) == structure(drawn.data)


def test_the_lines_of_theory_are_those_of_gaussian_scores_where_they_are_near(key_points):
    references = [t for t in drawing(KEYS, key_points, 5).data if t["meta"].get("kind") == "reference"]
    expected, uniform, share = references
    usual = [None, 1 - 0.5 / math.log(32), 1 - 0.5 / math.log(64), 1 - 0.5 / math.log(4096)]
    growing = [1 - (math.log(n) / math.log(32)) ** 2 / 2 / math.log(n) for n in KEYS.ns]
    # two keys with 1/√d_k, and 4,096 with a factor of 2.4/√16, are too few
    # 1 / (1 + Σ e^s) adds e^(−σ²/2) (1 + σ²) / n, on average over |q|² of 16 degrees with σ² = |q|²/16
    sunk = [(math.log(n) - 0.5 + (17 / 16) ** -8 * (1 + 16 / 17) / n) / math.log(n + 1) for n in KEYS.ns[1:]]
    values = [np.nan if one is None else one for one in (*usual, None, *growing[:3], None, None, None, *sunk)]
    np.testing.assert_allclose(expected["y"], values, rtol=1e-12)
    np.testing.assert_allclose(uniform["y"], [1 / n for n in KEYS.ns])
    np.testing.assert_array_equal(share["y"], [1] * 4)
    assert [t["yaxis"] for t in references] == ["y2", "y", "y2"]


def test_every_curve_has_a_name_and_a_colour_of_its_own_in_a_comparison():
    for curves in (SweepConfig().curves, ("unscaled", "scaled", "qk_norm", "qk_norm_unscaled"), KEYS.curves):
        assert len({CURVE_COLOURS[curve] for curve in curves}) == len(curves)
        for lang in ("en", "ko"):
            assert len({texts(lang)[f"figure.sweep.{curve}"] for curve in curves}) == len(curves)
    # those that lie on another one are dashed
    assert {"qk_norm", "qk_norm_unscaled", "log_n", "sink"} == set(DASHES)
    assert DASHES["sink"] != DASHES["log_n"]
