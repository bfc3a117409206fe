"""What an answer costs, from decoded values alone and before anything is computed: time of a core, and memory.

Seconds are estimates for one core of the machine in docs/class-server.md, held against nothing; they order requests as
light and heavy; nothing else hangs on them. Bytes are the most that the computation holds at one moment, its answer
included: at least what it really takes and at most twice that (tests/visualiser/server/test_cost.py).
"""

from dataclasses import dataclass
from typing import Final

from attention_core import AttentionConfig
from attention_core.compute import STREAMED_ABOVE

MEBIBYTE: Final = 2**20
FLOAT: Final = 4
"""Bytes of a float32."""


@dataclass(frozen=True)
class Cost:
    """`seconds` of one core, `memory` in bytes at the most."""

    seconds: float
    memory: int

    def __add__(self, other: "Cost") -> "Cost":
        """One after the other, both results kept."""
        return Cost(self.seconds + other.seconds, self.memory + other.memory)


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


@dataclass(frozen=True)
class Sized:
    """A configuration and the sizes of what it computes, which are an upload's own where it shows one."""

    config: AttentionConfig
    shape: Shape


def shape_of(config: AttentionConfig) -> Shape:
    """The sizes of a drawn source."""
    return Shape(config.h, config.n, config.n, config.d_k, config.d_k)


def attention(of: Sized) -> Cost:
    """`compute`: what is drawn or projected, the scores, the steps of Figure 2 that do something."""
    config, s = of.config, of.shape
    operands, cells = FLOAT * s.operands, FLOAT * s.cells
    steps = 0.0 if s.cells > STREAMED_ABOVE else 3.4 + 1.3 * (config.factor != 1) + 1.3 * (config.mask != "none")
    drawn = 1.3 if config.source != "upload" else 0.2  # a file's own numbers are counted with the file
    memory = 0.7 * MEBIBYTE + operands * (drawn + 0.5 * (config.dtype != "float32")) + cells * steps
    seconds = 2e-3 + 6e-9 * s.operands + 1.2e-8 * s.cells + 4e-11 * s.cells * s.d_k
    if config.source == "text":
        memory += 0.4 * operands + FLOAT * config.d_model * (s.d_k + s.n_k)
        seconds += 1e-8 * config.h * config.d_model * s.d_k + 1e-4 * s.n_k
    if config.source == "structured":
        memory += 0.4 * operands
        seconds += 4e-4 * s.h
    if config.mechanism == "additive":
        memory += 5 * FLOAT * s.d_k**2 + 1.2 * FLOAT * min(2**20, s.n_q * s.n_k * s.d_k)
        seconds += 1.2e-9 * s.cells * s.d_k + 1e-8 * s.h * s.d_k**2
    return Cost(seconds, int(memory))


def frame(shown: Sized, pinned: Sized | None, upload: int) -> Cost:
    """An update of Explore: A and B where A is pinned, their pictures, an upload of so many bytes."""
    found = attention(shown) + _pictures(shown.shape) + Cost(3e-9 * upload, int(1.4 * upload))
    return found if pinned is None else found + attention(pinned) + _pictures(pinned.shape)


def row(shown: Sized, pinned: Sized | None, upload: int) -> Cost:
    """The values of one query: Q and K of all of them, scores of one."""
    found = _row(shown) + Cost(3e-9 * upload, int(1.4 * upload))
    return found if pinned is None else found + _row(pinned)


def file(kind: str, shown: Sized, pinned: Sized | None, upload: int) -> Cost:
    """What is taken away from Explore, by its kind."""
    s = shown.shape
    if kind == "snippet":
        return Cost(2e-3, MEBIBYTE + int(1.4 * upload))
    if kind in ("html", "figure"):
        bytes_, cell = (26 * MEBIBYTE, 42) if kind == "html" else (MEBIBYTE // 2, 27)
        cells = s.cells if pinned is None else 2 * s.cells + pinned.shape.cells
        return frame(shown, pinned, upload) + Cost(0.1 + 6e-8 * cells, bytes_ + cell * cells)
    rest = {
        "rows": Cost(1e-6 * s.h * s.n_q, MEBIBYTE + 400 * s.h * s.n_q),
        "cells": Cost(6e-7 * s.cells, MEBIBYTE // 2),
        "npz": Cost(1e-8 * s.cells, MEBIBYTE + FLOAT * (s.h * (s.n_k + s.n_q) * s.d_v + s.cells)),
    }
    return attention(shown) + rest[kind] + Cost(3e-9 * upload, int(1.4 * upload))


def _pictures(s: Shape) -> Cost:
    return Cost(6e-3 + 2.5e-8 * s.cells, MEBIBYTE // 2 + 7 * s.cells + 2 * FLOAT * s.n_k**2 + 60 * s.h * s.n_q)


def _row(of: Sized) -> Cost:
    s = of.shape
    drawn = Cost(6e-9 * s.operands, MEBIBYTE // 2 + int(1.1 * FLOAT * s.h * s.n_q * s.d_k))
    return attention(Sized(of.config, Shape(s.h, 1, s.n_k, s.d_k, s.d_v))) + drawn
