"""The gradients before the first step, which explain why the curves differ.

Without scaling the gradient at the scores vanishes as d_k grows. Its norm at W_Q and W_K grows instead: it has a factor
‖k‖ ~ √d_k, and the few unsaturated rows dominate it. A plot of that norm alone would suggest the opposite of what
happens.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median

from attention_core.experiments.curves import train_curve
from attention_core.experiments.quality import QualityCurve, QualityExperiment
from attention_core.experiments.snapshots import QualitySnapshot

__all__ = ["initial_gradients"]


@dataclass(frozen=True)
class InitialGradients:
    """The gradients of one mechanism at one d_k before training. L is the row's own loss.

    score_gradient       |dL/ds| at the correct key, median over the seeds of the rows' medians
    score_gradient_norm  ‖dL/ds‖, the same
    projection_gradient  ‖(dL/dW_Q, dL/dW_K)‖ on a batch, mean over the seeds
    """

    curve: QualityCurve
    seeds: tuple[int, ...]
    score_gradient: float
    score_gradient_norm: float
    projection_gradient: float


def initial_gradients(experiment: QualityExperiment, seeds: Sequence[int] | None = None) -> Iterator[InitialGradients]:
    """Yield the gradients of every curve at its initialisation, without training."""
    for curve in experiment.curves:
        first = next(train_curve(replace(experiment, steps=1), curve, seeds))
        assert isinstance(first, QualitySnapshot)  # the type of every curve of a quality experiment
        yield InitialGradients(
            curve,
            first.seeds,
            median(first.score_gradient.tolist()),
            median(first.score_gradient_norm.tolist()),
            mean(first.projection_gradient.tolist()),
        )
