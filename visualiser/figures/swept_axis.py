"""What differs between curves over d_k and over the number of keys: measures, axes, lines of theory, captions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attention_core import LengthsConfig, SweepConfig
from attention_core.blocks.row_statistics import statistic
from attention_core.studies import lengths, sweep
from visualiser import theme
from visualiser.drawing.curves import reference
from visualiser.drawing.drawing import Trace
from visualiser.figures.swept import Plan
from visualiser.locale import text


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis along which curves run.

    name        its symbol, and its column in the table
    measures    one panel each
    kinds       the measures that are quantities of another name
    columns     panels in a row
    decades     measures on a logarithmic axis, with its range in powers of ten before the first point
    tops        where some of these end at the latest, in powers of ten
    most        the largest value of another measure
    predicted   what a logarithmic axis must hold besides the points
    references  lines that were not measured
    title       the text below a panel
    hover       the text at a point
    column      the text that heads the column of the curves' names
    caption     the text above the table
    facts       facts of that text besides the seeds
    widths      the widths of a plan
    keys        its largest number of keys
    """

    name: str
    measures: tuple[str, ...]
    kinds: Mapping[str, str]
    columns: int
    decades: Mapping[str, tuple[float, float]]
    tops: Mapping[str, float]
    most: Callable[[str, Any], float]
    predicted: Callable[[str, Any], list[np.ndarray]]
    references: Callable[[Any, str], list[Trace]]
    title: str
    hover: str
    column: str
    caption: str
    facts: Callable[[Any], Mapping[str, Any]]
    widths: Callable[[Any], tuple[int, ...]]
    keys: Callable[[Any], int]


def _most(measure: str, config: SweepConfig) -> float:
    return statistic(measure).most_of(config.n)


def _footnote(measure: str, config: SweepConfig) -> list[np.ndarray]:
    return [np.array([1.0, config.d_ks[-1]])] if measure == "variance" else []


def _of_widths(config: SweepConfig, lang: str) -> list[Trace]:
    """Draw footnote 4 for scores without a factor (d_k) and with 1/√d_k (1), and the most that a measure can be.

    d_k · cos θ of random directions has the same variance: the mean of cos² θ is 1/d_k.
    """
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


def _even(measure: str, config: LengthsConfig) -> list[np.ndarray]:
    return [np.array([1.0, 1 / config.ns[-1]])]


def _of_lengths(config: LengthsConfig, lang: str) -> list[Trace]:
    """Draw uniform rows, and the expected entropy of many Gaussian scores where it is near, each ÷ the largest."""
    ns = np.array(config.ns, dtype=np.float64)
    x, y = [], []
    for curve in config.curves:
        expected = [lengths.expected_entropy_share(config.attention(curve, 0, n)) for n in config.ns]
        x += [*ns, np.nan]
        y += [*(np.nan if one is None else one for one in expected), np.nan]
    uniform = text(lang, "figure.sweep.uniform")
    return [
        reference(text(lang, "figure.sweep.expected"), x[:-1], y[:-1], "dash", 1, theme.THEORY),
        reference(uniform, ns, 1 / ns, "dot", 0),
        reference(uniform, ns, np.ones(len(ns)), "dot", 1, legend=False),
    ]


D_K: Final = Axis(
    name="d_k",
    measures=sweep.MEASURES,
    kinds={"variance": "score_variance", "gradient": "score_gradient", "gradient_norm": "score_gradient_norm"},
    columns=3,
    decades={"variance": (-1.0, 4.0), "gradient": (-3.0, 0.0), "gradient_norm": (-3.0, 0.0)},
    tops={},
    most=_most,
    predicted=_footnote,
    references=_of_widths,
    title="figure.sweep.x",
    hover="figure.sweep.hover",
    column="table.mechanism",
    caption="table.sweep.caption",
    facts=lambda config: {"n": config.n},
    widths=lambda config: config.d_ks,
    keys=lambda config: config.n,
)
KEYS: Final = Axis(
    name="n",
    measures=lengths.MEASURES,
    kinds={"largest_weight": "largest_of_row", "entropy_share": "share_of_ceiling"},  # with a sink or without
    columns=2,
    decades={"largest_weight": (-4.0, 0.0)},
    tops={"largest_weight": 0.0},
    most=lambda measure, config: 1.0,
    predicted=_even,
    references=_of_lengths,
    title="figure.sweep.keys",
    hover="figure.sweep.hover_keys",
    column="table.series",
    caption="table.sweep.caption_keys",
    facts=lambda config: {"d_k": config.d_k, "queries": lengths.QUERIES},
    widths=lambda config: (config.d_k,),
    keys=lambda config: config.ns[-1],
)

_AXES: Final[Mapping[type, Axis]] = {SweepConfig: D_K, LengthsConfig: KEYS}


def axis_of(config: Plan) -> Axis:
    """Return the axis along which the curves of a plan run."""
    return _AXES[type(config)]
