"""Footnote 4 beside learned heads.

For independent components of mean 0 and variance 1 it puts the variance of q·k at d_k. Learned ones are neither.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from jaxtyping import Float
from torch import Tensor

from attention_core.learned.head_totals import head_measures
from attention_core.learned.run import ModelRun

__all__ = ["NEAR", "FootnoteFour", "footnote_4"]

NEAR: Final = 2.0
"""A variance agrees with the footnote between d_k / `NEAR` and d_k · `NEAR`."""


@dataclass(frozen=True)
class FootnoteFour:
    """The heads' Var(q·k)/d_k, which the footnote puts at 1.

    heads    that have a variance
    near     of them those within the factor `NEAR` of 1, its ends included
    median   of all; the mean of the two in the middle for an even number
    largest  of all, at `layer` and `head`, both from 1; the first one of equal ones
    """

    heads: int
    near: int
    median: float
    largest: float
    layer: int
    head: int


def footnote_4(measured: "ModelRun | Mapping[str, Float[Tensor, 'layers h']]") -> FootnoteFour | None:
    """Return how a model's heads stand to footnote 4; None if no head has a variance, as without Q and K.

    Parameters
    ----------
    measured
        A run, or the measures of `head_measures`, `mean_measures` or `CorpusMeasures.means`.
    """
    ratios = (head_measures(measured, frozenset()) if isinstance(measured, ModelRun) else measured)["variance"]
    found = [
        (ratio, layer, head)
        for layer, row in enumerate(ratios.tolist(), start=1)
        for head, ratio in enumerate(row, start=1)
        if not math.isnan(ratio)
    ]
    if not found:
        return None
    ordered = sorted(ratio for ratio, _, _ in found)
    median = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    largest, layer, head = max(found, key=lambda one: one[0])
    near = sum(1 / NEAR <= ratio <= NEAR for ratio in ordered)
    return FootnoteFour(len(found), near, median, largest, layer, head)
