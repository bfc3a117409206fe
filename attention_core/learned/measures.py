"""What each head of a trained model does: means over the rows of a text, or of several.

A row is one query, and p are its weights over the keys that it may read. A head's value is the mean over the rows that
count for a measure, NaN without one.

Positions without a token, patches and frames, have the ids −1, −2, … here, each its own: none is another's mention.

Several measures sum the weights on certain keys, `keys`. A row counts if it may read at least one of them. With a
learned sink the sum is a share of everything, what the sink takes included. Such a sum has a `chance`: the value of a
head that reads all keys alike.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.language.measures import EVERY, earlier_same, induction_keys
from attention_core.learned.across_measures import Rows, end, monotone
from attention_core.learned.run import LearnedLayer

__all__ = ["HEAD_MEASURES", "LOCAL", "HeadMeasure", "distances", "floats", "marked_keys", "masses"]

LOCAL: Final = 3
"""Tokens to either side that `local` takes for near."""


@dataclass(frozen=True)
class HeadMeasure:
    """One measure of a head.

    unit    "nats", "tokens", "share" of a row's weight, or "ratio", a number without a unit
    keys    from ids, delimiters and some queries to the keys whose weights are summed; None for another kind of measure
    rows    from a layer to the value of each row; None with `keys`
    places  True if a key's distance counts: only in a layer whose queries and keys are the same tokens
    across  from the weights and the allowed cells of cross-attention to the value of each row; for no other layer
    kind    the kind of the corpus' documents over which a score is measured, from the second round of a list on; None
            for all documents and all rows
    mixed   True if only a text with pictures has it
    weighs  False if it says nothing of weights, so that a head without any has it too
    """

    name: str
    unit: str
    keys: Callable[[Int[Tensor, " n"], frozenset[int], slice], Bool[Tensor, "rows n"]] | None = None
    rows: Callable[[LearnedLayer], Rows] | None = None
    places: bool = True
    across: Callable[[Float[Tensor, "h n_q n_k"], Bool[Tensor, "h n_q n_k"]], Rows] | None = None
    kind: str | None = None
    mixed: bool = False
    weighs: bool = True

    @property
    def chance(self) -> bool:
        """True if `chances` has a value for it."""
        return self.keys is not None or self.across is not None

    @property
    def of_any_text(self) -> bool:
        """True if a text alone has it: it needs neither pictures nor a second line."""
        return self.across is None and not self.mixed


def _entropy(layer: LearnedLayer) -> Rows:
    """−Σ p ln p in nats, of keys and learned sink together, as `AttentionResult` has it."""
    found = torch.special.entr(floats(layer.weights)).sum(-1)
    if layer.sink is not None:
        found = found + torch.special.entr(floats(layer.sink))
    return found, layer.allowed.any(-1)


def _distance(layer: LearnedLayer) -> Rows:
    """Σ p·|q − k| / Σ p in tokens. Σ p is 1 without a learned sink; a row whose sink has everything does not count."""
    return distances(floats(layer.weights), layer.allowed)


def distances(
    weights: Float[Tensor, "h rows keys"], allowed: Bool[Tensor, "h rows keys"], row: int = 0, key: int = 0
) -> Rows:
    """Return `_distance` of a block of a layer, whose first query is `row` and whose first key is `key`."""
    sums = weights.sum(-1)
    n_q, n_k = weights.shape[-2:]
    places = torch.arange(n_q, device=weights.device) + row, torch.arange(n_k, device=weights.device) + key
    apart = (places[0].unsqueeze(1) - places[1]).abs().to(weights.dtype)
    return (weights * apart).sum(-1) / sums, allowed.any(-1) & (sums > 0)


def _variance(layer: LearnedLayer) -> Rows:
    """Var(q·k)/d_k: the population variance of the unscaled products over a head's allowed cells; footnote 4 says 1.

    q and k are those that meet, after norms and rotation. Every row has the value of the whole head; no row counts
    without Q and K, or with fewer than two allowed cells.
    """
    allowed = layer.allowed
    cells = allowed.sum((-2, -1))
    if layer.Q is None or layer.K is None:
        return torch.zeros(allowed.shape[:2]), torch.zeros(allowed.shape[:2], dtype=torch.bool)
    Q, K = floats(layer.Q), floats(layer.K)
    groups = Q.unflatten(0, (K.shape[0], -1))  # h_k h/h_k n_q d_k
    products = (groups @ K.unsqueeze(1).mT).flatten(0, 1)
    mean = torch.where(allowed, products, 0).sum((-2, -1)) / cells
    apart = torch.where(allowed, products - mean[:, None, None], 0)
    ratio = apart.square().sum((-2, -1)) / cells / Q.shape[-1]
    return ratio.unsqueeze(1).expand(allowed.shape[:2]), allowed.any(-1) & (cells > 1).unsqueeze(1)


def _first(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """The first key, for the rows behind it: the first row has nothing else to read."""
    return (_apart(ids, rows) >= 1) & (torch.arange(len(ids)) == 0)


def _previous(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """k = q − 1."""
    return _apart(ids, rows) == 1


def _own(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """k = q, for the rows behind the first, which a causal mask leaves nothing else to read."""
    found = _apart(ids, rows) == 0
    found[:, :1] = False
    return found


def _next(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """k = q + 1: no row of a causal layer may read it."""
    return _apart(ids, rows) == -1


def _induction(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """The keys that follow an earlier mention of the query's own token, all of them."""
    return induction_keys(ids, rows)


def _same(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """The earlier mentions of the query's own token."""
    return earlier_same(ids, rows)


def _delimiter(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """The tokens that part a text, the query's own included, without the first token, which `sink` has."""
    parts = torch.isin(ids, torch.tensor(sorted(delimiters), dtype=ids.dtype))
    parts[:1] = False
    return parts.expand(len(ids[rows]), -1)


def _local(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """1 ≤ |q − k| ≤ `LOCAL`: the neighbours to either side that the mask allows, without the query's own token."""
    apart = _apart(ids, rows).abs()
    return (apart >= 1) & (apart <= LOCAL)


def _picture(ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice) -> Bool[Tensor, "rows n"]:
    """The patches of pictures, for the tokens of the text; without the first key, which `sink` has."""
    patches = ids < 0
    found = ~patches[rows].unsqueeze(1) & patches
    found[:, :1] = False
    return found


def _apart(ids: Int[Tensor, " n"], rows: slice) -> Int[Tensor, "rows n"]:
    """q − k."""
    places = torch.arange(len(ids))
    return places[rows].unsqueeze(1) - places


HEAD_MEASURES: Final[Mapping[str, HeadMeasure]] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            HeadMeasure("entropy", "nats", rows=_entropy, places=False),
            HeadMeasure("distance", "tokens", rows=_distance),
            HeadMeasure("sink", "share", _first),
            HeadMeasure("previous_token", "share", _previous),
            HeadMeasure("own_token", "share", _own),
            HeadMeasure("next_token", "share", _next),
            HeadMeasure("induction", "share", _induction, kind="repeats"),
            HeadMeasure("same_token", "share", _same),
            HeadMeasure("delimiter", "share", _delimiter),
            HeadMeasure("local", "share", _local),
            HeadMeasure("picture", "share", _picture, mixed=True),
            HeadMeasure("variance", "ratio", rows=_variance, places=False, weighs=False),
            HeadMeasure("monotone", "ratio", across=monotone),
            HeadMeasure("end", "share", across=end),
        )
    }
)
"""The measures in the order in which they are shown."""

SUMMED: Final = [number for number, measure in enumerate(HEAD_MEASURES.values()) if measure.keys]
"""The places in the order of those that sum the weights of marked keys."""


def marked_keys(
    ids: Int[Tensor, " n"], delimiters: frozenset[int], rows: slice = EVERY
) -> Float[Tensor, "summed rows n"]:
    """Return 1 for the keys of each measure that sums weights, for some queries or all."""
    keys = (measure.keys for measure in HEAD_MEASURES.values() if measure.keys)
    return torch.stack([find(ids, delimiters, rows) for find in keys]).float()


def masses(
    weights: Float[Tensor, "h rows keys"],
    allowed: Bool[Tensor, "h rows keys"],
    marked: Float[Tensor, "summed rows keys"],
) -> tuple[Float[Tensor, "summed h"], Int[Tensor, "summed h"]]:
    """Return the sums over rows of the weights on marked keys, and the numbers of rows that may read such a key."""
    counted = torch.einsum("hqk,mqk->mhq", allowed.float(), marked) > 0
    found = torch.einsum("hqk,mqk->mhq", weights, marked.to(weights.dtype))
    return torch.where(counted, found, 0).sum(-1), counted.sum(-1)


def floats(tensor: Tensor) -> Tensor:
    """Return float64 as it is and every other format in float32."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()
