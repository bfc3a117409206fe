"""The numbers behind the cells of a heat map: one stage of Figure 2, head by head."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core import AttentionResult, normalisations, treatments
from attention_core.exact.formats import format_of
from attention_core.result.dense import FormatCells
from visualiser.locale import text
from visualiser.locale.required_texts import of_mechanism
from visualiser.state.view import View

TINIEST: Final = torch.finfo(torch.float32).tiny
"""The smallest weight that a logarithmic scale distinguishes, 1.2 × 10⁻³⁸; it is far below the last colour."""

NORMS: Final = "norms"
"""The stage of weights times the norms of what is read, which is none of Figure 2."""


def stage_of(result: AttentionResult, stage: str) -> Tensor:
    """Return h × n_q × n_k: a stage of Figure 2, or the weights times the norms of what is read."""
    return result.weights * result.value_norms.unsqueeze(-2) if stage == NORMS else result.stage(stage)


def marked_stage(stage: str) -> str:
    """Return the stage whose marks of a number format the cells of a stage have."""
    return "weights" if stage == NORMS else stage


def stage_name(result: AttentionResult, stage: str) -> str:
    """Return the key of the name of a stage's quantity: of scores by what makes them, of norms by what is known."""
    if stage == NORMS:
        return "figure.stage.norms" if result.has_projection else "figure.stage.norms_of_values"
    return f"figure.stage.{stage}" + (f"_{of_mechanism(result.config)}" if stage == "scores" else "")


def quantity(result: AttentionResult, view: View) -> str:
    """Return the name of a cell's quantity at the view's stage."""
    return text(view.lang, stage_name(result, view.stage))


def hides(result: AttentionResult, stage: str) -> bool:
    """Return True if `stage` comes after the mask, so that forbidden cells are drawn as masked and not as a value."""
    return result.mask is not None and stage in ("masked", "weights", NORMS)


def visible(result: AttentionResult, stage: str) -> Tensor:
    """Return h × n_q × n_k: `stage` before its mask, finite but for what a number format made ∞ or NaN.

    The stage "masked" shares the scores, and so the range, of "scaled" unless a softcap bends them: putting the mask
    on changes no colour.
    """
    if stage != "masked":
        return stage_of(result, stage)
    curve = treatments.of(result.config)
    if curve is None:
        return result.scaled
    return curve.value(result.scaled.to(format_of(result.config.dtype))).float()


def cells(
    result: AttentionResult, heads: Sequence[int], stage: str, colour: str = "linear"
) -> list[NDArray[np.float32]]:
    """Return n_q × n_k for each head (counted from 1), NaN where the mask forbids or the number is not finite.

    They are views of the result if possible.
    """
    values = visible(result, stage)
    if isinstance(result.cells, FormatCells):  # only a format's numbers can be infinite
        values = torch.where(values.isfinite(), values, torch.nan)
    if len(heads) == 1:
        values = values[heads[0] - 1 : heads[0]]
        heads = (1,)
    if colour == "log" and stage == "weights":
        values = _powers(values)
    if hides(result, stage) and result.mask is not None:
        values = torch.where(result.mask, values, torch.nan)
    return [values[head - 1].numpy() for head in heads]


def _powers(weights: Tensor) -> Tensor:
    """Return log10 of weights; log10(0) would be −∞, and ten times as slow."""
    return weights.clamp(min=TINIEST).log10_()


def sunk(result: AttentionResult, stage: str) -> Tensor | None:
    """Return h × n_q: the sink's weight in each row, 1 in a row without keys; None without a sink or at another stage.

    No mask hides it. It is NaN where a number format made the row none.
    """
    if stage != "weights" or "sink_weight" not in normalisations.of(result.config).statistics:
        return None
    return result.statistic("sink_weight").float()


def sink_cells(
    result: AttentionResult, heads: Sequence[int], stage: str, colour: str = "linear"
) -> list[NDArray[np.float32]]:
    """Return n_q × 1 for each head (counted from 1), the column beside its `cells`; nothing without a sink."""
    values = sunk(result, stage)
    if values is None:
        return []
    values = torch.where(values.isfinite(), values, torch.nan).unsqueeze(-1)
    values = _powers(values) if colour == "log" else values
    return [values[head - 1].numpy() for head in heads]
