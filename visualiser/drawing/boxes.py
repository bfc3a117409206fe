"""One box a head over a statistic of its rows. Quartiles are computed here, so no figure carries a point per row."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionConfig, AttentionResult
from visualiser.drawing.once import once
from visualiser.drawing.weighed import weighed
from visualiser.listed_statistics import GRADIENT, GRADIENT_BOXES, PER_HEAD, SPREAD_BOXES, WEIGHTS, of_rows
from visualiser.locale import text
from visualiser.state.view import View
from visualiser.theme import ACCENT, CALM


def boxed(config: AttentionConfig) -> list[str]:
    """Return the names of the row statistics drawn as boxes."""
    boxes = (*of_rows(config, SPREAD_BOXES, WEIGHTS), *of_rows(config, GRADIENT_BOXES, GRADIENT))
    largest = [] if weighed(config).spread else ["largest_weight"]
    return list(dict.fromkeys([*(each.name for each in boxes), *largest]))


_PLACES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def averaged(config: AttentionConfig) -> list[str]:
    """Return the names of the row statistics with a mean in texts and tables."""
    return [each.name for each in of_rows(config, PER_HEAD)]


@once
def open_rows(result: AttentionResult) -> Tensor | None:
    """Return n_q: True for rows that may attend to some key; None if all may. Other rows have no distribution."""
    return None if result.mask is None else result.mask.any(-1)


def five_numbers(values: Tensor) -> NDArray[np.float64]:
    """Return 5 × h: least, lower quartile, median, upper quartile, greatest over the rows of `values` (h × rows).

    NaNs are left out; NaN if there is nothing else.
    """
    rows = values.shape[1]
    if rows == 0:
        return np.zeros((5, values.shape[0]))
    below, above, weight = _between(rows)
    if values.isnan().any():  # rows that are no distribution
        return torch.nanquantile(values.double(), torch.tensor(_PLACES, dtype=torch.float64), dim=-1).numpy()
    ordered = values.sort(dim=-1).values.T
    return torch.lerp(ordered[below], ordered[above], weight).double().numpy()


@cache
def _between(rows: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return for each of the five numbers the two ranks around it among `rows`, and its place between them.

    The result is torch.quantile's, which takes six times as long for a few rows.
    """
    place = torch.tensor(_PLACES).unsqueeze(-1) * (rows - 1)
    below = place.long()
    return below[:, 0], place.ceil().long()[:, 0], place - below


def box_numbers(result: AttentionResult, name: str) -> NDArray[np.float64]:
    """Return 5 × h: the `five_numbers` of one of `boxed`, over the rows that may attend to some key."""
    return _boxes(result)[name]


def most_keys(result: AttentionResult) -> int:
    """Return the largest number of keys that a row may attend to, at least 1."""
    return max(1, result.weights.shape[2] if result.mask is None else int(result.mask.sum(-1).max()))


def mean_over_rows(result: AttentionResult, name: str) -> Tensor:
    """Return h: the mean of one of `averaged` over the rows that may attend to some key; 0 if there are none.

    Rows that are no distribution are left out; NaN if there is no other.
    """
    return _means(result)[name]


def mean_over_heads(result: AttentionResult, name: str, heads: slice = slice(None)) -> float:
    """Return the mean of one of `averaged` over heads and their rows that may attend to some key.

    Rows that are no distribution are left out; NaN if there is no other.
    """
    if result.broken is None:
        return float(mean_over_rows(result, name)[heads].mean())
    rows = open_rows(result)
    values = result.statistic(name)[heads]
    return float((values if rows is None else values[:, rows]).nanmean())


@once
def mean_ceiling(result: AttentionResult) -> float:
    """Return the mean of the rows' largest possible entropies in nats; 0 if no row may attend to any key.

    Rows that are no distribution are left out if there are others.
    """
    rows = open_rows(result)
    if result.broken is not None:
        sound = ~result.broken if rows is None else ~result.broken & rows
        if sound.any():
            return float(result.ceiling.expand(sound.shape)[sound].mean())
    ceilings = result.ceiling if rows is None else result.ceiling[rows]
    return float(ceilings.mean()) if len(ceilings) else 0.0


@once
def _boxes(result: AttentionResult) -> Mapping[str, NDArray[np.float64]]:
    names = boxed(result.config)
    found = five_numbers(_together(result, names).flatten(0, 1))
    return dict(zip(names, np.split(found, len(names), axis=1), strict=True))


@once
def _means(result: AttentionResult) -> Mapping[str, Tensor]:
    names = averaged(result.config)
    values = _together(result, names)
    if result.broken is not None:
        return dict(zip(names, values.nanmean(-1), strict=True))
    return dict(zip(names, values.mean(-1) if values.shape[-1] else torch.zeros(values.shape[:2]), strict=True))


def _together(result: AttentionResult, names: Sequence[str]) -> Tensor:
    """Return names × h × rows. Together, because for so few numbers a call takes as long for all names as for one."""
    values, rows = torch.stack([result.statistic(name) for name in names]), open_rows(result)
    return values if rows is None else values[..., rows]


def box_trace(
    result: AttentionResult, view: View, axes: dict[str, str], kind: str, legend: bool = False
) -> dict[str, Any]:
    """Draw the boxes of the statistic `kind`, all heads in one trace; whiskers reach the least and the greatest row."""
    least, lower, middle, upper, greatest = box_numbers(result, kind)
    return {
        "type": "box", "x": list(range(1, len(least) + 1)), "lowerfence": least, "q1": lower, "median": middle,
        "q3": upper, "upperfence": greatest, "name": text(view.lang, "figure.boxes"), "width": 0.6,
        "line": {"color": CALM, "width": 1.8}, "fillcolor": "rgba(46, 143, 199, 0.3)", "showlegend": legend,
        "meta": {"kind": kind}, **axes,
    }  # fmt: skip


def row_trace(
    result: AttentionResult, values: Tensor, view: View, axes: dict[str, str], name: str, legend: bool = False
) -> dict[str, Any]:
    """Draw a diamond in each head's box for the locked row; the same trace without points if no row is locked.

    The page's legend names the diamonds of a row that is only pointed at as `meta["pointed"]`.
    """
    h, n_q = values.shape
    row, lang = view.locked(n_q), view.lang
    return {
        "type": "scatter", "mode": "markers", "x": list(range(1, h + 1)),
        "y": np.empty(0) if row is None else values[:, row].numpy(),
        "marker": {"symbol": "diamond", "size": 10, "color": ACCENT, "line": {"width": 1, "color": "#ffffff"}},
        "name": text(lang, "figure.locked_row"), "showlegend": legend and row is not None,
        "hovertemplate": text(lang, "figure.boxes.row_hover", head="%{x}", value="%{y:.3g}") + "<extra></extra>",
        "meta": {"row_of": name} | ({"pointed": text(lang, "figure.pointed_row")} if legend else {}), **axes,
    }  # fmt: skip


def level(name: str, x: list[float], y: Any, dash: str, axes: dict[str, str], colour: str) -> dict[str, Any]:
    """Draw a horizontal reference line over all heads, named in the legend; `y` is one number."""
    return {
        "type": "scatter", "mode": "lines", "x": x, "y": np.array([y, y], dtype=np.float64), "name": name,
        "line": {"color": colour, "width": 2, "dash": dash}, "hovertemplate": f"{name}: %{{y:.3g}}<extra></extra>",
        "meta": {"kind": "level"}, **axes,
    }  # fmt: skip


def head_axis(lang: str, h: int) -> dict[str, Any]:
    """Return the axis of heads, counted from 1; with more than 8 heads, every third is labelled."""
    return {
        "title": {"text": text(lang, "figure.axis.head")}, "range": [0.4, h + 0.6], "tickmode": "linear", "tick0": 1,
        "dtick": 1 if h <= 8 else 3, "showgrid": False, "zeroline": False, "tickangle": 0,
    }  # fmt: skip
