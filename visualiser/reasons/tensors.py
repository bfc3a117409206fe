"""The formula of every tensor that a walk through Figure 2 shows, and the section that defines it."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from attention_core import AttentionConfig, normalisations, treatments
from attention_core.config import LOG_N_KEYS, SCALED, of_every_choice
from attention_core.mechanisms import MECHANISMS
from attention_core.normalisations import NORMALISATIONS, WalkedWeights
from attention_core.result.walk import walked, weighing_of
from visualiser.locale import number
from visualiser.reasons.kinds import Kind

_OWN: Final[dict[str, Kind]] = {}
for _name, _walk in ((name, one.walk) for name, one in MECHANISMS.items() if one.walk):
    for _tensor, _formula in _walk.formulas.items():
        _OWN[f"{_tensor}:{_name}" if _tensor in _OWN else _tensor] = Kind(_formula, _walk.section)


def _weighing(walk: WalkedWeights) -> dict[str, Kind]:
    return {name: Kind(formula, walk.section) for name, formula in walk.formulas.items()}


_SOFTMAX: Final = next(one.walk for one in NORMALISATIONS.values() if one.softmax and one.walk)
"""Equation 1's weights, whose formulas stand unless a configuration has others."""

_CAPPED: Final = "c · tanh(sᵢⱼ / c)"

_VECTORS: Final = (("q", "ᵢ"), ("k", "ⱼ"))

HAT: Final = "\u0302"
"""Stands behind the letter of a vector that is normalised: q̂."""

TENSORS: Final = MappingProxyType(
    {
        "X": Kind("X: n × d_model", "heads"),
        **{f"W_{name}": Kind(f"W_{name}: d_model × d_k", "heads") for name in "QKV"},
        "W_O": Kind("W_O: h·d_v × d_model", "heads"),
        **{name: Kind(f"{name} = X W_{name}", "heads") for name in "QKV"},
        **{f"squares_{x}": Kind(f"Σ {x}{i}² / d_k", "rms_norm") for x, i in _VECTORS},
        **{f"root_{x}": Kind(f"√(Σ {x}{i}² / d_k)", "rms_norm") for x, i in _VECTORS},
        **{f"normed_{x}": Kind(f"{x}{HAT}{i} = {x}{i} / √(Σ {x}{i}² / d_k)", "rms_norm") for x, i in _VECTORS},
        "masked": Kind("sᵢⱼ + Mᵢⱼ, Mᵢⱼ ∈ {0, −∞}", "masking"),
        **_weighing(_SOFTMAX),
        "weighted": Kind("pᵢⱼ vⱼ", "attention"),
        "head": Kind("Σ pᵢⱼ vⱼ", "attention"),
        "concatenation": Kind("Concat(head₁, …)", "heads"),
        "output": Kind("Concat(head₁, …) W_O", "heads"),
        **_OWN,
    }
)
"""Every tensor; one that several mechanisms have has an entry with the later one's name behind a colon."""


GROWTH: Final = f"ln n / ln {LOG_N_KEYS}"
"""What `log_n` multiplies the factor by."""

_WIDTHS: Final = MappingProxyType({"Q": "d_k", "K": "d_k", "V": "d_v"})
"""What a trained model hands over as it is, each position a row."""

_SCALINGS: Final = of_every_choice(
    "scaling", {"sqrt_d_k": " / √d_k", "none": "", "d_k": " / d_k", "custom": " · {scale}"}
)


def of_tensor(name: str, config: AttentionConfig) -> Kind:
    """Return the formula of a tensor under a configuration."""
    return treated(config).get(name) or TENSORS.get(f"{name}:{config.mechanism}") or TENSORS[name]


def treated(config: AttentionConfig) -> Mapping[str, Kind]:
    """Return the formulas that a configuration defines otherwise than equation 1, or that it alone has.

    `qk_norm` changes what is compared, `log_n` the scaled score, a softcap what the mask takes, a normalisation what
    becomes of it.
    """
    walk, found = walked(config), {}
    if config.qk_norm:
        found = {name: normed for name, one in walk.formulas.items() if (normed := _normed(one)) != one}
    kinds = {name: Kind(one, walk.section) for name, one in found.items()}
    if (config.log_n or config.trained is not None) and SCALED[config.mechanism]:
        score = found.get("scores", walk.formulas["scores"])
        base = replace(config, log_n=False).factor
        times = _SCALINGS[config.scaling].format(scale=number(base))
        grown = (f" · {GROWTH}", "growth") if config.log_n else ("", walk.section)
        kinds["scaled"] = Kind(f"sᵢⱼ = {score}{times}{grown[0]}", grown[1])
    if config.source == "model":
        kinds |= {name: Kind(f"{name}: n × {width}", "heads") for name, width in _WIDTHS.items()}
    if treatments.acting(config):
        kinds |= {"capped": Kind(_CAPPED, "softcap"), "masked": Kind(f"{_CAPPED} + Mᵢⱼ, Mᵢⱼ ∈ {{0, −∞}}", "masking")}
    if not normalisations.of(config).softmax:
        kinds |= _weighing(weighing_of(config))
    return kinds


def _normed(formula: str) -> str:
    for vector, index in _VECTORS:
        formula = formula.replace(f"{vector}{index}", f"{vector}{HAT}{index}")
    return formula
