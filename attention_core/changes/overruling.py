"""Which changes of a list decide nothing, because others decide the weights wherever they act."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attention_core.changes.change import (
    Causal,
    Change,
    Factor,
    Hide,
    Mean,
    Mute,
    MuteEach,
    Normalise,
    PatchEach,
    Replace,
    Treat,
    Uniform,
)
from attention_core.changes.changing import elsewhere

__all__ = ["LayerSize", "overruled"]

Numbered = tuple[int, Change]


class LayerSize(NamedTuple):
    """Heads and keys of a layer; `lined` if its queries and keys are the same positions."""

    h: int
    n_k: int
    lined: bool


def overruled(changes: Sequence[Change], layers: Sequence[LayerSize]) -> frozenset[int]:
    """Return the places in the list of changes without which a run has the same weights and outputs.

    A muted head has no use for a factor, and of two normalisations the later counts. A change that is here may still
    change scores that nobody reads. What changes nothing by its own value, as a factor of 1, is not looked for.

    Raises `TypeError` for a kind of change that is not known here.
    """
    acting: set[int] = set()
    deciding: set[int] = set()
    for number, size in enumerate(layers):
        met = [
            (place, change, change.heads_of(number, size.h))
            for place, change in enumerate(changes)
            if elsewhere(change, size.n_k, size.lined) is None
        ]
        for head in range(size.h):
            here = [(place, change) for place, change, heads in met if head in heads]
            acting.update(place for place, _ in here)
            deciding.update(_deciding(here))
    return frozenset(acting - deciding)


def _deciding(here: Sequence[Numbered]) -> Iterator[int]:
    """Yield the places of the changes by which one head has its weights and its output."""
    frozen = _last(here, Mute, Uniform, Replace)
    by_scores, by_mask = frozen is None, frozen is None or isinstance(frozen[1], Uniform)
    for one in here:
        place, change = one
        match change:
            case Mute() | Uniform() | Replace():
                decides = one is frozen
            case Mean():
                decides = one is _last(here, Mute, Uniform, Replace, Mean)
            case Normalise():
                decides = by_scores and one is _last(here, Normalise)
            case Treat(qk_norm=False, log_n=False) if change.softcap:
                decides = by_scores and one is [each for each in here if _caps(each[1])][-1]
            case Factor() | Treat():
                decides = by_scores
            case Causal():
                decides = by_mask and one is _last(here, Causal)
            case Hide():
                decides = by_mask
            case MuteEach() | PatchEach():
                decides = True
            case _:
                raise TypeError(f"{type(change).__name__} is not known to decide or not")
        if decides:
            yield place


def _caps(change: Change) -> bool:
    return isinstance(change, Treat) and change.softcap > 0


def _last(here: Sequence[Numbered], *kinds: type[Change]) -> Numbered | None:
    return next((one for one in reversed(here) if isinstance(one[1], kinds)), None)
