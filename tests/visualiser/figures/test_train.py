"""The figures of the trainings hold the snapshots' own numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.experiments import (
    HeadsCurve,
    HeadsExperiment,
    HeadsSnapshot,
    QualityCurve,
    QualityExperiment,
    QualitySnapshot,
    train,
)
from visualiser.drawing.curves import CLEAR
from visualiser.figures import heads_accuracy as heads_accuracy_figure
from visualiser.figures import heads_mass as heads_mass_figure
from visualiser.figures import train_accuracy as train_accuracy_figure
from visualiser.figures import train_gradient as train_gradient_figure
from visualiser.figures.plots.heads_accuracy import drawing as heads_accuracy
from visualiser.figures.plots.heads_maps import drawing as heads_maps
from visualiser.figures.plots.heads_mass import drawing as heads_mass
from visualiser.figures.plots.train_accuracy import drawing as train_accuracy
from visualiser.figures.plots.train_gradient import drawing as train_gradient
from visualiser.figures.plots.train_steps import drawing as train_steps
from visualiser.state.view import View
from visualiser.theme import CURVES

QUALITY = QualityExperiment(d_k=(4, 64), seeds=3, steps=20, evaluation=32)
HEADS = HeadsExperiment(h=(1, 3), seeds=2, steps=3, batch=4, evaluation=32, m=3)


def traces(drawing: Any, **meta: Any) -> list[dict[str, Any]]:
    return [trace for trace in drawing.data if meta.items() <= trace["meta"].items()]


def shot(mechanism: str, d_k: int, step: int, values: list[float]) -> QualitySnapshot:
    numbers = torch.tensor(values)
    measures = [numbers, numbers + 1, numbers / 10, numbers / 5, numbers * 100]
    return QualitySnapshot(QualityCurve(mechanism, d_k), (0, 1, 2), step, 20, *measures)


SHOTS = [
    shot("scaled", 4, 0, [0.1, 0.2, 0.3]),
    shot("scaled", 4, 2, [0.5, 0.7, 0.9]),
    shot("unscaled", 64, 0, [0.0, 0.0, 0.06]),
]


def test_accuracy_is_the_newest_mean_with_the_seeds_range() -> None:
    drawn = train_accuracy(QUALITY, SHOTS)
    (scaled,) = traces(drawn, curve="scaled")
    np.testing.assert_allclose(scaled["y"], [0.7, np.nan], rtol=1e-6)
    assert list(scaled["text"]) == ["0.5 … 0.9", "– … –"]
    (unscaled,) = traces(drawn, curve="unscaled")
    np.testing.assert_allclose(unscaled["y"], [np.nan, 0.02], rtol=1e-6)
    (band, *_) = traces(drawn, kind="band")
    assert sorted(band["y"]) == pytest.approx([0.5, 0.9])
    (chance,) = traces(drawn, kind="reference")
    assert set(chance["y"]) == {1 / 16}


def test_a_half_trained_point_is_an_open_circle() -> None:
    done = shot("additive", 4, 20, [0.9, 0.9, 0.9])
    drawn = train_accuracy(QUALITY, [*SHOTS, done])
    (half,) = traces(drawn, kind="learning")
    assert sorted(zip(half["x"], half["y"].round(6), strict=True)) == [(4, 0.7), (64, 0.02)]
    assert half["marker"]["symbol"] == "circle-open"
    assert half["showlegend"]
    (scaled,), (additive,) = traces(drawn, curve="scaled"), traces(drawn, curve="additive")
    assert scaled["marker"]["color"][0] == CLEAR
    assert additive["marker"]["color"][0] == CURVES["additive"]
    assert not traces(train_accuracy(QUALITY, [done]), kind="learning")[0]["showlegend"]


def test_half_trained_heads_are_open_circles_in_both_panels() -> None:
    shots = [one for one in train(HEADS) if isinstance(one, HeadsSnapshot)]
    begun, ended = [one for one in shots if one.curve.h == 1], [one for one in shots if one.curve.h == 3]
    accuracy, divergence = traces(heads_accuracy(HEADS, [begun[0], *ended]), kind="learning")
    assert list(accuracy["x"]) == [1, 1]
    assert accuracy["y"][0] == pytest.approx(float(begun[0].accuracy.mean()))
    assert set(divergence["x"]) == {1}
    assert not len(traces(heads_accuracy(HEADS, ended), kind="learning")[0]["x"])


def test_steps_stand_where_they_were_taken() -> None:
    drawn = train_steps(QUALITY, SHOTS)
    (accuracy,) = traces(drawn, curve="scaled", d_k=4, measure="accuracy")
    (entropy,) = traces(drawn, curve="scaled", d_k=4, measure="entropy")
    assert list(accuracy["x"][:2]) == [0, 2]
    assert accuracy["x"][-1] == 20
    np.testing.assert_allclose(accuracy["y"][:3], [0.2, 0.7, np.nan], rtol=1e-6)
    np.testing.assert_allclose(entropy["y"][:3], [1.2, 1.7, np.nan], rtol=1e-6)
    assert len(traces(drawn, measure="accuracy")) == 8


@pytest.mark.parametrize("draw", [train_accuracy, train_steps, train_gradient])
def test_what_is_not_in_the_paper_is_dashed(draw: Any) -> None:
    drawn = draw(QUALITY, SHOTS)
    for mechanism in QUALITY.mechanism:
        dashes = {trace["line"].get("dash", "solid") for trace in traces(drawn, curve=mechanism)}
        assert dashes == ({"dash"} if mechanism == "qk_norm_unscaled" else {"solid"})


def test_gradients_are_those_before_the_first_step() -> None:
    drawn = train_gradient(QUALITY, SHOTS)
    (scores,) = traces(drawn, curve="scaled", measure="score_gradient")
    (weights,) = traces(drawn, curve="scaled", measure="projection_gradient")
    np.testing.assert_allclose(scores["y"], [0.02, np.nan], rtol=1e-6)
    np.testing.assert_allclose(weights["y"], [20.0, np.nan], rtol=1e-6)
    assert (scores["yaxis"], weights["yaxis"]) == ("y", "y2")


def test_gradients_are_the_medians_of_the_seeds() -> None:
    # their decades differ: a mean would be the largest seed's
    drawn = train_gradient(QUALITY, [shot("unscaled", 64, 0, [1e-9, 1e-6, 0.01])])
    (scores,) = traces(drawn, curve="unscaled", measure="score_gradient")
    assert scores["y"][1] == pytest.approx(1e-7, rel=1e-3)
    assert scores["text"][1] == "1×10⁻¹⁰ … 0.001"


def test_axes_of_gradients_have_a_range_before_the_first() -> None:
    layout = train_gradient(QUALITY, ()).layout
    for axis in ("yaxis", "yaxis2"):
        np.testing.assert_allclose(layout[axis]["range"], [-3.0, 1.0])


@pytest.mark.parametrize(
    ("draw", "experiment"),
    [(train_gradient, QUALITY), (heads_accuracy, HEADS)],
)
def test_panels_lie_below_one_another_on_a_narrow_screen(draw: Any, experiment: Any) -> None:
    def columns(view: View) -> int:
        layout = draw(experiment, (), view=view).layout
        return len({tuple(axis["domain"]) for name, axis in layout.items() if name.startswith("xaxis")})

    assert columns(View(columns=2)) == 1
    assert columns(View()) > 1


@pytest.fixture(scope="module")
def trained() -> list[HeadsSnapshot]:
    return [found for found in train(HEADS) if isinstance(found, HeadsSnapshot)]


def test_heads_are_drawn_from_the_last_snapshots(trained: list[HeadsSnapshot]) -> None:
    last = {found.curve.h: found for found in trained}
    drawn = heads_accuracy(HEADS, trained)
    for measure in ("accuracy", "all_right", "divergence", "start_divergence"):
        (trace,) = traces(drawn, measure=measure)
        expected = [float(getattr(last[h], measure).double().mean()) for h in (1, 3)]
        np.testing.assert_allclose(trace["y"], expected, rtol=1e-6)
    assert np.isnan(traces(drawn, measure="divergence")[0]["y"][0])  # one head has no other to differ from


def test_mass_and_maps_are_the_first_seed_s(trained: list[HeadsSnapshot]) -> None:
    last = {found.curve.h: found for found in trained}[3]
    np.testing.assert_array_equal(heads_mass(HEADS, last, 3).data[0]["z"], last.mass[0].numpy())
    maps = heads_maps(HEADS, last, 3).data
    assert len(maps) == 9
    np.testing.assert_array_equal(maps[5]["z"], last.maps[0, 1, 2].numpy())


def test_panels_are_open_before_anything_is_trained() -> None:
    assert np.isnan(heads_mass(HEADS, None, 3).data[0]["z"]).all()
    assert np.isnan(train_accuracy(QUALITY, []).data[-2]["y"]).all()
    assert HeadsCurve(3, 16) in HEADS.curves


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_each_is_a_plotly_figure_in_both_languages(lang: str, trained: list[HeadsSnapshot]) -> None:
    made: list[Callable[[], Any]] = [
        lambda: train_accuracy_figure(QUALITY, SHOTS, lang),
        lambda: train_gradient_figure(QUALITY, SHOTS, lang),
        lambda: heads_accuracy_figure(HEADS, trained, lang),
        lambda: heads_mass_figure(HEADS, trained[-1], 3, lang),
    ]
    titles = [figure().layout.annotations for figure in made[1:3]]
    assert all(annotation.text for annotations in titles for annotation in annotations)
    assert [len(figure().data) > 0 for figure in made] == [True] * 4
