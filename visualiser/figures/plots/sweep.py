"""Scaled, unscaled and additive attention against d_k: six measures on the same draws, a band over the seeds.

Footnote 4: the variance of q·k is d_k. L = ½ ‖o − v_t‖² / d_v at a correct key t drawn for each query.

How this can mislead: a measure of the softmax at random inputs is no accuracy. The Jacobian norm is small for uniform
rows as well. And the norm of a row's gradient falls late, since a few unsaturated scores keep it up long after the
median at the correct key has vanished.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from attention_core import SweepConfig, SweepPoint
from attention_core.blocks.row_statistics import statistic
from attention_core.studies.sweep import CURVES, MEASURES
from visualiser import theme
from visualiser.drawing.curves import band, curve, decades, logarithmic, positive, present, reference, tick_decades
from visualiser.drawing.drawing import Drawing, Trace
from visualiser.drawing.panels import Grid, axis_key, heading
from visualiser.figures.figure import Figure
from visualiser.figures.mechanism_cells import seeds
from visualiser.figures.swept import Swept, ends
from visualiser.locale import number, text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table

_LOGARITHMIC: Final = {"variance": (-1.0, 4.0), "gradient": (-3.0, 0.0), "gradient_norm": (-3.0, 0.0)}
"""Measures that span powers of ten, with the range of their axes before the first point."""


_KINDS: Final = {"variance": "score_variance", "gradient": "score_gradient", "gradient_norm": "score_gradient_norm"}
"""The measures that are quantities of another name."""


def drawing(
    config: SweepConfig, points: Sequence[SweepPoint], d_k: int, lang: str = "en", view: View | None = None
) -> Drawing:
    """Draw a panel for each measure; `points` are those computed so far, `d_k` is the position of the upright line."""
    view = view or View()
    x = np.array(config.d_ks)
    found = {(point.curve, point.d_k): point for point in points}
    bands: list[Trace] = []
    lines: list[Trace] = []
    shown: dict[str, list[np.ndarray]] = {measure: [] for measure in MEASURES}
    for panel, measure in enumerate(MEASURES):
        for which in CURVES:
            spread = np.full((len(x), 3), np.nan)
            for place, size in enumerate(config.d_ks):
                if (which, size) in found:
                    spread[place] = found[which, size].spread(measure)
            ranges = np.array(["" if np.isnan(low) else f"{number(low)} … {number(high)}" for _, low, high in spread])
            spread = positive(spread) if measure in _LOGARITHMIC else spread
            name, colour = text(lang, f"figure.sweep.{which}"), theme.CURVES[which]
            hover = text(lang, "figure.sweep.hover", curve=name, d_k="%{x}", value="%{y:.3g}", range="%{text}")
            bands.append(band(x, spread[:, 1], spread[:, 2], colour, panel, name))
            meta = {"curve": which, "measure": measure}
            lines.append(curve(name, x, spread[:, 0], colour, panel, hover, meta, text=ranges))
            shown[measure].append(spread)
    grid = Grid(count=6, columns=1 if view.narrow else 3, height=200, gap_x=0.08, gap_y=74)
    top, bottom = (206, 50) if view.narrow else (76, 50)
    layout: dict[str, Any] = {
        "height": grid.inner + top + bottom,
        "margin": {"l": 56, "r": 14, "t": top, "b": bottom},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"},
        "annotations": [
            heading(i, text(lang, f"figure.sweep.{measure}"), f"sweep-{measure}") for i, measure in enumerate(MEASURES)
        ],
        "shapes": [present(d_k, panel) for panel in range(6)],
    }
    for panel, measure in enumerate(MEASURES):
        across = {**logarithmic(config.d_ks), "title": {"text": text(lang, "figure.sweep.x")}, "domain": grid.x(panel)}
        layout[axis_key("x", panel)] = {**across, "anchor": f"y{panel + 1}" if panel else "y"}
        layout[axis_key("y", panel)] = {
            **_upright(measure, config, shown[measure]), "domain": grid.y(panel), "zeroline": False,
            "anchor": f"x{panel + 1}" if panel else "x",
        }  # fmt: skip
    return Drawing(sweep.name, [*bands, *lines, *_references(config, lang)], layout)


def _upright(measure: str, config: SweepConfig, shown: list[np.ndarray]) -> dict[str, Any]:
    if measure in _LOGARITHMIC:
        predicted = [np.array([1.0, config.d_ks[-1]])] if measure == "variance" else []
        limits = decades([*shown, *predicted], _LOGARITHMIC[measure])
        return {"type": "log", "range": limits, "exponentformat": "power", "dtick": tick_decades(limits)}
    return {"range": [0.0, 1.08 * statistic(measure).most_of(config.n)], "nticks": 6}


def _references(config: SweepConfig, lang: str) -> list[Trace]:
    """Draw footnote 4 for the unscaled (d_k) and the scaled scores (1), and the most that a measure can be."""
    ends = [config.d_ks[0], config.d_ks[-1]]
    predicted = reference(
        text(lang, "figure.sweep.predicted"), [*ends, np.nan, *ends], [*ends, np.nan, 1.0, 1.0], "dash", 0, theme.THEORY
    )
    ceiling, uniform = text(lang, "figure.sweep.ceiling"), text(lang, "figure.sweep.uniform")
    entropy, largest, norm = (statistic(name) for name in ("entropy", "largest_weight", "jacobian_norm"))
    return [
        predicted,
        reference(ceiling, ends, [entropy.most_of(config.n)] * 2, "dash", 1),
        reference(ceiling, ends, [norm.most_of(config.n)] * 2, "dash", 3, legend=False),
        reference(uniform, ends, [largest.uniform_of(config.n)] * 2, "dot", 2),
        reference(uniform, ends, [norm.uniform_of(config.n)] * 2, "dot", 3, legend=False),
    ]


def _sentence(swept: Swept, view: View) -> list[Message]:
    """Describe the entropies and the gradient from one end of the axis to the other."""
    config, points = swept.config, swept.points
    of = {(point.curve, point.d_k): point.spread("gradient")[0] for point in points}
    low, high = config.d_ks[0], config.d_ks[-1]
    gradients = {f"{curve}_to": of[curve, high] for curve in CURVES}
    return [
        message(
            "why.sweep.entropy", low=low, high=high, seeds=config.seeds, ceiling=math.log(config.n), **ends(points)
        ),
        message("why.sweep.gradient", high=high, unscaled_from=of["unscaled", low], **gradients),
        message("why.sweep.where"),
    ]


def _table(swept: Swept, view: View) -> Table:
    """List for each d_k and mechanism each measure's middle, least and greatest over the seeds."""
    config, points, lang = swept.config, swept.points, view.lang
    columns = [
        Column(
            "d_k", np.array([point.d_k for point in points]), kind="size", made=lambda _: message("reason.made.plan")
        ),
        Column(text(lang, "table.mechanism"), [text(lang, f"figure.sweep.{point.curve}") for point in points]),
    ]
    for measure in MEASURES:
        name = text(lang, f"table.sweep.{measure}")
        spreads = np.array([point.spread(measure) for point in points])
        headings = (name, *(f"{name}, {text(lang, f'table.{end}')}" for end in ("least", "greatest")))
        kind = _KINDS.get(measure, measure)
        columns += [
            Column(heading, spreads[:, i], kind=kind, made=seeds(points, measure, kind, i))
            for i, heading in enumerate(headings)
        ]
    caption = text(lang, "table.sweep.caption", n=config.n, seed=config.seed, seeds=config.seeds)
    return Table(caption, columns)


sweep: Final = Figure(
    name="sweep",
    draw=drawing,
    live=lambda swept, view: drawing(swept.config, swept.points, swept.d_k, view.lang, view),
    sentence=_sentence,
    table=_table,
)
