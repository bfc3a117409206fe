"""The interface of a normalisation to the rest of the core and the pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.blocks.row_statistics import Limits, of_kind, statistic
from attention_core.blocks.weighing import Weighing
from attention_core.config import AttentionConfig
from attention_core.exact.formats import Steps
from attention_core.treatments import Curve

Weights = Callable[[AttentionConfig, Float[Tensor, "*batch n_q n_k"], Bool[Tensor, "*#batch #n_q #n_k"] | None], Tensor]
Walked = Callable[[AttentionConfig, Tensor, Tensor], Mapping[str, Tensor]]
Rows = Callable[[AttentionConfig, Tensor, Int[Tensor, "*#rows"], Tensor | None, Curve | None], Any]


@dataclass(frozen=True)
class InFormat:
    """A normalisation in a number format.

    steps     (config, masked scores in the format) → each step, rounded to the format
    rows      (config, masked, weights, keys, beside, scaled, curve) → the rows of these weights as they are, with
              `broken` and `excess`; `beside` is a sink's weight
    jacobian  (weights, beside), in float64 → ∂pᵢ/∂sⱼ of the weights as they are, by the masked score
    zeros     True if a weight may be exactly 0 without being lost: it is lost if its `exponentials` is above 0
    """

    steps: Callable[[AttentionConfig, Tensor], Steps]
    rows: Callable[[AttentionConfig, Tensor, Tensor, Tensor, Tensor | None, Tensor | None, Curve | None], Any]
    jacobian: Callable[[Tensor, Tensor | None], Tensor]
    zeros: bool = False


@dataclass(frozen=True, kw_only=True)
class WalkedWeights:
    """The way from the masked scores of one head to its weights, step by step.

    tensors   (config, masked, weights), both n × n → the tensors on the way by name, n × n or n × 1
    steps     the steps before the weights, in order; each has the name of the tensor that it makes
    box       the name of the box of Figure 2 that stands in SoftMax's place
    formulas  the formula of each of these tensors and of "weights"
    section   the place that defines them, `reason.section.NAME` in the locale files
    """

    tensors: Walked
    steps: tuple[str, ...]
    box: str
    formulas: Mapping[str, str]
    section: str

    def __post_init__(self) -> None:
        if missing := {*self.steps, "weights"} - self.formulas.keys():
            raise TypeError(f"a walk has a formula for each of its tensors; it lacks {sorted(missing)}")


@dataclass(frozen=True, kw_only=True)
class Normalisation:
    """One way to turn the masked scores of a row into weights.

    weights    (config, masked, mask) → the weights; −inf marks a forbidden key, `mask` is None if none is. Zeros in a
               row without keys
    kind       the class of its rows, which says which statistics they have; None: statistics are refused by name
    rows       (config, masked, keys, scaled, curve) → the rows of whole matrices; `curve` made `masked` of `scaled`, if
               it is given
    passes     (config, n_k, curve) → the weighing of passes and tiles; None: long sequences are refused by name
    jacobian   (config, a row of masked scores in float64) → ∂pᵢ/∂sⱼ by the masked score; None if it is refused by name
    in_format  its steps in a number format; None if formats are refused by name
    walk       the steps from the masked scores to the weights; None if the walk through Figure 2 refuses it by name
    bounds     the statistics whose limits are not those of a softmax, each with its own
    softmax    True if a weight is e^s / Σ e^s of its row and nothing more. Studies of a factor, maps, scripts and
               the sentences of some pages are of such weights, and refuse others by name
    seconds    core time of each score beyond that of a softmax, statistics included
    room       bytes beside the matrices while the weights and their statistics are made
    """

    weights: Weights
    kind: type | None = None
    rows: Rows | None = None
    passes: Callable[[AttentionConfig, int, Curve | None], Weighing] | None = None
    jacobian: Callable[[AttentionConfig, Tensor], Tensor] | None = None
    in_format: InFormat | None = None
    walk: WalkedWeights | None = None
    bounds: Mapping[str, Limits] = field(default_factory=dict)
    softmax: bool = False
    seconds: float = 0.0
    room: int = 0

    @property
    def statistics(self) -> tuple[str, ...]:
        """The names of the row statistics that its rows have, in the order of the table."""
        return () if self.kind is None else tuple(each.name for each in of_kind(self.kind))

    def limits(self, name: str) -> Limits:
        """Return the bounds of a statistic and its value for equal weights. Raises `InvalidInput` for no statistic."""
        return self.bounds.get(name) or statistic(name).limits
