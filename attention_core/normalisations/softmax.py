"""e^s / Σ e^s, the softmax of equation 1."""

from collections.abc import Mapping

import torch
from torch import Tensor

from attention_core.blocks.weighing import Exponentials
from attention_core.config import AttentionConfig
from attention_core.exact.formats import softmax_in_format
from attention_core.exact.jacobian import softmax_jacobian
from attention_core.exact.row_sums import SummedRows, row_sums
from attention_core.exact.softmax import masked_softmax, softmax
from attention_core.exact.weighed_rows import weighed_rows
from attention_core.normalisations.normalisation import InFormat, Normalisation, WalkedWeights


def _walked(config: AttentionConfig, masked: Tensor, weights: Tensor) -> Mapping[str, Tensor]:
    maximum = masked.amax(-1, keepdim=True)
    # A row without keys has no maximum to subtract: its exponentials are exp(−inf) = 0 already.
    shifted = masked - maximum.masked_fill(maximum == -torch.inf, 0.0)
    exponentials = shifted.exp()
    return {
        "maximum": maximum,
        "shifted": shifted,
        "exponentials": exponentials,
        "sums": exponentials.sum(-1, keepdim=True),
    }


NORMALISATION = Normalisation(
    weights=lambda config, masked, mask: softmax(masked, mask),
    kind=SummedRows,
    rows=lambda config, masked, keys, scaled, curve: SummedRows(row_sums(masked, scaled, curve), keys, masked.dtype),
    passes=lambda config, n_k, curve: Exponentials(curve=curve),
    jacobian=lambda config, masked: softmax_jacobian(masked_softmax(masked.unsqueeze(0)).squeeze(0)),
    in_format=InFormat(
        steps=lambda config, masked: softmax_in_format(masked, config.subtract_max),
        rows=lambda config, masked, weights, keys, beside, scaled, curve: weighed_rows(
            masked, weights, keys, scaled=scaled, curve=curve
        ),
        jacobian=softmax_jacobian,
    ),
    walk=WalkedWeights(
        tensors=_walked,
        steps=("exponentials",),
        box="softmax",
        formulas={
            "maximum": "max sᵢⱼ",
            "shifted": "sᵢⱼ − max sᵢⱼ",
            "exponentials": "exp(sᵢⱼ − max sᵢⱼ)",
            "sums": "Σ exp(sᵢⱼ − max sᵢⱼ)",
            "weights": "pᵢⱼ = exp(sᵢⱼ) / Σ exp(sᵢⱼ)",
        },
        section="attention",
    ),
    softmax=True,
)
