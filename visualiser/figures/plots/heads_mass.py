"""The mean weight of each head on each of the positions that the query names.

How this can mislead: only the first seed's model is shown. Which head takes which name is chance, and an average over
seeds would hide that any does. Weight on the remaining positions is not drawn.
"""

from typing import Any, Final

import numpy as np

from attention_core.experiments import HeadsExperiment, HeadsSnapshot
from visualiser.drawing.colour import colour_axis
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.matrix import cell_trace, margins, panel_axes, shared_bar
from visualiser.drawing.panels import Grid
from visualiser.figures.figure import Figure
from visualiser.figures.training import sentence
from visualiser.locale import text
from visualiser.locale.message import message
from visualiser.state.view import View


def drawing(
    experiment: HeadsExperiment, shot: HeadsSnapshot | None, h: int, lang: str = "en", view: View | None = None
) -> Drawing:
    """Draw h × m cells, open without a `shot`; a row is a head, a column the r-th name."""
    view = view or View()
    m = experiment.m
    mass = np.full((h, m), np.nan, dtype=np.float32) if shot is None else shot.mass[0].numpy()
    grid = Grid(count=1, columns=1, height=max(120, 34 * h))
    heads = [text(lang, "figure.head", head=i + 1) for i in range(h)]
    names = [text(lang, "figure.heads.name", r=r + 1) for r in range(m)]
    titles = text(lang, "figure.heads.head_axis"), text(lang, "figure.heads.name_axis")
    hover = text(lang, "figure.heads.mass_hover", head="%{y}", name="%{x}", value="%{z:.3g}")
    margin = margins(None, view, bars=48 if view.narrow else 84)
    axes = panel_axes(grid, 0, None, (h, m), titles, None)
    axes["xaxis"] |= {"tickmode": "array", "tickvals": list(range(m)), "ticktext": names}
    axes["yaxis"] |= {"tickmode": "array", "tickvals": list(range(h)), "ticktext": heads}
    margin = {**margin, "l": 92}
    layout: dict[str, Any] = {
        "margin": margin,
        "showlegend": False,
        "annotations": [],
        "coloraxis": colour_axis(
            (0.0, 1.0), "weights", "linear", text(lang, "figure.heads.mass"), shared_bar(grid, view)
        ),
        "height": grid.inner + margin["t"] + margin["b"],
        **axes,
    }
    return Drawing(heads_mass.name, [cell_trace(0, mass, hover, "", "coloraxis", {})], layout)


heads_mass: Final = Figure(
    name="heads-mass",
    draw=drawing,
    live=lambda model, view: drawing(model.of_heads[0], model.shot, model.h, view.lang, view),
    sentence=lambda model, view: sentence(model, message("train.summary.heads_mass")),
    painter="cells",
)
