"""Why the curves differ, read before the first step: where the gradient is large and where it vanishes.

At the scores it vanishes as d_k grows without scaling. At W_Q and W_K its norm grows instead: it carries
‖k‖ ~ √d_k, and the few rows that are not saturated dominate it. To plot that norm alone would teach the
opposite of what happens.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median

from attention_core.experiments.curves import train_curve
from attention_core.experiments.quality import QualityCurve, QualityExperiment
from attention_core.experiments.snapshots import QualitySnapshot


@dataclass(frozen=True)
class InitialGradients:
    """One mechanism at one d_k before training: medians over the seeds of the rows' medians, mean over the seeds.

    score_gradient       |dL/ds| at the correct key, L being the row's own loss
    score_gradient_norm  ‖dL/ds‖
    projection_gradient  ‖(dL/dW_Q, dL/dW_K)‖ on a batch
    """

    curve: QualityCurve
    seeds: tuple[int, ...]
    score_gradient: float
    score_gradient_norm: float
    projection_gradient: float


def initial_gradients(experiment: QualityExperiment, seeds: Sequence[int] | None = None) -> Iterator[InitialGradients]:
    """The gradients of every curve at its initialisation; nothing is trained."""
    for curve in experiment.curves:
        first = next(train_curve(replace(experiment, steps=1), curve, seeds))
        assert isinstance(first, QualitySnapshot)  # a quality experiment's curves have no other
        yield InitialGradients(
            curve,
            first.seeds,
            median(first.score_gradient.tolist()),
            median(first.score_gradient_norm.tolist()),
            mean(first.projection_gradient.tolist()),
        )
