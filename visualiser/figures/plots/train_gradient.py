"""The gradient before the first step, at the scores and at the projections, against d_k.

Without scaling, the gradient at the scores vanishes: a saturated row says almost nothing about its own scores. The
gradient that reaches W_Q and W_K does not: it carries ‖k‖ ~ √d_k, and the few rows that are not saturated make it.

How this can mislead: only the left panel shows what "extremely small gradients" means; the right one alone would say
the opposite, and its size is no measure of how well a model learns.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from attention_core.experiments import QualityExperiment, QualitySnapshot
from visualiser import theme
from visualiser.drawing.curves import band, curve, decades, logarithmic, positive, tick_decades
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.panels import Grid, axis, axis_key, heading
from visualiser.drawing.seeds import spread_by_median
from visualiser.figures.figure import Figure
from visualiser.figures.training import sentence
from visualiser.locale import number, text
from visualiser.locale.message import message
from visualiser.state.view import View

MEASURES: Final = ("score_gradient", "projection_gradient")


def drawing(
    experiment: QualityExperiment, snapshots: Sequence[QualitySnapshot], lang: str = "en", view: View | None = None
) -> Drawing:
    """Draw both gradients at step 0 of each curve: the median of the seeds, and a band from the least to the most."""
    view = view or View()
    sizes = tuple(sorted(experiment.d_k))
    start = {(shot.curve.mechanism, shot.curve.d_k): shot for shot in snapshots if shot.step == 0}
    grid = Grid(count=2, columns=1 if view.narrow else 2, height=250, gap_x=0.1, gap_y=84)
    top = 104 if view.narrow else 76
    bands: list[Trace] = []
    lines: list[Trace] = []
    layout: dict[str, Any] = {
        "annotations": [heading(i, text(lang, f"figure.train.{name}"), name) for i, name in enumerate(MEASURES)],
        "height": grid.inner + top + 50,
        "margin": {"l": 62, "r": 14, "t": top, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
    }
    for panel, measure in enumerate(MEASURES):
        shown = []
        for mechanism in experiment.mechanism:
            found = [start.get((mechanism, size)) for size in sizes]
            values = np.array([spread_by_median(None if shot is None else getattr(shot, measure)) for shot in found])
            ranges = np.array([f"{number(low)} … {number(high)}" for _, low, high in values])
            values = positive(values)
            name, colour = text(lang, f"figure.sweep.{mechanism}"), theme.CURVES[mechanism]
            hover = text(lang, "figure.sweep.hover", curve=name, d_k="%{x}", value="%{y:.3g}", range="%{text}")
            bands.append(band(sizes, values[:, 1], values[:, 2], colour, panel, name))
            meta = {"curve": mechanism, "measure": measure}
            lines.append(curve(name, sizes, values[:, 0], colour, panel, hover, meta, text=ranges))
            shown.append(values)
        limits = decades(shown, (-3.0, 1.0))
        layout[axis_key("x", panel)] = {
            **logarithmic(sizes), "title": {"text": text(lang, "figure.sweep.x")}, "domain": grid.x(panel),
            "anchor": axis("y", panel),
        }  # fmt: skip
        layout[axis_key("y", panel)] = {
            "type": "log", "range": limits, "exponentformat": "power", "dtick": tick_decades(limits),
            "domain": grid.y(panel), "anchor": axis("x", panel), "zeroline": False,
        }  # fmt: skip
    return Drawing(train_gradient.name, [*bands, *lines], layout)


train_gradient: Final = Figure(
    name="train-gradient",
    draw=drawing,
    live=lambda training, view: drawing(*training.of_quality, lang=view.lang, view=view),
    sentence=lambda training, view: sentence(training, message("train.summary.train_gradient")),
)
