"""Layers of a folder's model over long texts, read row by row: what that takes, and what was read, within a bound."""

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from attention_core import AttentionConfig, AttentionInputs
from attention_core.learned import LongModel
from attention_core.models import FolderModel, LongText
from attention_core.models.long_inputs import long_inputs
from attention_core.models.long_recorder import CELLS
from attention_core.text import beginning
from attention_core.validation import whole_number
from visualiser.models.listing import find, known
from visualiser.models.run_work import Work
from visualiser.server.settings import MEBIBYTE

MOST_BYTES: Final = 2**27
"""Of all layers that are kept. A larger one is not."""
COUNTED: Final = 2**17
"""Tokens of a text that are counted."""
_FLOAT: Final = 4  # bytes
_TENSORS: Final = 6
"""Tensors as wide as a model's widest that are there at once: GPT-2's activation has that many."""
_BLOCKS: Final = 12
"""Tensors of a block's cells that are there at once."""

_LOCK: Final = threading.Lock()
_KEPT: Final[OrderedDict[tuple[str, int, int, str], "LayerRead"]] = OrderedDict()


@dataclass(frozen=True, eq=False)
class LayerRead:
    """A layer that has read a long text.

    inputs  Q, K and V; of one head alone if each has a sink of its own
    heads   of the layer
    cut     True if the text goes on after the last token
    """

    inputs: AttentionInputs
    heads: int
    cut: bool

    @property
    def bytes(self) -> int:
        """Of its tensors."""
        return sum(one.untyped_storage().nbytes() for one in (self.inputs.Q, self.inputs.K, self.inputs.V))


def long_model(name: str) -> FolderModel | None:
    """Return a loaded model that reads texts row by row; None for any other."""
    found = known(name)
    return found if isinstance(found, FolderModel) and found.context > found.most_tokens else None


def whole(config: AttentionConfig) -> int:
    """Return how many tokens the whole text has for its model, those around it included; counted up to `COUNTED`."""
    model = find(config.model)
    if isinstance(model, FolderModel):
        return model.tokens(config.text, COUNTED)
    return 1 + len(beginning(config.text, "words", COUNTED - 1))


def work(model: LongModel, n: int, last: int, read: int, kept: int = 0) -> Work:
    """Return what a run over n tokens takes that ends with layer `last`, from 1.

    read  layers whose rows are summed up, `kept` of them with Q, K and V
    """
    cells, rows = model.h * n**2, model.h * n * model.d_k
    products = model.multiply_adds(n) * last // model.layers + read * cells
    seconds = 0.05 + last * (5e-3 + 6e-9 * cells) + 2e-8 * read * cells + 1e-10 * products
    held = kept * 6 * _FLOAT * rows + read * 60 * model.h * n
    beside = _TENSORS * model.token_bytes * n + _BLOCKS * _FLOAT * CELLS + int(3 * model.square * n**2)
    return Work(seconds, 2 * MEBIBYTE + held + beside, held, products)


def longest(model: LongModel, most: int, memory: int, seconds: float, last: int, read: int, kept: int = 0) -> int:
    """Return the longest text within these bounds that such a run takes; 1 if none is."""

    def fits(n: int) -> bool:
        needs = work(model, n, last, read, kept)
        return needs.memory <= memory and needs.seconds <= seconds

    return max(1, bisect_left(range(1, min(most, model.context) + 1), True, key=lambda n: not fits(n)))


def layer_read(config: AttentionConfig, most: int) -> LayerRead | None:
    """Return a layer over the first `most` tokens of a text if it was read and is kept."""
    with _LOCK:
        found = _KEPT.get(_key(config, most))
        if found is not None:
            _KEPT.move_to_end(_key(config, most))
        return found


def read_layer(config: AttentionConfig, most: int, progress: Callable[[float], object]) -> LayerRead:
    """Read `config.layer` over at most `most` tokens of `config.text`, and keep it. `progress` gets the share done.

    Raises `InvalidInput` as `find`, `FolderModel.read_long` and `long_inputs`.
    """
    model = _found(config)
    layer = whole_number("layer", config.layer, 1, model.layers)
    read = model.read_long(config.text, [layer], tensors=True, most=most, progress=lambda done: progress(done / layer))
    inputs = long_inputs(read.layers[0], read.line)
    found = LayerRead(inputs, read.layers[0].statistics.largest_at.shape[0], read.cut)
    with _LOCK:
        if found.bytes <= MOST_BYTES:
            _KEPT[_key(config, most)] = found
            _KEPT.move_to_end(_key(config, most))
        while sum(one.bytes for one in _KEPT.values()) > MOST_BYTES:
            _KEPT.popitem(last=False)
    return found


def read_heads(
    config: AttentionConfig, most: int, layers: Collection[int] | None, progress: Callable[[float], object]
) -> LongText:
    """Return the statistics and measures of every head, of some layers or all. `progress` gets the share done."""
    model = _found(config)
    last = max(layers or (model.layers,))
    return model.read_long(
        config.text, layers, measured=True, most=most, progress=lambda done: progress(min(1.0, done / last))
    )


def _found(config: AttentionConfig) -> FolderModel:
    model = find(config.model)
    assert isinstance(model, FolderModel)  # the caller asked `long_model`
    return model


def _key(config: AttentionConfig, most: int) -> tuple[str, int, int, str]:
    return config.model, config.layer, most, config.text
