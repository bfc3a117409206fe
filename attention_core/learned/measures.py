"""What each head of a trained model does: means over the rows of a text, or of several.

A row is one query, and p are its weights over the keys that it may read. A head's value is the mean over the rows that
count for a measure, NaN without one.

Several measures sum the weights on certain keys, `keys`. A row counts if it may read at least one of them. With a
learned sink the sum is a share of everything, what the sink takes included. Such a sum has a `chance`: the value of a
head that reads all keys alike.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.language.measures import earlier_same, induction_keys
from attention_core.learned.run import LearnedLayer, ModelRun

__all__ = ["HEAD_MEASURES", "LOCAL", "HeadMeasure", "Totals", "chances", "head_measures", "mean_measures", "totals"]

LOCAL: Final = 3
"""Tokens to either side that `local` takes for near."""

Rows = tuple[Float[Tensor, "h n_q"], Bool[Tensor, "h n_q"]]
"""A value of each row, and which rows count."""


@dataclass(frozen=True)
class HeadMeasure:
    """One measure of a head.

    unit    "nats", "tokens", "share" of a row's weight, or "ratio" to footnote 4
    keys    from ids and delimiters to the keys whose weights are summed; None for another kind of measure
    rows    from a layer to the value of each row; None with `keys`
    places  True if a key's distance counts: only in a layer whose queries and keys are the same tokens
    kind    the kind of the corpus' documents over which a score is measured; None for all
    """

    name: str
    unit: str
    keys: Callable[[Int[Tensor, " n"], frozenset[int]], Bool[Tensor, "n n"]] | None = None
    rows: Callable[[LearnedLayer], Rows] | None = None
    places: bool = True
    kind: str | None = None

    @property
    def chance(self) -> bool:
        """True if `chances` has a value for it."""
        return self.keys is not None


def _entropy(layer: LearnedLayer) -> Rows:
    """−Σ p ln p in nats, of keys and learned sink together, as `AttentionResult` has it."""
    found = torch.special.entr(_floats(layer.weights)).sum(-1)
    if layer.sink is not None:
        found = found + torch.special.entr(_floats(layer.sink))
    return found, layer.allowed.any(-1)


def _distance(layer: LearnedLayer) -> Rows:
    """Σ p·|q − k| / Σ p in tokens. Σ p is 1 without a learned sink; a row whose sink has everything does not count."""
    weights = _floats(layer.weights)
    sums = weights.sum(-1)
    n_q, n_k = weights.shape[-2:]
    apart = (torch.arange(n_q).unsqueeze(1) - torch.arange(n_k)).abs().to(weights.dtype)
    return (weights * apart).sum(-1) / sums, layer.allowed.any(-1) & (sums > 0)


def _variance(layer: LearnedLayer) -> Rows:
    """Var(q·k)/d_k: the population variance of the unscaled products over a head's allowed cells; footnote 4 says 1.

    q and k are those that meet, after norms and rotation. Every row has the value of the whole head; no row counts
    without Q and K, or with fewer than two allowed cells.
    """
    allowed = layer.allowed
    cells = allowed.sum((-2, -1))
    if layer.Q is None or layer.K is None:
        return torch.zeros(allowed.shape[:2]), torch.zeros(allowed.shape[:2], dtype=torch.bool)
    Q, K = _floats(layer.Q), _floats(layer.K)
    groups = Q.unflatten(0, (K.shape[0], -1))  # h_k h/h_k n_q d_k
    products = (groups @ K.unsqueeze(1).mT).flatten(0, 1)
    mean = torch.where(allowed, products, 0).sum((-2, -1)) / cells
    apart = torch.where(allowed, products - mean[:, None, None], 0)
    ratio = apart.square().sum((-2, -1)) / cells / Q.shape[-1]
    return ratio.unsqueeze(1).expand(allowed.shape[:2]), allowed.any(-1) & (cells > 1).unsqueeze(1)


def _first(ids: Int[Tensor, " n"], delimiters: frozenset[int]) -> Bool[Tensor, "n n"]:
    """The first key, for the rows behind it: the first row has nothing else to read."""
    found = torch.zeros(len(ids), len(ids), dtype=torch.bool)
    found[1:, 0] = True
    return found


def _previous(ids: Int[Tensor, " n"], delimiters: frozenset[int]) -> Bool[Tensor, "n n"]:
    """k = q − 1."""
    return torch.ones(len(ids) - 1, dtype=torch.bool).diag(-1)


def _induction(ids: Int[Tensor, " n"], delimiters: frozenset[int]) -> Bool[Tensor, "n n"]:
    """The keys that follow an earlier mention of the query's own token, all of them."""
    return induction_keys(ids)


def _same(ids: Int[Tensor, " n"], delimiters: frozenset[int]) -> Bool[Tensor, "n n"]:
    """The earlier mentions of the query's own token."""
    return earlier_same(ids)


def _delimiter(ids: Int[Tensor, " n"], delimiters: frozenset[int]) -> Bool[Tensor, "n n"]:
    """The tokens that part a text, the query's own included, without the first token, which `sink` has."""
    parts = torch.isin(ids, torch.tensor(sorted(delimiters), dtype=ids.dtype))
    parts[:1] = False
    return parts.expand(len(ids), -1)


def _local(ids: Int[Tensor, " n"], delimiters: frozenset[int]) -> Bool[Tensor, "n n"]:
    """1 ≤ |q − k| ≤ `LOCAL`: the neighbours to either side that the mask allows, without the query's own token."""
    places = torch.arange(len(ids))
    apart = (places.unsqueeze(1) - places).abs()
    return (apart >= 1) & (apart <= LOCAL)


HEAD_MEASURES: Final[Mapping[str, HeadMeasure]] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            HeadMeasure("entropy", "nats", rows=_entropy, places=False),
            HeadMeasure("distance", "tokens", rows=_distance),
            HeadMeasure("sink", "share", _first),
            HeadMeasure("previous_token", "share", _previous),
            HeadMeasure("induction", "share", _induction, kind="repeats"),
            HeadMeasure("same_token", "share", _same),
            HeadMeasure("delimiter", "share", _delimiter),
            HeadMeasure("local", "share", _local),
            HeadMeasure("variance", "ratio", rows=_variance, places=False),
        )
    }
)
"""The measures in the order in which they are shown."""

_SUMMED: Final = [number for number, measure in enumerate(HEAD_MEASURES.values()) if measure.keys]


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over counted rows, and their numbers: those of several texts can be added."""

    sums: Float[Tensor, "measures layers h"]
    counts: Float[Tensor, "measures layers h"]

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(self.sums + other.sums, self.counts + other.counts)

    def only(self, kept: Container[str]) -> "Totals":
        """Return these totals, without rows of the measures that are not kept."""
        factors = torch.tensor([float(name in kept) for name in HEAD_MEASURES])[:, None, None]
        return Totals(self.sums * factors, self.counts * factors)

    @property
    def means(self) -> dict[str, Float[Tensor, "layers h"]]:
        """The mean of each measure over its counted rows, NaN without one."""
        return dict(zip(HEAD_MEASURES, self.sums / self.counts, strict=True))

    @property
    def row_counts(self) -> dict[str, Float[Tensor, "layers h"]]:
        """How many rows each mean is taken over."""
        return dict(zip(HEAD_MEASURES, self.counts, strict=True))


def head_measures(run: ModelRun, delimiters: frozenset[int]) -> dict[str, Float[Tensor, "layers h"]]:
    """Return every measure of every head over one text, under the names of `HEAD_MEASURES`.

    NaN stands for what there is not: a head beyond those of its layer; a measure of which no row counts; of
    cross-attention all but entropy and variance; tokens in a layer that reads other ones than those of the run.
    """
    return totals(run, delimiters).means


def mean_measures(runs: Iterable[ModelRun], delimiters: frozenset[int]) -> dict[str, Float[Tensor, "layers h"]]:
    """Return every measure over several texts of one model: the mean over the counted rows of all of them.

    Raises `ValueError` without a text.
    """
    found = None
    for run in runs:
        found = totals(run, delimiters) if found is None else found + totals(run, delimiters)
    if found is None:
        raise ValueError("a mean needs at least one run")
    return found.means


def chances(run: ModelRun, delimiters: frozenset[int]) -> dict[str, Float[Tensor, "layers h"]]:
    """Return what the measures with a `chance` are for heads that read every allowed key alike."""
    means = totals(run, delimiters, even=True).means
    return {name: means[name] for name, measure in HEAD_MEASURES.items() if measure.chance}


def totals(run: ModelRun, delimiters: frozenset[int], even: bool = False) -> Totals:
    """Return the sums and numbers of rows behind `head_measures`.

    Parameters
    ----------
    run
        A text as a model read it.
    delimiters
        The ids that part a text, as `LearnedModel.delimiters`.
    even
        Take 1/k for each of a row's k allowed keys in place of the weights; only the measures with a `chance` count.
    """
    ids = torch.tensor(run.ids)
    heads = max((layer.weights.shape[0] for layer in run.layers), default=0)
    sums = torch.zeros(len(HEAD_MEASURES), len(run.layers), heads, dtype=torch.float64)
    counts = torch.zeros_like(sums)
    marked: dict[int, Tensor] = {}
    for number, layer in enumerate(run.layers):
        h, n_q, n_k = layer.weights.shape
        placed = layer.kind == "self" and n_q == n_k
        if not even:
            for measure, asked in enumerate(HEAD_MEASURES.values()):
                if asked.rows is not None and (placed or not asked.places):
                    values, counted = asked.rows(layer)
                    sums[measure, number, :h] = torch.where(counted, values, 0).sum(-1)
                    counts[measure, number, :h] = counted.sum(-1)
        if placed:
            if n_k not in marked:  # numbers that no token has stand for tokens that are not known
                marked[n_k] = _marked(ids if n_k == len(ids) else -1 - torch.arange(n_k), delimiters)
            values, counted = _masses(layer, marked[n_k], even)
            sums[_SUMMED, number, :h] = values.double()
            counts[_SUMMED, number, :h] = counted.double()
    return Totals(sums, counts)


def _marked(ids: Int[Tensor, " n"], delimiters: frozenset[int]) -> Float[Tensor, "summed n n"]:
    """Return 1 for the keys of each measure that sums weights."""
    keys = (measure.keys for measure in HEAD_MEASURES.values() if measure.keys)
    return torch.stack([find(ids, delimiters) for find in keys]).float()


def _masses(
    layer: LearnedLayer, marked: Float[Tensor, "summed n n"], even: bool
) -> tuple[Float[Tensor, "summed h"], Int[Tensor, "summed h"]]:
    """Return the sums over rows of the weights on marked keys, and the numbers of rows that may read such a key."""
    allowed = layer.allowed.float()
    weights = allowed / allowed.sum(-1, keepdim=True) if even else _floats(layer.weights)
    counted = torch.einsum("hqk,mqk->mhq", allowed, marked) > 0
    masses = torch.einsum("hqk,mqk->mhq", weights, marked.to(weights.dtype))
    return torch.where(counted, masses, 0).sum(-1), counted.sum(-1)


def _floats(tensor: Tensor) -> Tensor:
    """Return float64 as it is and every other format in float32."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()
