"""Models and runs that this process was handed in memory: a notebook's own. They have names, and no list has them."""

from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

import torch

from attention_core.learned import HEAD_MEASURES, PATCH_MEASURES, CorpusMeasures, LearnedModel
from visualiser.held import Held


@dataclass(frozen=True, eq=False)
class HeldModel:
    """A model, or one run of it.

    measures  over the corpus; `unmeasured` if nobody read it with this model
    fixed     True if there is one run alone, whatever the text is
    """

    model: LearnedModel
    measures: CorpusMeasures
    fixed: bool = False


HELD: Final[Held[HeldModel]] = Held()
"""The process's own, by their names."""

FILES: Final[WeakValueDictionary[str, HeldModel]] = WeakValueDictionary()
"""Visitors' files of weights, by their names, each for as long as a request that brought it."""


def held(name: str) -> HeldModel | None:
    """Return what is held under a name; None for nothing, or no longer."""
    return HELD.find(name) or FILES.get(name)


def unmeasured(model: LearnedModel) -> CorpusMeasures:
    """Return the measures of a model that has not read the corpus: all are NaN, so no head is labelled."""
    none = torch.full((model.layers, model.h), torch.nan, dtype=torch.float64)
    names = HEAD_MEASURES if "text" in model.takes or "pictures" not in model.takes else PATCH_MEASURES
    return CorpusMeasures(0, dict.fromkeys(names, none), {}, {})
