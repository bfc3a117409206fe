"""σ(s − ln n), n the keys of the sequence: each key by itself, so a row need not add up to 1 (arXiv 2409.04431)."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from attention_core.blocks.row_statistics import Limit, Limits, constant
from attention_core.blocks.weighing import Gates
from attention_core.config import AttentionConfig
from attention_core.exact.formats import gates_in_format
from attention_core.exact.gates import GatedRows, gate_sums, gates, gates_jacobian
from attention_core.exact.weighed_rows import weighed_gates
from attention_core.normalisations.normalisation import InFormat, Normalisation, WalkedWeights

_ZERO, _ONE = (Limit(str(value), constant(float(value))) for value in (0, 1))
_KEYS = Limit("k", lambda keys: keys)


def _walked(config: AttentionConfig, masked: Tensor, weights: Tensor) -> Mapping[str, Tensor]:
    return {"lowered": masked - math.log(masked.shape[-1]), "mass": weights.sum(-1, keepdim=True)}


NORMALISATION = Normalisation(
    weights=lambda config, masked, mask: gates(masked),
    kind=GatedRows,
    rows=lambda config, masked, keys, scaled, curve: GatedRows(
        gate_sums(masked, masked.shape[-1], scaled, curve), keys, masked.dtype, masked.shape[-1]
    ),
    passes=lambda config, n_k, curve: Gates(n_k, curve),
    jacobian=lambda config, masked: gates_jacobian(masked),
    in_format=InFormat(
        steps=lambda config, masked: gates_in_format(masked),
        rows=lambda config, masked, weights, keys, beside, scaled, curve: weighed_gates(
            masked, weights, keys, scaled, curve
        ),
        jacobian=lambda weights, beside: torch.diag_embed(weights * (1 - weights)),
    ),
    walk=WalkedWeights(
        tensors=_walked,
        steps=("lowered",),
        box="sigmoid",
        formulas={"lowered": "sᵢⱼ − ln n", "weights": "gᵢⱼ = σ(sᵢⱼ − ln n)", "mass": "Σ gᵢⱼ"},
        section="sigmoid",
    ),
    bounds={
        "sum_of_squares": Limits(_ZERO, _KEYS, None),
        "largest_weight": Limits(_ZERO, _ONE, None),
        "jacobian_norm": Limits(_ZERO, Limit("√k/4", lambda keys: keys.sqrt() / 4), None),
        "jacobian_trace": Limits(_ZERO, Limit("k/4", lambda keys: keys / 4), None),
    },
    seconds=2e-9,
)
