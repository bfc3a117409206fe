"""What a model's run takes, before it is made: the one rule behind every page's price of a trained model."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from attention_core.learned import LearnedModel
from visualiser.server.settings import MEBIBYTE

_FLOAT: Final = 4  # bytes


@dataclass(frozen=True)
class Sizes:
    """The sizes of a run: layers of h heads over n tokens, queries and keys of width d_k, its matrix products."""

    layers: int
    h: int
    n: int
    d_k: int
    multiply_adds: int


class Work(NamedTuple):
    """Seconds of one core, the most bytes at once, the bytes that are kept, and multiply-adds of matrix products."""

    seconds: float
    memory: int
    kept: int
    multiply_adds: int


def sizes_of(model: LearnedModel, n: int) -> Sizes:
    """Return the sizes of a model's run over n tokens."""
    return Sizes(model.layers, model.h, n, model.d_k, model.multiply_adds(n))


def work(of: Sizes) -> Work:
    """Return what a run over n tokens takes, and one of its layers as an input of `compute`.

    Kept are Q, K, V, scores and weights of every layer: L·h·(2n² + 3n·d_k) floats. Beside them a layer is on its way
    through the model, or its scores are made anew in float64, to see that no bias is in them.
    """
    rows, cells = of.h * of.n * of.d_k, of.h * of.n**2
    kept = _FLOAT * of.layers * (2 * cells + 3 * rows)
    beside = MEBIBYTE // 4 + _FLOAT * max(3 * cells + 24 * rows, 7 * cells)
    products = of.multiply_adds + cells * of.d_k
    seconds = 2e-3 + of.layers * (1e-3 + 2e-8 * cells + 3e-8 * rows) + 1e-10 * products
    return Work(seconds, kept + beside, kept, products)
