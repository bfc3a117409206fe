"""Cost of an answer, core time and memory, estimated from decoded values before anything is computed.

Bytes are the peak of the computation, its answer included. Multiply-adds are those of its matrix products. A test holds
both between the true value and twice that. Seconds are for one core of the machine in docs/class-server.md, which has
their errors, too. They only separate light requests from heavy ones.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from attention_core import AttentionConfig, mechanisms, normalisations, treatments
from attention_core.exact import mask_choices
from attention_core.exact.formats import is_reference
from attention_core.result.compute import STREAMED_ABOVE
from visualiser import models
from visualiser.upload.beforehand import FileSizes
from visualiser.upload.pictures import LONGEST_SIDE
from visualiser.upload.sounds import KEPT_RATE, MOST_SECONDS

MEBIBYTE: Final = 2**20
FLOAT: Final = 4
"""Bytes of a float32."""

READ: Final = 1.1
"""Bytes kept per byte of a file: its tensors."""

_LOOKED_THROUGH: Final = 1.8
"""Further bytes held per byte of a file's largest tensor, while its numbers are checked."""


Line = Literal["runs", "fetches", "followers"]
"""A line of long runs (`visualiser.server.admission.entry`)."""


@dataclass(frozen=True)
class Cost:
    """Time and memory: `seconds` of one core, peak `memory` in bytes, `multiply_adds` of matrix products (0: not
    stated). `line` is that of a run: `runs` compute, `fetches` wait for a network, `followers` for another's run."""

    seconds: float
    memory: int
    multiply_adds: int = 0
    line: Line = "runs"

    def __add__(self, other: "Cost") -> "Cost":
        """Add the cost of work that follows, both results kept."""
        return Cost(self.seconds + other.seconds, self.memory + other.memory, self.multiply_adds + other.multiply_adds)


SMALL: Final = Cost(0.02, 4 * MEBIBYTE)
"""A page of points and curves, whatever its settings."""


@dataclass(frozen=True)
class Shape:
    """The sizes of one attention: h heads, n_q queries, n_k keys of width d_k, values of width d_v."""

    h: int
    n_q: int
    n_k: int
    d_k: int
    d_v: int

    @property
    def cells(self) -> int:
        return self.h * self.n_q * self.n_k

    @property
    def operands(self) -> int:
        """Numbers in Q and K."""
        return self.h * (self.n_q + self.n_k) * self.d_k

    @property
    def largest(self) -> int:
        """Numbers in the largest of Q, K and V."""
        return self.h * max(self.n_q * self.d_k, self.n_k * self.d_k, self.n_k * self.d_v)


@dataclass(frozen=True)
class Sized:
    """A configuration, the sizes of its computation, the bytes of the uploaded file (0 if the input is drawn), and the
    run of the trained model that comes before it (None without one)."""

    config: AttentionConfig
    shape: Shape
    file: int = 0
    run: models.Sizes | None = None


def shape_of(config: AttentionConfig) -> Shape:
    """Return the sizes of a drawn source."""
    return Shape(config.h, config.n, config.n, config.d_k, config.d_k)


def of_model(config: AttentionConfig, most: int) -> Sized | None:
    """Return the sizes of a trained layer over at most `most` tokens, before its model has run.

    It takes the dearest of what the layer may bring, a factor and a mask. None for a model that is not loaded, whose
    computation is refused.
    """
    found = models.sizes(config, most)
    if found is None:
        return None
    d_k = max(1, found.d_k)  # 0 if no layer gives queries
    sized = replace(config, n=found.n, h=found.h, d_k=d_k, tie=None, trained=0.5, mask="causal")
    return Sized(sized, shape_of(sized), run=found)


def attention(of: Sized, rows: int | None = None) -> Cost:
    """Price `compute` for `rows` queries: the input, the scores and those steps of Figure 2 that change something."""
    config, s = of.config, of.shape
    rows = s.n_q if rows is None else rows
    cells = s.h * rows * s.n_k
    masked, treated = not mask_choices.of(config).everything, bool(treatments.acting(config))
    steps = 0.0 if cells > STREAMED_ABOVE else 3.4 + 1.3 * (config.factor != 1) + 1.3 * (masked or treated)
    steps += 0.0 if cells > STREAMED_ABOVE else in_format(config)
    rounded = config.dtype != "float32"
    operands = FLOAT * s.operands
    here = operands * (rounded if of.file else 1.0)  # the file's cost includes its own numbers
    read = reading(of.file, s if of.file else None)
    work = mechanisms.of(config).work(s.h, rows, s.n_k, s.d_k)
    hidden = FLOAT * (1.05 * work.kept + max((2.6 if rounded else 1.1) * work.loaded, 1.1 * work.block))
    masking = 6 * masked * rows * s.n_k  # booleans, then one float each
    kept = READ * of.file + here + max(hidden, masking) + FLOAT * cells * steps
    seconds = 2e-3 + 6e-9 * s.operands + (1.2e-8 + normalisations.of(config).seconds + 8e-9 * treated) * cells
    seconds += 1.2e-8 * config.qk_norm * s.operands
    products = cells * s.d_k + work.multiply_adds
    if config.source == "text":
        products += s.h * (s.n_q + s.n_k) * s.d_k * config.d_model
        seconds += 1e-8 * s.h * config.d_model * s.d_k + 1e-4 * s.n_k
    if config.source == "structured":
        seconds += 4e-4 * s.h
    seconds += 1.2e-9 * work.units + 5e-9 * work.parameters
    room = min(normalisations.of(config).room, 80 * cells)
    memory = 0.7 * MEBIBYTE + room + max(read.memory, drawing(of), kept)
    found = Cost(seconds + read.seconds + 4e-11 * products, int(memory), products)
    return after_run(of.run, found) if of.run else found


def after_run(of: models.Sizes, cost: Cost) -> Cost:
    """Price a model's run, and work of this cost with what the run keeps."""
    run = models.work(of)
    memory = max(run.memory, run.kept + cost.memory)
    return Cost(run.seconds + cost.seconds, memory, run.multiply_adds + cost.multiply_adds)


def in_format(config: AttentionConfig) -> float:
    """Return the float32 matrices that a number format adds to Figure 2: exponentials, and one in both formats."""
    return 0.0 if is_reference(config) else 1.6


def format_loss(of: Sized) -> Cost:
    """Price the comparison of a number format with float32: its attention, and the values of both; nothing in float32.

    Work and memory of the format itself are those of `attention`, and so is a model's run.
    """
    config, s = of.config, of.shape
    if is_reference(config):
        return Cost(0.0, 0)
    values = s.h * s.n_k * s.d_v
    products = 2 * s.cells * s.d_v + (config.source == "text") * values * config.d_model
    beside = FLOAT * (1.1 * values + 6 * s.n_q * (s.n_k + s.d_v)) + 12 * s.h * s.n_q
    reference = attention(replace(of, config=replace(config, dtype="float32", subtract_max=True), run=None))
    seconds = reference.seconds + 3e-9 * s.cells + 4e-11 * products
    # its own peak is over when the two are compared
    return Cost(seconds, int(0.7 * reference.memory + beside), reference.multiply_adds + products)


def reading(file: int, shape: Shape | None) -> Cost:
    """Price the reading of a file of so many bytes in the browser's format; `shape` if it is known."""
    largest = min(file, FLOAT * shape.largest) if shape else file
    return Cost(3e-9 * file, int(READ * file + _LOOKED_THROUGH * largest))


def drawing(of: Sized) -> float:
    """Return the peak bytes of drawing or projecting Q and K, and of rounding them."""
    config, s = of.config, of.shape
    rounded = config.dtype != "float32"
    operands = FLOAT * s.operands
    normed = 0.65 * config.qk_norm * operands
    if of.file:
        return READ * of.file + 1.4 * rounded * operands + normed
    own = operands * (1.8 if rounded else 1.05) + normed
    if config.source == "text":
        embedded = FLOAT * config.d_model * s.n_k
        projected = own + 1.1 * (embedded + FLOAT * config.d_model * s.d_k)
        return max(projected, (5.4 if config.positions else 2.2) * embedded)
    if config.source == "structured":  # noise, the planted pattern and the codes of each head
        return max(own, 1.55 * operands + 6.2 * FLOAT * s.n_k * s.d_k)
    return own


def picture(pixels: int, size: int) -> Cost:
    """Price the decoding of a picture of so many pixels from a file of `size` bytes: four channels, and three.

    Beside it what is kept is written anew as a PNG, which takes longest of a noisy one. Measured on two busy cores
    (EPYC, 2026-11), kinds of PNG and JPEG from 64² to 24 million pixels: 0.5 to 520 ms, the price 1 to 2.4 times that;
    up to 6 times for 16 colours, and 3 for a large JPEG, which is decoded at a half or a quarter of its size.
    """
    kept = min(pixels, LONGEST_SIDE**2)
    seconds = 5e-4 + 2.2e-8 * pixels + 1.5e-7 * kept + 3e-9 * size
    return Cost(seconds, 12 * MEBIBYTE + 2 * size + 9 * pixels)


def sound(samples: int, rate: int, size: int) -> Cost:
    """Price the reading of so many samples, so many a second, from a WAV file of `size` bytes.

    Above what is kept, the same is made at another rate by Fourier transforms, of a prime length at worst. Measured on
    two busy cores (EPYC, 2026-11), 8 to 32 bits, 8 to 96 kHz, 30 s: 3 to 360 ms.
    """
    if rate <= KEPT_RATE:
        return Cost(2e-3 + 3e-8 * samples + 3e-9 * size, MEBIBYTE + 2 * size + 36 * samples)
    kept = min(samples, MOST_SECONDS * KEPT_RATE)
    memory = MEBIBYTE + 2 * size + 60 * samples + 130 * kept
    return Cost(2e-3 + 1e-7 * samples + 3e-7 * kept + 3e-9 * size, memory)


def weights(sizes: FileSizes, size: int) -> Cost:
    """Price the reading of a file of `size` bytes with weights of attention: its numbers, ours, and those sent back.

    Measured on two busy cores (EPYC, 2026-11) with 3.9 million weights, npz of 16 and 32 bits: 0.15 s and 57 MiB.
    """
    memory = MEBIBYTE + 16 * sizes.numbers + (sizes.width + 4) * sizes.largest
    return Cost(1e-2 + 3e-9 * size + 6e-8 * sizes.numbers, memory)


def upload(sizes: FileSizes, size: int) -> Cost:
    """Price the reading of a file of `size` bytes with these tensors: its numbers, our copy, and the copy sent back."""
    lines = 18 * sizes.numbers + 270 * sizes.rows  # a CSV's lines, briefly as Python strings
    numbers = int(lines if sizes.rows else max(8.6, 2.1 * sizes.width) * sizes.numbers)
    seconds = 2e-3 + 3e-9 * size + 1e-8 * sizes.numbers + 3e-7 * (sizes.rows > 0) * sizes.numbers
    return Cost(seconds, MEBIBYTE + numbers + int(7.2 * sizes.largest))
