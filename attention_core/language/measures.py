"""Measures of a head: the mean weight that it gives to the keys that a behaviour would read.

A measure says for each text which queries count and which keys each of them would read. Its score is the sum of those
weights, averaged over the queries of all texts: 1 for a head that reads nothing else, `chance` for one that reads all
alike.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.language.texts import Document

__all__ = ["MEASURES", "Measure", "chance", "counted", "induction_keys", "scores"]


@dataclass(frozen=True)
class Measure:
    """A behaviour of heads.

    keys   from ids to the keys that each query would read; a query without one does not count
    kind   the kind of documents over which it is measured; None for all
    """

    name: str
    keys: Callable[[Document], Bool[Tensor, "n n"]]
    kind: str | None = None


EVERY: Final = slice(None)
"""All queries of a text."""


def earlier_same(ids: Int[Tensor, " n"], rows: slice = EVERY) -> Bool[Tensor, "rows n"]:
    """Mark the earlier mentions of each query's own token, for some queries or all."""
    return (ids[rows].unsqueeze(1) == ids).tril_((rows.start or 0) - 1)


def induction_keys(ids: Int[Tensor, " n"], rows: slice = EVERY) -> Bool[Tensor, "rows n"]:
    """Mark the keys that follow an earlier mention of each query's own token, all of them.

    In a list of period N these are q − N + 1, q − 2N + 1, …: not q − N, which holds the query's own token.
    """
    same = earlier_same(ids, rows)
    found = torch.zeros_like(same)
    found[:, 1:] = same[:, :-1]
    return found


def _previous(document: Document) -> Bool[Tensor, "n n"]:
    return torch.ones(len(document.words) - 1, dtype=torch.bool).diag(-1)


def _sink(document: Document) -> Bool[Tensor, "n n"]:
    found = _nothing(document)
    found[1:, 0] = True  # the first query has nothing else to read
    return found


def _same(document: Document) -> Bool[Tensor, "n n"]:
    return earlier_same(torch.tensor(document.ids))


def _induction(document: Document) -> Bool[Tensor, "n n"]:
    return induction_keys(torch.tensor(document.ids)) & _queries(document, "repeat").unsqueeze(1)


def _queries(document: Document, kind: str) -> Bool[Tensor, " n"]:
    found = torch.zeros(len(document.words), dtype=torch.bool)
    found[[place.query for place in document.known(kind)]] = True
    return found


def _agreement(document: Document) -> Bool[Tensor, "n n"]:
    """Mark the subject and the words up to the next noun, `the keys to the`, for the query before the verb.

    The two behind the noun carry it, since heads of layer 1 read one and two tokens back. In English an s tells the
    number, so a head may look for it and rest on a neighbour if there is none. No other noun is among these keys.
    """
    found = _nothing(document)
    for place in document.known("agreement"):
        found[place.query, place.key - 1 : place.key + 3] = True
    return found


def _bracket(document: Document) -> Bool[Tensor, "n n"]:
    """Mark the open bracket, and the word behind it that carries it, for the query before the closing one."""
    found = _nothing(document)
    for place in document.known("bracket"):
        found[place.query, place.key : place.key + 2] = True
    return found


def _nothing(document: Document) -> Bool[Tensor, "n n"]:
    return torch.zeros(len(document.words), len(document.words), dtype=torch.bool)


MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            Measure("previous_token", _previous),
            Measure("induction", _induction, "repeats"),
            Measure("same_token", _same),
            Measure("agreement", _agreement, "sentences"),
            Measure("bracket", _bracket, "sentences"),
            Measure("sink", _sink),
        )
    }
)


def scores(name: str, read: Iterable[tuple[Document, Sequence[Tensor]]]) -> Float[Tensor, "layers h"]:
    """Return each head's score of one measure over texts, each with the weights h × n × n of every layer.

    A score is NaN if no query of any text counts.
    """
    measure = MEASURES[name]
    total: Tensor = torch.zeros(0, 0, dtype=torch.float64)
    count = 0
    for document, layers in read:
        checkpoint()
        if not total.numel():
            total = torch.zeros(len(layers), len(layers[0]), dtype=torch.float64)
        if measure.kind in (None, document.kind):
            keys = measure.keys(document)
            counted = keys.any(-1)
            total = total + (torch.stack(list(layers)).double() * keys).sum(-1)[..., counted].sum(-1)
            count += int(counted.sum())
    return total / count if count else torch.full_like(total, torch.nan)


def chance(name: str, documents: Iterable[Document]) -> float:
    """Return the score of a head that reads every allowed key alike."""
    even = ((document, [even_weights(len(document.words))]) for document in documents)
    return float(scores(name, even))


def counted(name: str, documents: Iterable[Document]) -> int:
    """Return over how many queries a measure is taken."""
    measure = MEASURES[name]
    chosen = (document for document in documents if measure.kind in (None, document.kind))
    return sum(int(measure.keys(document).any(-1).sum()) for document in chosen)


def even_weights(n: int) -> Float[Tensor, "1 n n"]:
    """Return 1/(q + 1) for each key that the query q may read."""
    return (torch.ones(n, n).tril() / torch.arange(1, n + 1).unsqueeze(1)).unsqueeze(0)
