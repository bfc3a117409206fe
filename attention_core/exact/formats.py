"""Figure 2 in a number format: each of its steps is made in the format, and its result rounded to it once.

    scores  = round(QKᵀ)              products of numbers of the format, added up in float32
    scaled  = round(scores · factor)  the factor is a float32 number of the program, as for torch's half tensors
    shifted = round(scaled − max)     only if the maximum is subtracted
    e       = round(exp(shifted))
    total   = round(Σ e)              added up in float32
    weights = round(e / total)
    output  = round(weights V)        added up in float32

That is what torch's half tensors do if the softmax is written out, operation by operation, on a CPU and on a GPU:
matrix units and reductions add up in float32 and round once. (`torch.softmax` itself keeps its steps in float32 inside
one kernel and rounds once at the end.) The scores of additive attention are one such kernel: its hidden layer stays in
float32, and the score is rounded once.

exp leaves float16 above 11.09, and float32 and bfloat16 above 88.7. Without the maximum subtracted such a row holds
∞/∞ = NaN, and x/∞ = 0. A row whose exponentials are all 0 holds 0/0 = NaN.
"""

from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.cancellation import checkpoint
from attention_core.config import CHOICES, AttentionConfig
from attention_core.exact.row_sums import SummedRows, row_sums
from attention_core.validation import choice

__all__ = ["MARKS", "format_of", "is_reference", "largest_exponent", "softmax_steps"]

MARKS: Final = ("infinite", "not_a_number", "lost", "subnormal")
"""What a format made of a cell; its code is its place here, from 1.

infinite      the number is ±∞ or, of a weight, its exponential is ∞
not_a_number  the number is NaN, and nothing of the cell itself was ∞
lost          the weight is 0, although a softmax has no such weight
subnormal     the weight is below the format's smallest normal number, so that digits are missing
"""
INFINITE, NOT_A_NUMBER, LOST, SUBNORMAL = range(1, len(MARKS) + 1)

_BLOCK_FLOATS: Final = 32_768  # as in `row_sums`

OFF: Final = 0.01
"""A row is no distribution if its weights add up to 1 only with a larger error."""


def format_of(dtype: str) -> torch.dtype:
    """Return the torch dtype of a format. Raises `InvalidInput` (`unknown_choice`)."""
    return getattr(torch, choice("dtype", dtype, CHOICES["dtype"]))


def is_reference(config: AttentionConfig) -> bool:
    """Return True for float32 with the maximum subtracted: the other formats are held against it."""
    return config.dtype == "float32" and config.subtract_max


def largest_exponent(dtype: str) -> float:
    """Return the largest x whose exp(x) is finite in the format: 11.09 in float16, 88.7 in float32."""
    return torch.tensor(torch.finfo(format_of(dtype)).max, dtype=torch.float64).log().item()


@dataclass(frozen=True)
class SoftmaxSteps:
    """Every step of a softmax, each rounded to its format."""

    scores: Float[Tensor, "*batch n_k"]
    shifted: Float[Tensor, "*batch n_k"]
    exponentials: Float[Tensor, "*batch n_k"]
    total: Float[Tensor, "*batch 1"]
    weights: Float[Tensor, "*batch n_k"]


def softmax_steps(scores: Float[Tensor, "*batch n_k"], dtype: str, subtract: bool) -> SoftmaxSteps:
    """Compute `torch.exp(s) / torch.exp(s).sum()` in `dtype`, with every result rounded to it.

    torch adds half-precision numbers up in float32 and rounds the sum once, as accelerators do. Raises `InvalidInput`
    (`unknown_choice`) for another format.
    """
    rounded = scores.to(format_of(dtype))
    shifted = rounded - rounded.amax(-1, keepdim=True) if subtract else rounded
    checkpoint()
    exponentials = shifted.exp()
    checkpoint()
    total = exponentials.sum(-1, keepdim=True)
    return SoftmaxSteps(rounded, shifted, exponentials, total, exponentials / total)


@dataclass(frozen=True, eq=False)
class Weighed:
    """Scores and weights that were made in a format, on the CPU.

    The matrices are held in float32, which has every number of the formats. `exponentials` keep the format itself.
    """

    scores: Float[Tensor, "*batch n_q n_k"]
    scaled: Float[Tensor, "*batch n_q n_k"]
    masked: Float[Tensor, "*batch n_q n_k"]
    weights: Float[Tensor, "*batch n_q n_k"]
    exponentials: Float[Tensor, "*batch n_q n_k"]


def weigh_in_format(
    scores: Float[Tensor, "*batch n_q n_k"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None,
    scale: float,
    dtype: str,
    subtract: bool,
) -> Weighed:
    """Make scaled and masked scores and weights from float32 `scores`, every step rounded to `dtype`.

    A row without an allowed key gets weights zero, as in `masked_softmax`.
    """
    checkpoint()
    own = scores.to(format_of(dtype))
    del scores
    scaled = own if scale == 1.0 else own * scale
    checkpoint()
    masked = scaled if mask is None else scaled.masked_fill(~mask, -torch.inf)  # a sum of ∞ and −∞ would be NaN
    checkpoint()
    steps = softmax_steps(masked, dtype, subtract)
    weights, exponentials = steps.weights, steps.exponentials
    del steps
    if mask is not None:
        weights.masked_fill_(~mask.any(-1, keepdim=True), 0.0)
    # one after the other, so that few of them exist in both formats at once
    made = {"weights": weights.float().cpu(), "exponentials": exponentials.cpu()}
    del weights, exponentials
    same = scaled is own, masked is scaled
    made["scores"] = own.float().cpu()
    del own
    made["scaled"] = made["scores"] if same[0] else scaled.float().cpu()
    del scaled
    made["masked"] = made["scaled"] if same[1] else masked.float().cpu()
    return Weighed(**made)


@dataclass(frozen=True, eq=False)
class WeightSums:
    """Sums over rows of weights in float64; `first`, `second`, `third` and `entropies` leave out the largest weight."""

    top: Float[Tensor, "*rows"]
    first: Float[Tensor, "*rows"]
    second: Float[Tensor, "*rows"]
    third: Float[Tensor, "*rows"]
    entropies: Float[Tensor, "*rows"]


@dataclass(frozen=True, eq=False)
class WeighedRows(SummedRows):
    """The statistics of rows of weights that a format has made, from these weights themselves, in float64.

    They are the definitions over the weights as they are, so −Σ p ln p of a file's weights is the entropy beside them.
    J is diag(p) − p pᵀ with 1 − p of the largest weight as the sum of the others. A row that is no distribution has
    NaN for all of them. The log-sum-exp alone is that of the scores. Sums that rounding has lifted above a bound
    (Σp may be 1.001) are cut to it.
    """

    own: WeightSums
    broken: Bool[Tensor, "*rows"]

    @cached_property
    def empty(self) -> Bool[Tensor, "*rows"]:
        """True for a row without keys; one whose scores are all −∞ is not."""
        return (self.keys == 0).expand(self.broken.shape)

    @cached_property
    def top(self) -> Float[Tensor, "*rows"]:
        return self.own.top.masked_fill(self.broken, torch.nan)

    @cached_property
    def first(self) -> Float[Tensor, "*rows"]:
        return self.own.first

    @cached_property
    def second(self) -> Float[Tensor, "*rows"]:
        return self.own.second

    @cached_property
    def third(self) -> Float[Tensor, "*rows"]:
        return self.own.third

    @property
    def entropy(self) -> Float[Tensor, "*rows"]:
        return (self.own.entropies + torch.special.entr(self.top)).minimum(self.ceiling)

    @property
    def jacobian_norm(self) -> Float[Tensor, "*rows"]:
        return super().jacobian_norm.clamp_max(0.5)

    @property
    def jacobian_trace(self) -> Float[Tensor, "*rows"]:
        return super().jacobian_trace.minimum(1 - 1 / self.keys.clamp_min(1).double())


def weighed_rows(
    masked: Float[Tensor, "*batch n_k"], weights: Float[Tensor, "*batch n_k"], keys: Int[Tensor, "*#batch"]
) -> WeighedRows:
    """Return the statistics of rows of weights on the CPU; `keys` counts each row's allowed keys.

    A row is no distribution if a weight is NaN, or if its weights add up to 1 only within more than `OFF`.
    """
    sums, own = row_sums(masked), _weight_sums(weights)
    broken = ~((own.top + own.first - 1).abs() <= OFF) & (keys > 0)
    return WeighedRows(sums, keys, weights.dtype, own, broken)


def _weight_sums(weights: Float[Tensor, "*batch n_k"]) -> WeightSums:
    n_k = weights.shape[-1]
    found: list[tuple[Tensor, ...]] = []
    for rows in weights.reshape(-1, n_k).split(max(1, _BLOCK_FLOATS // max(1, n_k))):
        checkpoint()
        wide = rows.double()
        at = wide.argmax(-1, keepdim=True)
        top = wide.amax(-1)
        others = wide.scatter_(-1, at, 0.0)
        entropies = torch.special.entr(others).sum(-1)
        first = others.sum(-1)
        squares = others.square()
        found.append((top, first, squares.sum(-1), squares.mul_(others).sum(-1), entropies))
    return WeightSums(*(torch.cat(parts).view(weights.shape[:-1]) for parts in zip(*found, strict=True)))


def divided(
    weights: Float[Tensor, "*batch n_k"], exponentials: Float[Tensor, "*batch n_k"]
) -> Bool[Tensor, "*batch n_k"]:
    """Return True for weights that are x/∞ = 0: x is more than 0, and the sum of its row's exponentials is ∞.

    Every other weight 0 of an allowed key has underflowed, in its exponential or in the division. `exponentials` are in
    the format.
    """
    return (weights == 0) & (exponentials > 0) & exponentials.sum(-1, keepdim=True).isinf()


def marks(
    stage: str,
    values: Float[Tensor, "*batch n_k"],
    exponentials: Float[Tensor, "*batch n_k"],
    dtype: str,
) -> UInt8[Tensor, "*batch n_k"]:
    """Return what the format made of each cell of one stage of Figure 2, as codes of `MARKS`; 0 for nothing."""
    found = values.isnan().to(torch.uint8).mul_(NOT_A_NUMBER)
    if stage == "weights":
        found.masked_fill_(values < torch.finfo(format_of(dtype)).tiny, SUBNORMAL)
        found.masked_fill_(values == 0, LOST)
        return found.masked_fill_(exponentials.isinf(), INFINITE)
    return found.masked_fill_(values.isinf(), INFINITE)
