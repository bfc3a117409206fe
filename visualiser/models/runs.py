"""What a model makes of a text or of pictures, kept for the next question about the same within a bound of bytes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from attention_core import AttentionConfig, AttentionInputs, InvalidInput
from attention_core.changes import Change
from attention_core.errors import shown as shown_in_error
from attention_core.learned import Given, LearnedModel, ModelRun, layer_inputs
from attention_core.text import beginning
from visualiser.models import pictures, sounds
from visualiser.models.held import held
from visualiser.models.kept import Kept
from visualiser.models.listing import find, known
from visualiser.models.run_work import Sizes, sizes_of
from visualiser.server import settings
from visualiser.upload.pictures import is_picture

MOST_BYTES: Final = settings.memory() // 12
"""Of all runs that are kept. A larger one is not."""


def run(config: AttentionConfig, most: int, own: bytes = b"", changes: Sequence[Change] = ()) -> ModelRun:
    """Return the run of `config.model` over at most `most` tokens of `config.text`, or over `config.pictures`.

    `own` are the bytes of the visitor's picture or sound. With `changes` the model runs as they say. Raises
    `InvalidInput`: `unknown_model`, `text_empty` for a text without a word, what the model says of what it is given
    and of changes, and as `pictures` and `sounds` do.
    """
    model = find(config.model)
    if "text" in model.takes and not beginning(config.text, "words", 1):
        raise InvalidInput(
            "text_empty",
            f"text must hold at least one word or character; got {shown_in_error(config.text)}.",
            field="text",
            value=shown_in_error(config.text),
        )
    if is_fixed(config.model):
        return model.run(given(config, own), changes=changes)  # there is no other, and it is held already
    key = config.model, read_by(model, config, own), most, tuple(changes)
    found = _KEPT.find(key)
    return _KEPT.keep(key, model.run(given(config, own), most, changes)) if found is None else found


def is_fixed(name: str) -> bool:
    """Return True for a run that was handed over: nothing else can be read by it, and nothing of it changed."""
    found = held(name)
    return found is not None and found.fixed


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


def sizes(config: AttentionConfig, most: int, own: bytes = b"") -> Sizes | None:
    """Return the sizes of a run before it is made, never too small; None for a model that is not loaded."""
    model = known(config.model)
    if model is None:
        return None
    shown, _ = pictures.settled(config.pictures, is_picture(own))
    try:
        read = given(replace(config, pictures=shown), own, priced=True)
    except InvalidInput:
        return sizes_of(model, 1)  # it is refused before it runs
    n = model.positions(read)
    if is_fixed(config.model):
        return sizes_of(model, n)  # it is there, however long a text may be
    return sizes_of(model, min(most, model.most_tokens, n) if model.takes <= {"text", "target"} else n)


def given(config: AttentionConfig, own: bytes = b"", priced: bool = False) -> Given:
    """Return what a model that is loaded reads of a configuration.

    To be `priced` the visitor's file is not decoded: a picture has its size alone, and a sound, whose length changes no
    size, is left out.

    Raises as `pictures` and `sounds` do.
    """
    model = known(config.model) or find(config.model)
    return Given(
        config.text,
        config.target if "target" in model.takes else "",
        (pictures.sized if priced else pictures.pictures)(config.pictures, own) if "pictures" in model.takes else (),
        sounds.sound(config.sound, own) if "sound" in model.takes and not priced else None,
    )


def read_by(model: LearnedModel, config: AttentionConfig, own: bytes) -> tuple[str, ...]:
    """Return what tells what a model reads of a configuration from anything else that it may read."""
    told = {
        "text": lambda: config.text,
        "target": lambda: config.target,
        "pictures": lambda: pictures.key(config.pictures, own),
        "sound": lambda: sounds.key(config.sound, own),
    }
    return tuple(tell() if name in model.takes else "" for name, tell in told.items())


def size_of(found: ModelRun) -> int:
    """Return the bytes of a run's tensors."""
    tensors = (
        tensor
        for layer in found.layers
        for tensor in (layer.Q, layer.K, layer.V, layer.scores, layer.weights, layer.sink, layer.sink_score)
    )
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors if tensor is not None)


_KEPT: Final = Kept(MOST_BYTES, size_of)
