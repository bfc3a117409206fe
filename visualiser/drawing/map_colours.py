"""The colours of heat maps: the scale that their heads, or A and B, share, and its range in words for tables and files.

A reader of numbers learns from it which cells share one colour in the picture. A sink's column has the colours of the
keys beside it. The full range reaches up to the largest of both. The quantile is that of the keys alone: sinks would
take it over, being a column beside thirty, and no key could be told from another. Those beyond are counted and marked.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionResult
from attention_core.result.dense import FormatCells
from visualiser.drawing.cells import cells, hides, sink_cells, sunk, visible
from visualiser.drawing.colour import colour_range
from visualiser.drawing.quantile_scale import Limits, full_limits, quantile_limits
from visualiser.locale import text
from visualiser.state.view import View


def limits(result: AttentionResult, view: View, drawn: Sequence[NDArray[np.float32]] | None = None) -> Limits:
    """Return the colour scale that the heads shown share; `drawn`, if known, are their `cells`, not of logarithms."""
    stage, heads = view.stage, view.heads(len(result.weights))
    colour = view.colour if stage == "weights" else "linear"
    if view.colour_range == "quantile":
        keys = cells(result, heads, stage) if drawn is None else drawn
        return quantile_limits(keys, stage, colour, sink_cells(result, heads, stage))
    return full_limits(full_range(result, heads, stage, colour), stage, colour)


def full_range(result: AttentionResult, heads: Sequence[int], stage: str, colour: str) -> tuple[float, float]:
    """Return the ends of the scale up to the largest cell of one head, or of all, and of its sink."""
    subjects = (visible(result, stage), sunk(result, stage))
    found = [one if len(heads) == len(one) else one[heads[0] - 1] for one in subjects if one is not None]
    return colour_range(found, stage, colour)


def compared_limits(a: AttentionResult, b: AttentionResult, view: View) -> Limits:
    """Return the colour scale that A and B share: by the heads shown, or up to the largest of all heads."""
    stage = view.stage
    colour = view.colour if stage == "weights" else "linear"
    if view.colour_range == "quantile":
        shown = [(one, view.heads(len(one.weights)), stage) for one in (a, b)]
        keys, sinks = ([z for one in shown for z in of(*one)] for of in (cells, sink_cells))
        return quantile_limits(keys, stage, colour, sinks)
    subjects = [one for of in (visible, sunk) for one in (of(a, stage), of(b, stage)) if one is not None]
    return full_limits(colour_range(subjects, stage, colour), stage, colour)


def difference_limits(delta: Tensor, view: View, sinks: Tensor | None = None) -> Limits:
    """Return the colour scale of `change` and, if both have one, of `sink_change`, which is symmetric about 0."""
    if view.colour_range == "quantile":
        heads = view.heads(len(delta))
        keys, beside = ([] if one is None else [one[head - 1].numpy() for head in heads] for one in (delta, sinks))
        return quantile_limits(keys, "difference", beside=beside)
    return full_limits(colour_range(delta if sinks is None else (delta, sinks), "difference"), "difference")


def subtractable(a: AttentionResult, b: AttentionResult) -> bool:
    """Return True if B − A is defined: the same heads, queries and keys."""
    return a.scaled.shape == b.scaled.shape


def change(a: AttentionResult, b: AttentionResult, stage: str) -> Tensor | None:
    """Return h × n_q × n_k: B − A at `stage`, never of logarithms; None if shapes differ.

    NaN where either masks, or is no number.
    """
    if not subtractable(a, b):
        return None
    difference = visible(b, stage) - visible(a, stage)
    if isinstance(a.cells, FormatCells) or isinstance(b.cells, FormatCells):
        difference = torch.where(difference.isfinite(), difference, torch.nan)
    for result in (a, b):
        if hides(result, stage) and result.mask is not None:
            difference = torch.where(result.mask, difference, torch.nan)
    return difference


def sink_change(a: AttentionResult, b: AttentionResult, stage: str) -> Tensor | None:
    """Return h × n_q × 1: B − A of the sinks' weights; None unless both have a sink and `change` is defined."""
    before, after = sunk(a, stage), sunk(b, stage)
    if before is None or after is None or not subtractable(a, b):
        return None
    difference = (after - before).unsqueeze(-1)
    return torch.where(difference.isfinite(), difference, torch.nan)


def colours(result: AttentionResult, view: View) -> list[str]:
    """Return the sentences on the colours of the heat maps, in the visitor's language."""
    if view.colour_range == "per_head" and len(view.heads(len(result.weights))) > 1:
        return [text(view.lang, "table.colours.per_head")]
    return _sentences(view.lang, "table.colours.range", limits(result, view))


def compared_colours(a: AttentionResult, b: AttentionResult, difference: Tensor | None, view: View) -> list[str]:
    """Return the sentences on the colours that A and B share, and on those of their `difference` if there is one."""
    shared = _sentences(view.lang, "table.colours.range", compared_limits(a, b, view))
    if difference is None:
        return shared
    own = difference_limits(difference, view, sink_change(a, b, view.stage))
    return [*shared, *_sentences(view.lang, "table.colours.difference", own)]


def coded_range(result: AttentionResult, other: AttentionResult | None, view: View) -> str:
    """Return the stage, the ends of the maps' colours and the cells beyond them, for a file of any language.

    "weights: 0 … 0.3, 22/8192 > 0.3". `other` is the pinned A, which shares the colours.
    """
    if other is None and view.colour_range == "per_head" and len(view.heads(len(result.weights))) > 1:
        return f"{view.stage}: {view.colour_range}"
    found = limits(result, view) if other is None else compared_limits(other, result, view)
    low, high = f"{found.low:.6g}", f"{found.high:.6g}"
    below = f", {found.below}/{found.cells} < {low}" if found.below else ""
    above = f", {found.above}/{found.cells} > {high}" if found.above else ""
    return f"{view.stage}: {low} … {high}{below}{above}"


def _sentences(lang: str, key: str, limits: Limits) -> list[str]:
    sentences = [text(lang, key, low=limits.low, high=limits.high)]
    if limits.above:
        sentences.append(text(lang, "table.colours.above", above=limits.above, cells=limits.cells))
    if limits.below:
        sentences.append(text(lang, "table.colours.below", below=limits.below, cells=limits.cells))
    return sentences
