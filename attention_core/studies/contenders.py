"""The four measured ways to compute attention: two for each compatibility function, one head, no mask.

additive_naive     tanh(q W_q + k W_k) for all pairs in one n × n × d_k tensor
additive_chunked   the same in blocks of queries (`additive_scores`); with gradients autograd keeps all blocks
explicit           softmax(QKᵀ / √d_k) V with the matrix of scores in memory
fused              torch's scaled_dot_product_attention, which never stores that matrix
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.exact.scores import BLOCK_FLOATS, additive_scores
from attention_core.inputs.random_streams import draw
from attention_core.mechanisms import MECHANISMS
from attention_core.mechanisms.operations import (
    FLOAT,
    Operations,
    hidden_layer_bytes,
    score_matrix_bytes,
)

__all__ = ["CONTENDERS"]


@dataclass(frozen=True, eq=False)
class Operands:
    """Q, K and V, n × d_k each, and the parameters of an additive hidden layer of d_k units."""

    Q: Float[Tensor, "n d_k"]
    K: Float[Tensor, "n d_k"]
    V: Float[Tensor, "n d_k"]
    W_q: Float[Tensor, "d_k d_k"]
    W_k: Float[Tensor, "d_k d_k"]
    w: Float[Tensor, " d_k"]


@dataclass(frozen=True)
class Contender:
    """A way to compute attention, the operands that it uses, and its expected cost.

    `mechanism` names the mechanism whose operations it takes. `bytes(n, d_k, backward)` is about its peak memory beside
    its operands.
    """

    run: Callable[[Operands], Tensor]
    uses: tuple[str, ...]
    mechanism: str
    bytes: Callable[[int, int, bool], int]

    def operations(self, n: int, d_k: int, backward: bool) -> Operations:
        """Count the operations in theory."""
        return MECHANISMS[self.mechanism].operations(n, d_k, backward)


def draw_operands(n: int, d_k: int, seed: int, device: torch.device) -> Operands:
    """Draw components N(0, 1) and parameters N(0, 1/d_k), as in every other experiment here."""
    Q, K, V = (draw(seed, f"{name}/0", d_k, n).mT.contiguous() for name in "QKV")
    W_q, W_k = (draw(seed, f"{name}/0", d_k, d_k) / math.sqrt(d_k) for name in ("W_q", "W_k"))
    w = draw(seed, "w/0", 1, d_k)[0] / math.sqrt(d_k)
    return Operands(*(tensor.to(device) for tensor in (Q, K, V, W_q, W_k, w)))


def prepared(contender: Contender, operands: Operands, backward: bool) -> Callable[[], tuple[Tensor, ...]]:
    """Return a function that computes the output or, backward, the gradients of Σ output by all operands it uses."""
    if not backward:
        return torch.no_grad()(lambda: (contender.run(operands),))
    leaves: list[Tensor] = [getattr(operands, name).detach().requires_grad_() for name in contender.uses]
    given = replace(operands, **dict(zip(contender.uses, leaves, strict=True)))
    upstream = torch.ones_like(operands.V)

    def both() -> tuple[Tensor, ...]:
        output = contender.run(given)
        checkpoint()  # adds a fraction of a microsecond to the measured time
        return torch.autograd.grad(output, leaves, upstream)

    return both


def additive_naive(x: Operands) -> Float[Tensor, "n d_k"]:
    """Compute softmax(w · tanh(q W_q + k W_k)) V with one tensor for all pairs, tanh in place: 4 n² d_k bytes."""
    hidden = (x.Q @ x.W_q).unsqueeze(1) + x.K @ x.W_k  # n n d_k
    return (hidden.tanh_() @ x.w).softmax(-1) @ x.V


def additive_chunked(x: Operands) -> Float[Tensor, "n d_k"]:
    """Compute the same numbers, a block of queries at a time."""
    return additive_scores(x.Q, x.K, x.W_q, x.W_k, x.w).softmax(-1) @ x.V


def explicit(x: Operands) -> Float[Tensor, "n d_k"]:
    """Compute softmax(QKᵀ / √d_k) V, equation 1. √d_k divides the queries, which are fewer than the scores."""
    return ((x.Q / math.sqrt(x.Q.shape[-1])) @ x.K.mT).softmax(-1) @ x.V


def fused(x: Operands) -> Float[Tensor, "n d_k"]:
    """Compute equation 1 by torch's kernel, which goes over the keys in blocks with a running maximum and sum."""
    Q, K, V = (tensor[None, None] for tensor in (x.Q, x.K, x.V))  # the fast kernels need axes for batch and heads
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)[0, 0]


def _naive_bytes(n: int, d_k: int, backward: bool) -> int:
    layers = 3 if backward else 1  # backward: tanh, its gradient, and the sum's
    return layers * hidden_layer_bytes(n, d_k) + 2 * score_matrix_bytes(n) + 4 * FLOAT * n * d_k


def _chunked_bytes(n: int, d_k: int, backward: bool) -> int:
    block = FLOAT * min(n * n * d_k, max(BLOCK_FLOATS, n * d_k))
    if backward:
        return _naive_bytes(n, d_k, backward) + 2 * block
    return block + 2 * score_matrix_bytes(n) + 6 * FLOAT * n * d_k


def _explicit_bytes(n: int, d_k: int, backward: bool) -> int:
    return (4 if backward else 2) * score_matrix_bytes(n) + (5 if backward else 1) * FLOAT * n * d_k


def _fused_bytes(n: int, d_k: int, backward: bool) -> int:
    return (5 if backward else 1) * FLOAT * n * d_k + FLOAT * n


_ADDITIVE = ("Q", "K", "V", "W_q", "W_k", "w")

CONTENDERS: Final[Mapping[str, Contender]] = MappingProxyType(
    {
        "additive_naive": Contender(additive_naive, _ADDITIVE, "additive", _naive_bytes),
        "additive_chunked": Contender(additive_chunked, _ADDITIVE, "additive", _chunked_bytes),
        "explicit": Contender(explicit, ("Q", "K", "V"), "dot_product", _explicit_bytes),
        "fused": Contender(fused, ("Q", "K", "V"), "dot_product", _fused_bytes),
    }
)
