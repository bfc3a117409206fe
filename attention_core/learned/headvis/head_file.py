"""One head as a file of HeadVis has it: texts with the largest weights of their rows, and sums over these texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.cached import cached_property

__all__ = ["Bins", "HeadVisHead", "HeadVisSequence", "TokenWeight"]


class Bins(NamedTuple):
    """A histogram: bin i holds `values[i]` of what lies from `edges[i]` to before `edges[i + 1]`."""

    edges: tuple[float, ...]
    values: tuple[float, ...]


class TokenWeight(NamedTuple):
    """A token, and the sum of the weights at it."""

    token: str
    weight: float


@dataclass(frozen=True, eq=False)
class HeadVisSequence:
    """A text with the weights that the file has: the largest of each row, by default at most 8, each at least .005.

    id              its number among the texts of the run
    interval        the band of its maximum among all texts, 1 the lowest
    tokens          as the file calls them
    q, k            positions of the queries and keys whose weights are there, from 0, row by row; no two are the same
    values          these weights. One that is not there is small, or below the largest of its row that are: not 0
    max_activation  the largest weight behind the first row and the first column; None if the file does not say it
    """

    id: int
    interval: int
    tokens: tuple[str, ...]
    q: Int[Tensor, " cells"]
    k: Int[Tensor, " cells"]
    values: Float[Tensor, " cells"]
    max_activation: float | None

    @cached_property
    def row_sums(self) -> Float[Tensor, " n"]:
        """Of each row the sum of the weights that are there: with .93 the file lacks .07 of the row's 1.

        A row that is rounded may have a little more than 1, and one with a learned sink less than 1 anyhow.
        """
        return torch.zeros(len(self.tokens), dtype=torch.float64).index_add_(0, self.q, self.values)


@dataclass(frozen=True, eq=False)
class HeadVisHead:
    """A head's file. It is sparse: weights below .005 (another run may have another bound) are left out, and so are
    those behind the largest of a row, so rows do not add up to 1.

    layer, head   from 1; in the file's name, which alone says them, they count from 0. None without such a name
    sequences     in the order of the file
    distances     sum of the weights that are there at each |q − k|; None if the file has no such histogram, as below
    queries, keys the tokens at which most weight is, the largest first
    activations   how many texts have which maximum
    statistics    anything else that the run says of the head, by its name there
    """

    layer: int | None
    head: int | None
    sequences: tuple[HeadVisSequence, ...]
    distances: Bins | None
    queries: tuple[TokenWeight, ...]
    keys: tuple[TokenWeight, ...]
    activations: Bins | None
    statistics: Mapping[str, float | str | None]

    @cached_property
    def smallest(self) -> float | None:
        """The smallest weight that is there; None without any."""
        return min((float(one.values.min()) for one in self.sequences if len(one.values)), default=None)

    @cached_property
    def bands(self) -> Mapping[int, tuple[HeadVisSequence, ...]]:
        """The texts of each interval that has some, the strongest interval first: five by default, ten as often."""
        found: dict[int, list[HeadVisSequence]] = {}
        for one in self.sequences:
            found.setdefault(one.interval, []).append(one)
        return MappingProxyType({band: tuple(found[band]) for band in sorted(found, reverse=True)})
