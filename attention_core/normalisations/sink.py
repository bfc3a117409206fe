"""e^s / (e^b + Σ e^s), b = `config.sink`: a learned sink takes weight from all keys and gives nothing (gpt-oss).

With b = 0 the denominator is 1 + Σ e^s, "off by one". A row may give nearly all its weight away, as models without a
sink do by looking at their first token (arXiv 2309.17453).
"""

from functools import partial

from torch import Tensor

from attention_core.blocks.row_statistics import Limit, Limits, constant
from attention_core.blocks.weighing import Exponentials
from attention_core.config import AttentionConfig
from attention_core.exact.formats import sunk_in_format
from attention_core.exact.jacobian import softmax_jacobian
from attention_core.exact.row_sums import row_sums
from attention_core.exact.sunk_rows import SunkRows, beside, sunk_softmax
from attention_core.exact.weighed_rows import weighed_rows
from attention_core.normalisations.normalisation import InFormat, Normalisation

_ZERO, _ONE = (Limit(str(value), constant(float(value))) for value in (0, 1))
_LOG = Limit("ln(k + 1)", lambda keys: (keys + 1).log())


def _jacobian(config: AttentionConfig, masked: Tensor) -> Tensor:
    """Return diag(p) − p pᵀ over the keys. 1 − p of the largest weight is the sum of the others and the sink's."""
    weights = beside(masked.unsqueeze(0), config.sink).softmax(-1).squeeze(0)
    return softmax_jacobian(weights[:-1], weights[-1:])


NORMALISATION = Normalisation(
    weights=lambda config, masked, mask: sunk_softmax(masked, mask, config.sink),
    kind=SunkRows,
    rows=lambda config, masked, keys, scaled, curve: SunkRows(
        row_sums(masked, scaled, curve), keys, masked.dtype, config.sink
    ),
    passes=lambda config, n_k, curve: Exponentials(partial(SunkRows, sink=config.sink), curve),
    jacobian=_jacobian,
    in_format=InFormat(
        steps=lambda config, masked: sunk_in_format(masked, config.sink, config.subtract_max),
        rows=lambda config, masked, weights, keys, beside, scaled, curve: weighed_rows(
            masked, weights, keys, beside, config.sink, scaled, curve
        ),
        jacobian=softmax_jacobian,
    ),
    bounds={
        "entropy": Limits(_ZERO, _LOG, None),
        "ceiling": Limits(_LOG, _LOG, _LOG),
        "effective_keys": Limits(_ONE, Limit("k + 1", lambda keys: keys + 1), None),
        "sum_of_squares": Limits(_ZERO, _ONE, None),
        "largest_weight": Limits(_ZERO, _ONE, None),
        "jacobian_norm": Limits(_ZERO, Limit("½, ¼ for k = 1", lambda keys: 0.5 - (keys == 1) / 4), None),
        "jacobian_trace": Limits(
            _ZERO, Limit("1 − 1/k, ¼ for k = 1", lambda keys: 1 - 1 / keys + (keys == 1) / 4), None
        ),
    },
    seconds=2e-9,
)
