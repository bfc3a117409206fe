"""The paper's formulas in float64, number by number, as plain as possible."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor


def dot(q: np.ndarray, k: np.ndarray) -> float:
    """Return q · k."""
    return sum(float(x) * float(y) for x, y in zip(q, k, strict=True))


def additive(W_q: np.ndarray, W_k: np.ndarray, w: np.ndarray) -> Callable[[np.ndarray, np.ndarray], float]:
    """Return w · tanh(W_q q + W_k k) as a function of q and k; rows of the matrices are inputs."""
    return lambda q, k: sum(
        w[j] * math.tanh(dot(W_q[:, j], q) + dot(W_k[:, j], k)) for j in range(len(w))
    )  # one term per hidden unit


def softmax(scores: Sequence[float]) -> list[float]:
    """Return exp(sⱼ) / Σ exp(s); zeros if every score is −inf."""
    top = max(scores)
    if top == -math.inf:
        return [0.0] * len(scores)
    powers = [math.exp(s - top) for s in scores]
    return [power / sum(powers) for power in powers]


def attention(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    compatibility: Callable[[np.ndarray, np.ndarray], float] = dot,
    scale: float = 1.0,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return (scores, weights, output) of one head in float64, row by row."""
    q, k, v = (tensor.double().numpy() for tensor in (Q, K, V))
    scores = [[compatibility(q_i, k_j) for k_j in k] for q_i in q]
    weights = [
        softmax([s * scale if mask is None or mask[i, j] else -math.inf for j, s in enumerate(row)])
        for i, row in enumerate(scores)
    ]
    output = [[sum(p * v[j, c] for j, p in enumerate(row)) for c in range(v.shape[1])] for row in weights]
    return tuple(torch.tensor(rows, dtype=torch.float64) for rows in (scores, weights, output))  # type: ignore[return-value]


def entropy(weights: Sequence[float]) -> float:
    """Return −Σ p ln p in nats, with 0 ln 0 = 0."""
    return -sum(p * math.log(p) for p in weights if p > 0)


def jacobian(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return (‖J‖_F, trace J) of the whole matrix J = diag(p) − p pᵀ in float64."""
    p = weights.double()
    J = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return J.norm(dim=(-2, -1)), J.diagonal(dim1=-2, dim2=-1).sum(-1)


def error(ours: Tensor, exact: Tensor) -> float:
    """Return the largest deviation from the float64 truth."""
    return (ours.double() - exact).abs().max().item()


def assert_as_exact_as(plain: Tensor, ours: Tensor, exact: Tensor) -> None:
    """Assert at most twice the error of a plain computation in the same precision, both against float64."""
    assert ours.shape == exact.shape
    assert error(ours, exact) <= 2 * error(plain, exact), (error(ours, exact), error(plain, exact))


def causal(n_q: int, n_k: int) -> torch.Tensor:
    """Return the causal mask: the last query is aligned with the last key, and no query sees a later key."""
    return torch.arange(n_k) - n_k <= (torch.arange(n_q) - n_q).unsqueeze(-1)


def window(n_q: int, n_k: int, width: int) -> torch.Tensor:
    """Return the mask of keys at most `width` places from the query."""
    return ((torch.arange(n_k) - n_k) - (torch.arange(n_q) - n_q).unsqueeze(-1)).abs() <= width
