"""Both cost figures, from made-up points."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import CostConfig, CostPoint, power_law
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost import PASSES
from tests.visualiser.figures.test_structure import structure
from visualiser import figures, theme
from visualiser.figures import cost_memory, cost_time
from visualiser.figures.plots import cost_time as cost_time_module
from visualiser.figures.plots.cost_memory import drawing as memory_drawing
from visualiser.figures.plots.cost_time import drawing as time_drawing
from visualiser.state.view import View

CONFIG = CostConfig(sizes=(8, 16, 32), d_k=3)
POINTS = [
    CostPoint(
        name, passes, n, n, 3, contender.operations(n, 3, passes == "forward_backward"),
        expected_seconds=1e-3 * n, expected_bytes=100 * n,
        seconds=1e-6 * (i + 1) * n**3, fastest=1e-6, bytes=10 * (i + 1) * n**2, calls=3,
    )
    for n in (8, 16, 32) for i, (name, contender) in enumerate(CONTENDERS.items()) for passes in PASSES
]  # fmt: skip
SKIPPED = [
    replace(p, seconds=None, bytes=None, skipped="memory") if p.size == 32 and p.contender == "additive_naive" else p
    for p in POINTS
]


def of(drawn, **meta):
    return [t for t in drawn.data if meta.items() <= t["meta"].items()]


@pytest.mark.parametrize(
    ("draw", "field", "slope"), [(time_drawing, "seconds", "3.00"), (memory_drawing, "bytes", "2.00")]
)
def test_curves_and_fits_are_the_measured_points(draw, field, slope):
    drawn = draw(CONFIG, POINTS)
    for name in CONTENDERS:
        for panel, passes in enumerate(PASSES):
            expected = [getattr(p, field) for p in POINTS if (p.contender, p.passes) == (name, passes)]
            fit, line = sorted(of(drawn, contender=name, passes=passes), key=lambda t: "kind" not in t["meta"])
            np.testing.assert_array_equal(line["x"], [8, 16, 32])
            np.testing.assert_array_equal(line["y"], expected)
            assert line["xaxis"] == fit["xaxis"] == ("x", "x2")[panel]
            law = power_law([8, 16, 32], expected)
            assert law is not None
            np.testing.assert_allclose(fit["y"], [law.at(8), law.at(32)])
            assert fit["x"].tolist() == [8, 32]
            assert fit["text"][1].strip() == f"n<sup>{slope} ± 0.01</sup>"
    assert [shape["y0"] for shape in drawn.layout["shapes"]] == [{"seconds": 1.0, "bytes": 2**29}[field]] * 2


@pytest.mark.parametrize(("draw", "expected"), [(time_drawing, 0.032), (memory_drawing, 3200.0)])
def test_a_skipped_size_is_a_cross_where_it_would_have_been(draw, expected):
    drawn = draw(CONFIG, SKIPPED)
    for panel, trace in enumerate(of(drawn, kind="skipped")):
        assert (trace["x"].tolist(), trace["y"].tolist()) == ([32.0], [expected])
        assert trace["text"].tolist() == ["additive with one tensor: skipped, it needs 0.0032 MB"]
        assert trace["marker"]["color"].tolist() == [theme.CONTENDERS["additive_naive"]]
        (line,) = (t for t in of(drawn, contender="additive_naive", passes=PASSES[panel]) if "kind" not in t["meta"])
        assert np.isnan(line["y"]).tolist() == [False, False, True]
        low, high = drawn.layout["yaxis"]["range"]
        assert low <= np.log10(expected) <= high


def test_theory_runs_at_the_pace_of_the_largest_explicit_product():
    for panel, passes in enumerate(PASSES):
        additive, dot = of(time_drawing(CONFIG, POINTS), kind="theory")[2 * panel : 2 * panel + 2]
        mine = {n: {p.contender: p for p in POINTS if (p.size, p.passes) == (n, passes)} for n in (8, 32)}
        explicit = mine[32]["explicit"]
        assert dot["y"][2] == pytest.approx(explicit.seconds)
        ratio = mine[8]["additive_naive"].operations.total / explicit.operations.total
        assert explicit.seconds is not None
        assert additive["y"][0] == pytest.approx(explicit.seconds * ratio)
        assert additive["text"][0] == f"{mine[8]['additive_naive'].operations.total:.3g}"


def test_theory_is_drawn_for_the_mechanisms_that_are_measured(monkeypatch):
    monkeypatch.setattr(cost_time_module, "CONTENDERS", {"fused": CONTENDERS["fused"]})
    lines = of(time_drawing(CONFIG, POINTS), kind="theory")
    assert [line["name"] for line in lines] == ["theory, dot product"] * 2
    assert {line["line"]["color"] for line in lines} == {theme.CONTENDERS["fused"]}


def test_theory_of_memory_is_the_hidden_layer_and_the_scores():
    hidden, scores = of(memory_drawing(CONFIG, POINTS), kind="theory")[:2]
    assert hidden["y"].tolist() == [4 * n * n * 3 for n in (8, 16, 32)]
    assert scores["y"].tolist() == [4 * n * n for n in (8, 16, 32)]
    across = CostConfig(varied="d_k", sizes=(2, 4), n=7)
    hidden, scores = of(memory_drawing(across, []), kind="theory")[:2]
    assert hidden["y"].tolist() == [4 * 49 * 2, 4 * 49 * 4]
    assert scores["y"].tolist() == [4 * 49, 4 * 49]


@pytest.mark.parametrize("draw", [time_drawing, memory_drawing])
def test_growing_curves_change_numbers_only(draw):
    one, other = draw(CONFIG, []), draw(CONFIG, SKIPPED)
    assert structure(one.data) == structure(other.data)
    assert structure(one.layout) == structure(other.layout)


@pytest.mark.parametrize("draw", [cost_time, cost_memory])
@pytest.mark.parametrize("points", [[], SKIPPED[:5], SKIPPED], ids=len)
def test_plotly_accepts_it(draw, points):
    figure: Any = draw(CONFIG, points, "ko", View(columns=2, theme="dark"))
    assert figure.layout.yaxis.type == figure.layout.xaxis2.type == "log"
    assert figure.to_json()
    assert {"cost_time", "cost_memory"} <= set(figures.__all__)


def test_exponents_that_would_overlap_stand_above_and_below_their_curves():
    drawn = time_drawing(CONFIG, POINTS)
    fits = [t for t in of(drawn, kind="fit", passes="forward") if len(t["x"])]
    ends = {t["meta"]["contender"]: (t["y"][1], t["textposition"][1]) for t in fits}
    low, high = sorted(ends.values())[:2]
    assert high[0] / low[0] < 2.5
    assert (low[1], high[1]) == ("bottom right", "top right")
