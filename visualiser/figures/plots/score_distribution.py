"""The scores that the softmax receives: their histogram, beside their exact density and the normal one it approaches.

With q and k of independent components N(0, 1) the density of factor · q·k is known for each d_k (`score_density`). It
has mean 0 and variance d_k · factor², as footnote 4 says of any independent components of mean 0 and variance 1, and it
is normal only in the limit of large d_k. For d_k = 1 it is infinite at 0, beyond the top of every axis. For other
components there is no curve. With QK-norm a score is factor · d_k · cos θ between random directions, whose density ends
at ±factor · d_k; for d_k = 2 it is infinite there, and for d_k = 1 there is none: every score is ±factor.

How this can mislead: the axis follows the data in steps of 1, 2, 5, so compare distributions only on one axis: the
grey outline is the state before the last change. The shaded region is that of one row, or of a typical one, although
every row has its own largest score. The curves are those of single scores: the n² scores of one draw share n queries
and n keys, so with few of them the histogram strays from the curve farther than as many independent scores would.
"""

import math
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import AttentionResult
from visualiser.drawing.drawing import Drawing
from visualiser.drawing.format_marks import infinite_scores
from visualiser.drawing.saturation import allowed_scores, histograms, pooled_moments, saturated_share, threshold
from visualiser.drawing.score_curves import score_curves
from visualiser.figures.figure import Figure
from visualiser.locale import exact, text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_head, of_scores
from visualiser.reasons.of_scores import SCORES
from visualiser.state.view import View
from visualiser.tables import Table, column, head_column
from visualiser.theme import ACCENT, BAND, CALM, INK, THEORY, head_line

_EMPTY: Final = np.empty(0)


def _axis_range(low: float, high: float) -> NDArray[np.float64]:
    """Return the range of the axis: ±1, 2 or 5 × 10^k around scores on both sides of 0, else rounded outwards.

    The steps are coarse, so that between two of them a growing distribution is seen to grow.
    """
    reach = max(-low, high)
    if min(-low, high) > 0.3 * reach:
        return _step(reach) * np.array([-1.0, 1.0])
    step = _step(max(high - low, 1e-6)) / 5
    return np.array([math.floor(low / step) * step, math.ceil(high / step) * step])


def _step(value: float) -> float:
    """Return the smallest of 1, 2, 5 × 10^k that is at least `value` (> 0)."""
    power = math.floor(math.log10(value))
    return next(step for step in (float(f"{digit}e{power}") for digit in (1, 2, 5, 10)) if value <= step * (1 + 1e-6))


def _line(name: str, x: Any, y: Any, line: dict[str, Any], meta: str, hover: str | None) -> dict[str, Any]:
    tips = {"hoverinfo": "skip"} if hover is None else {"hovertemplate": f"{hover}<extra></extra>"}
    return {
        "type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "line": line, "meta": {"kind": meta}, **tips,
    }  # fmt: skip


def drawing(result: AttentionResult, view: View | None = None) -> Drawing:
    """Draw all heads pooled as bars, each head as a thin line, both densities as curves, vanishing weights shaded."""
    view = view or View()
    lang = view.lang
    h, n_q, _ = result.scaled.shape
    edges, density = histograms(allowed_scores(result))
    pooled, centres = density.mean(0), (edges[:-1] + edges[1:]) / 2
    mean, variance = pooled_moments(result)
    deviation = math.sqrt(variance)

    curves = score_curves(result)
    reach = 3.5 * curves.spread
    low, high = float(edges[0]), float(edges[-1])
    limits = _axis_range(min(low, -reach), max(high, reach)) if reach else _axis_range(low, high)
    heads = view.heads(h)
    peaks = (pooled.max(), density[[k - 1 for k in heads]].max(), curves.normal.max(initial=0), curves.summit)
    top = 1.06 * max(map(float, peaks))
    top = top or 1.0
    row, focus = view.locked(n_q), view.single(h)
    marks = _EMPTY
    if row is not None:
        scores, masked = result.scaled[focus - 1, row], result.masked[focus - 1, row]
        marks = scores[torch.isfinite(masked) & torch.isfinite(scores)].numpy()

    score, dense = text(lang, "figure.score_distribution.x"), text(lang, "figure.score_distribution.y")
    says = text(lang, "figure.score_distribution.hover", score="%{x:.3g}", density="%{y:.3g}")
    data: list[dict[str, Any]] = [
        {
            "type": "bar", "x": centres, "y": pooled, "name": text(lang, "figure.score_distribution.pooled"),
            "marker": {"color": CALM, "opacity": 0.45, "line": {"width": 0}}, "hovertemplate": f"{says}<extra></extra>",
            "meta": {"kind": "pooled"},
        }
    ]  # fmt: skip
    # The heads differ by chance alone: eight colours would say more than that.
    outline = {"color": CALM, "width": 1, "shape": "hvh"} if len(heads) > 1 else {"width": 2.2, "shape": "hvh"}
    every = text(lang, "figure.score_distribution.each")
    for head in heads:
        name = text(lang, "figure.head", head=head) if len(heads) == 1 else every
        trace = _line(name, centres, density[head - 1], {**head_line(head), "dash": "solid", **outline}, "head", None)
        trace["showlegend"] = head == min(heads)
        trace["meta"] |= {"head": head}
        data.append(trace)
    normal = _line(
        text(lang, "figure.score_distribution.normal"), curves.scores, curves.normal,
        {"color": THEORY, "width": 1.8, "dash": "dot"}, "normal", None,
    )  # fmt: skip
    exact = _line(
        text(lang, "figure.score_distribution.exact"), curves.scores, curves.exact,
        {"color": THEORY, "width": 2.5, "dash": "solid"}, "exact", says,
    )  # fmt: skip
    normal["showlegend"] = exact["showlegend"] = len(curves.scores) > 0
    average = _line(
        text(lang, "figure.score_distribution.mean"), np.array([mean, mean]), np.array([0.0, top]),
        {"color": INK, "width": 2}, "mean", text(lang, "figure.score_distribution.mean_hover", mean="%{x:.3g}"),
    )  # fmt: skip
    spread_y = 0.57 * top  # the height of a normal curve one standard deviation from its mean, about
    deviations = _line(
        text(lang, "figure.score_distribution.deviation"), np.array([mean - deviation, mean + deviation]),
        np.array([spread_y, spread_y]), {"color": INK, "width": 2}, "deviation",
        text(lang, "figure.score_distribution.deviation_hover", edge="%{x:.3g}"),
    )  # fmt: skip
    deviations |= {
        "mode": "lines+markers",
        "marker": {"symbol": "line-ns-open", "size": 11, "color": INK, "line": {"width": 2}},
        "showlegend": False,
    }
    data += [exact, normal, average, deviations]
    data.append(
        {
            "type": "scatter", "mode": "markers", "x": marks, "y": np.zeros(len(marks)), "cliponaxis": False,
            "name": text(lang, "figure.score_distribution.row", head=focus),
            "marker": {"symbol": "line-ns-open", "size": 14, "color": ACCENT, "line": {"width": 1.5}},
            "hovertemplate": text(lang, "figure.score_distribution.row_hover", score="%{x:.3g}") + "<extra></extra>",
            "showlegend": row is not None,
            "meta": {"row_of": "scores", "head": focus, "pointed": text(lang, "figure.pointed_row")},
        }
    )  # fmt: skip
    data.append(
        {
            "type": "scatter", "mode": "markers", "x": [None], "y": [None], "hoverinfo": "skip",
            "name": text(lang, "figure.score_distribution.saturated"), "meta": {"kind": "legend"},
            "marker": {"symbol": "square", "size": 12, "color": BAND, "line": {"width": 1, "color": ACCENT}},
        }
    )  # fmt: skip
    edge = min(max(threshold(result, view), limits[0]), limits[1])
    layout: dict[str, Any] = {
        "height": 340,
        "margin": {"l": 58, "r": 14, "t": 84 if view.narrow else 50, "b": 50},
        "bargap": 0,
        "hovermode": "closest",
        "xaxis": {"title": {"text": score}, "range": limits, "zeroline": False},
        "yaxis": {"title": {"text": dense}, "range": np.array([0.0, top]), "rangemode": "tozero", "nticks": 6},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "shapes": [
            {
                "type": "rect", "xref": "x", "yref": "y domain", "y0": 0, "y1": 1, "layer": "below",
                "line": {"width": 0}, "x0": limits[0], "x1": np.float64(edge), "fillcolor": BAND, "name": "saturated",
            }
        ],
    }  # fmt: skip
    return Drawing(score_distribution.name, data, layout)


def _sentence(result: AttentionResult, view: View) -> list[Message]:
    infinite = infinite_scores(result)
    if infinite:
        cells = allowed_scores(result).numel()
        return [message("insight.format.scores", count=infinite, cells=cells, format=result.config.dtype)]
    mean, variance = pooled_moments(result)  # of all heads, like the bars, even if one head is shown large
    measured = {"mean": mean, "variance": variance, "share": 100 * saturated_share(result, View())}
    if result.broken is not None:
        return [message("table.score_distribution.moments", mean=mean, variance=variance)]
    if result.predicted_variance is None:
        return [message("table.score_distribution.summary", **measured)]
    predicted = exact(result.predicted_variance)
    normed = result.config.qk_norm
    key = "table.score_distribution.summary_normed" if normed else "table.score_distribution.summary_predicted"
    return [message(key, **measured, predicted=predicted)]


def _brief(result: AttentionResult, view: View) -> list[Message]:
    variance = pooled_moments(result)[1]
    no_number = infinite_scores(result) or math.isnan(variance)
    return [] if no_number else [message("brief.score_distribution", variance=variance)]


def _table(result: AttentionResult, view: View) -> Table:
    lang, h = view.lang, result.weights.shape[0]
    columns = [
        head_column(result, view),
        column(lang, "mean", result.score_mean.numpy(), "score_mean", of_head.score_mean(result)),
        column(lang, "variance", result.score_variance.numpy(), "score_variance", of_head.score_variance(result)),
    ]
    mean, variance = result.predicted_mean, result.predicted_variance
    if variance is not None and mean is not None:
        config = result.config
        columns += [
            column(lang, "predicted_mean", np.full(h, mean), "predicted_mean", lambda _: of_scores.no_mean(config)),
            column(
                lang,
                "predicted_variance",
                np.full(h, variance),
                "predicted_variance",
                lambda _: of_scores.predicted_of(config, exact(variance)),
            ),
        ]
    return Table(text(lang, "table.score_distribution.caption"), columns)


score_distribution: Final = Figure(
    name="score-distribution",
    draw=drawing,
    sentence=_sentence,
    table=_table,
    brief=_brief,
    reasons={"brief.score_distribution": SCORES},
    outlined=True,
)
