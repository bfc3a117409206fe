"""The formula of every tensor that a walk through Figure 2 shows, and the section that defines it."""

from types import MappingProxyType
from typing import Final

from visualiser.reasons.kinds import Kind

TENSORS: Final = MappingProxyType(
    {
        "X": Kind("X: n × d_model", "heads"),
        **{f"W_{name}": Kind(f"W_{name}: d_model × d_k", "heads") for name in "QKV"},
        "W_O": Kind("W_O: h·d_v × d_model", "heads"),
        "W_q": Kind("W_q: d_k × d_k", "additive"),
        "W_k": Kind("W_k: d_k × d_k", "additive"),
        "w": Kind("w: d_k", "additive"),
        **{name: Kind(f"{name} = X W_{name}", "heads") for name in "QKV"},
        "hidden_q": Kind("qᵢ W_q", "additive"),
        "hidden_k": Kind("kⱼ W_k", "additive"),
        "hidden": Kind("qᵢ W_q + kⱼ W_k", "additive"),
        "tanh": Kind("tanh(qᵢ W_q + kⱼ W_k)", "additive"),
        "terms": Kind("qᵢ · kⱼ", "attention"),
        "terms:additive": Kind("w · tanh(qᵢ W_q + kⱼ W_k)", "additive"),
        "scores": Kind("qᵢ · kⱼ", "attention"),
        "scores:additive": Kind("w · tanh(qᵢ W_q + kⱼ W_k)", "additive"),
        "scaled": Kind("sᵢⱼ = qᵢ · kⱼ / √d_k", "attention"),
        "masked": Kind("sᵢⱼ + Mᵢⱼ, Mᵢⱼ ∈ {0, −∞}", "masking"),
        "maximum": Kind("max sᵢⱼ", "attention"),
        "shifted": Kind("sᵢⱼ − max sᵢⱼ", "attention"),
        "exponentials": Kind("exp(sᵢⱼ − max sᵢⱼ)", "attention"),
        "sums": Kind("Σ exp(sᵢⱼ − max sᵢⱼ)", "attention"),
        "weights": Kind("pᵢⱼ = exp(sᵢⱼ) / Σ exp(sᵢⱼ)", "attention"),
        "weighted": Kind("pᵢⱼ vⱼ", "attention"),
        "head": Kind("Σ pᵢⱼ vⱼ", "attention"),
        "concatenation": Kind("Concat(head₁, …)", "heads"),
        "output": Kind("Concat(head₁, …) W_O", "heads"),
    }
)
"""Every tensor; one whose formula depends on the mechanism has an entry with its name behind a colon."""


def of_tensor(name: str, mechanism: str) -> Kind:
    """Return the formula of a tensor under a mechanism."""
    return TENSORS.get(f"{name}:{mechanism}") or TENSORS[name]
