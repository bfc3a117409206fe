"""Our entmax and its gradient beside those of its authors' package `entmax`, on random rows and on hard ones."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import torch
from entmax import entmax15
from torch import Tensor

from attention_core.exact.entmax import entmax, entmax_jacobian
from tests.references.comparing import UNITS, Compared, worst

Draw = Callable[[torch.Generator, int], Tensor]


def _normal(generator: torch.Generator, n: int) -> Tensor:
    return torch.randn(n, generator=generator)


def _masked(generator: torch.Generator, n: int) -> Tensor:
    row = 2 * _normal(generator, n)
    forbidden = torch.rand(n, generator=generator) < 0.6
    forbidden[int(torch.randint(n, (), generator=generator))] = False
    return row.masked_fill(forbidden, -torch.inf)


def _far(generator: torch.Generator, n: int) -> Tensor:
    """Scores over the whole of float32, some of them together at the top."""
    row = (2 * torch.rand(n, generator=generator) - 1) * 3.3e38
    return torch.where(torch.rand(n, generator=generator) < 0.5, row.max(), row)


ROWS: Final[Mapping[str, Draw]] = MappingProxyType(
    {
        "normal": _normal,
        "nearly equal": lambda generator, n: 7 + 1e-4 * _normal(generator, n),
        "equal": lambda generator, n: _normal(generator, 1).expand(n).contiguous(),
        "of size 30": lambda generator, n: 30 * _normal(generator, n),
        "of size 1e30": lambda generator, n: 1e30 * _normal(generator, n),
        "over all of float32": _far,
        "of size 1e-30": lambda generator, n: 1e-30 * _normal(generator, n),
        "subnormal": lambda generator, n: 1e-42 * _normal(generator, n),
        "ties": lambda generator, n: (2 * _normal(generator, n)).round() / 2,
        # 2 below the largest is where a key would leave the support of a row of one key
        "at the edge": lambda generator, n: 5 - 2 * (torch.arange(n) % 2) - 1e-6 * _normal(generator, n).abs(),
        "masked": _masked,
    }
)
"""Each with at least one key that is allowed: the package gives NaN without, and our zeros are tested apart."""

KEYS: Final = (1, 2, 3, 7, 31, 300)


def drawn(count: int, seed: int) -> Iterator[tuple[str, Tensor]]:
    """Yield `count` rows of float32 scores of each kind and number of keys."""
    generator = torch.Generator().manual_seed(seed)
    for name, draw in ROWS.items():
        for n in KEYS:
            for at in range(count):
                yield f"{name}, {n} keys, {seed}.{at}", draw(generator, n)


def pulled_back(row: Tensor, v: Tensor, weigh: Callable[[Tensor], Tensor]) -> Tensor:
    """Return vᵀ ∂p/∂s by autograd."""
    given = row.clone().requires_grad_()
    return torch.autograd.grad(weigh(given), given, v)[0]


def compared_with_entmax(count: int, seed: int) -> Iterator[Compared]:
    """Yield the comparisons of each row: weights, and the Jacobian, which is symmetric, times a vector of ±1.

    The package computes in float64 what ours is given in float32; ours in float32 is rounded once.
    """
    generator = torch.Generator().manual_seed(seed)
    for name, row in drawn(count, seed):
        wide = row.double()
        v = torch.randint(2, row.shape, generator=generator).double() * 2 - 1
        p, pulled = entmax15(wide, -1), pulled_back(wide, v, lambda scores: entmax15(scores, -1))
        ours = {torch.float64: entmax(wide.unsqueeze(0)), torch.float32: entmax(row.unsqueeze(0)).double()}
        off = [worst(ours[dtype][0].numpy(), p.numpy(), unit) for dtype, unit in UNITS.items()]
        yield Compared(name, "entmax, its authors'", "weights", row.numel(), *off)
        own = entmax_jacobian(wide) @ v
        by_autograd = pulled_back(row, v.float(), lambda scores: entmax(scores.unsqueeze(0)).squeeze(0)).double()
        both = own.numpy(), by_autograd.numpy()
        off = [worst(mine, pulled.numpy(), unit) for mine, unit in zip(both, UNITS.values(), strict=True)]
        yield Compared(name, "entmax, its authors'", "Jacobian · v", row.numel(), *off)
