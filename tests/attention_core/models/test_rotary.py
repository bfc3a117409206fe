"""Rotary pairs are found in queries that were rotated here, in every layout, and in no others."""

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.models.rotary import rotary_pairs

Pairs = tuple[tuple[int, int], ...]


def layout(kind: str, first: int, r: int) -> Pairs:
    if kind == "halves":
        return tuple((first + i, first + i + r // 2) for i in range(r // 2))
    return tuple((first + 2 * i, first + 2 * i + 1) for i in range(r // 2))


def rotated(pairs: Pairs, d_k: int, seed: int, base: float = 10000.0) -> Float[Tensor, "h n d_k"]:
    """Return one random query a head, turned at each of 64 positions."""
    q = torch.randn(3, 1, d_k, generator=torch.Generator().manual_seed(seed))
    Q = q.repeat(1, 64, 1)
    for number, (i, j) in enumerate(pairs):
        angle = torch.arange(64) * base ** (-number / len(pairs))
        Q[..., i] = q[..., i] * angle.cos() - q[..., j] * angle.sin()
        Q[..., j] = q[..., i] * angle.sin() + q[..., j] * angle.cos()
    return Q


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["halves", "neighbours"])
@pytest.mark.parametrize(
    ("d_k", "first", "r"), [(8, 0, 8), (16, 0, 4), (64, 0, 64), (80, 0, 32), (128, 0, 128), (24, 16, 8), (192, 128, 64)]
)
def test_the_pairs_that_turned_are_found(kind: str, d_k: int, first: int, r: int, seed: int) -> None:
    pairs = layout(kind, first, r)
    assert rotary_pairs(rotated(pairs, d_k, seed)) == pairs


@pytest.mark.parametrize("base", [5e5, 1e6])
def test_rotations_too_slow_to_see_are_paired_by_the_fast_ones(base: float) -> None:
    pairs = layout("halves", 0, 128)
    assert rotary_pairs(rotated(pairs, 128, 0, base)) == pairs
    found = rotary_pairs(rotated(layout("neighbours", 0, 128), 128, 0, base))
    assert found == layout("neighbours", 0, 128)[: len(found)]
    assert len(found) > 55


def test_queries_that_stand_still_have_none() -> None:
    assert rotary_pairs(torch.randn(3, 1, 16).repeat(1, 9, 1)) == ()
    assert rotary_pairs(torch.zeros(3, 9, 16)) == ()


@pytest.mark.parametrize("seed", range(20))
def test_queries_that_change_otherwise_have_none(seed: int) -> None:
    """Learned positions add to a query; a factor by position keeps directions and changes norms."""
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(3, 1, 16, generator=generator)
    assert rotary_pairs(q + torch.randn(1, 9, 16, generator=generator)) == ()
    assert rotary_pairs(q * torch.linspace(1, 2, 9)[:, None]) == ()
