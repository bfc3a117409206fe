"""Entmax with α = 1.5, [s/2 − τ]₊²: most keys get exactly 0 (arXiv 1905.05702). It needs a row's scores at once."""

from collections.abc import Mapping

import torch
from torch import Tensor

from attention_core.blocks.row_statistics import Limit, Limits, constant
from attention_core.config import AttentionConfig
from attention_core.exact.entmax import SparseRows, entmax, entmax_jacobian, root_sums, roots
from attention_core.exact.entmax_in_format import entmax_in_format, roots_jacobian, weighed_roots
from attention_core.normalisations.normalisation import InFormat, Normalisation, WalkedWeights

_ZERO = Limit("0", constant(0.0))
_NORM = Limit("√(1 − 1/k)", lambda keys: (1 - 1 / keys).sqrt())
_TRACE = Limit("√k − 1/√k", lambda keys: keys.sqrt() - 1 / keys.sqrt())


def _walked(config: AttentionConfig, masked: Tensor, weights: Tensor) -> Mapping[str, Tensor]:
    """τ is half the largest score less its root; the roots are exact, so they are not formed by that difference."""
    found = roots(masked.double())
    threshold = (found.largest / 2 - found.top).masked_fill(found.largest == -torch.inf, 0.0)
    return {"halved": masked / 2, "threshold": threshold.to(masked), "roots": found.every.to(masked)}


NORMALISATION = Normalisation(
    weights=lambda config, masked, mask: entmax(masked),
    kind=SparseRows,
    rows=lambda config, masked, keys, scaled, curve: SparseRows(root_sums(masked, scaled, curve), keys, masked.dtype),
    jacobian=lambda config, masked: entmax_jacobian(masked),
    in_format=InFormat(
        steps=lambda config, masked: entmax_in_format(masked, config.subtract_max),
        rows=lambda config, masked, weights, keys, beside, scaled, curve: weighed_roots(
            masked, weights, keys, scaled, curve
        ),
        jacobian=lambda weights, beside: roots_jacobian(weights),
        zeros=True,
    ),
    walk=WalkedWeights(
        tensors=_walked,
        steps=("halved", "roots"),
        box="entmax",
        formulas={
            "halved": "sᵢⱼ / 2",
            "threshold": "τᵢ: Σ [sᵢⱼ / 2 − τᵢ]₊² = 1",
            "roots": "uᵢⱼ = [sᵢⱼ / 2 − τᵢ]₊",
            "weights": "pᵢⱼ = uᵢⱼ² = [sᵢⱼ / 2 − τᵢ]₊²",
        },
        section="entmax",
    ),
    bounds={
        "jacobian_norm": Limits(_ZERO, _NORM, _NORM),
        "jacobian_trace": Limits(_ZERO, _TRACE, _TRACE),
    },
    seconds=8e-8,
    room=3 * 2**20,
)
