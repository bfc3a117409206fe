"""What a model's run takes, before it is made: the one rule behind every page's price of a trained model."""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from attention_core.learned import LearnedModel
from attention_core.models import MOST_WRITTEN, FolderModel, SoundReader
from visualiser.server.settings import MEBIBYTE

_FLOAT: Final = 4  # bytes
_STEP: Final = 3e-4  # seconds of a layer that reads one token more


@dataclass(frozen=True)
class Sizes:
    """The sizes of a run.

    layers         of h heads over n positions, queries and keys of width d_k
    multiply_adds  of its matrix products
    n_k            the most keys of a layer; 0 if they are as many as the queries
    passing        cells of a head that is computed on the way and not kept
    steps          passes through the model before this one, a token each
    """

    layers: int
    h: int
    n: int
    d_k: int
    multiply_adds: int
    n_k: int = 0
    passing: int = 0
    steps: int = 0

    @property
    def cells(self) -> int:
        """The most weights of a head that is kept."""
        return self.n * (self.n_k or self.n)


class Work(NamedTuple):
    """Seconds of one core, the most bytes at once, the bytes that are kept, and multiply-adds of matrix products."""

    seconds: float
    memory: int
    kept: int
    multiply_adds: int


def sizes_of(model: LearnedModel, n: int) -> Sizes:
    """Return the sizes of a model's run over n positions."""
    sizes = Sizes(model.layers, model.h, n, model.d_k, model.multiply_adds(n))
    if "target" not in model.takes:
        return sizes
    sizes = replace(sizes, steps=MOST_WRITTEN)
    reader = model.reader if isinstance(model, FolderModel) else None
    if not isinstance(reader, SoundReader) or reader.keeps_encoder:
        return sizes
    return replace(sizes, n=reader.target, n_k=reader.source, passing=reader.source**2)


def work(of: Sizes) -> Work:
    """Return what a run over n tokens takes, and one of its layers as an input of `compute`.

    Kept are Q, K, V, scores and weights of every layer: L·h·(2n² + 3n·d_k) floats. Beside them a layer is on its way
    through the model, or its scores are made anew in float64, to see that no bias is in them.
    """
    rows, cells = of.h * max(of.n, of.n_k) * of.d_k, of.h * of.cells
    kept = _FLOAT * of.layers * (2 * cells + 3 * rows)
    beside = MEBIBYTE // 4 + _FLOAT * max(3 * cells + 24 * rows, 7 * cells, 3 * of.h * of.passing)
    products = of.multiply_adds + cells * of.d_k
    seconds = 2e-3 + of.layers * (1e-3 + 2e-8 * cells + 3e-8 * rows) + 1e-10 * products
    seconds += of.layers * (_STEP * of.steps + 2e-8 * of.h * of.passing)
    return Work(seconds, kept + beside, kept, products)
