"""A table for each figure, for screen readers and for readers who prefer numbers.

Tokens come as they were typed; the caller escapes them for HTML.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionResult, RowStatistic
from attention_core.exact.formats import MARKS
from visualiser.figures.boxes import box_numbers, mean_over_rows
from visualiser.figures.cells import hides, quantity, visible
from visualiser.figures.colour_words import colours, compared_colours
from visualiser.figures.plots.compare import change
from visualiser.listed_statistics import (
    GRADIENT_BOXES,
    SPREAD_BOXES,
    SPREAD_MEANS,
    locked_label,
    mean_label,
    median_label,
)
from visualiser.locale import exact, text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_cell, of_head, of_result
from visualiser.reasons.kinds import Kind
from visualiser.reasons.of_head import Made
from visualiser.state.view import View
from visualiser.summaries import summary

__all__ = ["Column", "Table", "difference_table", "summary", "table"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: its heading and one value a line, numbers as numpy and text as strings.

    `typed`: a visitor typed the texts; they hold no symbols of ours. `kind` is the quantity of numbers that can be
    asked where they come from, and `made` says the arithmetic of a line's. `formula` is a formula with its section,
    of numbers that are no quantity of the table of kinds.
    """

    label: str
    values: NDArray | list[str]
    typed: bool = False
    kind: str = ""
    made: Made | None = None
    formula: Kind | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """A caption and columns of equal length."""

    caption: str
    columns: list[Column]


def table(name: str, result: AttentionResult, view: View | None = None) -> Table:
    """Return the table behind the figure `name`. Raise KeyError if there is no such figure."""
    return _TABLES[name](result, view or View())


def difference_table(a: AttentionResult, b: AttentionResult, view: View) -> Table:
    """List, for each head that A and B share, both mean entropies and, if the shapes match, the largest change of a
    cell.
    """
    lang = view.lang
    h = min(a.scaled.shape[0], b.scaled.shape[0])
    columns = [
        _column(lang, "head", np.arange(1, h + 1)),
        _column(lang, "entropy_a", mean_over_rows(a, "entropy")[:h].numpy(), "entropy", of_head.mean(a, "entropy")),
        _column(lang, "entropy_b", mean_over_rows(b, "entropy")[:h].numpy(), "entropy", of_head.mean(b, "entropy")),
    ]
    difference = change(a, b, view.stage)
    if difference is not None:
        largest = difference.abs().nan_to_num(-1.0).amax((1, 2)).double()  # −1: no number at all
        values = largest.masked_fill(largest < 0, np.nan).numpy()
        columns.append(_column(lang, "change", values, "change", _changed(a, b, view.stage, values)))
    colours = compared_colours(a, b, difference, view)
    return Table(" ".join([text(lang, "table.compare.caption"), *colours]), columns)


def _changed(a: AttentionResult, b: AttentionResult, stage: str, values: NDArray) -> Made:
    difference = change(a, b, stage)
    assert difference is not None  # the column is there

    def made(head: int) -> Message | None:
        if np.isnan(values[head]):
            return None
        query, key = of_cell.largest_change(difference, head)
        before, after = (float(visible(one, stage)[head, query, key]) for one in (a, b))
        return of_cell.change(before, after, float(values[head]), query, key)

    return made


def _column(lang: str, key: str, values: NDArray | list[str], kind: str = "", made: Made | None = None) -> Column:
    return Column(text(lang, f"table.{key}"), values, kind=kind, made=made)


def _heads(result: AttentionResult, view: View) -> Column:
    return _column(view.lang, "head", np.arange(1, result.weights.shape[0] + 1))


def _mean(result: AttentionResult, view: View, each: RowStatistic) -> Column:
    values = mean_over_rows(result, each.name).numpy()
    return Column(mean_label(view.lang, each), values, kind=each.name, made=of_head.mean(result, each.name))


def _locked(result: AttentionResult, view: View, statistics: Sequence[RowStatistic]) -> list[Column]:
    """Return the values of the locked row, head by head; no columns if no row is locked."""
    row = view.locked(result.weights.shape[1])
    if row is None:
        return []

    def made(each: RowStatistic) -> Made:
        return lambda head: of_result.of_row(result, each.name, head, row)

    return [
        Column(
            locked_label(view.lang, each),
            result.statistic(each.name)[:, row].numpy(),
            kind=each.name,
            made=made(each),
        )
        for each in statistics
    ]


def _tokens(result: AttentionResult, view: View) -> list[Column]:
    return [] if result.tokens is None else [Column(text(view.lang, "table.token"), list(result.tokens), typed=True)]


def _heat_maps(result: AttentionResult, view: View) -> Table:
    """List each head's largest cell and its position or, if a row is locked, every key of that row."""
    lang = view.lang
    h, n_q, n_k = result.weights.shape
    if view.locked(n_q) is not None:
        return _row_weights(result, view, maps=True)
    stage, told = view.stage, colours(result, view)
    values = visible(result, stage)
    if hides(result, stage) and result.mask is not None:
        values = values.masked_fill(~result.mask, -np.inf)
    cells = values.flatten(1).numpy()
    marks = result.marks(stage)
    if marks is not None:
        cells = np.where(np.isfinite(cells), cells, -np.inf)
    where = cells.argmax(-1)  # the first of several; a tenth of the time of torch's maximum with its index
    name = "largest_weight" if stage == "weights" else "largest_value"
    kind = {"weights": "weight", "scores": "product"}.get(stage, "score")

    largest = cells[np.arange(h), where]
    largest = np.where(np.isneginf(largest), np.nan, largest)  # no key, or no number

    def made(head: int) -> Message | None:
        return (
            None if np.isnan(largest[head]) else of_cell.of_stage(result, stage, head, *divmod(int(where[head]), n_k))
        )

    columns = [
        _heads(result, view),
        _mean(result, view, SPREAD_MEANS[0]),
        _column(lang, name, largest, kind, made),
        _column(lang, "at_query", where // n_k),
        _column(lang, "at_key", where % n_k),
    ]
    if marks is not None:
        columns += [
            _column(
                lang, f"marks.{name}", (marks == code).flatten(1).sum(-1).numpy(), "format_count", _counted(n_q, n_k)
            )
            for code, name in enumerate(MARKS, 1)
            if (marks == code).any()
        ]
    caption = text(lang, "table.heat_maps.caption", stage=quantity(result, view))
    return Table(" ".join([caption, *told]), columns)


def _counted(n_q: int, n_k: int) -> Made:
    return lambda head: message("reason.made.format_cells", h=1, n_q=n_q, n_k=n_k)


def _row_weights(result: AttentionResult, view: View, *, maps: bool = False) -> Table:
    """List every key of the locked row (else the last); the caption tells of the colours if it is the `maps`' table."""
    lang = view.lang
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    weights, scores = result.weights[head - 1, row].numpy(), result.scaled[head - 1, row].numpy()
    allowed = np.ones(n_k, bool) if result.mask is None else result.mask[row].numpy()
    columns = [
        _column(lang, "key", np.arange(n_k)),
        *_tokens(result, view),
        _column(lang, "score", np.where(allowed, scores, np.nan), "score", _of_row(result, "masked", view)),
        _column(lang, "weight", np.where(allowed, weights, np.nan), "weight", _of_row(result, "weights", view)),
    ]
    marks = result.marks("weights")
    if marks is not None:
        words = ["", *(text(lang, f"figure.marks.{name}") for name in MARKS)]
        columns.append(_column(lang, "marks.mark", [words[code] for code in marks[head - 1, row].tolist()]))
    caption = text(lang, "table.heat_maps.row_caption", head=head, query=row)
    return Table(" ".join([caption, *colours(result, view)] if maps else [caption]), columns)


def _of_row(result: AttentionResult, stage: str, view: View) -> Made:
    """Return the arithmetic of each key's cell of the row in detail."""
    row, head = view.inspected(result.weights.shape[1]), view.single(result.weights.shape[0]) - 1
    return lambda key: of_cell.of_stage(result, stage, head, row, key)


def _score_distribution(result: AttentionResult, view: View) -> Table:
    lang, h = view.lang, result.weights.shape[0]
    columns = [
        _heads(result, view),
        _column(lang, "mean", result.score_mean.numpy(), "score_mean", of_head.score_mean(result)),
        _column(lang, "variance", result.score_variance.numpy(), "score_variance", of_head.score_variance(result)),
    ]
    mean, variance = result.predicted_mean, result.predicted_variance
    if variance is not None and mean is not None:
        config = result.config
        columns += [
            _column(lang, "predicted_mean", np.full(h, mean), "predicted_mean", lambda _: of_result.no_mean(config)),
            _column(
                lang,
                "predicted_variance",
                np.full(h, variance),
                "predicted_variance",
                lambda _: of_result.predicted_of(config, exact(variance)),
            ),
        ]
    return Table(text(lang, "table.score_distribution.caption"), columns)


def _entropy(result: AttentionResult, view: View) -> Table:
    lang, five = view.lang, box_numbers(result, "entropy")
    names = ("least", "lower_quartile", "median", "upper_quartile", "greatest")
    columns = [_heads(result, view), _mean(result, view, SPREAD_MEANS[0])]
    columns += [
        _column(lang, name, values, "entropy", of_head.quantile(result, "entropy", place))
        for place, (name, values) in enumerate(zip(names, five, strict=True))
    ]
    columns += [_mean(result, view, each) for each in SPREAD_MEANS[1:]]
    columns += _locked(result, view, SPREAD_BOXES)
    return Table(text(lang, "table.entropy.caption"), columns)


def _gradient(result: AttentionResult, view: View) -> Table:
    lang, columns = view.lang, [_heads(result, view)]
    columns += [
        Column(
            median_label(lang, each),
            box_numbers(result, each.name)[2],
            kind=each.name,
            made=of_head.quantile(result, each.name, 2),
        )
        for each in GRADIENT_BOXES
    ]
    columns += _locked(result, view, GRADIENT_BOXES)
    return Table(text(lang, "table.gradient.caption"), columns)


def _jacobian(result: AttentionResult, view: View) -> Table:
    """List for each key its weight, the response to its own score, and the strongest to another key's score."""
    lang = view.lang
    h, n_q, n_k = result.weights.shape
    row, head = view.inspected(n_q), view.single(h)
    weights, matrix = result.weights[head - 1, row], result.jacobian(head, row)
    own, strongest = matrix.diagonal(), (matrix - matrix.diagonal().diag()).amin(-1)

    def response(values: Tensor, said: Callable[[float, float], Message]) -> Made:
        return lambda key: None if values[key].isnan() else said(float(weights[key]), float(values[key]))

    columns = [
        _column(lang, "key", np.arange(n_k)),
        *_tokens(result, view),
        _column(lang, "weight", weights.numpy(), "weight", _of_row(result, "weights", view)),
        _column(lang, "own", own.numpy(), "own_response", response(own, of_cell.own_response)),
        _column(
            lang,
            "strongest",
            strongest.numpy(),
            "other_response",
            response(strongest, of_cell.other_response),
        ),
    ]
    return Table(text(lang, "table.jacobian.caption", head=head, query=row), columns)


_TABLES: Final[Mapping[str, Callable[[AttentionResult, View], Table]]] = MappingProxyType(
    {
        "heat-maps": _heat_maps,
        "score-distribution": _score_distribution,
        "entropy": _entropy,
        "gradient": _gradient,
        "row-weights": _row_weights,
        "jacobian": _jacobian,
    }
)
