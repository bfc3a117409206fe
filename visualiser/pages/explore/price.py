"""Costs of Explore's answers and files, from the request alone, before anything is computed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from attention_core import BOUNDS, AttentionConfig
from attention_core.exact.formats import is_reference
from visualiser.drawing.cells import NORMS
from visualiser.pages.explore import questions
from visualiser.predictions import prediction_of
from visualiser.server.admission.cost import (
    FLOAT,
    MEBIBYTE,
    Cost,
    Sized,
    attention,
    format_loss,
    of_model,
    reading,
    shape_of,
)
from visualiser.server.admission.refusal import Refusal
from visualiser.server.live.page_request import PageRequest

MOST_TOKENS: Final = int(BOUNDS["n"].maximum)
"""Of a text that a model reads here."""


def frame(request: PageRequest) -> Cost:
    """Return the cost of an update of Explore."""
    return _frame(*_attentions(request)) + _norms(request)


def row(request: PageRequest) -> Cost:
    """Return the cost of one query of Explore; raise `Refusal` for a row that no state has."""
    row = request.extra.get("row")
    if type(row) is not int or not 0 <= row < BOUNDS["n"].maximum:
        raise Refusal("error.bad_request", 400)
    shown, pinned = _attentions(request)
    found = attention(shown, 1)  # all of Q and K, one row of scores
    return (found if pinned is None else found + attention(pinned, 1)) + _norms(request)


def arithmetic(request: PageRequest) -> Cost:
    """Return the cost of the arithmetic of one line of a table: the state, measured, and A if one is pinned."""
    shown, pinned = _attentions(request)
    found = _measured(shown, 1)
    return (found if pinned is None else found + _measured(pinned, 1)) + _norms(request)


def reveal(request: PageRequest) -> Cost:
    """Return the cost of a verdict: its state and the changed one at every seed, one after the other."""
    shown, _ = _attentions(request)
    if shown.file or shown.run:  # which decide the sizes
        s = shown.shape
        shown = replace(shown, config=replace(shown.config, n=s.n_q, h=s.h, d_k=s.d_k, tie=None))
    posed = questions.pose_question(request.reading.state, shown.config)
    if posed is None or prediction_of(posed.choice, request.extra) is None:
        return reading(shown.file, shown.shape if shown.file else None) + Cost(1e-3, MEBIBYTE)  # refused in words
    if posed.of_heads:
        return _measured(shown, 1)
    config = questions.changed(posed, shown.config)
    after = replace(shown, config=config, shape=shown.shape if shown.file else shape_of(config))
    draws = len(questions.draws(shown.config))
    one, other = _measured(shown, draws), _measured(after, draws)
    both = one + other
    return replace(both, memory=max(one.memory, other.memory))


def _measured(of: Sized, times: int) -> Cost:
    """Price a state computed and measured so many times, each time in the same memory."""
    s = of.shape
    one = attention(of) + Cost(1e-3 + 2e-8 * s.cells, MEBIBYTE // 4 + 2 * s.cells + 60 * s.h * s.n_q, s.cells)
    return Cost(times * one.seconds, one.memory, times * one.multiply_adds)


def file(kind: str) -> Callable[[PageRequest], Cost]:
    """Return the price of a file that Explore offers."""

    def price(request: PageRequest) -> Cost:
        shown, pinned = _attentions(request)
        return _file(kind, shown, pinned if kind not in ("npz", "snippet") else None) + _norms(request)

    return price


def _attentions(request: PageRequest) -> tuple[Sized, Sized | None]:
    """Return the sizes of the shown and of the pinned state; an uploaded file and a model bring their own."""
    file, stated = request.file

    def sized(config: AttentionConfig) -> Sized:
        if config.source == "model":
            return of_model(config, MOST_TOKENS) or Sized(config, shape_of(replace(config, n=1)))  # refused in words
        if config.source != "upload" or not file:
            return Sized(config, shape_of(config))
        return Sized(config, stated or shape_of(config), file)

    pinned = request.pinned
    return sized(request.reading.state.config), sized(pinned.config) if pinned else None


def _frame(shown: Sized, pinned: Sized | None) -> Cost:
    """Price an update of Explore: A and, if pinned, B, with their pictures."""
    found = attention(shown) + _pictures(shown) + format_loss(shown)
    return found if pinned is None else found + attention(pinned) + _pictures(pinned)


def _norms(request: PageRequest) -> Cost:
    """Price the norms of what is read and their products with the weights, if a link asks for them."""
    shown, pinned = _attentions(request)
    found = Cost(0.0, 0)
    if request.reading.state.view.stage != NORMS:
        return found
    for of in [shown] if pinned is None else [shown, pinned]:
        s = of.shape
        d_model = max(of.config.d_model, s.h * s.d_v)
        products = s.h * s.n_k * s.d_v * d_model + s.cells
        memory = FLOAT * (2 * s.h * s.n_k * s.d_v + s.h * s.d_v * d_model + s.n_k * d_model + s.cells)
        found += Cost(1e-3 + 2e-10 * products + 4e-9 * s.cells, memory, products)
    return found


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
    found = attention(shown) + rest[kind]
    if kind == "npz":
        return found
    found += _colours(shown)
    return found if pinned is None else found + attention(pinned) + _colours(pinned)


def _colours(of: Sized) -> Cost:
    """Price the range of the maps' colours: a copy of the cells, NaN where masked, and one head's comparisons."""
    return Cost(4e-9 * of.shape.cells, FLOAT * of.shape.cells + 2 * of.shape.n_q * of.shape.n_k)


def _pictures(of: Sized) -> Cost:
    s = of.shape
    marked = 0 if is_reference(of.config) else 9 * s.cells  # cells without ∞, codes of marks, bytes of both
    memory = marked + MEBIBYTE // 2 + 7 * s.cells + 2 * FLOAT * s.n_q * s.n_k + 60 * s.h * s.n_q
    return Cost(6e-3 + 2.5e-8 * s.cells, memory, 4 * s.cells)  # sums of rows are products with ones
