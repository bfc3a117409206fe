"""The one way from a config to a result, and so from the controls to the numbers."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core import mechanisms, normalisations, treatments
from attention_core.blocks.mask import allowed, chosen
from attention_core.blocks.statistics import statistics_of
from attention_core.config import AttentionConfig
from attention_core.device import resolve
from attention_core.errors import InvalidInput
from attention_core.exact import formats, mask_choices
from attention_core.exact.attention import weigh
from attention_core.exact.compared import compared
from attention_core.exact.masks import Mask
from attention_core.inputs import sources
from attention_core.inputs.tensors import AttentionInputs, Trained
from attention_core.result.dense import DenseCells, FormatCells
from attention_core.result.result import AttentionResult
from attention_core.result.streamed import StreamedCells
from attention_core.validation import whole_number

__all__ = ["STREAMED_ABOVE", "adopted", "compute", "compute_rows"]

STREAMED_ABOVE = 2**25
"""Most cells h · n_q · n_k that are kept whole: 128 MiB for each stage, as of 8 heads of 2048 tokens."""


def compute(config: AttentionConfig, inputs: AttentionInputs | None = None, device: str = "auto") -> AttentionResult:
    """Compute the attention that `config` describes.

    In float32 with the maximum subtracted, the config's normalisation makes the weights; the softmax is torch's own.
    In another format, and without the subtraction, each step is made in `config.dtype`
    (`attention_core.exact.formats`); scores and weights may then be ±∞ or NaN. Above `STREAMED_ABOVE` cells the result
    holds statistics and `tile`, but no matrices, and only Q, K and V are rounded to the format.

    Parameters
    ----------
    config
        The experiment.
    inputs
        Tensors from outside; if None, they are drawn from the config's seed.
    device
        Name for `resolve`.

    Returns
    -------
    AttentionResult
        Figure 2 for the config, on the CPU.

    Raises
    ------
    InvalidInput
        `inputs_missing` for the sources upload and model without `inputs`; `overflow` if a score leaves the range of
        float32, or Q, K or V that of the dtype (`overflow_float16`, since float32 may help); `streamed_softmax` for
        more than `STREAMED_ABOVE` cells without the maximum subtracted; `unknown_choice` for a normalisation that
        lacks number formats or cannot be streamed; the codes of `resolve`.
    """
    return _compute(config, inputs, None, device)


def compute_rows(
    config: AttentionConfig, rows: Sequence[int], inputs: AttentionInputs | None = None, device: str = "auto"
) -> AttentionResult:
    """Compute the queries `rows` alone (0-based), without the n × n cells of the others.

    The numbers equal those of `compute`.

    Parameters
    ----------
    config, inputs, device
        As in `compute`.
    rows
        The queries, in any order.

    Returns
    -------
    AttentionResult
        Its n_q counts these queries only.

    Raises
    ------
    InvalidInput
        As `compute`, and `not_a_number` or `out_of_range` for a row that is no query.
    """
    return _compute(config, inputs, tuple(rows), device)


def _compute(
    config: AttentionConfig, inputs: AttentionInputs | None, rows: tuple[int, ...] | None, device: str
) -> AttentionResult:
    place = resolve(device)
    with torch.no_grad():
        if inputs is None:
            X, tokens = sources.activations(config), sources.labels(config)
            # one after the other, so that one unrounded tensor is freed before the next is drawn
            Q, K = (compared(config, sources.per_head(config, X, name)).to(place) for name in "QK")
            del X
        else:
            config, tokens = adopted(config, inputs), inputs.tokens
            Q, K = (compared(config, tensor).to(place) for tensor in (inputs.Q, inputs.K))
        if rows is not None:
            rows = tuple(whole_number("rows", row, 0, Q.shape[1] - 1) for row in rows)
        n_q = Q.shape[1] if rows is None else len(rows)
        # Only this line decides that long sequences are streamed.
        way = _streamed if Q.shape[0] * n_q * K.shape[1] > STREAMED_ABOVE else _dense
        cells = way(config, Q, K, rows)
        if inputs is not None:  # drawn numbers are small
            if isinstance(cells, FormatCells):
                for tensor in (Q, K):
                    require_finite("Q and K", tensor, config)
            elif isinstance(cells, DenseCells):
                require_finite("Q and K", cells.scaled, config)
            require_finite("V", sources.rounded(config, inputs.V), config)
        return AttentionResult(config, Q.cpu(), K.cpu(), cells, tokens, rows, inputs)


def _dense(config: AttentionConfig, Q: Tensor, K: Tensor, rows: tuple[int, ...] | None) -> DenseCells:
    """Compute every step of Figure 2 in memory."""
    mask = mask_choices.dense(config, Q.shape[1], K.shape[1], rows)
    if rows is not None:
        Q = Q[:, list(rows)]
    there = None if mask is None else mask.to(Q.device)
    mechanism, curve = mechanisms.of(config), treatments.of(config)
    if not formats.is_reference(config):
        purpose = "in a number format or without the maximum subtracted"
        steps = partial(normalisations.part(config, lambda one: one.in_format, purpose).steps, config)
        made = formats.weigh_in_format(
            mechanism.drawn_scores(config, Q, K), there, config.factor, config.dtype, steps, curve
        )
        stages = made.scores, made.scaled, made.masked, made.weights
        return FormatCells(config, *stages, mask, made.exponentials, made.total, made.beside)
    scores = mechanism.drawn_scores(config, Q, K)
    scaled, masked, weights = weigh(scores, there, config.factor, normalisations.weights(config), curve)
    return DenseCells(config, scores.cpu(), scaled.cpu(), masked.cpu(), weights.cpu(), mask)


def _streamed(config: AttentionConfig, Q: Tensor, K: Tensor, rows: tuple[int, ...] | None) -> StreamedCells:
    """Compute statistics in one pass over blocks of queries, and keep what a rectangle of cells needs."""
    if not config.subtract_max:
        raise InvalidInput(
            "streamed_softmax",
            f"subtract_max must be true for more than {STREAMED_ABOVE} scores, which are summed up in one pass.",
            field="subtract_max",
            maximum=STREAMED_ABOVE,
        )
    passes = normalisations.part(config, lambda one: one.passes, f"for more than {STREAMED_ABOVE} scores")
    way = passes(config, K.shape[1], treatments.of(config))
    mask: Mask | Tensor | None = mask_choices.of(config)
    if rows is not None:
        mask = mask_choices.dense(config, Q.shape[1], K.shape[1], rows)
        Q = Q[:, list(rows)]
    for tensor in (Q, K):
        require_finite("Q and K", tensor, config)
    mechanism, cells = mechanisms.of(config), allowed((len(Q),), Q.shape[1], K.shape[1], *chosen(False, None, mask))
    parameters = mechanism.rounded(config, Q.device)
    found = statistics_of(mechanism.blocks(Q, K, parameters, config.factor), cells, way)
    there = {name: tensor.cpu() for name, tensor in parameters.items()}
    scores, scaled = (mechanism.blocks(Q.cpu(), K.cpu(), there, factor) for factor in (1.0, config.factor))
    return StreamedCells(found, (scores, scaled), cells, way)


def adopted(config: AttentionConfig, inputs: AttentionInputs) -> AttentionConfig:
    """Return `config` with the n, n_k, h and d_k of `inputs`, so that it describes the result.

    A drawn source becomes "upload", since the origin of Q and K is no longer known. A trained layer brings its factor;
    its mask joins the config's; its softcap and its sink stand where the config has none of its own. Raises
    `InvalidInput` (`learned_mask_twice`) for two masks that no choice of `mask` is together.
    """
    h, n, d_k = inputs.Q.shape
    source = "model" if config.source == "model" else "upload"
    n_k = None if inputs.K.shape[1] == n else inputs.K.shape[1]
    own = {} if inputs.trained is None else _trained(config, inputs.trained)
    return dataclasses.replace(config, n=n, n_k=n_k, h=h, d_k=d_k, tie=None, source=source, **own)


def _trained(config: AttentionConfig, trained: Trained) -> dict[str, Any]:
    """Return the fields of `config` that a trained layer decides."""
    found: dict[str, Any] = {"trained": trained.factor, "scaling": "custom"}
    if trained.mask != "none":
        if config.mask not in ("none", trained.mask):
            raise InvalidInput(
                "learned_mask_twice",
                f"mask must be none or {trained.mask} beside the layer's own mask; got {config.mask!r}.",
                value=config.mask,
                own=trained.mask,
            )
        found |= {"mask": trained.mask, "window": trained.window if trained.mask == "window" else config.window}
    if trained.softcap and not config.softcap:
        found["softcap"] = trained.softcap
    if trained.sink is not None and config.normalisation == "softmax":
        found |= {"normalisation": "sink", "sink": trained.sink}
    return found


def require_finite(name: str, computed: Float[Tensor, "..."], config: AttentionConfig) -> None:
    """Raise `InvalidInput` (`overflow`, `overflow_float16`) if a number computed from `name` has overflowed."""
    if not all(extreme.isfinite() for extreme in computed.aminmax()):  # aminmax returns NaN if one cell is NaN
        raise InvalidInput(
            "overflow_float16" if config.dtype == "float16" else "overflow",
            f"{name} must be small enough for every number computed in {config.dtype} to be finite; some overflowed.",
            field=name,
            dtype=config.dtype,
        )
