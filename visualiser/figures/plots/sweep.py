"""Six measures of attention against d_k, or two against the number of keys, on the same draws, a band over the seeds.

Footnote 4: the variance of q·k is d_k. L = ½ ‖o − v_t‖² / d_v at a correct key t drawn for each query.

How this can mislead: a measure of the softmax at random inputs is no accuracy. The Jacobian norm is small for uniform
rows as well. And the norm of a row's gradient falls late, since a few unsaturated scores keep it up long after the
median at the correct key has vanished. Over the number of keys, trained scores are no Gaussian noise.
"""

from typing import Any, Final

import numpy as np

from visualiser import theme
from visualiser.drawing.curves import band, curve, decades, logarithmic, positive, present, tick_decades
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.panels import Grid, axis_key, heading
from visualiser.figures.figure import Figure
from visualiser.figures.mechanism_cells import seeds
from visualiser.figures.swept import Plan, Points, Swept
from visualiser.figures.swept_axis import Axis, axis_of
from visualiser.locale import number, text
from visualiser.locale.message import message
from visualiser.state.view import View
from visualiser.tables import Column, Table


def drawing(config: Plan, points: Points, at: int, lang: str = "en", view: View | None = None) -> Drawing:
    """Draw a panel for each measure; `points` are those computed so far, `at` is the position of the upright line."""
    view, axis = view or View(), axis_of(config)
    x = np.array(config.sizes)
    found = {(point.curve, point.size): point for point in points}
    bands: list[Trace] = []
    lines: list[Trace] = []
    shown: dict[str, list[np.ndarray]] = {measure: [] for measure in axis.measures}
    for panel, measure in enumerate(axis.measures):
        for which in config.curves:
            spread = np.full((len(x), 3), np.nan)
            for place, size in enumerate(config.sizes):
                if (which, size) in found:
                    spread[place] = found[which, size].spread(measure)
            ranges = np.array(["" if np.isnan(low) else f"{number(low)} … {number(high)}" for _, low, high in spread])
            spread = positive(spread) if measure in axis.decades else spread
            name, colour = text(lang, f"figure.sweep.{which}"), theme.CURVES[which]
            here = {axis.name: "%{x}"}
            hover = text(lang, axis.hover, curve=name, value="%{y:.3g}", range="%{text}", **here)
            bands.append(band(x, spread[:, 1], spread[:, 2], colour, panel, name))
            meta = {"curve": which, "measure": measure}
            lines.append(curve(name, x, spread[:, 0], colour, panel, hover, meta, text=ranges))
            shown[measure].append(spread)
    count = len(axis.measures)
    grid = Grid(count=count, columns=1 if view.narrow else axis.columns, height=200, gap_x=0.08, gap_y=74)
    top, bottom = (206, 50) if view.narrow else (76, 50)
    layout: dict[str, Any] = {
        "height": grid.inner + top + bottom,
        "margin": {"l": 56, "r": 14, "t": top, "b": bottom},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [
            heading(i, text(lang, f"figure.sweep.{measure}"), f"sweep-{measure}")
            for i, measure in enumerate(axis.measures)
        ],
        "shapes": [present(at, panel) for panel in range(count)],
    }
    for panel, measure in enumerate(axis.measures):
        title = {"text": text(lang, axis.title)}
        across = {**logarithmic(config.sizes), "title": title, "domain": grid.x(panel)}
        layout[axis_key("x", panel)] = {**across, "anchor": f"y{panel + 1}" if panel else "y"}
        layout[axis_key("y", panel)] = {
            **_upright(axis, measure, config, shown[measure]), "domain": grid.y(panel), "zeroline": False,
            "anchor": f"x{panel + 1}" if panel else "x",
        }  # fmt: skip
    return Drawing(sweep.name, [*bands, *lines, *axis.references(config, lang)], layout)


def _upright(axis: Axis, measure: str, config: Plan, shown: list[np.ndarray]) -> dict[str, Any]:
    if measure in axis.decades:
        limits = decades([*shown, *axis.predicted(measure, config)], axis.decades[measure])
        limits = np.minimum(limits, axis.tops.get(measure, np.inf))
        return {"type": "log", "range": limits, "exponentformat": "power", "dtick": tick_decades(limits)}
    return {"range": [0.0, 1.08 * axis.most(measure, config)], "nticks": 6}


def _table(swept: Swept, view: View) -> Table:
    """List at each place of each curve each measure's middle, least and greatest over the seeds."""
    config, points, lang = swept.config, swept.points, view.lang
    axis = axis_of(config)
    columns = [
        Column(
            axis.name,
            np.array([point.size for point in points]),
            kind="size",
            made=lambda _: message("reason.made.plan"),
        ),
        Column(text(lang, axis.column), [text(lang, f"figure.sweep.{point.curve}") for point in points]),
    ]
    for measure in axis.measures:
        name = text(lang, f"table.sweep.{measure}")
        spreads = np.array([point.spread(measure) for point in points])
        headings = (name, *(f"{name}, {text(lang, f'table.{end}')}" for end in ("least", "greatest")))
        kind = axis.kinds.get(measure, measure)
        columns += [
            Column(heading, spreads[:, i], kind=kind, made=seeds(points, measure, kind, i))
            for i, heading in enumerate(headings)
        ]
    caption = text(lang, axis.caption, seed=config.seed, seeds=config.seeds, **axis.facts(config))
    return Table(caption, columns)


sweep: Final = Figure(
    name="sweep",
    draw=drawing,
    live=lambda swept, view: drawing(swept.config, swept.points, swept.at, view.lang, view),
    sentence=lambda swept, view: swept.words(swept),
    table=_table,
)
