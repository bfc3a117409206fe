"""The heads' attention as it forms: each head's mean weights if its r-th name is position p.

How this can mislead: a clear diagonal says that this head reads that name, not that the model answers right. A row
averages over all examples whose name was that position.
"""

from typing import Any, Final

import numpy as np

from attention_core.experiments import HeadsExperiment, HeadsSnapshot
from attention_core.experiments.heads import POSITIONS
from visualiser.drawing.colour import colour_axis
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.matrix import cell_trace, margins, panel_axes, shared_bar
from visualiser.drawing.panels import Grid, heading
from visualiser.figures.figure import Figure
from visualiser.figures.training import sentence
from visualiser.locale import text
from visualiser.locale.message import message
from visualiser.state.view import View


def drawing(
    experiment: HeadsExperiment, shot: HeadsSnapshot | None, h: int, lang: str = "en", view: View | None = None
) -> Drawing:
    """Draw a line of panels for each head of the first seed, a column for each name; 8 × 8 cells each."""
    view = view or View()
    m = experiment.m
    maps = shot.maps[0].numpy() if shot is not None else np.full((h, m, POSITIONS, POSITIONS), np.nan, np.float32)
    grid = Grid(count=h * m, columns=m, height=90 if view.narrow else 120, gap_x=0.02, gap_y=26)
    titles = text(lang, "figure.heads.named_position"), text(lang, "figure.heads.position")
    hover = text(lang, "figure.heads.map_hover", named="%{y}", position="%{x}", value="%{z:.3g}")
    margin = margins(None, view, bars=48 if view.narrow else 84)
    layout: dict[str, Any] = {
        "margin": margin,
        "showlegend": False,
        "annotations": [],
        "coloraxis": colour_axis(
            (0.0, 1.0), "weights", "linear", text(lang, "figure.heads.mean_weight"), shared_bar(grid, view)
        ),
        "height": grid.inner + margin["t"] + margin["b"],
    }
    data = []
    for head in range(h):
        for name in range(m):
            panel = head * m + name
            title = text(lang, "figure.heads.panel", head=head + 1, r=name + 1)
            data.append(cell_trace(panel, maps[head, name], hover, title, "coloraxis", {"head": head + 1}))
            layout |= panel_axes(grid, panel, None, (POSITIONS, POSITIONS), titles, 0)
            layout["annotations"].append(heading(panel, title, f"head-{head + 1}-{name + 1}"))
    return Drawing(heads_maps.name, data, layout)


heads_maps: Final = Figure(
    name="heads-maps",
    draw=drawing,
    live=lambda model, view: drawing(model.of_heads[0], model.shot, model.h, view.lang, view),
    sentence=lambda model, view: sentence(model, message("train.summary.heads_maps")),
    painter="cells",
)
