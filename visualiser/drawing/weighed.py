"""What figures and sentences have to know of a normalisation beside its numbers, one value each."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import torch
from torch import Tensor

from attention_core import AttentionConfig, AttentionResult, normalisations, treatments
from attention_core.result.dense import DenseCells
from visualiser.drawing.once import once

FAINT: Final = 100.0
"""A key is faint if it gets less than the largest weight of its row divided by this."""


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """What is drawn and said of the weights of one normalisation.

    faint     (the largest masked score of each row, its weight, the keys of the sequence) → the score below which a
              key is faint
    complete  True if the weights of a row that sees a key add up to 1, so that a lone key has the weight 1
    spread    True if a row is a distribution, of keys alone or of keys and a sink, so that it has an entropy
    own       sentences on number formats in words of its own, by the key of the softmax's and _NORMALISATION
    """

    faint: Callable[[Tensor, Tensor, int], Tensor]
    complete: bool
    spread: bool = True
    own: frozenset[str] = frozenset()


def _below(largest: Tensor, weight: Tensor, n_k: int) -> Tensor:
    """Weights of e^s over one denominator: the score lies ln 100 below the largest."""
    return largest - math.log(FAINT)


def _gate(largest: Tensor, weight: Tensor, n_k: int) -> Tensor:
    """σ(s − ln n) = g/100, solved for s; g from its score, since a small gate may be 0 in float32."""
    faint = torch.nn.functional.logsigmoid(largest.double() - math.log(n_k)) - math.log(FAINT)
    return (faint - torch.log1p(-faint.exp()) + math.log(n_k)).to(largest)


def _root(largest: Tensor, weight: Tensor, n_k: int) -> Tensor:
    """[s/2 − τ]² = p/100, where p is that of the largest score: √p falls by half the distance to it."""
    return largest - 2 * weight.sqrt() * (1 - FAINT**-0.5)


_WEIGHED: Final[Mapping[str, Weighed]] = MappingProxyType(
    {
        "softmax": Weighed(faint=_below, complete=True),
        "sink": Weighed(
            faint=_below,
            complete=False,
            own=frozenset(
                ("insight.format.broken_sink", "insight.format.cost_sink", "insight.format.cost_sound_sink"),
            ),
        ),
        "sigmoid": Weighed(
            faint=_gate,
            complete=False,
            spread=False,
            own=frozenset(
                (
                    *("insight.format.broken_sigmoid", "insight.format.cost_sigmoid"),
                    *("insight.format.cost_sound_sigmoid", "insight.format.lost_sigmoid"),
                    *("insight.format.both_sigmoid", "table.broken_sigmoid", "brief.broken_sigmoid"),
                    "table.row_nan_sigmoid",
                )
            ),
        ),
        "entmax": Weighed(
            faint=_root,
            complete=True,
            own=frozenset(("insight.format.lost_entmax", "insight.format.both_entmax")),
        ),
    }
)


def weighed(config: AttentionConfig) -> Weighed:
    """Return what is drawn and said of the config's weights.

    Raises `InvalidInput` (`unknown_choice`) for a normalisation of which nothing is known here.
    """
    return normalisations.chosen(config, _WEIGHED)


def worded(config: AttentionConfig, key: str) -> str:
    """Return the key of a sentence on number formats in the words of the config's weights."""
    own = f"{key}_{config.normalisation}"
    return own if own in weighed(config).own else key


def is_plain(config: AttentionConfig) -> bool:
    """Return True for a softmax of the scaled scores themselves, about which most is known. Raises as `weighed`."""
    weighed(config)
    return normalisations.of(config).softmax and not treatments.acting(config)


@once
def faint_below(result: AttentionResult) -> Tensor:
    """Return h × n_q: the masked score below which a key of the row is faint; −∞ in a row without keys."""
    # a dense result already has the largest scores from its other statistics
    rows = result.cells.rows if isinstance(result.cells, DenseCells) else None
    largest = result.masked.amax(-1) if rows is None else rows.sums.largest.to(rows.dtype)
    found = weighed(result.config).faint(largest, result.statistic("largest_weight"), result.weights.shape[-1])
    return found.masked_fill(largest == -torch.inf, -torch.inf)
