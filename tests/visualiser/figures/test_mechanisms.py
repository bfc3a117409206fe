"""The two figures of one d_k: they match the results, and a drag changes only numbers."""

from typing import Any

import numpy as np
import pytest
from scipy.special import gamma

from attention_core import AttentionResult
from visualiser.drawing.drawing import Drawing
from visualiser.figures.plots.mechanisms import maps_drawing, mechanism_maps, mechanism_scores, scores_drawing
from visualiser.state.view import View


@pytest.fixture
def results(result) -> Any:
    def make(**settings: Any) -> dict[str, AttentionResult]:
        base = {"h": 1, "tie": False, **settings}
        return {
            "scaled": result(**base),
            "unscaled": result(**base, scaling="none"),
            "additive": result(**base, mechanism="additive"),
        }

    return make


def structure(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return "numpy"
    if isinstance(value, dict):
        return {key: structure(item) for key, item in value.items()}
    return [structure(item) for item in value] if isinstance(value, list) else value


def of(drawing: Drawing, mechanism: str, kind: str) -> dict[str, Any]:
    return next(t for t in drawing.data if t["meta"].get("mechanism") == mechanism and t["meta"].get("kind") == kind)


def test_each_map_holds_its_own_weights_on_a_common_scale(results) -> None:
    found = results(d_k=211)
    drawn = maps_drawing(found)
    for name, one in found.items():
        np.testing.assert_array_equal(of(drawn, name, "cells")["z"], one.weights[0].numpy())
    assert {trace["coloraxis"] for trace in drawn.data} == {"coloraxis"}
    assert float(drawn.layout["coloraxis"]["cmax"]) >= max(float(one.weights.max()) for one in found.values())


def test_each_histogram_stands_on_axes_of_its_own(results) -> None:
    found = results(d_k=211)
    drawn = scores_drawing(found)
    axes = [of(drawn, name, "pooled")["xaxis"] for name in found]
    assert axes == ["x", "x2", "x3"]
    for i, (name, one) in enumerate(found.items()):
        bars = of(drawn, name, "pooled")
        width = bars["x"][1] - bars["x"][0]
        assert float((bars["y"] * width).sum()) == pytest.approx(1)  # a density
        mean = float((bars["y"] * width * bars["x"]).sum())
        assert mean == pytest.approx(float(one.score_mean), abs=width)
        assert drawn.layout["shapes"][i]["xref"] == axes[i]
    normal = {name: of(drawn, name, "normal") for name in found}
    assert float(normal["unscaled"]["y"].max()) == pytest.approx(1 / np.sqrt(2 * np.pi * 211))
    exact = {name: of(drawn, name, "exact") for name in found}
    middle = gamma(105) / gamma(105.5) / (2 * np.sqrt(np.pi))
    assert float(exact["unscaled"]["y"].max()) == pytest.approx(middle)
    assert float(exact["scaled"]["y"].max()) == pytest.approx(middle * np.sqrt(211))
    assert len(normal["additive"]["x"]) == len(exact["additive"]["x"]) == 0
    legend = [trace["name"] for trace in drawn.data if trace["showlegend"]]
    assert len(legend) == len(set(legend)) == 4, "each kind once, but not the bars, which the title names"


@pytest.mark.parametrize("draw", [maps_drawing, scores_drawing])
@pytest.mark.parametrize("view", [View(), View(columns=2), View(colour="log")])
def test_d_k_and_seed_change_numpy_values_only(draw, view, results) -> None:
    one, other = draw(results(d_k=2), view), draw(results(d_k=509, seed=3), view)
    assert structure(one.data) == structure(other.data)
    assert structure(one.layout) == structure(other.layout)


def test_plotly_accepts_both_in_either_theme(results) -> None:
    for figure in (mechanism_maps, mechanism_scores):
        made = figure(results(n=2, d_k=1), View(theme="dark"))
        assert made.to_plotly_json()["layout"]["template"]["layout"]["paper_bgcolor"] == "#0f172a"
        assert made.to_json()
