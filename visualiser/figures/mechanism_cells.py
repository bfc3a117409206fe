"""The arithmetic of the numbers in the tables of mechanisms, factors, number formats and seeds."""

import math
from collections.abc import Sequence

from numpy.typing import NDArray

from attention_core import LengthPoint, SoftmaxAccuracy, SweepPoint
from attention_core.config import SCALED
from visualiser.figures.point import Results
from visualiser.locale import exact, number
from visualiser.locale.message import Message, message
from visualiser.reasons import of_head, of_scores, of_seeds
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.of_head import Made


def mean(found: Results, name: str) -> Made:
    """Return the arithmetic of a statistic's mean over the rows of each mechanism's head."""
    results = list(found.values())
    return lambda line: of_head.mean(results[line], name)(0)


def score_mean(found: Results) -> Made:
    """Return the arithmetic of the mean of each mechanism's scores."""
    results = list(found.values())
    return lambda line: of_head.score_mean(results[line])(0)


def score_variance(found: Results) -> Made:
    """Return the arithmetic of the variance of each mechanism's scores."""
    results = list(found.values())
    return lambda line: of_head.score_variance(results[line])(0)


def predicted(found: Results) -> Made:
    """Return the arithmetic of footnote 4's variance, if it has one."""
    results = list(found.values())

    def made(line: int) -> Message | None:
        value = results[line].predicted_variance
        return None if value is None else of_scores.predicted_of(results[line].config, exact(value))

    return made


def factor(found: Results) -> Made:
    """Return the arithmetic of each mechanism's factor; additive attention has none."""
    results = list(found.values())

    def made(line: int) -> Message | None:
        config = results[line].config
        if not SCALED[config.mechanism]:
            return None
        if config.scaling == "sqrt_d_k":
            return message("reason.made.root_factor", d_k=config.d_k, value=float(config.factor))
        if config.scaling == "none":
            return message("reason.made.unscaled")
        return message("reason.made.control", name="scaling")

    return made


def tried(factors: NDArray) -> Made:
    """Return the arithmetic of the factors that are tried, quarters of an octave apart."""

    def made(line: int) -> Message:
        value = float(factors[line])
        return message("reason.made.octaves", quarters=number(round(4 * math.log2(value))), value=value)

    return made


def mean_of(values: NDArray, rows: int) -> Made:
    """Return the arithmetic of means over so many rows."""

    def made(line: int) -> Message:
        value = float(values[line])
        total = consistent_digits(value, lambda sum: sum / rows, sum=value * rows)
        return message("reason.made.mean_of_rows", value=value, rows=rows, **total)

    return made


def losses(found: Sequence[SoftmaxAccuracy], name: str) -> Made:
    """Return the arithmetic of a number of each line of the number formats: counts, sums and errors of a row."""
    rows = found[0].total.shape[-1]

    def made(line: int) -> Message:
        one, row = found[line // rows], line % rows
        keys, value = rows, getattr(one, name)[0, row].item()
        if name in ("total", "error"):
            return message(f"reason.made.row.{name}", keys=keys, value=value)
        return message("reason.made.row.count", keys=keys, format=one.dtype)

    return made


def seeds(points: Sequence[SweepPoint] | Sequence[LengthPoint], measure: str, kind: str, place: int) -> Made:
    """Return the arithmetic of a measure's middle, least or greatest value over the seeds."""

    def made(line: int) -> Message:
        values = points[line].per_seed(measure).tolist()
        value = points[line].spread(measure)[place]
        if place:
            return message(f"reason.made.end.{('least', 'most')[place - 1]}", value=value, seeds=len(values))
        by = of_seeds.median if measure in MEDIANS else of_seeds.mean
        return by(kind, values, value).made

    return made


MEDIANS = ("gradient", "gradient_norm")
"""The measures whose middle is a median."""
