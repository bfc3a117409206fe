"""Accuracy and entropy during training, a column for each d_k.

How this can mislead: lines are means over seeds, and one seed that never learns lowers a mean just as slow learning of
all does. A falling entropy says that rows choose, not that they choose right.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from attention_core.experiments import QualityExperiment, QualitySnapshot
from attention_core.experiments.training import looks
from visualiser import theme
from visualiser.drawing.curves import band, curve
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.panels import Grid, axis, axis_key, heading
from visualiser.drawing.seeds import history, spread
from visualiser.figures.figure import Figure
from visualiser.figures.training import sentence
from visualiser.locale import text
from visualiser.locale.message import message
from visualiser.state.view import View

_MEASURES: Final = ("accuracy", "entropy")


def drawing(
    experiment: QualityExperiment, snapshots: Sequence[QualitySnapshot], lang: str = "en", view: View | None = None
) -> Drawing:
    """Draw two lines of panels, accuracy above entropy; future steps are open."""
    view = view or View()
    sizes, found = tuple(sorted(experiment.d_k)), history(snapshots)
    steps = looks(experiment.steps)
    columns = len(sizes)
    grid = Grid(count=2 * columns, columns=columns, height=150, gap_x=0.02, gap_y=40)
    bands: list[Trace] = []
    lines: list[Trace] = []
    layout: dict[str, Any] = {"annotations": []}
    for line, measure in enumerate(_MEASURES):
        for column, size in enumerate(sizes):
            panel = line * columns + column
            for mechanism in experiment.mechanism:
                values = np.full((len(steps), 3), np.nan)
                for place, shot in enumerate(found.get((mechanism, size), ())):
                    values[place] = spread(getattr(shot, measure))
                name, colour = text(lang, f"figure.sweep.{mechanism}"), theme.CURVES[mechanism]
                hover = text(lang, "figure.train.step_hover", curve=name, d_k=size, step="%{x}", value="%{y:.3g}")
                bands.append(band(steps, values[:, 1], values[:, 2], colour, panel, name))
                meta = {"curve": mechanism, "d_k": size, "measure": measure}
                lines.append(curve(name, steps, values[:, 0], colour, panel, hover, meta, mode="lines"))
            layout |= _axes(experiment, measure, grid, panel, lang)
            if line == 0:
                title = str(size) if column else f"d_k = {size}"  # five of them stand side by side
                layout["annotations"].append(heading(panel, title, f"steps-{size}"))
    top = 96 if view.narrow else 76
    layout |= {
        "height": grid.inner + top + 46,
        "margin": {"l": 56, "r": 14, "t": top, "b": 46},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
    }
    return Drawing(train_steps.name, [*bands, *lines], layout)


def _axes(experiment: QualityExperiment, measure: str, grid: Grid, panel: int, lang: str) -> dict[str, Any]:
    lowest, leftmost = grid.lowest(panel), grid.leftmost(panel)
    # the keys that a row chooses among: positions for reverse, pairs for the others
    keys = 16 if experiment.task == "reverse" else 8
    highest = 1.0 if measure == "accuracy" else math.log(keys)
    title = {"title": {"text": text(lang, f"figure.train.{measure}")}} if leftmost else {}
    return {
        axis_key("x", panel): {
            "domain": grid.x(panel), "anchor": axis("y", panel), "range": [0, experiment.steps], "nticks": 3,
            "showticklabels": lowest, "zeroline": False,
            **({"title": {"text": text(lang, "figure.train.step")}} if lowest else {}),
        },
        axis_key("y", panel): {
            "domain": grid.y(panel), "anchor": axis("x", panel), "range": [0, 1.06 * highest], "nticks": 4,
            "showticklabels": leftmost, "zeroline": False, **title,
        },
    }  # fmt: skip


train_steps: Final = Figure(
    name="train-steps",
    draw=drawing,
    live=lambda training, view: drawing(*training.of_quality, lang=view.lang, view=view),
    sentence=lambda training, view: sentence(training, message("train.summary.train_steps")),
)
