"""The scaled scores of any block of queries and keys, head by head, from Q and K alone.

A block is laid out keys × queries. The product is faster that way, and so are sums and maxima over the keys, which then
run along rows of memory instead of across them.
"""

import math
from itertools import product
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.blocks.mask import Head
from attention_core.cancellation import checkpoint
from attention_core.exact.scores import additive_scores
from attention_core.inputs.tensors import not_finite
from attention_core.shapes import require_shapes, shape_error
from attention_core.validation import real_number

_STRETCH = 1024
"""Number of vectors that are widened together."""


@runtime_checkable
class Compatibility(Protocol):
    """A mechanism's scores, as the pass over blocks reads them."""

    batch: Head
    n_q: int
    n_k: int
    d_k: int
    dtype: torch.dtype
    device: torch.device

    def block(self, head: Head, rows: slice, columns: slice, out: Float[Tensor, "keys rows"]) -> None:
        """Write the scaled scores of one block of one head into `out`."""
        ...

    def bound(self) -> float:
        """Return a number that no score exceeds in size."""
        ...

    def moments(self, head: Head) -> tuple[float, float] | None:
        """Return mean and population variance of a head's scores, None if only the scores themselves tell."""
        ...


class DotProducts:
    """The scores `scale` · q · k in at least float32. `scale` is 1/√d_k if None.

    K may have fewer heads than Q (axis −3), as in grouped-query attention: head i of Q reads head ⌊i · h_k / h⌋ of K.
    """

    def __init__(
        self, Q: Float[Tensor, "*batch n_q d_k"], K: Float[Tensor, "*groups n_k d_k"], scale: float | None
    ) -> None:
        self.batch, self.n_q, self.n_k, self.d_k = fitting_shapes(Q, K)
        _require_finite(Q, K)
        self.scale = 1 / math.sqrt(self.d_k) if scale is None else real_number("scale", scale, -math.inf, math.inf)
        self.dtype, self.device = wide(Q, K), Q.device
        self._Q, self._K = Q.detach(), K.detach()
        self._group = 1 if len(self.batch) == 0 else Q.shape[-3] // K.shape[-3]

    def block(self, head: Head, rows: slice, columns: slice, out: Float[Tensor, "keys rows"]) -> None:
        q, k = self._Q[head][rows].to(self.dtype), self._keys(head)[columns].to(self.dtype)
        torch.addmm(out, k, q.mT, beta=0, alpha=self.scale, out=out)

    def bound(self) -> float:
        """Return |`scale`| max ‖q‖ max ‖k‖, slightly more for rounding."""
        q, k = (torch.stack([_largest_norm(head) for head in _heads(each)]).max() for each in (self._Q, self._K))
        return abs(self.scale) * q.item() * k.item() * 1.001

    def moments(self, head: Head) -> tuple[float, float]:
        """Compute the mean q̄·k̄ and the variance k̄ᵀC_q k̄ + q̄ᵀC_k q̄ + tr(C_q C_k), both scaled.

        q̄, k̄ are the means and C the covariances of the vectors. It takes O((n_q + n_k) d_k²) in float64. Every term of
        the variance is non-negative, so nothing cancels.
        """
        (q, C_q), (k, C_k) = (_covariance(tensor) for tensor in (self._Q[head], self._keys(head)))
        variance = k @ C_q @ k + q @ C_k @ q + (C_q * C_k).sum()
        return self.scale * (q @ k).item(), self.scale**2 * max(variance.item(), 0.0)

    def _keys(self, head: Head) -> Float[Tensor, "n_k d_k"]:
        return self._K[(*head[:-1], head[-1] // self._group)] if head else self._K


class AdditiveCompatibilities:
    """The scores w · tanh(q W_q + k W_k), by `additive_scores`, which never holds n_q × n_k × n_hidden numbers."""

    def __init__(
        self,
        Q: Float[Tensor, "*batch n_q d_k"],
        K: Float[Tensor, "*groups n_k d_k"],
        W_q: Float[Tensor, "*#batch d_k n_hidden"],
        W_k: Float[Tensor, "*#batch d_k n_hidden"],
        w: Float[Tensor, "*#batch n_hidden"],
    ) -> None:
        self.batch, self.n_q, self.n_k, self.d_k = fitting_shapes(Q, K)
        require_shapes({"d_k": self.d_k}, W_q=(W_q, "d_k n_hidden"), W_k=(W_k, "d_k n_hidden"), w=(w, "n_hidden"))
        _require_finite(Q, K)
        self.dtype, self.device = wide(Q, K, W_q, W_k, w), Q.device
        self._Q, self._K = Q.detach(), K.detach()
        self._group = 1 if len(self.batch) == 0 else Q.shape[-3] // K.shape[-3]
        self._W_q, self._W_k, self._w = (
            _spread(name, tensor.detach(), self.batch, axes)
            for name, tensor, axes in (("W_q", W_q, 2), ("W_k", W_k, 2), ("w", w, 1))
        )

    def block(self, head: Head, rows: slice, columns: slice, out: Float[Tensor, "keys rows"]) -> None:
        K = self._K[(*head[:-1], head[-1] // self._group)] if head else self._K
        tensors = (self._Q[head][rows], K[columns], self._W_q[head], self._W_k[head], self._w[head])
        out.copy_(additive_scores(*(tensor.to(self.dtype) for tensor in tensors)).mT)

    def bound(self) -> float:
        """Return Σ|w|, slightly more for rounding, since |tanh| ≤ 1."""
        return self._w.abs().sum(-1, dtype=self.dtype).max().item() * 1.001

    def moments(self, head: Head) -> None:
        return None


def heads(batch: Head) -> list[Head]:
    """Return the index of every head of a batch, in the order of memory."""
    return list(product(*map(range, batch)))


def wide(*tensors: Float[Tensor, "..."]) -> torch.dtype:
    """Return the dtype of the computation: float64 if a tensor has it, else float32."""
    dtype = torch.float32
    for tensor in tensors:
        dtype = torch.promote_types(dtype, tensor.dtype)
    return dtype


def fitting_shapes(Q: Tensor, K: Tensor) -> tuple[Head, int, int, int]:
    """Return (batch, n_q, n_k, d_k). Raises `InvalidInput` unless K's number of heads divides Q's."""
    sizes = require_shapes({}, Q=(Q, "n_q d_k"), K=(K, "n_k d_k"))
    for name, tensor in (("Q", Q), ("K", K)):
        if tensor.numel() == 0:
            raise shape_error(name, "at least 1 along every axis", tuple(tensor.shape))
    batch, groups = tuple(Q.shape[:-2]), tuple(K.shape[:-2])
    axes = f"n_k × d_k = {sizes['d_k']}"
    if not batch and groups:
        raise shape_error("K", axes, tuple(K.shape))
    if batch != groups and (len(batch) != len(groups) or batch[:-1] != groups[:-1] or batch[-1] % groups[-1]):
        outer = "".join(f"{size} × " for size in batch[:-1])
        raise shape_error("K", f"{outer}h_k × {axes} with h_k a divisor of h = {batch[-1]}", tuple(K.shape))
    return batch, sizes["n_q"], sizes["n_k"], sizes["d_k"]


def _require_finite(Q: Tensor, K: Tensor) -> None:
    for name, tensor in (("Q", Q), ("K", K)):
        sums = []
        for head in _heads(tensor):
            checkpoint()
            sums.append(head.sum(dtype=torch.float32))
        # Finite sums prove every number finite. Only if one is not (it may just overflow) look at each of them.
        if torch.stack(sums).isfinite().all():
            continue
        for head in _heads(tensor):
            checkpoint()
            if not head.isfinite().all():
                raise not_finite(name, tensor)


def _heads(tensor: Float[Tensor, "*batch n d"]) -> list[Float[Tensor, "n d"]]:
    return [tensor[head] for head in heads(tuple(tensor.shape[:-2]))]


def _spread(name: str, tensor: Tensor, batch: Head, axes: int) -> Tensor:
    try:
        return tensor.expand(*batch, *tensor.shape[-axes:])
    except RuntimeError:
        sizes = " × ".join(map(str, batch))
        raise shape_error(name, f"broadcastable to the {sizes} heads", tuple(tensor.shape)) from None


def _largest_norm(vectors: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    """Return the norm of the longest vector, in float64."""
    largest = []
    for part in vectors.split(_STRETCH):
        checkpoint()
        largest.append(_float64(part).norm(dim=-1).max())
    return torch.stack(largest).max()


def _covariance(vectors: Float[Tensor, "n d"]) -> tuple[Float[Tensor, " d"], Float[Tensor, "d d"]]:
    """Return mean and population covariance in float64, on the CPU.

    Float32 is not enough: its products of the same vectors are an order of magnitude less exact than the measured
    variance of the scores, whose errors average out over n² of them.
    """
    parts = vectors.split(_STRETCH)
    mean = torch.stack([_float64(part).sum(0) for part in parts]).sum(0) / len(vectors)
    squares = torch.zeros(len(mean), len(mean), dtype=torch.float64, device=mean.device)
    for part in parts:
        checkpoint()
        centred = _float64(part).sub_(mean)
        squares.addmm_(centred.mT, centred)
    return mean.cpu(), squares.cpu() / len(vectors)


def _float64(tensor: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Return a float64 copy, on the CPU if the device of `tensor` has no float64."""
    return (tensor.cpu() if tensor.device.type == "mps" else tensor).to(torch.float64, copy=True)
