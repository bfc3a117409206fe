"""e^s / (e^b + Σ e^s), b = `config.sink`: a learned sink takes weight from all keys and gives nothing (gpt-oss).

With b = 0 the denominator is 1 + Σ e^s, "off by one". A row may give nearly all its weight away, as models without a
sink do by looking at their first token (arXiv 2309.17453).
"""

from collections.abc import Mapping
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
from attention_core.normalisations.normalisation import InFormat, Normalisation, WalkedWeights

_ZERO, _ONE = (Limit(str(value), constant(float(value))) for value in (0, 1))
_LOG = Limit("ln(k + 1)", lambda keys: (keys + 1).log())


def _jacobian(config: AttentionConfig, masked: Tensor) -> Tensor:
    """Return diag(p) − p pᵀ over the keys. 1 − p of the largest weight is the sum of the others and the sink's."""
    weights = beside(masked.unsqueeze(0), config.sink).softmax(-1).squeeze(0)
    return softmax_jacobian(weights[:-1], weights[-1:])


def _walked(config: AttentionConfig, masked: Tensor, weights: Tensor) -> Mapping[str, Tensor]:
    """The sink takes part in the maximum, and its exponential in the sum; `missing` is the share that it takes."""
    maximum = beside(masked, config.sink).amax(-1, keepdim=True)
    shifted = masked - maximum
    exponentials, sunk = shifted.exp(), (config.sink - maximum).exp()
    sums = exponentials.sum(-1, keepdim=True) + sunk
    return {
        "maximum": maximum,
        "shifted": shifted,
        "exponentials": exponentials,
        "sunk": sunk,
        "sums": sums,
        "missing": sunk / sums,
    }


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
    walk=WalkedWeights(
        tensors=_walked,
        steps=("exponentials",),
        box="softmax",
        formulas={
            "maximum": "mᵢ = max(b, max sᵢⱼ)",
            "shifted": "sᵢⱼ − mᵢ",
            "exponentials": "exp(sᵢⱼ − mᵢ)",
            "sunk": "exp(b − mᵢ)",
            "sums": "exp(b − mᵢ) + Σ exp(sᵢⱼ − mᵢ)",
            "weights": "pᵢⱼ = exp(sᵢⱼ) / (exp(b) + Σ exp(sᵢⱼ))",
            "missing": "exp(b) / (exp(b) + Σ exp(sᵢⱼ)) = 1 − Σ pᵢⱼ",
        },
        section="sinks",
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
