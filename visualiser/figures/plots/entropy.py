"""The entropy of every row's weights, −Σ p ln p in nats, as one box a head, against the most it can be.

How this can mislead: low entropy means that a row is near one-hot, not that its chosen key is right. Under a mask
early rows have few keys, so their entropy is low without any choice.
"""

import math
from typing import Any, Final

from attention_core import AttentionResult
from attention_core.blocks.row_statistics import statistic
from visualiser.drawing.box_panel import box_panel
from visualiser.drawing.boxes import box_numbers, box_trace, head_axis, level, mean_ceiling, open_rows, row_trace
from visualiser.drawing.distributions import mean_shown, of_distributions, without_undefined
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.panels import Grid
from visualiser.drawing.weighed import weighed
from visualiser.figures.figure import Figure
from visualiser.listed_statistics import SPREAD_BOXES, SPREAD_MEANS, WEIGHTS, further_statistics, of_rows
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_head
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_rows import MEANS
from visualiser.state.view import View
from visualiser.tables import Table, column, head_column, locked_columns, mean_column
from visualiser.theme import ACCENT, INK

_HEIGHT: Final = 230  # of one panel


def drawing(result: AttentionResult, view: View | None = None) -> Drawing:
    """Draw boxes over rows, the ceiling ln(keys), and on the right the effective number of keys e^H.

    Under a mask the ceiling differs from row to row: the dashed line is the highest, the dotted one the mean over
    rows.
    """
    view = view or View()
    if not weighed(result.config).spread:
        return _without_entropy(result, view)
    lang = view.lang
    h, _, n_k = result.weights.shape
    rows = open_rows(result)
    ceilings = result.ceiling if rows is None else result.ceiling[rows]
    highest = float(ceilings.max()) if len(ceilings) else 0.0
    top = 1.08 * max(math.log(n_k), highest, 0.5)
    powers = range(math.floor(math.log2(math.exp(top))) + 1)
    ends, left, right = [0.4, h + 0.6], {"xaxis": "x", "yaxis": "y"}, {"xaxis": "x", "yaxis": "y2"}
    masked = result.mask is not None
    plain = weighed(result.config).complete
    unmasked = "figure.entropy.ceiling" if plain else "figure.entropy.ceiling_sink"
    ceiling = text(lang, "figure.entropy.ceiling_masked" if masked else unmasked)
    data = [
        box_trace(result, view, left, "entropy", legend=True),
        level(ceiling, ends, highest, "dash", right, ACCENT),
    ]
    if masked:
        mean = float(ceilings.mean()) if len(ceilings) else 0.0
        data.append(level(text(lang, "figure.entropy.ceiling_mean"), ends, mean, "dot", right, INK))
    data.append(row_trace(result, result.entropy, view, left, "entropy", legend=True))
    layout: dict[str, Any] = {
        "height": _HEIGHT + 90,
        "margin": {"l": 52, "r": 56, "t": 40, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": head_axis(lang, h),
        # the live page writes these where the titles of both axes would meet
        "meta": {
            "short": {
                "yaxis": [text(lang, "figure.entropy.y_short"), statistic("entropy").symbol],
                "yaxis2": [text(lang, "figure.entropy.effective_short")],
            }
        },
        "yaxis": {
            "title": {"text": text(lang, "figure.entropy.y")}, "range": [0.0, top], "fixedrange": True, "nticks": 7,
            "zeroline": False,
        },
        "yaxis2": {
            "title": {"text": text(lang, "figure.entropy.effective")}, "overlaying": "y", "side": "right",
            "range": [0.0, top], "fixedrange": True, "showgrid": False, "zeroline": False, "tickmode": "array",
            "tickvals": [math.log(2**power) for power in powers], "ticktext": [str(2**power) for power in powers],
        },
    }  # fmt: skip
    _add_others(result, view, data, layout)
    return Drawing(entropy.name, data, layout)


def _add_others(result: AttentionResult, view: View, data: list[dict[str, Any]], layout: dict[str, Any]) -> None:
    """Add panels for weight statistics that neither the entropy's axes nor another figure shows."""
    others = of_rows(result.config, SPREAD_BOXES, WEIGHTS)[1:]
    if not others:
        return
    grid = Grid(count=1 + len(others), columns=1 if view.narrow else 2, height=_HEIGHT, gap_x=0.16, gap_y=84)
    for panel, each in enumerate(others, 1):
        added = box_panel(result, view, each, grid, panel, panel, panel + 1)  # the entropy has two vertical axes
        data += added.data
        layout |= added.axes | {"annotations": [*layout.get("annotations", []), added.heading]}
    layout["height"] += grid.inner - _HEIGHT
    layout["xaxis"] |= {"domain": grid.x(0), "anchor": "y"}
    layout["yaxis"] |= {"domain": grid.y(0), "anchor": "x"}
    layout["yaxis2"] |= {"anchor": "x"}


def _without_entropy(result: AttentionResult, view: View) -> Drawing:
    """Draw the mass of each row and its largest gate instead, one panel of boxes each."""
    statistics = [*of_rows(result.config, SPREAD_BOXES, WEIGHTS), statistic("largest_weight")]
    grid = Grid(count=len(statistics), columns=1 if view.narrow else 2, height=_HEIGHT, gap_x=0.16, gap_y=84)
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {
        "height": grid.inner + 90,
        "margin": {"l": 52, "r": 14, "t": 40, "b": 50},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "annotations": [],
    }
    for panel, each in enumerate(statistics):
        added = box_panel(result, view, each, grid, panel, panel, panel)
        data += added.data
        layout |= added.axes | {"annotations": [*layout["annotations"], added.heading]}
    return Drawing(entropy.name, data, layout)


def _sentence(result: AttentionResult, view: View) -> list[Message]:
    listed = of_rows(result.config, SPREAD_MEANS, WEIGHTS)
    others = further_statistics(
        [each for each in listed if each not in SPREAD_MEANS[:2]], lambda each: mean_shown(result, each.name, View())
    )
    if not weighed(result.config).spread:
        return of_distributions([message("table.entropy.none"), *others], result, View())
    mean, effective = (mean_shown(result, name, View()) for name in ("entropy", "effective_keys"))
    summary = message("table.entropy.summary", entropy=mean, effective=effective, ceiling=mean_ceiling(result))
    return of_distributions([summary, *others], result, View())


def _brief(result: AttentionResult, view: View) -> list[Message]:
    if not weighed(result.config).spread:
        return without_undefined(message("brief.mass", mass=mean_shown(result, "mass", View())), result)
    means = {"entropy": mean_shown(result, "entropy", View()), "ceiling": mean_ceiling(result)}
    return without_undefined(message("brief.entropy", **means), result)


def _table(result: AttentionResult, view: View) -> Table:
    means = of_rows(result.config, SPREAD_MEANS, WEIGHTS)
    first = means[0].name
    lang, five = view.lang, box_numbers(result, first)
    names = ("least", "lower_quartile", "median", "upper_quartile", "greatest")
    columns = [head_column(result, view), mean_column(result, view, means[0])]
    columns += [
        column(lang, name, values, kind_of(result.config, first), of_head.quantile(result, first, place))
        for place, (name, values) in enumerate(zip(names, five, strict=True))
    ]
    columns += [mean_column(result, view, each) for each in means[1:]]
    columns += locked_columns(result, view, of_rows(result.config, SPREAD_BOXES, WEIGHTS))
    return Table(text(lang, "table.entropy.caption"), columns)


entropy: Final = Figure(
    name="entropy",
    draw=drawing,
    sentence=_sentence,
    table=_table,
    brief=_brief,
    reasons={"brief.entropy": MEANS, "brief.mass": MEANS},
)
