"""Accuracy against d_k while several mechanisms learn the same task: those of section 3.2.1, and QK-norm.

How this can mislead: a curve ends where its training did; ten times the steps might bring it further. The learning
rate that suits one d_k may not suit another. And a result for one task need not hold for the next.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from attention_core.experiments import QualityExperiment, QualitySnapshot
from attention_core.experiments.tasks import TASKS
from visualiser import theme
from visualiser.drawing.curves import band, curve, dots, learning, logarithmic, reference
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.seeds import is_finished, newest, spread
from visualiser.figures.figure import Figure
from visualiser.figures.training import sentence, table
from visualiser.locale import number, text
from visualiser.locale.message import message
from visualiser.state.view import View


def drawing(
    experiment: QualityExperiment, snapshots: Sequence[QualitySnapshot], lang: str = "en", view: View | None = None
) -> Drawing:
    """Draw the mean over the seeds at the newest snapshot of each curve, with a band from worst to best seed.

    A point that is still learning is an open circle.
    """
    view = view or View()
    sizes = tuple(sorted(experiment.d_k))
    found = newest(snapshots)
    bands: list[Trace] = []
    lines: list[Trace] = []
    half: list[tuple[float, float, str]] = []
    for mechanism in experiment.mechanism:
        reached = [found.get((mechanism, size)) for size in sizes]
        values = np.array([spread(None if shot is None else shot.accuracy) for shot in reached])
        steps = [0 if shot is None else shot.step for shot in reached]
        ranges = np.array([f"{number(low)} … {number(high)}" for _, low, high in values])
        name, colour = text(lang, f"figure.sweep.{mechanism}"), theme.CURVES[mechanism]
        hover = text(
            lang, "figure.train.hover", curve=name, d_k="%{x}", value="%{y:.3g}", range="%{text}", step="%{customdata}"
        )
        bands.append(band(sizes, values[:, 1], values[:, 2], colour, 0, name))
        finished = [is_finished(shot) for shot in reached]
        more = {"text": ranges, "customdata": np.array(steps), "marker": dots(colour, finished)}
        lines.append(curve(name, sizes, values[:, 0], colour, 0, hover, {"curve": mechanism}, **more))
        begun = zip(sizes, values[:, 0], reached, finished, strict=True)
        half += [(size, value, colour) for size, value, shot, done in begun if shot is not None and not done]
    lines.append(learning(text(lang, "figure.train.learning"), half, 0))
    chance = 1 / TASKS[experiment.task].classes
    ends = [sizes[0] / 2, sizes[-1] * 2]
    lines.append(reference(text(lang, "figure.train.chance"), ends, [chance, chance], "dot", 0))
    layout: dict[str, Any] = {
        "height": 340,
        "margin": {"l": 56, "r": 14, "t": 58 if view.narrow else 36, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
        "xaxis": {**logarithmic(sizes), "title": {"text": text(lang, "figure.sweep.x")}},
        "yaxis": {"range": [0, 1.04], "title": {"text": text(lang, "figure.train.accuracy")}, "zeroline": False},
    }
    return Drawing(train_accuracy.name, [*bands, *lines], layout)


train_accuracy: Final = Figure(
    name="train-accuracy",
    draw=drawing,
    live=lambda training, view: drawing(*training.of_quality, lang=view.lang, view=view),
    sentence=lambda training, view: sentence(
        training, message("train.summary.train_accuracy", seeds=training.wanted.seeds)
    ),
    table=table,
)
