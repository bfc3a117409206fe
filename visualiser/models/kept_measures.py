"""What the heads of a model do over the corpus, kept as long as the model is."""

from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from attention_core.learned import SHIPPED, CorpusMeasures, corpus_measures
from visualiser.models.listing import find, known, refuse_unloaded

_FOUND: Final[WeakKeyDictionary[Any, CorpusMeasures]] = WeakKeyDictionary()


def measured(name: str) -> CorpusMeasures:
    """Return the measures of a loaded model over the corpus; those of a shipped model come with it.

    Raises `InvalidInput` as `find` does, and `model_not_loaded` for a model whose load was stopped before `measure`
    ended: to read the corpus is part of a load, and too much for an answer.
    """
    model = find(name)
    if name in SHIPPED:
        return corpus_measures(model)
    found = _FOUND.get(model)
    if found is None:
        refuse_unloaded(name)
    return found


def is_measured(name: str) -> bool:
    """Return True for a model whose measures `measured` returns at once."""
    if name in SHIPPED:
        return True
    found = known(name)
    return found is not None and found in _FOUND


def measure(name: str, progress: Callable[[int, int], object]) -> CorpusMeasures:
    """Read the corpus with a loaded model, unless that was done. `progress` gets the documents read, and of how many.

    Raises `InvalidInput` as `find` does, and `Cancelled`.
    """
    model = find(name)
    found = _FOUND.get(model)
    if found is None:
        found = _FOUND[model] = corpus_measures(model, progress=progress)
    return found
