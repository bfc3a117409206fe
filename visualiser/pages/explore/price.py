"""Costs of Explore's answers and files, from the request alone, before anything is computed."""

from collections.abc import Callable

from attention_core import BOUNDS, AttentionConfig
from attention_core.exact.formats import is_reference
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, Cost, Sized, attention, format_loss, reading, shape_of
from visualiser.server.admission.refusal import Refusal
from visualiser.server.live.asking import Ask


def frame(ask: Ask) -> Cost:
    """Return the cost of an update of Explore."""
    return _frame(*_attentions(ask))


def row(ask: Ask) -> Cost:
    """Return the cost of one query of Explore; raise `Refusal` for a row that no state has."""
    row = ask.extra.get("row")
    if type(row) is not int or not 0 <= row < BOUNDS["n"].maximum:
        raise Refusal("error.bad_request", 400)
    shown, pinned = _attentions(ask)
    found = attention(shown, 1)  # all of Q and K, one row of scores
    return found if pinned is None else found + attention(pinned, 1)


def file(kind: str) -> Callable[[Ask], Cost]:
    """Return the price of a file that Explore offers."""

    def price(ask: Ask) -> Cost:
        shown, pinned = _attentions(ask)
        return _file(kind, shown, pinned if kind in ("html", "figure") else None)

    return price


def _attentions(ask: Ask) -> tuple[Sized, Sized | None]:
    """Return the sizes of the shown and of the pinned state; an uploaded file brings its own."""
    file, stated = ask.file

    def sized(config: AttentionConfig) -> Sized:
        if config.source != "upload" or not file:
            return Sized(config, shape_of(config))
        return Sized(config, stated or shape_of(config), file)

    pinned = ask.pinned
    return sized(ask.reading.state.config), sized(pinned.config) if pinned else None


def _frame(shown: Sized, pinned: Sized | None) -> Cost:
    """Price an update of Explore: A and, if pinned, B, with their pictures."""
    found = attention(shown) + _pictures(shown) + format_loss(shown)
    return found if pinned is None else found + attention(pinned) + _pictures(pinned)


def _file(kind: str, shown: Sized, pinned: Sized | None) -> Cost:
    """Price a download from Explore, by its kind."""
    s = shown.shape
    if kind == "snippet":
        return Cost(2e-3, MEBIBYTE) + reading(shown.file, s if shown.file else None)
    if kind in ("html", "figure"):
        bytes_, cell = (5 * MEBIBYTE, 42) if kind == "html" else (MEBIBYTE // 2, 27)
        cells = s.cells if pinned is None else 2 * s.cells + pinned.shape.cells
        return _frame(shown, pinned) + Cost(0.1 + 6e-8 * cells, bytes_ + cell * cells)
    values = s.cells * (s.d_v + 4) + (shown.config.source == "text") * s.h * s.n_k * s.d_v * shown.config.d_model
    rest = {
        "rows": Cost(1e-6 * s.h * s.n_q, MEBIBYTE + 400 * s.h * s.n_q),
        "cells": Cost(6e-7 * s.cells, MEBIBYTE // 2),
        "npz": Cost(1e-8 * s.cells, MEBIBYTE + FLOAT * (s.h * (s.n_k + s.n_q) * s.d_v + s.cells), values),
    }
    return attention(shown) + rest[kind]


def _pictures(of: Sized) -> Cost:
    s = of.shape
    marked = 0 if is_reference(of.config) else 9 * s.cells  # cells without ∞, codes of marks, bytes of both
    memory = marked + MEBIBYTE // 2 + 7 * s.cells + 2 * FLOAT * s.n_q * s.n_k + 60 * s.h * s.n_q
    return Cost(6e-3 + 2.5e-8 * s.cells, memory, 4 * s.cells)  # sums of rows are products with ones
