"""The measures of all heads of a run, or of several: sums over the rows that count, and their means."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.learned.measures import HEAD_MEASURES, SUMMED, HeadMeasure, floats, marked_keys, masses
from attention_core.learned.run import LearnedLayer, ModelRun

__all__ = ["Totals", "chances", "head_measures", "leave_out", "mean_measures", "measures_of", "totals"]


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over counted rows, and their numbers: those of several texts can be added. `names` are those of measures."""

    sums: Float[Tensor, "measures layers h"]
    counts: Float[Tensor, "measures layers h"]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", self.names or tuple(HEAD_MEASURES))

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(self.sums + other.sums, self.counts + other.counts, self.names)

    def only(self, kept: Container[str]) -> "Totals":
        """Return these totals, without rows of the measures that are not kept."""
        factors = torch.tensor([float(name in kept) for name in self.names])[:, None, None]
        return Totals(self.sums * factors, self.counts * factors, self.names)

    @property
    def means(self) -> dict[str, Float[Tensor, "layers h"]]:
        """The mean of each measure over its counted rows, NaN without one."""
        return dict(zip(self.names, self.sums / self.counts, strict=True))

    @property
    def row_counts(self) -> dict[str, Float[Tensor, "layers h"]]:
        """How many rows each mean is taken over."""
        return dict(zip(self.names, self.counts, strict=True))


def measures_of(run: ModelRun) -> tuple[str, ...]:
    """Return the names of the measures that a run has.

    What is measured across two lines needs a model with more than one part, and `mixed` a text with pictures.
    """
    mixed = any(line.is_mixed for line in run.lines)
    return tuple(
        name
        for name, measure in HEAD_MEASURES.items()
        if (measure.across is None or run.parts) and (mixed or not measure.mixed)
    )


def head_measures(run: ModelRun, delimiters: frozenset[int]) -> dict[str, Float[Tensor, "layers h"]]:
    """Return every measure of every head over one text, under the names of `HEAD_MEASURES`.

    NaN stands for what there is not: a head beyond those of its layer; a measure of which no row counts; of
    cross-attention what asks where a key is, and of any other layer what is measured across; tokens in a layer that
    reads other ones than those of the run.
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
    heads = max((layer.weights.shape[0] for layer in run.layers), default=0)
    sums = torch.zeros(len(HEAD_MEASURES), len(run.layers), heads, dtype=torch.float64)
    counts = torch.zeros_like(sums)
    marked: dict[tuple[int, int], Tensor] = {}
    alike: tuple[Tensor, Tensor, Tensor] | None = None  # marked keys, allowed cells and sums of even heads before
    for number, layer in enumerate(run.layers):
        h, n_q, n_k = layer.weights.shape
        queries, keys = run.between[number]
        placed = layer.kind == "self" and queries == keys and n_q == n_k
        if not even:
            for measure, asked in enumerate(HEAD_MEASURES.values()):
                if asked.rows is not None and (placed or not asked.places):
                    values, counted = asked.rows(layer)
                    sums[measure, number, :h] = torch.where(counted, values, 0).sum(-1)
                    counts[measure, number, :h] = counted.sum(-1)
        if run.crosses(number + 1):
            allowed = _once(layer.allowed) if even else layer.allowed
            p = _even(allowed) if even else floats(layer.weights)
            for measure, asked in enumerate(HEAD_MEASURES.values()):
                if asked.across is not None:
                    values, counted = asked.across(p, allowed)
                    sums[measure, number, :h] = torch.where(counted, values, 0).sum(-1)
                    counts[measure, number, :h] = counted.sum(-1)
        if placed:
            read = keys, n_k
            if read not in marked:  # numbers that no token has stand for what is no token, or not known
                ids = torch.tensor(run.lines[keys].ids)
                ids = torch.where(ids < 0, -1 - torch.arange(len(ids)), ids)
                marked[read] = _marked(
                    ids if n_k == len(ids) else -1 - torch.arange(n_k), delimiters, run.lines[keys].begins
                )
            if not even:
                found = torch.stack(masses(floats(layer.weights), layer.allowed, marked[read]))
            else:
                allowed = _once(layer.allowed)
                if alike is None or alike[0] is not marked[read] or not torch.equal(alike[1], allowed):
                    found = torch.stack(masses(_even(allowed), allowed, marked[read]))
                    alike = marked[read], allowed, found
                found = alike[2]
            sums[SUMMED, number, :h], counts[SUMMED, number, :h] = found.double()
        if not even:
            leave_out(sums, counts, tuple(HEAD_MEASURES.values()), number, layer)
    return Totals(sums, counts)


def _marked(ids: Int[Tensor, " n"], delimiters: frozenset[int], start: int) -> Float[Tensor, "summed n n"]:
    """Return the keys of each measure that sums weights, with the text beginning behind the padding."""
    found = marked_keys(ids[start:], delimiters)
    return torch.nn.functional.pad(found, (start, 0, start, 0))


def leave_out(
    sums: Float[Tensor, "measures layers h"],
    counts: Float[Tensor, "measures layers h"],
    measures: Sequence[HeadMeasure],
    number: int,
    layer: LearnedLayer,
) -> None:
    """Let no row count of a head whose weights a change took away, or does not let add up to 1."""
    for measure, asked in enumerate(measures):
        if asked.weighs:
            for head in layer.unnormalised:
                sums[measure, number, head] = counts[measure, number, head] = 0


def _once(allowed: Bool[Tensor, "h n_q n_k"]) -> Bool[Tensor, "heads n_q n_k"]:
    """Return the cells of one head if all heads have the same, as nearly every layer has it."""
    return allowed[:1] if bool((allowed == allowed[:1]).all()) else allowed


def _even(allowed: Bool[Tensor, "heads n_q n_k"]) -> Float[Tensor, "heads n_q n_k"]:
    """Return the weights of heads that read every allowed key alike."""
    cells = allowed.float()
    return cells / cells.sum(-1, keepdim=True)
