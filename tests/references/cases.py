"""The cases in which our numbers are held against those of others."""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import torch
from torch import Tensor

from tests.attention_core import oracles


@dataclass(frozen=True, eq=False)
class Case:
    """Heads of Q, K and V (h × n × d_k, float32), the factor, the mask and, for additive attention, its parameters."""

    Q: Tensor
    K: Tensor
    V: Tensor
    scale: float
    mask: Tensor | None = None
    hidden: tuple[Tensor, Tensor, Tensor] | None = None
    """W_q, W_k, w of additive attention; None for dot products."""

    def to(self, place: torch.device) -> "Case":
        """Return the same case on a device."""
        mask = None if self.mask is None else self.mask.to(place)
        hidden = (
            None
            if self.hidden is None
            else (self.hidden[0].to(place), self.hidden[1].to(place), self.hidden[2].to(place))
        )
        return Case(self.Q.to(place), self.K.to(place), self.V.to(place), self.scale, mask, hidden)


def drawn(name: str, *shape: int) -> Tensor:
    """Return normal numbers that depend on the name and the shape alone."""
    seed = sum(map(ord, name)) * 1000 + sum(shape)
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def dot(n_q: int, n_k: int, d_k: int, *, scale: float | None = None, mask: Tensor | None = None, h: int = 2) -> Case:
    """Return a case of footnote 4's draws."""
    Q, K, V = drawn("Q", h, n_q, d_k), drawn("K", h, n_k, d_k), drawn("V", h, n_k, d_k)
    return Case(Q, K, V, 1 / math.sqrt(d_k) if scale is None else scale, mask)


def _equal_keys() -> Case:
    case = dot(6, 9, 8)
    return Case(case.Q, case.K[:, :1].expand(2, 9, 8).contiguous(), case.V, case.scale)


def _one_hot() -> Case:
    """Return queries that are 40 times a key: every row is one-hot to 1e-30 and below."""
    K = drawn("K", 2, 8, 64)
    return Case(40 * K / K.norm(dim=-1, keepdim=True), K, drawn("V", 2, 8, 64), 1.0)


def _additive(mask: Tensor | None = None) -> Case:
    case = dot(10, 12, 16, scale=1.0, mask=mask)
    hidden = drawn("W_q", 2, 16, 16) / 4, drawn("W_k", 2, 16, 16) / 4, drawn("w", 2, 16)
    return Case(case.Q, case.K, case.V, 1.0, mask, hidden)


CASES: Final[Mapping[str, Callable[[], Case]]] = MappingProxyType(
    {
        "scaled": lambda: dot(32, 32, 64),
        "unscaled, d_k 512": lambda: dot(32, 32, 512, scale=1.0),
        "one-hot": _one_hot,
        "equal keys": _equal_keys,
        "d_k 1": lambda: dot(12, 12, 1),
        "two keys": lambda: dot(5, 2, 16),
        "one key": lambda: dot(5, 1, 16),
        "factor 0": lambda: dot(8, 8, 16, scale=0.0),
        "negative factor": lambda: dot(8, 8, 16, scale=-1.0),
        "causal": lambda: dot(16, 16, 32, mask=oracles.causal(16, 16)),
        "causal, 5 queries of 16 keys": lambda: dot(5, 16, 32, mask=oracles.causal(5, 16)),
        "window 2": lambda: dot(16, 16, 32, mask=oracles.window(16, 16, 2)),
        "additive": _additive,
        "additive, window 3": lambda: _additive(oracles.window(10, 12, 3)),
    }
)
"""Each leaves every query a key: libraries disagree about a row without one, and Headlight's zeros are tested apart."""


def at_random(count: int, seed: int) -> Mapping[str, Callable[[], Case]]:
    """Return cases of random sizes, factors, masks and inputs, made when they are called."""

    def make(name: str) -> Case:
        draws = random.Random(name)
        h, n_k, d_k = draws.randint(1, 4), draws.randint(1, 32), draws.choice((1, 2, 8, 16, 64, 256, 512))
        n_q = draws.choice((n_k, draws.randint(1, n_k)))
        scale = draws.choice((1 / math.sqrt(d_k), 1 / math.sqrt(d_k), 1.0, 1 / d_k, -1.0))
        mask = draws.choice((None, None, oracles.causal(n_q, n_k)))
        Q, K, V = (drawn(f"{name} {letter}", h, n, d_k) for letter, n in (("Q", n_q), ("K", n_k), ("V", n_k)))
        if d_k > 64 or draws.random() < 0.8:
            return Case(Q, K, V, scale, mask)
        W_q, W_k = (drawn(f"{name} {layer}", h, d_k, d_k) / math.sqrt(d_k) for layer in ("W_q", "W_k"))
        return Case(Q, K, V, 1.0, mask, (W_q, W_k, drawn(f"{name} w", h, d_k)))

    return {name: lambda name=name: make(name) for name in (f"random {seed}.{at}" for at in range(count))}
