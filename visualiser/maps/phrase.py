"""The phrase planted in a structured sequence, and the weight found where two of its copies meet."""

from dataclasses import dataclass
from itertools import permutations
from typing import Final

import torch

from attention_core import normalisations, treatments
from attention_core.exact import mask_choices
from attention_core.exact.masks import position
from attention_core.inputs.structured import heads_with, motif_length, motif_starts
from visualiser.maps.kept import Kept

SHORTEST: Final = 2
"""A phrase of one token makes no diagonal."""


@dataclass(frozen=True)
class Phrase:
    """A phrase of `length` tokens at `starts`; `met` has by head from 1 the weight where two copies meet.

    It is the mean over their cells that the mask allows, as a multiple of an even share: a weight times the number of
    its query's keys. No head is in `met` if the mask forbids all these cells.
    """

    length: int
    starts: tuple[int, ...]
    met: tuple[tuple[int, float], ...]


def phrase(kept: Kept) -> Phrase | None:
    """Return the planted phrase; None for another source or too short a sequence."""
    config = kept.config
    length = motif_length(config) if config.source == "structured" else 0
    if length < SHORTEST:
        return None
    starts = tuple(motif_starts(config).tolist())
    along = torch.arange(length)
    pairs = list(permutations(starts, 2))
    rows, columns = (torch.cat([pair[side] + along for pair in pairs]) for side in (0, 1))
    n_q, n_k = kept.Q.shape[1], kept.K.shape[1]
    mask = mask_choices.of(config)
    allowed = mask.allows(position(rows, n_q, n_k), columns)
    rows, columns = rows[allowed], columns[allowed]
    if not len(rows):
        return Phrase(length, starts, ())
    even = mask.counts(position(rows, n_q, n_k), n_k)
    curve, met = treatments.of(config), []
    way = normalisations.part(config, lambda one: one.passes, "here")(config, n_k, curve)
    for head in heads_with("motif", len(kept.Q)):
        q, k = (tensor[head][at.to(tensor.device)].double() for tensor, at in ((kept.Q, rows), (kept.K, columns)))
        scores = (q * k).sum(-1).cpu() * config.factor
        scores = scores if curve is None else curve.value(scores)
        lse = kept.log_sums(head, rows)
        weights = way.weights(scores, None if lse is None else lse.double().cpu())
        met.append((head + 1, float((weights * even).mean())))
    return Phrase(length, starts, tuple(met))
