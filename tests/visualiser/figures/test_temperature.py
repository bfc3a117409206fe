import math
from typing import Any

import numpy as np
import pytest

from attention_core import temperature
from visualiser import figures
from visualiser.figures.plots.temperature import drawing
from visualiser.state.view import View


@pytest.fixture
def curve(result):
    return temperature(result(d_k=16, tie=False))


def test_lines_are_means_over_heads_and_bands_reach_from_head_to_head(curve):
    drawn = drawing(curve, 16, 0.25)
    for i, measure in enumerate(("entropy", "largest_weight", "jacobian_norm", "jacobian_trace")):
        heads = getattr(curve, measure).double().numpy()
        band, line = drawn.data[2 * i : 2 * i + 2]
        assert line["meta"] == {"measure": measure}
        assert (line["yaxis"] == "y") == (measure == "entropy")
        np.testing.assert_array_equal(line["x"], curve.factors.double().numpy())
        np.testing.assert_allclose(line["y"], heads.mean(1))
        np.testing.assert_array_equal(band["y"], [*heads.max(1), *heads.min(1)[::-1]])


def test_the_named_factors_stand_on_the_curve(curve):
    drawn = drawing(curve, 16, 0.25)
    (choices,) = (trace for trace in drawn.data if trace["meta"].get("kind") == "choices")
    assert choices["x"].tolist() == [1 / 16, 1 / 4, 1.0]
    entropy = curve.entropy.double().mean(-1).numpy()
    places = [curve.factors.tolist().index(factor) for factor in choices["x"]]
    np.testing.assert_allclose(choices["y"], entropy[places])
    assert choices["text"] == ["1/d<sub>k</sub>", "1/√d<sub>k</sub>", "1"]


def test_the_paper_s_factor_is_named_beside_the_hump_of_the_jacobian(curve):
    drawn = drawing(curve, 16, 0.25)
    (choice,) = (trace for trace in drawn.data if trace["meta"].get("kind") == "choice")
    assert choice["text"] == ["1/√d<sub>k</sub>"]
    assert (choice["x"].tolist(), choice["yaxis"]) == ([1 / 4], "y2")
    norms = curve.jacobian_norm.double().mean(-1).numpy()
    np.testing.assert_allclose(choice["y"], norms[[curve.factors.tolist().index(0.25)]])


def test_the_shaded_ends_and_the_slider_s_line(curve):
    shapes = drawing(curve, 16, 0.25).layout["shapes"]
    assert [shape["name"] for shape in shapes] == ["uniform"] * 2 + ["collapsed"] * 2 + ["present"] * 2
    assert (shapes[0]["x0"], shapes[0]["x1"]) == (2.0**-12, pytest.approx(curve.uniform_below))
    assert (shapes[3]["x0"], shapes[3]["x1"]) == (pytest.approx(curve.collapsed_above), 16.0)
    assert shapes[4]["x0"] == shapes[5]["x1"] == 0.25
    outside = drawing(curve, 16, 0.0).layout["shapes"]
    assert outside[4]["x0"] == 2.0**-12, "a factor of 0 has no place on a logarithmic axis: the line waits at its end"


def test_an_end_that_is_not_reached_is_not_shaded(result):
    short = temperature(result(d_k=1, tie=False), (0.9, 1.0))
    shapes = drawing(short, 1, 1.0).layout["shapes"]
    assert all(shape["x0"] == shape["x1"] for shape in shapes)


def test_the_ceiling_is_the_mean_over_rows(result):
    curve = temperature(result(mask="causal"))
    (ceiling,) = (t for t in drawing(curve, 5, 1.0).data if t["meta"].get("kind") == "reference")
    np.testing.assert_allclose(ceiling["y"], np.log(np.arange(1, 8)).mean(), rtol=1e-6)


@pytest.mark.parametrize("view", [View(), View(columns=1, theme="dark")])
def test_plotly_accepts_it(curve, view):
    figure: Any = figures.temperature(curve, 16, 1 / math.sqrt(16), "ko", view)
    assert figure.layout.xaxis.type == figure.layout.xaxis2.type == "log"
    assert figure.to_json()
