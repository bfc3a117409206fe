"""What a model makes of a text, kept for the next question about the same text within a bound of bytes."""

import threading
from collections import OrderedDict
from typing import Final

from attention_core import AttentionConfig, AttentionInputs, InvalidInput
from attention_core.errors import shown as shown_in_error
from attention_core.learned import SHIPPED, ModelRun, layer_inputs
from attention_core.text import beginning
from visualiser.models.listing import find, known
from visualiser.models.run_work import Sizes, sizes_of

MOST_BYTES: Final = 2**26
"""Of all runs that are kept. A larger one is not."""

AROUND: Final = 8
"""Tokens that a model may put around those of a text."""


_LOCK: Final = threading.Lock()
_KEPT: Final[OrderedDict[tuple[str, str, int], tuple[ModelRun, int]]] = OrderedDict()


def run(config: AttentionConfig, most: int) -> ModelRun:
    """Return the run of `config.model` over at most `most` tokens of `config.text`.

    Raises `InvalidInput`: `unknown_model`, `text_empty` for a text without a word, and what the model says of a text.
    """
    if not beginning(config.text, "words", 1):
        raise InvalidInput(
            "text_empty",
            f"text must hold at least one word or character; got {shown_in_error(config.text)}.",
            field="text",
            value=shown_in_error(config.text),
        )
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


def shown(config: AttentionConfig, most: int, head: int = 0) -> AttentionInputs:
    """Return the Q, K and V of `config.layer` as a page shows them: of all heads, if one configuration describes them.

    Each head of a layer with learned sinks has its own: such a layer is shown a head at a time, `head` or the first.
    """
    found = run(config, most)
    apart = config.layer <= len(found.layers) and found.layers[config.layer - 1].sink_score is not None
    return layer_inputs(found, config.layer, max(1, head) if apart else 0)


def sizes(config: AttentionConfig, most: int) -> Sizes | None:
    """Return the sizes of a run before it is made, never too small; None for a model that is not loaded.

    The tokens of a shipped model are words behind the one that begins every text; another's are at most as many as the
    text has bytes, and a few that it puts around them.
    """
    model = known(config.model)
    if model is None:
        return None
    most = min(most, model.most_tokens)
    words = config.model in SHIPPED
    n = 1 + len(beginning(config.text, "words", most)) if words else AROUND + len(config.text.encode())
    return sizes_of(model, min(most, n))


def size_of(found: ModelRun) -> int:
    """Return the bytes of a run's tensors."""
    tensors = (
        tensor
        for layer in found.layers
        for tensor in (layer.Q, layer.K, layer.V, layer.scores, layer.weights, layer.sink, layer.sink_score)
    )
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors if tensor is not None)
