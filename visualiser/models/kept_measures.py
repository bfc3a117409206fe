"""What the heads of a model do over the corpus, kept as long as the model is."""

from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from attention_core.learned import CorpusMeasures, corpus_measures
from visualiser.models.listing import find

_FOUND: Final[WeakKeyDictionary[Any, CorpusMeasures]] = WeakKeyDictionary()


def measured(name: str, progress: Callable[[int, int], object] | None = None) -> CorpusMeasures:
    """Return the measures of a loaded model over the corpus; the first call reads it, with `progress`.

    Raises `InvalidInput` as `find` does.
    """
    model = find(name)
    found = _FOUND.get(model)
    if found is None:
        found = _FOUND[model] = corpus_measures(model, progress=progress)
    return found
