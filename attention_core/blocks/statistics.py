"""Exact statistics of every row and head of a long sequence, without its n_q × n_k matrix."""

import math
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.blocks.block_pass import PLAIN, Pass, blocks
from attention_core.blocks.compatibility import AdditiveCompatibilities, Compatibility, DotProducts
from attention_core.blocks.head_threads import workers
from attention_core.blocks.histogram import ScoreHistogram, Tally
from attention_core.blocks.mask import Allowed, Chosen, allowed, chosen
from attention_core.blocks.overview_accumulator import Canvas, Overview
from attention_core.blocks.row_statistics import RowAttributes, derived, finished, names_in
from attention_core.blocks.weighing import Weighing, weighing
from attention_core.cancellation import checkpoint
from attention_core.device import resolve
from attention_core.errors import Cancelled, InvalidInput
from attention_core.exact.masks import Mask
from attention_core.validation import whole_number

__all__ = ["AttentionStatistics", "Step", "additive_attention_statistics", "attention_passes", "attention_statistics"]


@dataclass(frozen=True, eq=False)
class AttentionStatistics(RowAttributes):
    """One value for each query (`*batch n_q`) or head (`*batch`), on the CPU. Entropies are in nats.

    `rows` holds the stored statistics by name: those of `ROW_STATISTICS` that these weights have (`names`). Each entry
    of that table is also an attribute, which raises `InvalidInput` for the others. A query without an allowed key has
    logsumexp −inf or that of a sink alone, `largest_at` −1, one effective key, the sink weight 1, and 0 everywhere
    else.
    """

    rows: Mapping[str, Float[Tensor, "*batch n_q"]]
    largest_at: Int[Tensor, "*batch n_q"]
    score_mean: Float[Tensor, "*batch"]
    score_variance: Float[Tensor, "*batch"]
    histogram: ScoreHistogram | None = None
    overview: Overview | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the statistics that these rows have, in the order of `ROW_STATISTICS`."""
        return names_in(self.rows)

    def statistic(self, name: str) -> Float[Tensor, "*batch n_q"]:
        """Return one of `ROW_STATISTICS`. Raises `InvalidInput` (`unknown_choice`)."""
        return derived(name, self.rows)


@dataclass(frozen=True, eq=False)
class Step:
    """The progress of a pass; `statistics` is None until the last step."""

    done: int
    total: int
    picture: Callable[[], Overview] | None
    """The overview so far, computed when called; None if none was requested."""
    statistics: AttentionStatistics | None
    rows: Callable[[slice], Mapping[str, Tensor]]
    """The stored statistics of finished queries by name (heads × queries), computed when called."""


def attention_statistics(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*groups n_k d_k"],
    *,
    scale: float | None = None,
    causal: bool = False,
    window: int | None = None,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | Mask | None = None,
    histogram: int | Float[Tensor, " edges"] | None = None,
    overview: int | None = None,
    device: str | None = None,
    block: int | None = None,
    softcap: float | None = None,
    sink: float | None = None,
    sigmoid: bool = False,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> AttentionStatistics:
    """Compute the statistics of softmax(`scale` · QKᵀ) in one pass over blocks of queries.

    With `softcap`, `sink` or `sigmoid` they are those of the weights that these make.

    Parameters
    ----------
    Q, K
        Queries and keys. K may have fewer heads than Q (grouped keys).
    scale
        Factor of the scores; 1/√d_k if None.
    causal, window, mask
        Masks as in `masks`; a key must be allowed by all that are given. `mask` is a `Mask`, or a tensor with True
        where attention is allowed.
    histogram
        Count the scores in at most this many bins, or between these edges.
    overview
        Average the weights over at most this many blocks along each side.
    device
        Name for `resolve`; the device of Q if None.
    block
        Number of queries in a block.
    softcap
        c: scaled scores s become c · tanh(s/c) before the mask; None or 0 leaves them. Moments and histogram stay
        those of s, and the Jacobian is that of the weights by s.
    sink
        b: the weights are e^s / (e^b + Σ e^s). The entropy is that of keys and sink together, `sink_weight` the sink's
        share, and `logsumexp` that of both. None for no sink.
    sigmoid
        True for the weights σ(s − ln n_k). They have a `mass`, and no entropy and `logsumexp`.
    progress
        Called after each block with the numbers of finished and of all queries.
    cancelled
        Called after each block; True stops the pass.

    Returns
    -------
    AttentionStatistics
        One value for each query or head, on the CPU; `histogram` and `overview` only if asked for.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    InvalidInput
        `shape`; `not_finite` for Q or K; `overflow` if a score leaves the range of float32; `not_a_number`;
        `out_of_range`; `unknown_choice`; `histogram_edges`; the codes of `resolve`.
    """
    steps = attention_passes(
        Q,
        K,
        scale=scale,
        causal=causal,
        window=window,
        mask=mask,
        histogram=histogram,
        overview=overview,
        device=device,
        block=block,
        softcap=softcap,
        sink=sink,
        sigmoid=sigmoid,
    )
    return _last(steps, progress, cancelled)


def attention_passes(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*groups n_k d_k"],
    *,
    scale: float | None = None,
    causal: bool = False,
    window: int | None = None,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | Mask | None = None,
    histogram: int | Float[Tensor, " edges"] | None = None,
    overview: int | None = None,
    device: str | None = None,
    block: int | None = None,
    softcap: float | None = None,
    sink: float | None = None,
    sigmoid: bool = False,
) -> Generator[Step, None, None]:
    """Yield a `Step` of `attention_statistics` after each block of queries, all heads together.

    Close the generator if you stop early. Invalid arguments raise at once, not at the first step.

    Parameters
    ----------
    Q, K
        Queries and keys. K may have fewer heads than Q (grouped keys).
    scale, causal, window, mask, histogram, overview, device, block, softcap, sink, sigmoid
        As in `attention_statistics`.

    Yields
    ------
    Step
        The queries that are done; the last step holds the statistics.

    Raises
    ------
    InvalidInput
        As `attention_statistics`; `overflow` perhaps only at the last step.
    """
    place = Q.device if device is None else resolve(device)
    compatibility = DotProducts(Q.to(place), K.to(place), scale)
    way = weighing(compatibility.n_k, softcap, sink, sigmoid)
    return _steps(compatibility, _allowed(compatibility, chosen(causal, window, mask)), histogram, overview, block, way)


def additive_attention_statistics(
    Q: Float[Tensor, "*batch n_q d_k"],
    K: Float[Tensor, "*groups n_k d_k"],
    W_q: Float[Tensor, "*#batch d_k n_hidden"],
    W_k: Float[Tensor, "*#batch d_k n_hidden"],
    w: Float[Tensor, "*#batch n_hidden"],
    *,
    causal: bool = False,
    window: int | None = None,
    mask: Bool[Tensor, "*#batch #n_q #n_k"] | Mask | None = None,
    histogram: int | Float[Tensor, " edges"] | None = None,
    overview: int | None = None,
    device: str | None = None,
    block: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> AttentionStatistics:
    """Compute `attention_statistics` of the compatibilities w · tanh(q W_q + k W_k), unscaled (section 3.2.1).

    Parameters
    ----------
    Q, K
        Queries and keys. K may have fewer heads than Q (grouped keys).
    W_q, W_k, w
        Parameters of the hidden layer.
    causal, window, mask, histogram, overview, device, block, progress, cancelled
        As in `attention_statistics`.

    Returns
    -------
    AttentionStatistics
        As from `attention_statistics`.

    Raises
    ------
    Cancelled, InvalidInput
        As `attention_statistics`.
    """
    place = Q.device if device is None else resolve(device)
    compatibility = AdditiveCompatibilities(*(tensor.to(place) for tensor in (Q, K, W_q, W_k, w)))
    cells = _allowed(compatibility, chosen(causal, window, mask))
    steps = _steps(compatibility, cells, histogram, overview, block)
    return _last(steps, progress, cancelled)


def statistics_of(
    compatibility: Compatibility,
    cells: Allowed,
    way: Weighing,
    histogram: int | Float[Tensor, " edges"] | None = None,
) -> AttentionStatistics:
    """Compute the statistics of any mechanism's scores under any weighing, on their own device.

    `histogram` is as in `attention_statistics`.
    """
    return _last(_steps(compatibility, cells, histogram, None, None, way), None, None)


def _allowed(compatibility: Compatibility, mask: Chosen) -> Allowed:
    return allowed(compatibility.batch, compatibility.n_q, compatibility.n_k, *mask)


def _last(
    steps: Generator[Step, None, None],
    progress: Callable[[int, int], None] | None,
    cancelled: Callable[[], bool] | None,
) -> AttentionStatistics:
    with closing(steps):
        for step in steps:
            if progress is not None:
                progress(step.done, step.total)
            if step.statistics is not None:
                return step.statistics
            if cancelled is not None and cancelled():
                raise Cancelled(step.done, step.total)
    raise AssertionError("the last step of a pass brings its statistics")


def _steps(
    compatibility: Compatibility,
    cells: Allowed,
    histogram: int | Tensor | None,
    overview: int | None,
    block: int | None,
    way: Weighing = PLAIN,
) -> Generator[Step, None, None]:
    """Check all arguments, then return the steps."""
    n_q, n_k, batch = compatibility.n_q, compatibility.n_k, compatibility.batch
    dtype, device = compatibility.dtype, compatibility.device
    rows = None if block is None else whole_number("block", block, 1)
    canvas = tally = None
    if overview is not None:
        canvas = Canvas(whole_number("overview", overview, 1), batch, n_q, n_k, dtype, device)
    if histogram is not None:
        bound = 0.0 if isinstance(histogram, Tensor) else compatibility.bound()
        tally = Tally(histogram, bound, batch, dtype, device)
    at_once = workers(math.prod(batch), n_q * n_k, torch.get_num_threads(), device)
    size = blocks(n_q, n_k, device, rows, None if canvas is None else canvas.widths, at_once)
    return _run(compatibility, cells, Pass(compatibility, cells, size, tally, canvas, at_once, way), tally, canvas, way)


@torch.no_grad()
def _run(
    compatibility: Compatibility, cells: Allowed, state: Pass, tally: Tally | None, canvas: Canvas | None, way: Weighing
) -> Generator[Step, None, None]:
    n_q = compatibility.n_q
    with closing(state.run()) as blocks_done:
        for done in blocks_done:
            last = done == n_q
            picture = None if canvas is None else lambda done=done: canvas.overview(done)
            statistics = _statistics(compatibility, cells, state, tally, canvas, way) if last else None
            yield Step(done, n_q, picture, statistics, lambda rows: _finished(compatibility, cells, state, rows, way))


def _finished(
    compatibility: Compatibility, cells: Allowed, state: Pass, rows: slice, way: Weighing
) -> Mapping[str, Tensor]:
    sums = state.sums_of(rows)
    keys = cells.keys(compatibility.batch, rows).reshape(sums.at.shape)
    return finished(way.rows(sums, keys, compatibility.dtype))


def _statistics(
    compatibility: Compatibility, cells: Allowed, state: Pass, tally: Tally | None, canvas: Canvas | None, way: Weighing
) -> AttentionStatistics:
    batch, dtype = compatibility.batch, compatibility.dtype
    keys = cells.keys(batch, slice(0, compatibility.n_q))
    sums = state.sums
    counts, at = keys.reshape(sums.at.shape), sums.at.view(keys.shape)
    rows = []
    for index in range(len(sums.at)):
        checkpoint()
        rows.append(finished(way.rows(sums.head(index), counts[index], dtype)))
    found = {name: torch.stack([row[name] for row in rows]).view(keys.shape) for name in rows[0]}
    lost = ((keys > 0) & (at < 0)) | ~found.get("entropy", found["jacobian_trace"]).isfinite()
    if state.overflowed or lost.any():
        name = str(dtype).removeprefix("torch.")
        raise InvalidInput(
            "overflow",
            f"Q and K must be small enough for every number computed in {name} to be finite; some overflowed.",
            field="Q and K",
            dtype=name,
        )
    mean, variance = (torch.tensor(values, dtype=dtype).view(batch) for values in state.moments())
    return AttentionStatistics(
        rows=found,
        largest_at=at,
        score_mean=mean,
        score_variance=variance,
        histogram=None if tally is None else tally.histogram(),
        overview=None if canvas is None else canvas.overview(),
    )
