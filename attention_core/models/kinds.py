"""What a model that is not loaded takes, and its sizes, as far as its small files tell without transformers."""

from typing import Any

from attention_core.errors import InvalidInput
from attention_core.models.folder_files import ModelFiles, Sized

__all__ = ["told_kind", "told_sizes"]

_IMAGES = ("preprocessor_config.json", "processor_config.json")
_WORDS = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "spiece.model", "tokenizer.model")
_TOLD_BY = frozenset({"image_mean", "image_processor_type", "do_resize"})


def told_kind(found: Sized) -> str:
    """Return `"picture"` for a model that reads pictures alone, else `"text"`.

    Files tell so by settings of pictures without a tokenizer, or by a vision model beside a text's of which nothing is
    generated: the two are compared, each by itself. What a loaded model takes is its reader's to say.
    """
    files = ModelFiles(found.path.parent, found.path.name)
    if not any(_of_pictures(files, name) for name in _IMAGES):
        return "text"
    if not any(map(files.has, _WORDS)):
        return "picture"
    compared = "vision_config" in found.config and "text_config" in found.config
    named = found.config.get("architectures")
    names = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    writes = any(one.endswith(("Generation", "LM", "LMHeadModel")) for one in names)
    return "picture" if compared and not writes else "text"


_LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "encoder_layers")
_OF_DECODER = ("num_decoder_layers", "decoder_layers")
_HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads")
"""The names that configurations have for their numbers of layers and of heads."""


def told_sizes(found: Sized) -> tuple[int, int]:
    """Return a model's layers of attention and the heads of each, as its configuration has them; 0 where it does not.

    A decoder beside an encoder has two in each of its layers. A configuration of several models tells of the one that
    reads the text, or else the pictures.
    """
    config = found.config
    for name in ("text_config", "vision_config"):
        if not _number(config, _LAYERS) and isinstance(inner := found.config.get(name), dict):
            config = inner
    layers, decoder = _number(config, _LAYERS), _number(config, _OF_DECODER)
    if config.get("is_encoder_decoder") is True:
        layers += 2 * (decoder or layers)
    return layers, _number(config, _HEADS)


def _number(config: dict[str, Any], names: tuple[str, ...]) -> int:
    """Return the first of these settings that is a whole number; 0 without one."""
    found = (config.get(name) for name in names)
    return next((one for one in found if isinstance(one, int) and not isinstance(one, bool) and 0 < one < 10**6), 0)


def _of_pictures(files: ModelFiles, name: str) -> bool:
    if not files.has(name):
        return False
    try:
        settings = files.json(name)
    except InvalidInput:
        return False  # loading says what is wrong with it
    inner = settings.get("image_processor")
    return bool(_TOLD_BY & settings.keys()) or (isinstance(inner, dict) and bool(_TOLD_BY & inner.keys()))
