"""What a model makes of a text, kept for the next question about the same text within a bound of bytes."""

import threading
from collections import OrderedDict
from typing import Final

from attention_core import AttentionConfig, AttentionInputs
from attention_core.learned import ModelRun, layer_inputs
from visualiser.models.offered import find

MOST_BYTES: Final = 2**26
"""Of all runs that are kept. A larger one is not."""

_LOCK: Final = threading.Lock()
_KEPT: Final[OrderedDict[tuple[str, str, int], tuple[ModelRun, int]]] = OrderedDict()


def run(config: AttentionConfig, most: int) -> ModelRun:
    """Return the run of `config.model` over at most `most` tokens of `config.text`.

    Raises `InvalidInput`: `unknown_model`, and what the model says of a text.
    """
    key = config.model, config.text, most
    model = find(config.model)
    with _LOCK:
        if key in _KEPT:
            _KEPT.move_to_end(key)
            return _KEPT[key][0]
    found = model.run(config.text, most)
    size = size_of(found)
    with _LOCK:
        if size <= MOST_BYTES:
            _KEPT[key] = found, size
        while sum(size for _, size in _KEPT.values()) > MOST_BYTES:
            _KEPT.popitem(last=False)
    return found


def inputs(config: AttentionConfig, most: int, head: int = 0) -> AttentionInputs:
    """Return the Q, K and V of `config.layer`, of all heads or of one, as `layer_inputs` does."""
    return layer_inputs(run(config, most), config.layer, head)


def size_of(found: ModelRun) -> int:
    """Return the bytes of a run's tensors."""
    tensors = (
        tensor
        for layer in found.layers
        for tensor in (layer.Q, layer.K, layer.V, layer.scores, layer.weights, layer.sink, layer.sink_score)
    )
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors if tensor is not None)
