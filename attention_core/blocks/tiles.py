"""Exact rectangles of the weight matrix: exp(s[R, C] − lse(s[R])), from Q, K and one number for each row."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.blocks.compatibility import (
    AdditiveCompatibilities,
    Compatibility,
    DotProducts,
    fitting_shapes,
    heads,
)
from attention_core.blocks.mask import Allowed, Chosen, allowed, chosen
from attention_core.blocks.weighing import weighing
from attention_core.cancellation import checkpoint
from attention_core.errors import InvalidInput, shown
from attention_core.exact.masks import Mask
from attention_core.shapes import shape_error
from attention_core.treatments import Curve
from attention_core.validation import choice, whole_number

__all__ = ["additive_attention_tile", "attention_tile"]

Span = slice | range
STAGES = ("weights", "scores")


def attention_tile(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*groups n_k d_k"],
    rows: Span,
    columns: Span,
    logsumexp: Float[Tensor, "*batch n_q"] | None,
    *,
    scale: float | None = None,
    causal: bool = False,
    window: int | None = None,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | Mask | None = None,
    stage: str = "weights",
    softcap: float | None = None,
    sigmoid: bool = False,
) -> Float[Tensor, "*batch rows columns"]:
    """Return the weights of the queries `rows` on the keys `columns`. A query without keys has weights 0.

    Parameters
    ----------
    Q, K
        Queries and keys. K may have fewer heads than Q.
    rows, columns
        Spans of queries and of keys, counted from 0.
    logsumexp
        That of `attention_statistics` under the same scale, mask, softcap and sink. Scores and gates need none.
    scale, causal, window, mask, softcap, sigmoid
        As in `attention_statistics`.
    stage
        "weights", or "scores" for the scaled scores, capped if there is a softcap, −inf where masked.

    Returns
    -------
    Tensor
        rows × columns for each head.

    Raises
    ------
    InvalidInput
        `shape`; `not_finite`; `not_a_span` and `out_of_range` for rows and columns; `logsumexp_missing`;
        `unknown_choice`.
    """

    def of(Q: Tensor, K: Tensor) -> Compatibility:
        return DotProducts(Q, K, scale)

    return _tile(of, Q, K, rows, columns, logsumexp, chosen(causal, window, mask), stage, softcap, sigmoid)


def additive_attention_tile(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*groups n_k d_k"],
    W_q: Float[Tensor, "*#batch d_k n_hidden"],
    W_k: Float[Tensor, "*#batch d_k n_hidden"],
    w: Float[Tensor, "*#batch n_hidden"],
    rows: Span,
    columns: Span,
    logsumexp: Float[Tensor, "*batch n_q"] | None,
    *,
    causal: bool = False,
    window: int | None = None,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | Mask | None = None,
    stage: str = "weights",
) -> Float[Tensor, "*batch rows columns"]:
    """Return `attention_tile` of the compatibilities w · tanh(q W_q + k W_k).

    Parameters
    ----------
    Q, K
        Queries and keys. K may have fewer heads than Q.
    W_q, W_k, w
        Parameters of the hidden layer.
    rows, columns
        Spans of queries and of keys, counted from 0.
    logsumexp
        That of `additive_attention_statistics` under the same mask. Scores need none.
    causal, window, mask, stage
        As in `attention_tile`.

    Returns
    -------
    Tensor
        rows × columns for each head.

    Raises
    ------
    InvalidInput
        As `attention_tile`.
    """

    def of(Q: Tensor, K: Tensor) -> Compatibility:
        return AdditiveCompatibilities(Q, K, W_q, W_k, w)

    return _tile(of, Q, K, rows, columns, logsumexp, chosen(causal, window, mask), stage)


@torch.no_grad()
def _tile(
    of: Callable[[Tensor, Tensor], Compatibility],
    Q: Tensor,
    K: Tensor,
    rows: Span,
    columns: Span,
    logsumexp: Tensor | None,
    mask: Chosen,
    stage: str,
    softcap: float | None = None,
    sigmoid: bool = False,
) -> Float[Tensor, "*batch rows columns"]:
    """Compute a tile from the queries and keys of the rectangle alone."""
    batch, n_q, n_k, _ = fitting_shapes(Q, K)
    choice("stage", stage, STAGES)
    rows, columns = span("rows", rows, n_q), span("columns", columns, n_k)
    cells = allowed(batch, n_q, n_k, *mask)
    way = weighing(n_k, softcap, sigmoid=sigmoid)
    weights = None if stage == "scores" else way.weights
    lse = None if weights is None or not way.by_logsumexp else checked_logsumexp(logsumexp, (*batch, n_q))[..., rows]
    part = of(Q[..., rows, :], K[..., columns, :])
    whole = slice(0, part.n_q), slice(0, part.n_k)
    return rectangle(part, *whole, cells, rows, columns, lse, way.curve, weights)


def rectangle(
    compatibility: Compatibility,
    rows: slice,
    columns: slice,
    cells: Allowed,
    at_rows: slice,
    at_columns: slice,
    logsumexp: Float[Tensor, "*batch rows"] | None,
    curve: Curve | None = None,
    weights: Callable[[Tensor, Tensor | None], Tensor] | None = None,
) -> Float[Tensor, "*batch rows columns"]:
    """Return the weights of `rows` × `columns`, or the scores, through `curve` if there is one, without `weights`.

    `at_rows` and `at_columns` are the positions of the rectangle in the full mask `cells`.
    """
    height, width = rows.stop - rows.start, columns.stop - columns.start
    tile = torch.empty(*compatibility.batch, height, width, dtype=compatibility.dtype, device=compatibility.device)
    block = tile.new_empty(width, height)
    if logsumexp is not None:
        logsumexp = logsumexp.to(tile)
        logsumexp = logsumexp.masked_fill(logsumexp == -torch.inf, 0.0)
    for head in heads(compatibility.batch):
        checkpoint()
        compatibility.block(head, rows, columns, block)
        if curve is not None:
            curve.value(block, out=block)
        for strip, forbidden in cells.strips(head, at_rows, at_columns, block.device):
            block[strip].masked_fill_(forbidden, -torch.inf)
        if weights is not None:
            weights(block, None if logsumexp is None else logsumexp[head])
        tile[head] = block.mT
    return tile


def span(name: str, value: Span, size: int) -> slice:
    """Return `value` as a slice of at least one position between 0 and `size`. Raises `InvalidInput`."""
    if not isinstance(value, slice | range) or value.step not in (None, 1):
        raise InvalidInput(
            "not_a_span",
            f"{name} must be a slice or a range with step 1; got {shown(value)}.",
            field=name,
            value=shown(value),
        )
    start = 0 if value.start is None else whole_number(name, value.start, 0, size - 1)
    stop = size if value.stop is None else whole_number(name, value.stop, start + 1, size)
    return slice(start, stop)


def checked_logsumexp(logsumexp: Tensor | None, shape: tuple[int, ...]) -> Tensor:
    if logsumexp is None:
        raise InvalidInput(
            "logsumexp_missing",
            "logsumexp must be that of attention_statistics for weights; only scores do without.",
            field="logsumexp",
        )
    if tuple(logsumexp.shape) != shape:
        raise shape_error("logsumexp", " × ".join(map(str, shape)), tuple(logsumexp.shape))
    return logsumexp
