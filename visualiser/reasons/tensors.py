"""The formula of every tensor that a walk through Figure 2 shows, and the section that defines it."""

from types import MappingProxyType
from typing import Final

from attention_core.mechanisms import MECHANISMS
from visualiser.reasons.kinds import Kind

_OWN: Final[dict[str, Kind]] = {}
for _name, _walk in ((name, one.walk) for name, one in MECHANISMS.items() if one.walk):
    for _tensor, _formula in _walk.formulas.items():
        _OWN[f"{_tensor}:{_name}" if _tensor in _OWN else _tensor] = Kind(_formula, _walk.section)

TENSORS: Final = MappingProxyType(
    {
        "X": Kind("X: n × d_model", "heads"),
        **{f"W_{name}": Kind(f"W_{name}: d_model × d_k", "heads") for name in "QKV"},
        "W_O": Kind("W_O: h·d_v × d_model", "heads"),
        **{name: Kind(f"{name} = X W_{name}", "heads") for name in "QKV"},
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
        **_OWN,
    }
)
"""Every tensor; one that several mechanisms have has an entry with the later one's name behind a colon."""


def of_tensor(name: str, mechanism: str) -> Kind:
    """Return the formula of a tensor under a mechanism."""
    return TENSORS.get(f"{name}:{mechanism}") or TENSORS[name]
