"""The choice of a reader: by what the configuration and its class of transformers say, before any number is read."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from attention_core.models.folder_files import ModelFiles, Sized
from attention_core.models.made import class_of, config_of
from attention_core.models.readers import pictures, sounds, texts, texts_with_pictures, translations
from attention_core.models.readers.reader import Loaded, Reader


@runtime_checkable
class Opened(Protocol):
    """A reader whose small files are read: a tokenizer, or the settings of a picture. It lacks the model."""

    def __call__(self, loaded: Loaded) -> Reader:
        """Measure a loaded model and return its reader. Raises `InvalidInput` as `folder_model.load` does."""
        ...


def reader_of(root: Path, found: Sized) -> Opened:
    """Read the small files beside a model's numbers, as its kind of input needs them.

    Raises `InvalidInput`: `transformers_missing`, `model_kind`, `model_config`, and what the kind's files raise.
    """
    config = config_of(found)
    return _opening(config, class_of(found, config), ModelFiles(root, found.name))(root, found)


def _opening(config: Any, kind: type, files: ModelFiles) -> Callable[[Path, Sized], Opened]:
    """Return how a model of this configuration and class is opened."""
    if texts_with_pictures.reads(config, files):
        return texts_with_pictures.opened
    if _attends_to_pictures(config, kind):
        return pictures.opened
    if "decoder_input_ids" in inspect.signature(kind.forward).parameters:
        readers = {"input_ids": translations.opened, "input_features": sounds.opened}
        return readers.get(kind.main_input_name, texts.opened)
    return texts.opened


def _attends_to_pictures(config: Any, kind: Any) -> bool:
    """Return True for a model whose only input is a picture, or that compares a picture with a text, each by itself."""
    if config.is_encoder_decoder:
        return False
    if kind.main_input_name == "pixel_values":
        return True
    compared = hasattr(kind, "get_image_features") and hasattr(kind, "get_text_features")
    return compared and not kind.can_generate()
