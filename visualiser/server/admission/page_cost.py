"""Costs of the other pages' answers and of their long runs, in the units of `cost`."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from attention_core import ROW_STATISTICS, AttentionConfig, CostConfig, mechanisms
from attention_core.blocks.pooled_tiles import at_once
from attention_core.exact import mask_choices
from attention_core.experiments import HeadsExperiment, QualityExperiment
from attention_core.experiments.heads import POSITIONS
from attention_core.studies.contenders import CONTENDERS
from visualiser.row_statistics import IN_FILES
from visualiser.server import settings
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, READ, Cost, Sized, drawing, reading
from visualiser.upload.beforehand import Announced

SMALL: Final = Cost(0.02, 4 * MEBIBYTE)
"""A page of points and curves, whatever its settings."""


def why_point(n: int, d_k: int) -> Cost:
    """Price one d_k of the Why page: three mechanisms in one head, 65 factors, three number formats."""
    hidden = min(2**20, n**2 * d_k)  # hidden units of additive attention, one block at a time
    memory = MEBIBYTE + 1.1 * FLOAT * (d_k**2 + hidden + 3 * n * d_k) + 150 * n**2
    products = 4 * n**2 * (d_k + 4) + 2 * n * d_k**2
    return Cost(0.02 + 2e-8 * d_k**2 + 3e-6 * n**2, int(memory), products)


def why_curves(n: int, seeds: int) -> Cost:
    """Price the sweep over d_k up to 1024, all seeds as one batch."""
    return Cost(0.06 + seeds * (0.024 + 4e-6 * n**2), int(18.2 * MEBIBYTE + 3.7 * FLOAT * 1024 * seeds * n))


def anatomy(config: AttentionConfig, layer: int) -> Cost:
    """Price one layer with its parameters and its walk. Lower layers cost only time."""
    width = config.h * config.d_k
    below = 0 if layer == 1 else 4 if layer > 2 or config.source == "text" else 1  # a layer feeds the one above it
    projections = 4 if config.source == "text" or layer > 1 else 1
    output = width * config.d_model
    parameters = (projections + below) * output
    work = mechanisms.of(config).work(config.h, config.n, config.n, config.d_k)
    parameters += (1 + (layer > 1)) * work.parameters
    tensors = 10 * config.n * width + 7 * config.h * config.n**2 + 8 * config.n * config.d_k
    memory = MEBIBYTE + FLOAT * (1.1 * parameters + 2 * output + 1.4 * tensors + 2.2 * work.block)
    return Cost(6e-3 + layer * (1e-8 * parameters + 2e-9 * work.units + 1e-8 * tensors), int(memory))


def map_plan(text: int, tokens: int) -> Cost:
    """Price the plan of a map: a text of so many bytes cut into at most so many tokens."""
    return Cost(2e-3 + 1e-7 * text, MEBIBYTE + 3 * text + 80 * min(text, tokens))


def map_squares(spans: Sequence[tuple[int, int]], cell: int, d_k: int) -> Cost:
    """Price squares of `cell` tokens in some rectangles (queries, keys), one after the other, in blocks of weights."""
    blocks, drawn, cells = 0, 0, 0
    for rows, columns in spans:
        wide, high = at_once(rows, columns, cell)
        blocks = max(blocks, wide * high * (2 if rows > high else 1))  # two blocks exist while the next is made
        drawn += -(-rows // cell) * -(-columns // cell)
        cells += rows * columns
    memory = 0.7 * MEBIBYTE + FLOAT * 1.7 * blocks + 20 * drawn
    return Cost(2e-3 * (1 + len(spans)) + 5e-9 * cells + 1e-10 * cells * d_k, int(memory), cells * d_k)


def map_row(n_k: int, d_k: int) -> Cost:
    """Price one query of a kept map."""
    return Cost(2e-3 + 1e-7 * n_k, MEBIBYTE + 80 * n_k, n_k * d_k)


def map_picture(points: int) -> Cost:
    """Price a picture of numbers that the map has already: the overview's squares, or the rows of its strips."""
    return Cost(2e-3 + 1e-8 * points, MEBIBYTE + 100 * points)


def map_csv(h: int, n_q: int, letters: tuple[int, int]) -> Cost:
    """Price a line for each row.

    `letters` counts the characters of all tokens together, and of the longest, which every line may name as its key.
    """
    written = h * (letters[0] + n_q * letters[1])
    return Cost(0.01 + 8e-6 * h * n_q, MEBIBYTE + (60 * len(IN_FILES) + 80) * h * n_q + 4 * written)


def map_npz(h: int, n_q: int, bins: int, letters: int) -> Cost:
    """Price every row's statistics and an overview of `bins` squares a head as numpy arrays.

    numpy gives every token the room of the longest one: `letters` characters in all.
    """
    arrays = h * ((FLOAT * len(ROW_STATISTICS) + 8) * n_q + 8 * bins) + 4 * letters
    return Cost(0.01 + 2e-8 * h * (n_q + bins), int(0.7 * MEBIBYTE + 3.3 * arrays))


def map_run(of: Sized, bins: int, cells: int) -> Cost:
    """Price a pass over the map.

    It holds Q and K while they are drawn; then its blocks, its row statistics, and an overview of `bins` squares a head
    that is drawn and sent while it grows; in the end the kept map. `cells` counts the unmasked cells of one head.
    """
    s = of.shape
    blocks = min(3 * 2**19, s.n_q * s.n_k)
    operands = FLOAT * s.operands * (1.0 if of.config.dtype == "float32" else 0.5)
    passing = operands + FLOAT * 2.6 * blocks + s.h * (5.6 * 2 * FLOAT * bins + 130 * s.n_q)
    read = reading(of.file, s if of.file else None)
    memory = 1.5 * MEBIBYTE + max(read.memory, drawing(of), READ * of.file + passing)
    # Each block of queries computes the whole span of keys that any of them may attend to.
    done = s.h * min(s.n_q * s.n_k, cells + 512 * s.n_q * (not mask_choices.of(of.config).everything))
    products = done * (s.d_k + 1) + 256 * s.h * (s.n_q + s.n_k)  # sums are products with ones
    if of.config.source == "text":
        products += 2 * s.h * s.n_k * s.d_k * of.config.d_model
    return Cost(0.05 + 6e-9 * s.operands + 5e-9 * done + 5e-11 * products, int(memory), products)


def measurement(config: CostConfig) -> Cost:
    """Price every contender within its own bound, at its largest size, and the counts of the theory."""
    most = 0.0
    for size in config.sizes:
        n, d_k = config.shape(size)
        held = (one.bytes(n, d_k, backward) for one in CONTENDERS.values() for backward in (False, True))
        drawn = FLOAT * max(d_k**2, n * d_k)  # while the last operand is drawn
        running = max([drawn, *(1.05 * bytes_ for bytes_ in held if bytes_ <= config.bytes)])
        most = max(most, 1.1 * FLOAT * (3 * n * d_k + 2 * d_k**2) + running)
    return Cost(config.total, int(2 * MEBIBYTE + most))


MEASURED: Final = min(2**29, settings.memory() // 6)
"""The most bytes for the tensors of one measured call, on the Cost page and in the API."""

_TASKS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {"reverse": (4.1, 1.2e-3), "recall": (0.95, 3.8e-3), "noisy": (2.4, 2.8e-3)}
)
"""MiB per seed, and per seed and component of its keys: the examples drawn ahead, and one step's tensors."""


def training(experiment: QualityExperiment | HeadsExperiment) -> Cost:
    """Price a training: all seeds of its largest curve as one stack of models. `Recipe` defines its examples."""
    if isinstance(experiment, HeadsExperiment):
        seed = 0.2 + 0.082 * (POSITIONS + experiment.classes) + 0.11 * experiment.m + 0.06 * max(experiment.h)
    else:
        own, each = _TASKS[experiment.task]
        seed = own + each * max(experiment.d_k)
    steps = experiment.steps * len(experiment.curves)
    return Cost(0.2 + 3e-4 * steps * (4 + experiment.seeds), int(MEBIBYTE * (0.8 + seed * experiment.seeds)))


def upload(said: Announced, size: int) -> Cost:
    """Price the reading of a file of `size` bytes that announces so much: its numbers, our copy, and the copy sent
    back."""
    lines = 18 * said.numbers + 270 * said.rows  # a CSV's lines, briefly as Python strings
    numbers = int(lines if said.rows else max(8.6, 2.1 * said.width) * said.numbers)
    seconds = 2e-3 + 3e-9 * size + 1e-8 * said.numbers + 3e-7 * (said.rows > 0) * said.numbers
    return Cost(seconds, MEBIBYTE + numbers + int(7.2 * said.largest))
