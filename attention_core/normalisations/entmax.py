"""Entmax with α = 1.5, [s/2 − τ]₊²: most keys get exactly 0 (arXiv 1905.05702). It needs a row's scores at once."""

from attention_core.blocks.row_statistics import Limit, Limits, constant
from attention_core.exact.entmax import SparseRows, entmax, entmax_jacobian, root_sums
from attention_core.normalisations.normalisation import Normalisation

_ZERO = Limit("0", constant(0.0))
_NORM = Limit("√(1 − 1/k)", lambda keys: (1 - 1 / keys).sqrt())
_TRACE = Limit("√k − 1/√k", lambda keys: keys.sqrt() - 1 / keys.sqrt())

NORMALISATION = Normalisation(
    weights=lambda config, masked, mask: entmax(masked),
    kind=SparseRows,
    rows=lambda config, masked, keys, scaled, curve: SparseRows(root_sums(masked, scaled, curve), keys, masked.dtype),
    jacobian=lambda config, masked: entmax_jacobian(masked),
    bounds={
        "jacobian_norm": Limits(_ZERO, _NORM, _NORM),
        "jacobian_trace": Limits(_ZERO, _TRACE, _TRACE),
    },
    seconds=8e-8,
    room=3 * 2**20,
)
