"""The cost of a pass over a map, and the memory that it may have."""

from typing import Final

from attention_core import AttentionConfig, normalisations, treatments
from attention_core.exact import mask_choices
from visualiser.maps.geometry import cells
from visualiser.maps.kept import expected_bytes, squares_of
from visualiser.pages.map.store import MOST_BYTES
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, READ, Cost, Sized, drawing, reading
from visualiser.server.admission.entry import admission

ENTRY_BYTES: Final = MOST_BYTES // 2
"""The most bytes of one kept map."""


def run_cost(of: Sized) -> Cost:
    """Price a pass over the map.

    It holds Q and K while they are drawn; then its blocks, its row statistics, and an overview that is drawn and sent
    while it grows; in the end the kept map.
    """
    s = of.shape
    bins = squares_of(s.n_q) * squares_of(s.n_k)  # of one head's overview
    blocks = min(3 * 2**19, s.n_q * s.n_k)
    operands = FLOAT * s.operands * (1.0 if of.config.dtype == "float32" else 0.5)
    # a plain pass has two buffers of a block's cells; a treatment and gates take more
    way = normalisations.part(of.config, lambda one: one.passes, "here")
    rooms = 0.6 + way(of.config, s.n_k, treatments.of(of.config)).rooms
    passing = operands + FLOAT * rooms * blocks + s.h * (5.6 * 2 * FLOAT * bins + 130 * s.n_q)
    read = reading(of.file, s if of.file else None)
    memory = 1.5 * MEBIBYTE + max(read.memory, drawing(of), READ * of.file + passing)
    # Each block of queries computes the whole span of keys that any of them may attend to.
    unmasked = int(cells(of.config, s.n_q, s.n_k))
    done = s.h * min(s.n_q * s.n_k, unmasked + 512 * s.n_q * (not mask_choices.of(of.config).everything))
    # sums are products with ones; a row that is nearly one-hot is summed once more
    products = done * (s.d_k + 2) + 256 * s.h * (s.n_q + s.n_k)
    if of.config.source == "text":
        products += 2 * s.h * s.n_k * s.d_k * of.config.d_model
    return Cost(
        0.05 + 6e-9 * s.operands + (5e-9 + further_seconds(of.config)) * done + 5e-11 * products, int(memory), products
    )


def further_seconds(config: AttentionConfig) -> float:
    """Return the core time of each score of a pass beyond that of a plain softmax.

    Measured at d_k 64 and 256: 3 ns for a softcap, 0.4 ns for gates, nothing for a sink.
    """
    return 3.5e-9 * len(treatments.acting(config)) + 5e-10 * (not normalisations.of(config).softmax)


def room() -> int:
    """Return the bytes that one pass may have."""
    return admission().long.total


def has_room(of: Sized) -> bool:
    """Return True if such a map may be kept, and its pass may have the memory that it needs."""
    s = of.shape
    within = expected_bytes(of.config, s.h, s.n_q, s.n_k, s.d_k) <= ENTRY_BYTES
    return within and run_cost(of).memory <= room()
