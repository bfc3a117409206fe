"""The table of quantities: the formula of each, in the paper's symbols, and the section that defines it."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from attention_core.blocks.row_statistics import ROW_STATISTICS
from attention_core.mechanisms import MECHANISMS
from visualiser.locale import text

_PAPER: Final = "https://arxiv.org/html/1706.03762v7"

SECTIONS: Final = MappingProxyType(
    {
        "attention": f"{_PAPER}#S3.SS2.SSS1",
        "practice": f"{_PAPER}#S3.SS2.SSS1",
        "footnote": f"{_PAPER}#S3.SS2.SSS1",
        "heads": f"{_PAPER}#S3.SS2.SSS2",
        "masking": f"{_PAPER}#S3.SS2.SSS3",
        "complexity": f"{_PAPER}#S4",
        "additive": "https://arxiv.org/abs/1409.0473",
        "entropy": "https://doi.org/10.1002/j.1538-7305.1948.tb01338.x",
        "divergence": "https://doi.org/10.1109/18.61115",
        "sinks": "https://arxiv.org/abs/2309.17453",
    }
)
"""The address of each section; its name is `reason.section.NAME` in the locale files."""


@dataclass(frozen=True)
class Kind:
    """A quantity: its formula, and its section.

    An empty formula is a text, `reason.formula.NAME` in the locale files.
    """

    formula: str
    section: str


_STATISTICS: Final = {
    "entropy": Kind("H = −Σ p ln p", "entropy"),
    "entropy_share": Kind("H / ln n, H = −Σ p ln p", "entropy"),
    "ceiling": Kind("H ≤ ln k", "entropy"),
    "effective_keys": Kind("e^H, H = −Σ p ln p", "entropy"),
    "jacobian_norm": Kind("‖J‖_F = √(Σp² − 2Σp³ + (Σp²)²), J = diag(p) − p pᵀ", "attention"),
    "jacobian_trace": Kind("tr J = 1 − Σp², J = diag(p) − p pᵀ", "attention"),
    "largest_weight": Kind("max p, p = e^s / Σ e^s", "attention"),
}

KINDS: Final = MappingProxyType(
    {
        **{each.name: Kind(f"{each.symbol} = {each.formula}", "attention") for each in ROW_STATISTICS.values()},
        **_STATISTICS,
        "score_mean": Kind("s̄ = Σ s / N", "footnote"),
        "score_variance": Kind("σ² = Σ (s − s̄)² / N", "footnote"),
        "score_deviation": Kind("σ = √(Σ (s − s̄)² / N)", "footnote"),
        "score": Kind("", "attention"),
        "product": Kind("", "attention"),
        "weight": Kind("p = e^s / Σ e^s", "attention"),
        "row_sum": Kind("Σ p", "attention"),
        "row_error": Kind("", "attention"),
        "own_response": Kind("∂pᵢ/∂sᵢ = pᵢ (1 − pᵢ)", "attention"),
        "other_response": Kind("∂pᵢ/∂sⱼ = −pᵢ pⱼ", "attention"),
        "ratio": Kind("", "attention"),
        "distance": Kind("", "attention"),
        "used_share": Kind("", "entropy"),
        "change": Kind("max |B − A|", "attention"),
        "predicted_mean": Kind("E[s] = factor · d_k · E[q] · E[k]", "footnote"),
        "predicted_variance": Kind("", "footnote"),
        "factor": Kind("", "attention"),
        "keys": Kind("", "masking"),
        "one_hot": Kind("", "attention"),
        "d_k": Kind("d_k = d_v = d_model / h", "heads"),
        "d_model": Kind("", "heads"),
        "h": Kind("", "heads"),
        "n": Kind("", "attention"),
        "counted": Kind("", "attention"),
        **{f"format_{name}": Kind("", "attention") for name in ("count", "row", "limit", "tiny", "bytes")},
        **{f"format_{name}": Kind("", "attention") for name in ("weight", "output")},
        "format_sum": Kind("|Σp − 1|", "attention"),
        "size": Kind("", "attention"),
        "shape": Kind("", "heads"),
        "concatenation": Kind("h · d_v", "heads"),
        "effective_of_mean": Kind("", "entropy"),
        "sink": Kind("", "sinks"),
        "even_share": Kind("", "attention"),
        "seconds": Kind("", "complexity"),
        "bound": Kind("", "complexity"),
        "time": Kind("", "practice"),
        "time_least": Kind("", "practice"),
        "time_most": Kind("", "practice"),
        "unevenness": Kind("", "practice"),
        "memory": Kind("", "practice"),
        "operations": Kind("", "complexity"),
        "projections": Kind("", "additive"),
        "slope": Kind("Σ (x − x̄)(y − ȳ) / Σ (x − x̄)²", "complexity"),
        "slope_error": Kind("√(Σ r² / (N − 2) / Σ (x − x̄)²)", "complexity"),
        "accuracy": Kind("", "practice"),
        "all_right": Kind("", "practice"),
        "milliseconds": Kind("", "practice"),
        "megabytes": Kind("", "practice"),
        "operation_count": Kind("", "complexity"),
        "calls": Kind("", "practice"),
        "divergence": Kind("", "divergence"),
        "mass": Kind("", "heads"),
        "score_gradient": Kind("|dL/ds|", "attention"),
        "score_gradient_norm": Kind("‖dL/ds‖", "attention"),
        "projection_gradient": Kind("‖dL/dW_Q, dL/dW_K‖", "heads"),
    }
)
"""Every quantity that has a reason. Each of the row statistics is one, by its own name."""


def formula(lang: str, kind: str) -> str:
    """Return the formula of a quantity."""
    if kind in ("product", "score"):  # one formula for each mechanism, and what QK-norm changes in each
        every = "".join(text(lang, f"reason.formula.{kind}.{name}") for name in MECHANISMS)
        return every + text(lang, "reason.formula.normed")
    return KINDS[kind].formula or text(lang, f"reason.formula.{kind}")
