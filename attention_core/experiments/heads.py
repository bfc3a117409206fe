"""Experiment 2, one head against several (section 3.2.2): read m named positions at once.

    "Multi-head attention allows the model to jointly attend to information from different representation subspaces at
    different positions. With a single attention head, averaging inhibits this."

This holds for attention followed by a linear layer. An MLP behind one head can decode an average of few values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import no_type_check

from attention_core.config import Bound
from attention_core.errors import InvalidInput
from attention_core.experiments.recipe import RECIPE_BOUNDS, Recipe, bounded, several
from attention_core.validation import flag

__all__ = ["HEADS_BOUNDS", "POSITIONS", "HeadsCurve", "HeadsExperiment"]

POSITIONS = 8

HEADS_BOUNDS: Mapping[str, Bound] = MappingProxyType(
    {
        **RECIPE_BOUNDS,
        "steps": Bound(1, 3000, 600),
        "batch": Bound(1, 128, 64),
        "h": Bound(1, 16, 4),
        "m": Bound(1, POSITIONS, 4),
        "d_model": Bound(8, 128, 48),
        "classes": Bound(2, 64, 8),
        "mlp_width": Bound(1, 256, 64),
    }
)


@dataclass(frozen=True)
class HeadsCurve:
    """One training curve: h heads of width d_k = d_model / h, with all its seeds."""

    h: int
    d_k: int


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
@dataclass(frozen=True, kw_only=True)
class HeadsExperiment(Recipe):
    """The same task with h = 1, 2, … heads, with equal d_model and h · d_k for every h.

    m          number of different positions that the query names; the model answers with all m values
    classes    number of values a position may have
    mlp        True puts `mlp_width` ReLU units between the concatenated heads and the m classifiers
    Raises `InvalidInput`: `not_a_number`, `out_of_range`, `unknown_choice`, `nothing_chosen`, and `not_divisible` for
    an h that does not divide d_model.
    """

    h: tuple[int, ...] = (1, 2, 3, 4, 8)
    m: int = int(HEADS_BOUNDS["m"].default)
    d_model: int = int(HEADS_BOUNDS["d_model"].default)
    classes: int = int(HEADS_BOUNDS["classes"].default)
    mlp: bool = False
    mlp_width: int = int(HEADS_BOUNDS["mlp_width"].default)
    steps: int = int(HEADS_BOUNDS["steps"].default)
    batch: int = int(HEADS_BOUNDS["batch"].default)

    def __post_init__(self) -> None:
        for field in ("m", "d_model", "classes", "mlp_width"):
            self._set(field, bounded(field, getattr(self, field), HEADS_BOUNDS[field]))
        self._set("mlp", flag("mlp", self.mlp))
        self._set("h", several("h", self.h, lambda field, value: bounded(field, value, HEADS_BOUNDS[field])))
        for h in self.h:
            if self.d_model % h:
                raise InvalidInput(
                    "not_divisible",
                    f"d_model must be a multiple of every h (h · d_k = d_model); got d_model {self.d_model} and h {h}.",
                    d_model=self.d_model,
                    h=h,
                )
        super().__post_init__()

    @property
    def curves(self) -> tuple[HeadsCurve, ...]:
        """The curves, in the order of `h`."""
        return tuple(HeadsCurve(h, self.d_model // h) for h in self.h)
