"""The interface of a treatment of the scores to the rest of the core and the pages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from attention_core.config import AttentionConfig


@runtime_checkable
class Curve(Protocol):
    """A function of one scaled score with its numbers, as it acts on every cell of a matrix."""

    def value(self, scaled: Float[Tensor, "*shape"], out: Tensor | None = None) -> Float[Tensor, "*shape"]:
        """Return the treated scores, in the dtype of `scaled`; written into `out` if it is given."""
        ...

    def slope(self, scaled: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Return the derivative at each score, in float64 without cancellation."""
        ...

    def treat(
        self, scaled: Float[Tensor, "*shape"], out: Float[Tensor, "*shape"], slopes: Float[Tensor, "*shape"]
    ) -> None:
        """Write the treated scores into `out` and the derivative at each into `slopes`, which is never subnormal."""
        ...


@dataclass(frozen=True, kw_only=True)
class Treatment:
    """A function that every scaled score goes through before the mask.

    acts   config → True if it changes scores
    curve  config → the function with the config's numbers; asked only if it acts
    """

    acts: Callable[[AttentionConfig], bool]
    curve: Callable[[AttentionConfig], Curve]
