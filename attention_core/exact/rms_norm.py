"""RMSNorm with unit gains: what many models since 2024 do to queries and keys before they are compared (QK-norm)."""

import math
from typing import Final

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from attention_core.cancellation import checkpoint

__all__ = ["mean_squares", "rms_norm"]

_FLOATS: Final = 2**16
"""Numbers of a stretch of vectors: half a MiB in float64, whatever is given, and near a core."""


def rms_norm(vectors: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
    """Return x / √(mean of x²) of each vector x, whose length is then √d; a vector of zeros stays zero.

    This is RMSNorm (Zhang and Sennrich 2019) without gains and without the ε that models add under the root. As QK-norm
    (Qwen 3, Gemma 3; Henry et al. 2020 divide by the length instead) it makes a dot product d · cos θ.

    Everything is computed in float64 and rounded once to the dtype of `vectors`. Components of float64 are divided by
    the largest one first, so that no square overflows or vanishes.

    Parameters
    ----------
    vectors
        x, one vector after the axes of `batch`.

    Returns
    -------
    Tensor
        As `vectors`; NaN in a vector with a component that is not finite.
    """
    held = vectors.cpu() if vectors.device.type == "mps" else vectors  # mps has no float64
    if torch.is_grad_enabled() and held.requires_grad:
        return _normed(held).to(vectors)
    found = torch.empty_like(held, memory_format=torch.contiguous_format)
    d = held.shape[-1]
    rows, there, together = held.reshape(-1, d), found.view(-1, d), max(1, _FLOATS // max(1, d))
    room = torch.empty(min(together, len(rows)), d, dtype=torch.float64, device=held.device)
    for some, out in zip(rows.split(together), there.split(together), strict=True):
        checkpoint()
        if some.dtype == torch.float64:
            out.copy_(_normed(some))
            continue
        wide = room[: len(some)].copy_(some)  # no square of a float32 number leaves the range of float64
        length = torch.linalg.vector_norm(wide, dim=-1, keepdim=True)
        length.masked_fill_(length == torch.inf, torch.nan)  # else x/∞ would be 0
        out.copy_(wide.mul_(math.sqrt(d) / length.masked_fill_(length == 0, 1.0)))
    return found.to(vectors)


def _normed(vectors: Float[Tensor, "*batch d"]) -> Float64[Tensor, "*batch d"]:
    wide = vectors.double()
    largest = wide.detach().abs().amax(-1, keepdim=True)
    wide = wide / largest.masked_fill(largest == 0, 1.0)
    squares = wide.square().mean(-1, keepdim=True)
    return wide * squares.masked_fill(squares == 0, 1.0).rsqrt()


def mean_squares(vectors: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch 1"]:
    """Return Σ xᵢ² / d of each vector x, added up in float64 and rounded once: its root is what `rms_norm` divides by.

    Parameters
    ----------
    vectors
        x, one vector after the axes of `batch`.

    Returns
    -------
    Tensor
        One number for each vector, infinite if it is beyond the dtype of `vectors`.
    """
    held = vectors.cpu() if vectors.device.type == "mps" else vectors  # mps has no float64
    return held.double().square().mean(-1, keepdim=True).to(vectors)
