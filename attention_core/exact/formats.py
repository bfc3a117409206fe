"""Figure 2 in a number format: each of its steps is made in the format, and its result rounded to it once.

    scores  = round(QKᵀ)              products of numbers of the format, added up in float32
    scaled  = round(scores · factor)  the factor is a float32 number of the program, as for torch's half tensors
    capped  = round(c · round(tanh(round(scaled / c))))  only with a softcap
    shifted = round(scaled − max)     only if the maximum is subtracted
    e       = round(exp(shifted))
    total   = round(Σ e)              added up in float32
    weights = round(e / total)
    output  = round(weights V)        added up in float32

A sink is one more score, round(b), which takes part in max and Σ. A gate is round(σ(round(scaled − ln n))). The steps
of entmax are in `entmax_in_format`.

That is what torch's half tensors do if the softmax is written out, operation by operation, on a CPU and on a GPU:
matrix units and reductions add up in float32 and round once. (`torch.softmax` itself keeps its steps in float32 inside
one kernel and rounds once at the end.) The scores of additive attention are one such kernel: its hidden layer stays in
float32, and the score is rounded once.

exp leaves float16 above 11.09, and float32 and bfloat16 above 88.7. Without the maximum subtracted such a row holds
∞/∞ = NaN, and x/∞ = 0. A row whose exponentials are all 0 holds 0/0 = NaN.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.config import CHOICES, AttentionConfig
from attention_core.exact.sunk_rows import beside
from attention_core.treatments import Curve
from attention_core.validation import choice

__all__ = ["MARKS", "format_of", "is_reference", "largest_exponent", "largest_square", "overflows", "softmax_steps"]

MARKS: Final = ("infinite", "not_a_number", "lost", "subnormal")
"""What a format made of a cell; its code is its place here, from 1.

infinite      the number is ±∞ or, of a weight, its exponential is ∞
not_a_number  the number is NaN, and nothing of the cell itself was ∞
lost          the weight is 0, although a softmax has no such weight; of entmax, although its root is above 0
subnormal     the weight is below the format's smallest normal number, so that digits are missing
"""
INFINITE, NOT_A_NUMBER, LOST, SUBNORMAL = range(1, len(MARKS) + 1)


def format_of(dtype: str) -> torch.dtype:
    """Return the torch dtype of a format. Raises `InvalidInput` (`unknown_choice`)."""
    return getattr(torch, choice("dtype", dtype, CHOICES["dtype"]))


def is_reference(config: AttentionConfig) -> bool:
    """Return True for float32 with the maximum subtracted: the other formats are held against it."""
    return config.dtype == "float32" and config.subtract_max


def largest_exponent(dtype: str) -> float:
    """Return the largest x whose exp(x) is finite in the format: 11.09 in float16, 88.7 in float32."""
    return torch.tensor(torch.finfo(format_of(dtype)).max, dtype=torch.float64).log().item()


def overflows(score: float, dtype: str) -> bool:
    """Return True if exp of a score that the format has rounded is ∞ in it."""
    return bool(torch.tensor(score, dtype=format_of(dtype)).exp().isinf())


def largest_square(dtype: str) -> float:
    """Return the largest x whose square is finite in the format: 256 in float16."""
    return math.sqrt(torch.finfo(format_of(dtype)).max)


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
class Steps:
    """What a normalisation made of masked scores in a format: weights, and the numbers that may have overflowed.

    `exponentials` are the numbers before the last step: e^s, a gate itself, a root. `total` is the denominator, where
    something is divided. `beside` is the weight of a sink.
    """

    weights: Float[Tensor, "*batch n_k"]
    exponentials: Float[Tensor, "*batch n_k"]
    total: Float[Tensor, "*batch 1"] | None = None
    beside: Float[Tensor, "*batch 1"] | None = None


def softmax_in_format(masked: Float[Tensor, "*batch n_k"], subtract: bool) -> Steps:
    """Return the softmax of masked scores in their own dtype, every step rounded to it."""
    made = softmax_steps(masked, _named(masked), subtract)
    return Steps(made.weights, made.exponentials)


def sunk_in_format(masked: Float[Tensor, "*batch n_k"], sink: float, subtract: bool) -> Steps:
    """Return e^s / (e^sink + Σ e^s) in the dtype of the scores; the sink's score is rounded to it as well."""
    made = softmax_steps(beside(masked, sink), _named(masked), subtract)
    weights, exponentials = made.weights, made.exponentials
    return Steps(weights[..., :-1].contiguous(), exponentials[..., :-1].contiguous(), made.total, weights[..., -1:])


def gates_in_format(masked: Float[Tensor, "*batch n_k"]) -> Steps:
    """Return σ(s − ln n) in the dtype of the scores: the difference is rounded, and the gate. Nothing can overflow.

    ln n is a float32 number of the program, as the factor is; torch itself rounds it to a half format on a CPU only.
    """
    checkpoint()
    made = (masked.float() - math.log(masked.shape[-1])).to(masked.dtype).sigmoid_()
    return Steps(made, made)


def _named(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


@dataclass(frozen=True, eq=False)
class Weighed:
    """Scores and weights that were made in a format, on the CPU.

    The matrices are held in float32, which has every number of the formats. `exponentials` and `total` keep the format
    itself. `beside` are the weights of a sink.
    """

    scores: Float[Tensor, "*batch n_q n_k"]
    scaled: Float[Tensor, "*batch n_q n_k"]
    masked: Float[Tensor, "*batch n_q n_k"]
    weights: Float[Tensor, "*batch n_q n_k"]
    exponentials: Float[Tensor, "*batch n_q n_k"]
    total: Float[Tensor, "*batch n_q 1"] | None = None
    beside: Float[Tensor, "*batch n_q 1"] | None = None


def weigh_in_format(
    scores: Float[Tensor, "*batch n_q n_k"],
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | None,
    scale: float,
    dtype: str,
    steps_of: Callable[[Tensor], Steps],
    curve: Curve | None = None,
) -> Weighed:
    """Make scaled and masked scores and weights from float32 `scores`, every step rounded to `dtype`.

    `steps_of` makes weights of masked scores. A row without an allowed key gets weights zero, as in `masked_softmax`.
    """
    checkpoint()
    own = scores.to(format_of(dtype))
    del scores
    scaled = own if scale == 1.0 else own * scale
    checkpoint()
    capped = scaled if curve is None else curve.value(scaled)
    checkpoint()
    masked = capped if mask is None else capped.masked_fill(~mask, -torch.inf)  # a sum of ∞ and −∞ would be NaN
    del capped
    checkpoint()
    steps = steps_of(masked)
    weights, exponentials, total, share = steps.weights, steps.exponentials, steps.total, steps.beside
    del steps
    if mask is not None:
        weights.masked_fill_(~mask.any(-1, keepdim=True), 0.0)
    # one after the other, so that few of them exist in both formats at once
    made = {"weights": weights.float().cpu(), "exponentials": exponentials.cpu()}
    others = None if total is None else total.cpu(), None if share is None else share.float().cpu()
    del weights, exponentials
    same = scaled is own, masked is scaled
    made["scores"] = own.float().cpu()
    del own
    made["scaled"] = made["scores"] if same[0] else scaled.float().cpu()
    del scaled
    made["masked"] = made["scaled"] if same[1] else masked.float().cpu()
    return Weighed(**made, total=others[0], beside=others[1])


def divided(
    weights: Float[Tensor, "*batch n_k"],
    exponentials: Float[Tensor, "*batch n_k"],
    total: Float[Tensor, "*batch 1"] | None = None,
) -> Bool[Tensor, "*batch n_k"]:
    """Return True for weights that are x/∞ = 0: x is more than 0, and the sum of its row's exponentials is ∞.

    Every other weight 0 of an allowed key has underflowed, in its exponential or in the division. `exponentials` are in
    the format, and `total` is their sum if something else was added to it.
    """
    total = exponentials.sum(-1, keepdim=True) if total is None else total
    return (weights == 0) & (exponentials > 0) & total.isinf()


def marks(
    stage: str,
    values: Float[Tensor, "*batch n_k"],
    exponentials: Float[Tensor, "*batch n_k"],
    dtype: str,
    zeros: bool = False,
) -> UInt8[Tensor, "*batch n_k"]:
    """Return what the format made of each cell of one stage of Figure 2, as codes of `MARKS`; 0 for nothing.

    With `zeros` a weight of 0 is none of its making unless `exponentials` is above 0.
    """
    found = values.isnan().to(torch.uint8).mul_(NOT_A_NUMBER)
    if stage == "weights":
        found.masked_fill_(values < torch.finfo(format_of(dtype)).tiny, SUBNORMAL)
        found.masked_fill_(values == 0, LOST)
        if zeros:
            found.masked_fill_((values == 0) & (exponentials == 0), 0)
        return found.masked_fill_(exponentials.isinf(), INFINITE)
    return found.masked_fill_(values.isinf(), INFINITE)
