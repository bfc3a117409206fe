"""The arithmetic of the numbers of one head or one column of rows: means, ranks, moments of scores."""

import math
from collections.abc import Callable

from torch import Tensor

from attention_core import AttentionResult
from visualiser.drawing.boxes import box_numbers, mean_over_rows, open_rows
from visualiser.drawing.saturation import allowed_scores
from visualiser.locale import number
from visualiser.locale.message import Message, message
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.of_rows import averaged

Made = Callable[[int], Message | None]
"""Return the arithmetic of a line of a column; None if the cell has none."""

PLACES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The least, the quartiles and the greatest, as shares of the way through the ordered values."""


def rows_of(result: AttentionResult, name: str, head: int) -> Tensor:
    """Return a statistic of a head (from 0) over its rows that have a key and are distributions."""
    values, rows = result.statistic(name)[head], open_rows(result)
    found = (values if rows is None else values[rows]).double()
    return found if result.broken is None else found[~found.isnan()]


def mean(result: AttentionResult, name: str) -> Made:
    """Return the arithmetic of a statistic's mean over the rows of each head."""

    def made(head: int) -> Message:
        return averaged(name, float(mean_over_rows(result, name)[head]), rows_of(result, name, head)).made

    return made


def quantile(result: AttentionResult, name: str, place: int) -> Made:
    """Return the arithmetic of one of the five numbers of each head's box, by its place in `PLACES`."""

    def made(head: int) -> Message:
        return ranked(rows_of(result, name, head), PLACES[place], float(box_numbers(result, name)[place, head]))

    return made


def ranked(values: Tensor, share: float, value: float) -> Message:
    """Name which of the ordered values a quantile is, or between which two it lies."""
    count = values.numel()
    if not count:
        return message("reason.made.no_row", value=value)
    ordered, way = values.sort().values, share * (count - 1)
    below = math.floor(way)
    low, part = float(ordered[below]), way - below
    high = low + (value - low) / part if part else low  # the rank above, as float32 has rounded what lies between
    if number(low) == number(value) or not part:
        return message("reason.made.ranked", value=value, rank=below + 1, rows=count)
    terms = consistent_digits(value, lambda low, high: low + part * (high - low), low=low, high=high)
    ranks = {"rank": below + 1, "next": below + 2, "rows": count}
    return message("reason.made.between", value=value, part=part, **ranks, **terms)


def score_mean(result: AttentionResult) -> Made:
    """Return the arithmetic of the mean of each head's scores."""

    def made(head: int) -> Message | None:
        value = float(result.score_mean[head])
        return None if math.isnan(value) else summed("reason.made.mean_of_scores", value, _count(result, head))

    return made


def score_variance(result: AttentionResult) -> Made:
    """Return the arithmetic of the variance of each head's scores."""

    def made(head: int) -> Message | None:
        average, value = float(result.score_mean[head]), float(result.score_variance[head])
        if math.isnan(value):
            return None
        return summed("reason.made.variance_of_scores", value, _count(result, head), mean=average)

    return made


def summed(key: str, value: float, count: int, **more: float) -> Message:
    """Explain a mean by its sum and its count."""
    count = max(1, count)
    total = consistent_digits(value, lambda sum: sum / count, sum=value * count)
    return message(key, value=value, count=count, **more, **total)


def over(value: float) -> Message:
    """Explain a row's largest weight: its exponential is 1 once its score is subtracted."""
    return message(
        "reason.made.largest_row", value=value, **consistent_digits(value, lambda sum: 1 / sum, sum=1 / value)
    )


def _count(result: AttentionResult, head: int) -> int:
    return int(allowed_scores(result)[head].isfinite().sum())
