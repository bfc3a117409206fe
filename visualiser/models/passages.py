"""The passages in a head's file of HeadVis as layers of one run, each with a line of its own.

So the page shows each as it shows weights that were handed over: its map, its rows and their sums. They are sparse, so
what needs whole rows is not measured.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from typing import Final

import torch
from torch import Tensor

from attention_core.learned import Line, ModelRun
from attention_core.learned.headvis import HeadVisHead, HeadVisSequence
from attention_core.models import PassageLayer
from visualiser.models.only_run import OnlyRun, parts_text
from visualiser.upload.refusals import refusal
from visualiser.upload.weights import LONGEST_HEADER, MOST_LAYERS, MOST_WEIGHTS, clean_token
from visualiser.upload.weights_kept import header_bytes

__all__ = ["passage_layer", "passage_layers", "passages_run"]

_TOKEN_BYTES: Final = LONGEST_HEADER - MOST_LAYERS * 2**9
"""Of all tokens in the header, at most: the names and places of the layers are beside them, some 200 bytes each."""


def passage_layers(found: HeadVisHead, longest: int) -> tuple[PassageLayer, ...]:
    """Return the strongest passages of each band that fit the bounds of a page, the highest band first.

    One without a weight has nothing to show. Raises `InvalidInput` (`headvis_none`) if none is left.
    """
    bands = [sorted(texts, key=_strength, reverse=True) for texts in found.bands.values()]
    weights = told = 0
    chosen: list[HeadVisSequence] = []
    for one in _by_turns(bands):
        n = len(one.tokens)
        size = header_bytes([*map(clean_token, one.tokens)])
        if not len(one.values) or n > longest or weights + n * n > MOST_WEIGHTS or told + size > _TOKEN_BYTES:
            continue
        weights, told = weights + n * n, told + size
        chosen.append(one)
        if len(chosen) == MOST_LAYERS:
            break
    if not chosen:
        raise refusal("headvis_none", limit=longest)
    chosen.sort(key=lambda one: (one.interval, _strength(one)), reverse=True)
    head = "" if found.layer is None else f"{found.layer}.{found.head}"
    return tuple(_layer(number, one, head) for number, one in enumerate(chosen))


def _strength(one: HeadVisSequence) -> float:
    return -1.0 if one.max_activation is None else one.max_activation


def _by_turns(bands: Sequence[Sequence[HeadVisSequence]]) -> Iterator[HeadVisSequence]:
    """Yield the first of each band, then the second of each, and so on."""
    return (one for one in chain.from_iterable(zip_longest(*bands)) if one is not None)


def _layer(number: int, one: HeadVisSequence, head: str) -> PassageLayer:
    n = len(one.tokens)
    weights = torch.zeros(1, n, n).index_put_((torch.zeros_like(one.q), one.q, one.k), one.values.float())
    return passage_layer(number, weights, head, one.interval, one.id, tuple(map(clean_token, one.tokens)))


def passage_layer(
    number: int, weights: Tensor, head: str, interval: int, id: int, tokens: tuple[str, ...]
) -> PassageLayer:
    """Return a passage as a layer; its fields are those of the class."""
    return PassageLayer(
        name=f"interval {interval}, sequence {id}", index=number, kind="self", Q=None, K=None, V=None,
        scale=None, softcap=None, scores=torch.tensor(torch.nan).expand(weights.shape), weights=weights,
        unnormalised=frozenset({0}), head=head, interval=interval, id=id, tokens=tokens,
    )  # fmt: skip


def passages_run(name: str, layers: Sequence[PassageLayer]) -> OnlyRun:
    """Return passages as a run. Tokens have the same number in all of them."""
    numbers = {token: number for number, token in enumerate(dict.fromkeys(chain(*(one.tokens for one in layers))))}
    lines = tuple(Line("text", one.tokens, tuple(numbers[token] for token in one.tokens)) for one in layers)
    run = ModelRun(lines, tuple(layers), tuple((place, place) for place in range(len(layers))))
    return OnlyRun(name, run, frozenset(number for token, number in numbers.items() if parts_text(token)))
