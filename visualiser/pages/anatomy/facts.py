"""The facts of one state of the walk that its sentences may use, from the walked layer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from attention_core import AttentionConfig, Layer, walk
from attention_core.exact import mask_choices
from attention_core.exact.rms_norm import mean_squares
from attention_core.learned import Line
from attention_core.result.walk import walked
from visualiser.drawing.labels import placed
from visualiser.pages.anatomy.steps import NORMED
from visualiser.pages.anatomy.subject import Subject, at
from visualiser.pages.anatomy.tensors import fits

SMALLEST: Final = torch.finfo(torch.float32).tiny
"""A weight below has fewer digits in float32, or none: its score tells more."""

EQUAL: Final = 2e-6
"""The share by which two weights may differ and be called equal, for scores up to 1; in proportion beyond."""


@dataclass(frozen=True, eq=False)
class Facts:
    """One state of the walk.

    config    sizes, mechanism, scaling and mask
    layer     from 1; `row`, the query, from 0; `head` from 1
    tokens    the names of the positions; empty without a text
    line      what a model knows them by; None without one
    heads     of the layer
    d_v       the width of a value
    grouped   heads of keys and values, if each serves several heads of queries; else 0
    step      where the walk stands; `rows` is "one" or "all"
    given     False if Q, K and V are drawn or brought by a model, so that there is no X
    printed   True if every number is printed
    open      False if the config has a mask, even one that forbids nothing
    seen      the keys that the query sees
    best      the keys that share its largest weight; of weights that float32 cannot hold, those of the largest score
    weight    that weight
    support   the number of keys with a weight above 0
    maximum   the largest score that enters the normalisation
    scores    all of them, −∞ if the mask forbids the key
    kept      the numbers of the step on the way to the weights, one a row, by name
    values    the step's result for the query
    squares   by step, the mean of the squares of the query's q or k that it normalises
    hidden    the controls and figures that are left out of the page
    """

    config: AttentionConfig
    layer: int
    row: int
    head: int
    step: str
    rows: str
    given: bool
    printed: bool
    open: bool
    seen: tuple[int, ...]
    best: tuple[int, ...]
    weight: float
    support: int
    maximum: float
    scores: tuple[float, ...]
    kept: Mapping[str, float]
    values: tuple[float, ...]
    squares: Mapping[str, float]
    hidden: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    heads: int = 1
    d_v: int = 1
    grouped: int = 0
    line: Line | None = None

    @property
    def query(self) -> str:
        return self.named(self.row)

    def named(self, position: int) -> str:
        """Return a position as the page names it: its number from 0, with its token if it has one."""
        return placed(position, self.tokens or None)


def facts(of: Subject, row: int, head: int, step: str, rows: str, hidden: tuple[str, ...] = ()) -> Facts:
    """Take the facts from a layer; `head` is counted among all of them."""
    layer, own = of.layer, at(of.layer, head)
    masked, weights = layer.attention.masked[own - 1, row], layer.attention.weights[own - 1, row]
    seen = masked.isfinite().nonzero().flatten().tolist()
    largest = float(weights.max())
    rounding = EQUAL * max(1.0, float(masked[seen].abs().max())) * layer.number
    # entmax answers to a score more than in proportion: keys whose scores are equal but for rounding count as well
    as_heavy = (weights >= largest * (1 - rounding)) & (largest >= SMALLEST)
    tied = masked.isfinite() & (as_heavy | (masked >= masked.max() - rounding))
    return Facts(
        config=layer.config,
        layer=layer.number,
        row=row,
        head=head,
        step=step,
        rows=rows,
        given=layer.X is not None,
        printed=fits(layer),
        open=mask_choices.of(layer.config).everything,
        seen=tuple(seen),
        best=tuple(torch.nonzero(tied).flatten().tolist()),
        weight=largest,
        support=int((weights > 0).sum()),
        maximum=float(masked.max()),
        scores=tuple(masked.tolist()),
        kept={name: float(one[row]) for name, one in walk(layer, row, own).weighing.items() if one.shape[1] == 1},
        values=tuple(_made(layer, row, own, step).flatten().tolist()),
        squares=_squares(layer, row, own),
        hidden=hidden,
        tokens=of.tokens,
        heads=of.heads,
        d_v=layer.attention.V.shape[-1],
        grouped=of.grouped,
        line=of.line,
    )


def _squares(layer: Layer, row: int, head: int) -> dict[str, float]:
    """Return the mean of squares of each vector that a step normalises."""
    compared = zip(NORMED, (layer.attention.Q, layer.attention.K), strict=True)
    return {step: float(mean_squares(vectors[head - 1, row])) for step, vectors in compared if layer.config.qk_norm}


def _made(layer: Layer, row: int, head: int, step: str) -> Tensor:
    attention, own = layer.attention, head - 1
    if step == "input" and layer.X is not None:
        return layer.X[row]
    if step in ("concatenation", "output"):
        return getattr(attention, step)[row]
    of_head = {"queries": attention.Q, "keys": attention.K, "values": attention.V}
    of_head |= {name: getattr(attention, name) for name in ("scores", "scaled", "masked", "weights", "heads")}
    if step in of_head:
        return of_head[step][own, row]
    steps = walk(layer, row, head)
    if step == "capped" and steps.capped is not None:
        return steps.capped[row]
    if step in steps.weighing:
        return steps.weighing[step][row]
    if step in NORMED:
        return steps.normed[step][row]
    axes = next(axes for opened, axes in walked(layer.config).boxes.values() if opened == step)
    made = steps.own[step]
    return made if len(axes) == 3 else made[row]
