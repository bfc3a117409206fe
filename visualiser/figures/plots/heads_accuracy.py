"""One head against several (section 3.2.2): accuracy, and the heads' divergence at start and end, against h.

How this can mislead: heads that differ need not have divided the work, since random heads differ as well; the next
figure shows what each head reads. And an MLP behind one head can decode an average of few values.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from attention_core.experiments import HeadsExperiment, HeadsSnapshot
from visualiser import theme
from visualiser.drawing.curves import band, curve, dots, learning, reference
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.panels import Grid, axis, axis_key, heading
from visualiser.drawing.seeds import is_finished, newest, spread
from visualiser.figures.figure import Figure
from visualiser.figures.training import sentence, table
from visualiser.locale import number, text
from visualiser.locale.message import message
from visualiser.state.view import View

PANELS: Final = {"accuracy": ("accuracy", "all_right"), "divergence": ("divergence", "start_divergence")}
"""The measures of each of the two panels."""


def drawing(
    experiment: HeadsExperiment, snapshots: Sequence[HeadsSnapshot], lang: str = "en", view: View | None = None
) -> Drawing:
    """Draw means over the seeds at the newest snapshot of each h, with a band from the worst to the best.

    A point that is still learning is an open circle.
    """
    view = view or View()
    sizes, found = tuple(sorted(experiment.h)), newest(snapshots)
    grid = Grid(count=2, columns=1 if view.narrow else 2, height=250, gap_x=0.1, gap_y=84)
    top = 104 if view.narrow else 76
    bands: list[Trace] = []
    lines: list[Trace] = []
    layout: dict[str, Any] = {
        "annotations": [
            heading(i, text(lang, f"figure.heads.{name}"), f"heads-{name}") for i, name in enumerate(PANELS)
        ],
        "height": grid.inner + top + 50,
        "margin": {"l": 56, "r": 14, "t": top, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
    }
    finished = [is_finished(found.get(h)) for h in sizes]
    for panel, measures in enumerate(PANELS.values()):
        half: list[tuple[float, float, str]] = []
        for place, measure in enumerate(measures):
            values = np.array([spread(getattr(found[h], measure) if h in found else None) for h in sizes])
            ranges = np.array([f"{number(low)} … {number(high)}" for _, low, high in values])
            name, colour = text(lang, f"figure.heads.{measure}"), theme.HEADS[2 * panel + place]
            hover = text(lang, "figure.heads.hover", curve=name, h="%{x}", value="%{y:.3g}", range="%{text}")
            bands.append(band(sizes, values[:, 1], values[:, 2], colour, panel, name))
            more = {"text": ranges, "showlegend": True, "marker": dots(colour, finished)}
            lines.append(curve(name, sizes, values[:, 0], colour, panel, hover, {"measure": measure}, **more))
            begun = zip(sizes, values[:, 0], finished, strict=True)
            half += [(h, value, colour) for h, value, done in begun if h in found and not done]
        lines.append(learning(text(lang, "figure.train.learning"), half, panel))
        layout[axis_key("x", panel)] = {
            "tickmode": "array", "tickvals": list(sizes), "ticktext": [str(h) for h in sizes], "zeroline": False,
            "range": [sizes[0] - 0.4, sizes[-1] + 0.4], "title": {"text": text(lang, "figure.heads.x")},
            "domain": grid.x(panel), "anchor": axis("y", panel),
        }  # fmt: skip
        layout[axis_key("y", panel)] = {
            "range": [0, 1.06], "domain": grid.y(panel), "anchor": axis("x", panel), "zeroline": False,
        }  # fmt: skip
    chance, ends = 1 / experiment.classes, [sizes[0] - 0.4, sizes[-1] + 0.4]
    lines.append(reference(text(lang, "figure.train.chance"), ends, [chance, chance], "dot", 0))
    return Drawing(heads_accuracy.name, [*bands, *lines], layout)


heads_accuracy: Final = Figure(
    name="heads-accuracy",
    draw=drawing,
    live=lambda training, view: drawing(*training.of_heads, lang=view.lang, view=view),
    sentence=lambda training, view: sentence(training, message("train.summary.heads_accuracy")),
    table=table,
)
