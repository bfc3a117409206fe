"""Snapshots of a curve during its training: one value for each seed, in the order of `seeds`."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from attention_core.experiments.heads import HeadsCurve
from attention_core.experiments.quality import QualityCurve

__all__ = ["HeadsSnapshot", "QualitySnapshot", "Snapshot"]


@dataclass(frozen=True, eq=False)
class QualitySnapshot:
    """A curve of experiment 1, measured on held-out examples except `projection_gradient`. L is the row's own loss.

    accuracy             share of right answers
    entropy              mean over the rows, nats
    score_gradient       median over the rows of |dL/ds| at the correct key
    score_gradient_norm  median over the rows of ‖dL/ds‖
    projection_gradient  ‖(dL/dW_Q, dL/dW_K)‖ on the next training batch: it may grow while the two above vanish
    """

    curve: QualityCurve
    seeds: tuple[int, ...]
    step: int
    steps: int
    accuracy: Float[Tensor, " S"]
    entropy: Float[Tensor, " S"]
    score_gradient: Float[Tensor, " S"]
    score_gradient_norm: Float[Tensor, " S"]
    projection_gradient: Float[Tensor, " S"]


@dataclass(frozen=True, eq=False)
class HeadsSnapshot:
    """A curve of experiment 2, measured on held-out examples.

    accuracy          share of right answers
    all_right         share of examples with all m answers right
    divergence        mean pairwise Jensen–Shannon divergence of the heads' weights, bits; NaN for one head
    start_divergence  the same before the first step, since random heads differ too
    mass              mean weight of each head on each named position
    maps              mean weights of each head; row p of map r is for examples whose r-th name is position p
    """

    curve: HeadsCurve
    seeds: tuple[int, ...]
    step: int
    steps: int
    accuracy: Float[Tensor, " S"]
    all_right: Float[Tensor, " S"]
    divergence: Float[Tensor, " S"]
    start_divergence: Float[Tensor, " S"]
    mass: Float[Tensor, "S h m"]
    maps: Float[Tensor, "S h m positions positions"]


Snapshot = QualitySnapshot | HeadsSnapshot
