"""RMSNorm with unit gains: what many models since 2024 do to queries and keys before they are compared (QK-norm)."""

from jaxtyping import Float
from torch import Tensor

__all__ = ["mean_squares", "rms_norm"]


def rms_norm(vectors: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
    """Return x / √(mean of x²) of each vector x, whose length is then √d; a vector of zeros stays zero.

    This is RMSNorm (Zhang and Sennrich 2019) without gains and without the ε that models add under the root. As QK-norm
    (Qwen 3, Gemma 3; Henry et al. 2020 divide by the length instead) it makes a dot product d · cos θ.

    Components are divided by the largest one first, so that no square overflows or vanishes. Everything is computed in
    float64 and rounded once to the dtype of `vectors`.

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
    wide = held.double()
    largest = wide.detach().abs().amax(-1, keepdim=True)
    wide = wide / largest.masked_fill(largest == 0, 1.0)
    squares = wide.square().mean(-1, keepdim=True)
    return (wide * squares.masked_fill(squares == 0, 1.0).rsqrt()).to(vectors)


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
