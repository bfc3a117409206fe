"""Experiment 1, quality against d_k (section 3.2.1): one head learns a look-up.

    "While for small values of d_k the two mechanisms perform similarly, additive attention outperforms dot product
    attention without scaling for larger values of d_k."

The outcome depends on the task, so there are three. `noisy` does not support the sentence.

`qk_norm_unscaled` is not in the paper: models since 2024 normalise queries and keys, and Gemma 4 then has no factor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast, no_type_check

from attention_core.config import Bound
from attention_core.experiments.recipe import RECIPE_BOUNDS, Recipe, bounded, several
from attention_core.validation import choice

__all__ = ["QUALITY_BOUNDS", "QUALITY_CHOICES", "QualityCurve", "QualityExperiment"]

QUALITY_BOUNDS: Mapping[str, Bound] = MappingProxyType({**RECIPE_BOUNDS, "d_k": Bound(1, 1024, 64)})

QUALITY_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "task": ("reverse", "recall", "noisy"),
        "mechanism": ("scaled", "unscaled", "additive", "qk_norm_unscaled"),
        # In this order they multiply: nothing; W_Q and W_K by d_k^(−1/4) or d_k^(+1/4); w by √d_k, so w ~ N(0, 1).
        "initialisation": ("standard", "small_projections", "large_projections", "large_w"),
    }
)

# Default (steps, batch) of each task: enough for scaled attention to learn it at every d_k from 16 on.
_LENGTHS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"reverse": (150, 16), "recall": (300, 32), "noisy": (300, 32)}
)


@dataclass(frozen=True)
class QualityCurve:
    """One training curve: a mechanism at one d_k, with all its seeds."""

    mechanism: str
    d_k: int


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
@dataclass(frozen=True, kw_only=True)
class QualityExperiment(Recipe):
    """A grid of mechanisms × d_k, each trained from the same seeds on the same data.

    task            reverse: output i is token 15 − i of 16; recall: the value of one key among 8; noisy: the same, but
                    the query is a rotated and noisy copy of the key
    mechanism       scaled: q·k/√d_k; unscaled: q·k; additive: w · tanh(q + k) with q = W_Q x and k = W_K x;
                    qk_norm_unscaled: q·k of q and k divided by their root mean square, d_k · cos θ
    initialisation  standard: W_Q, W_K ~ N(0, 1/d_in), w ~ N(0, 1/d_k). small_projections, large_projections and large_w
                    change only the scale of the initial scores. A mechanism without the changed parameter starts as in
                    standard.
    `steps` and `batch` default to the task's own. Raises `InvalidInput`: `not_a_number`, `out_of_range`,
    `unknown_choice`, `nothing_chosen`.
    """

    task: str = "reverse"
    mechanism: tuple[str, ...] = QUALITY_CHOICES["mechanism"]
    d_k: tuple[int, ...] = (4, 16, 64, 256, 1024)
    initialisation: str = "standard"
    steps: int = cast(int, None)
    batch: int = cast(int, None)

    def __post_init__(self) -> None:
        for field in ("task", "initialisation"):
            self._set(field, choice(field, getattr(self, field), QUALITY_CHOICES[field]))
        for field, usual in zip(("steps", "batch"), _LENGTHS[self.task], strict=True):
            if getattr(self, field) is None:
                self._set(field, usual)
        mechanisms = several(
            "mechanism", self.mechanism, lambda field, name: choice(field, name, QUALITY_CHOICES[field])
        )
        self._set("mechanism", mechanisms)
        self._set("d_k", several("d_k", self.d_k, lambda field, value: bounded(field, value, QUALITY_BOUNDS[field])))
        super().__post_init__()

    @property
    def curves(self) -> tuple[QualityCurve, ...]:
        """The curves, all mechanisms of one d_k before the next d_k, so that they can be compared early."""
        return tuple(QualityCurve(mechanism, d_k) for d_k in self.d_k for mechanism in self.mechanism)
