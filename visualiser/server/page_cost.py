"""What the answers of the other pages cost, and their long runs; `visualiser.server.cost` says in which units."""

from typing import Final

from attention_core import AttentionConfig
from visualiser.server import settings
from visualiser.server.cost import FLOAT, MEBIBYTE, Cost

SMALL: Final = Cost(0.02, 4 * MEBIBYTE)
"""A page whose figures hold points and curves, whatever its settings are."""


def why_point(n: int, d_k: int) -> Cost:
    """One d_k of the Why page: three mechanisms in one head, 65 factors, three number formats."""
    hidden = min(2**20, n**2 * d_k)  # of additive attention, a block at a time
    memory = MEBIBYTE + 1.1 * FLOAT * (d_k**2 + hidden + 3 * n * d_k) + 150 * n**2
    return Cost(0.02 + 2e-8 * d_k**2 + 3e-6 * n**2, int(memory))


def why_curves(n: int, seeds: int) -> Cost:
    """The sweep over d_k up to 1024, all seeds as one batch."""
    return Cost(0.05 + 6e-4 * seeds * n, int(17.5 * MEBIBYTE + 3.7 * FLOAT * 1024 * seeds * n))


def anatomy(config: AttentionConfig, layer: int) -> Cost:
    """One layer with its parameters and its walk; the layers below it cost their time."""
    width = config.h * config.d_k
    projected = config.source == "text" or layer > 1
    parameters = width * config.d_model * (4 if projected else 1)
    hidden = 0
    if config.mechanism == "additive":
        parameters += 2 * width * config.d_k
        hidden = min(2**20, config.n**2 * config.d_k)
    tensors = 10 * config.n * width + 7 * config.h * config.n**2 + 8 * config.n * config.d_k
    memory = MEBIBYTE + FLOAT * (1.8 * parameters + 1.4 * tensors + 2.2 * hidden)
    cells = config.h * config.n**2 * config.d_k * (config.mechanism == "additive")
    return Cost(6e-3 + layer * (1e-8 * parameters + 2e-9 * cells + 1e-8 * tensors), int(memory))


def map_plan(enclosed: int) -> Cost:
    """The plan of a map: a text is cut into tokens, a file is read."""
    return Cost(0.02 + 2e-8 * enclosed, 3 * MEBIBYTE + 6 * enclosed)


def map_tiles(tiles: int, side: int, d_k: int) -> Cost:
    """Tiles of `side` × `side` cells, one after the other, each in blocks."""
    return Cost(0.01 + tiles * side**2 * (3e-9 + 5e-11 * d_k), 40 * MEBIBYTE if side > 1024 else 12 * MEBIBYTE)


def map_row(n_k: int, d_k: int) -> Cost:
    """One query of a kept map."""
    return Cost(0.01 + 1e-8 * n_k + 1e-9 * n_k * d_k, 3 * MEBIBYTE + 100 * n_k)


def map_figure(n_q: int, n_k: int, d_k: int) -> Cost:
    """A picture of what is seen, at most all of it."""
    return Cost(0.05 + n_q * n_k * (3e-9 + 5e-11 * d_k), 48 * MEBIBYTE)


def map_file(h: int, n_q: int) -> Cost:
    """Every row's statistics as a file."""
    return Cost(0.05 + 8e-6 * h * n_q, 4 * MEBIBYTE + 700 * h * n_q)


def map_run(h: int, n_q: int, n_k: int, d_k: int, kept: int) -> Cost:
    """A pass: Q and K while they are drawn, the blocks of the pass, and the map that is kept in the end."""
    operands = FLOAT * h * max(n_q, n_k) * d_k
    return Cost(1.0, int(kept + 1.4 * operands + 40 * MEBIBYTE))


def cost_run(most: int) -> Cost:
    """A measurement whose tensors are bounded themselves."""
    return Cost(1.0, most + 16 * MEBIBYTE)


MEASURED: Final = min(2**29, settings.memory() // 6)
"""The most bytes that the tensors of one measured call may take, on the Cost page and for programs."""

TRAINING: Final = Cost(1.0, 88 * MEBIBYTE)
"""The largest training: all seeds of d_k = 1024 as one batch, or eight heads with an MLP."""


def upload(size: int) -> Cost:
    """Reading a file: what its bytes become, a CSV's numbers as Python keeps them for a moment."""
    return Cost(0.05 + 6e-7 * size, 4 * MEBIBYTE + 8 * size)
