"""The table of quantities: the formula of each, in the paper's symbols, and the section that defines it."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from attention_core import AttentionConfig, treatments
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
        "kl": "https://doi.org/10.1214/aoms/1177729694",
        "rms_norm": "https://arxiv.org/abs/1910.07467",
        "growth": "https://arxiv.org/abs/2501.19399",
        "sinks": "https://arxiv.org/abs/2309.17453",
        "sigmoid": "https://arxiv.org/abs/2409.04431",
        "entmax": "https://arxiv.org/abs/1905.05702",
        "softcap": "https://arxiv.org/abs/2408.00118",
        "induction": "https://arxiv.org/abs/2209.11895",
        "behaviour": "https://arxiv.org/abs/1906.04341",
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

_OF_OTHER_WEIGHTS: Final = {
    "entropy_sink": Kind("H = −Σ p ln p − p_b ln p_b, p_b = 1 − Σp", "entropy"),
    "entropy_share_sink": Kind("H / ln(n + 1), H = −Σ p ln p − p_b ln p_b, p_b = 1 − Σp", "entropy"),
    "ceiling_sink": Kind("H ≤ ln(k + 1)", "entropy"),
    "largest_weight_sink": Kind("max p, p = e^s / (e^b + Σ e^s)", "sinks"),
    "weight_sink": Kind("p = e^s / (e^b + Σ e^s)", "sinks"),
    "jacobian_norm_sink": Kind("‖J‖_F, J = diag(p) − p pᵀ", "sinks"),
    "jacobian_trace_sink": Kind("tr J = Σ p (1 − p)", "sinks"),
    "largest_weight_sigmoid": Kind("max g, g = σ(s − ln n)", "sigmoid"),
    "weight_sigmoid": Kind("g = σ(s − ln n)", "sigmoid"),
    "jacobian_norm_sigmoid": Kind("‖J‖_F, J = diag(g (1 − g))", "sigmoid"),
    "jacobian_trace_sigmoid": Kind("tr J = Σ g (1 − g)", "sigmoid"),
    "own_response_sigmoid": Kind("∂gᵢ/∂sᵢ = gᵢ (1 − gᵢ)", "sigmoid"),
    "other_response_sigmoid": Kind("∂gᵢ/∂sⱼ = 0", "sigmoid"),
    "largest_weight_entmax": Kind("max p, p = [s/2 − τ]₊²", "entmax"),
    "weight_entmax": Kind("p = [s/2 − τ]₊²", "entmax"),
    "jacobian_norm_entmax": Kind("‖J‖_F, J = diag(u) − u uᵀ / Σu, u = √p", "entmax"),
    "jacobian_trace_entmax": Kind("tr J = Σu − 1 / Σu, u = √p", "entmax"),
    "own_response_entmax": Kind("∂pᵢ/∂sᵢ = uᵢ (1 − uᵢ / U), u = √p, U = Σu", "entmax"),
    "other_response_entmax": Kind("∂pᵢ/∂sⱼ = −uᵢ uⱼ / U, u = √p, U = Σu", "entmax"),
    "format_row_sink": Kind("", "sinks"),
    "format_row_sigmoid": Kind("", "sigmoid"),
    "format_sum_sink": Kind("|Σp + p_b − 1|", "sinks"),
    "sink_weight": Kind("p_b = e^b / (e^b + Σ e^s) = 1 − Σp", "sinks"),
    "mass": Kind("Σg, g = σ(s − ln n)", "sigmoid"),
    "support": Kind("|{p > 0}|, p = [s/2 − τ]₊²", "entmax"),
    "lowered": Kind("s − ln n", "sigmoid"),
    "threshold": Kind("τ: Σ [s/2 − τ]₊² = 1", "entmax"),
    "kept": Kind("Σp = 1 − p_b, p_b = e^b / (e^b + Σ e^s)", "sinks"),
    "larger": Kind("max(b, max s)", "sinks"),
}
"""The quantities of weights other than the softmax's, by quantity and normalisation; and those that they alone have."""

_BY_SCORES: Final = ("jacobian_norm", "jacobian_trace", "own_response", "other_response")
"""Derivatives by the scaled scores, to which a softcap's own slope belongs."""

_SLOPE: Final = " · (1 − tanh²(s/c))"

_PLAIN: Final = {
    **_STATISTICS,
    "own_response": Kind("∂pᵢ/∂sᵢ = pᵢ (1 − pᵢ)", "attention"),
    "other_response": Kind("∂pᵢ/∂sⱼ = −pᵢ pⱼ", "attention"),
}

_CAPPED: Final = {
    f"{name}_capped": Kind(kind.formula + _SLOPE, "softcap")
    for name, kind in {**_PLAIN, **_OF_OTHER_WEIGHTS}.items()
    if name.startswith(_BY_SCORES)
}

KINDS: Final = MappingProxyType(
    {
        **{each.name: Kind(f"{each.symbol} = {each.formula}", "attention") for each in ROW_STATISTICS.values()},
        **_PLAIN,
        **_OF_OTHER_WEIGHTS,
        **_CAPPED,
        "capped": Kind("c · tanh(s/c)", "softcap"),
        "score_mean": Kind("s̄ = Σ s / N", "footnote"),
        "score_variance": Kind("σ² = Σ (s − s̄)² / N", "footnote"),
        "score_deviation": Kind("σ = √(Σ (s − s̄)² / N)", "footnote"),
        "score": Kind("", "attention"),
        "product": Kind("", "attention"),
        "weight": Kind("p = e^s / Σ e^s", "attention"),
        "changed_weight": Kind("", "attention"),
        "given_weight": Kind("", "attention"),
        "largest_of_row": Kind("max p", "attention"),
        "share_of_ceiling": Kind("H / max H", "entropy"),
        "row_sum": Kind("Σ p", "attention"),
        "row_error": Kind("", "attention"),
        "ratio": Kind("", "attention"),
        "distance": Kind("", "attention"),
        "used_share": Kind("", "entropy"),
        "change": Kind("max |B − A|", "attention"),
        "predicted_mean": Kind("E[s] = factor · d_k · E[q] · E[k]", "footnote"),
        "predicted_variance": Kind("", "footnote"),
        "factor": Kind("", "attention"),
        "mean_square": Kind("Σ x² / d_k", "rms_norm"),
        "root_mean_square": Kind("√(Σ x² / d_k)", "rms_norm"),
        "normed_length": Kind("‖x / √(Σ x² / d_k)‖ = √d_k", "rms_norm"),
        "keys": Kind("", "masking"),
        "one_hot": Kind("", "attention"),
        "d_k": Kind("d_k = d_v = d_model / h", "heads"),
        "d_model": Kind("", "heads"),
        "h": Kind("", "heads"),
        "n": Kind("", "attention"),
        "counted": Kind("", "attention"),
        **{f"format_{name}": Kind("", "attention") for name in ("count", "row", "limit", "square", "tiny", "bytes")},
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
        "named_mass": Kind("", "heads"),
        "induction_share": Kind("", "induction"),
        "head_share": Kind("", "behaviour"),
        "monotone": Kind("", "behaviour"),
        "sink_share": Kind("", "sinks"),
        "row_share": Kind("", "behaviour"),
        "mean_distance": Kind("Σ p |q − k| / Σ p", "behaviour"),
        "variance_ratio": Kind("Var(q·k) / d_k", "footnote"),
        "term": Kind("s = Σ factor · q_c · k_c", "attention"),
        "said": Kind("p = e^z / Σ e^z", "attention"),
        "text_log": Kind("Σ ln p", "attention"),
        "answer_log": Kind("ln p = z − ln Σ e^z", "attention"),
        "patch_fall": Kind("ln p − ln p′", "attention"),
        "patch_rise": Kind("ln p′ − ln p", "attention"),
        "head_cost": Kind("Σ ln p − Σ ln p′", "attention"),
        "value_norm": Kind("‖v W_O‖", "heads"),
        "weighted_norm": Kind("p · ‖v W_O‖", "heads"),
        "weighted_value": Kind("p · ‖v‖", "heads"),
        "share_of_rest": Kind("", "behaviour"),
        "mean_of_heads": Kind("Σ p / h", "heads"),
        "rollout": Kind("", "behaviour"),
        "written": Kind("U γ ∘ (v W_O)", "heads"),
        "copying": Kind("", "behaviour"),
        "kl": Kind("Σ p ln(p / p′)", "kl"),
        "largest_difference": Kind("max |x′ − x|", "attention"),
        "cosine": Kind("u · v / (‖u‖ ‖v‖)", "attention"),
        "layer_entropy": Kind("H = −Σ p ln p", "entropy"),
        "moved": Kind("½ Σ |p − p′|", "attention"),
        "model_files": Kind("", "practice"),
        "model_memory": Kind("", "practice"),
        "score_gradient": Kind("|dL/ds|", "attention"),
        "score_gradient_norm": Kind("‖dL/ds‖", "attention"),
        "projection_gradient": Kind("‖dL/dW_Q, dL/dW_K‖", "heads"),
    }
)
"""Every quantity that has a reason. Each of the row statistics is one, by its own name."""


def kind_of(config: AttentionConfig, name: str) -> str:
    """Return the kind of a quantity of the config's weights: the softmax's own, or that of what stands in its place."""
    own = f"{name}_{config.normalisation}"
    found = own if own in _OF_OTHER_WEIGHTS else name
    return f"{found}_capped" if name in _BY_SCORES and treatments.acting(config) else found


def formula(lang: str, kind: str) -> str:
    """Return the formula of a quantity."""
    if kind in ("product", "score"):  # one formula for each mechanism, and what QK-norm changes in each
        every = "".join(text(lang, f"reason.formula.{kind}.{name}") for name in MECHANISMS)
        return every + text(lang, "reason.formula.normed")
    return KINDS[kind].formula or text(lang, f"reason.formula.{kind}")
