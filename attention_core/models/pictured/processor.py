"""The processor of a vision-language model, made of what its files say. Nothing is looked up by a name or a path.

A processor's class is transformers' own, of a list; the settings are plain JSON. Videos are left out: their processors
need packages of their own.
"""

import inspect
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import torch
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.models.eager import transformers
from attention_core.models.folder_files import ModelFiles, refuse_code
from attention_core.models.picture_processor import unusable

_PROCESSOR: Final = "processor_config.json"
_PICTURES: Final = "preprocessor_config.json"
_TEMPLATES: Final = ("chat_template.jinja", "chat_template.json", _PROCESSOR, "tokenizer_config.json")
_OF_VIDEOS: Final = ("num2words",)
"""Packages that a processor asks for when it is made, and needs for videos alone."""
_PARTS: Final = ("tokenizer", "image_processor", "video_processor", "feature_extractor", "chat_template")


@dataclass(frozen=True, eq=False)
class Told:
    """What a processor did with a text and its pictures.

    text     with every placeholder written out as the picture's tokens
    spans    for each picture where its tokens stand in that text, as a range of characters
    pictures for each picture what the image processor made, and the picture's number there
    """

    text: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    pictures: list[tuple[Mapping[str, Any], int]] = field(default_factory=list)


_TOLD: ContextVar[dict[str, Any] | None] = ContextVar("told", default=None)


def processor_kind(config: Any) -> str | None:
    """Return the name of transformers' processor for a configuration; None if it has none for text and pictures."""
    auto: Any = _auto("processing_auto")
    return auto.PROCESSOR_MAPPING_NAMES.get(config.model_type)


def has_settings(files: ModelFiles) -> bool:
    """Return True if a folder says how pictures are prepared."""
    return files.has(_PROCESSOR) or files.has(_PICTURES)


def made_processor(files: ModelFiles, config: Any, tokenizer: Any) -> Any:
    """Return the processor of a model, which may add its own tokens to the tokenizer.

    Raises `InvalidInput`: `model_processor` for files of which none can be made; `model_code`; and as `ModelFiles`.
    """
    settings = {name: _json(files, name) for name in (_PROCESSOR, _PICTURES)}
    try:
        pictures = _image_processor(settings, config)
        kind = _class(settings, config)
        names = inspect.signature(kind.__init__).parameters
        given: dict[str, Any] = {
            key: one for key, one in settings[_PROCESSOR].items() if key in names and key not in _PARTS
        }
        given |= {"tokenizer": tokenizer, "image_processor": pictures}
        given |= dict.fromkeys(set(kind.get_attributes()) - set(given))
        return telling(kind)(**given)
    except InvalidInput:
        raise
    except Exception:  # files of strangers meet a package of others
        raise unusable(files.name) from None


def prepared(
    processor: Any, text: str, pictures: Sequence[Any], settings: Mapping[str, Any], special: bool
) -> tuple[dict[str, Tensor], Told]:
    """Return a model's inputs for a text with a placeholder for each picture, and what the processor did for them.

    Parameters
    ----------
    processor
        As `made_processor` returns it.
    text
        With the processor's placeholder where a picture stands.
    pictures
        Pillow's pictures.
    settings
        Of the image processor, in place of its own.
    special
        True if the tokenizer puts its own tokens around the text.

    Raises whatever the processor raises; `ValueError` if it does not say where it puts the pictures.
    """
    token = _TOLD.set({"pictures": []})
    try:
        made = processor(
            text=[text],
            images=list(pictures) or None,
            images_kwargs={**settings, "return_tensors": "pt"},
            text_kwargs={"add_special_tokens": special},
        )
        found = _TOLD.get() or {}
    finally:
        _TOLD.reset(token)
    (written,), (offsets,) = found["text"], found["offsets"]
    ends = [one["new_span"] for one in offsets if one["type"] == "image"]
    spans = tuple((begin, end) for begin, end in ends)
    if not len(spans) == len(found["pictures"]) == len(pictures):
        raise ValueError("a processor says of each picture where its tokens stand")
    inputs = {name: one if isinstance(one, Tensor) else torch.tensor(one) for name, one in made.items()}
    return inputs, Told(written, spans, found["pictures"])


def template_of(files: ModelFiles) -> str | None:
    """Return the chat template of a model, as data; None without one."""
    for name in filter(files.has, _TEMPLATES):
        if name.endswith(".jinja"):
            return files.read(name).decode("utf-8", "replace")
        found = files.json(name).get("chat_template")
        if isinstance(found, list):  # several by name
            found = next((one.get("template") for one in found if one.get("name") == "default"), None)
        if isinstance(found, str):
            return found
    return None


def _json(files: ModelFiles, name: str) -> dict[str, Any]:
    found = files.json(name) if files.has(name) else {}
    for settings in (found, *(one for one in found.values() if isinstance(one, dict))):
        refuse_code(files.name, settings)
    return found


def _image_processor(settings: Mapping[str, dict[str, Any]], config: Any) -> Any:
    """Return the image processor, the one that works on Pillow's pictures."""
    own = settings[_PROCESSOR].get("image_processor")
    own = own if isinstance(own, dict) else settings[_PICTURES]
    auto: Any = _auto("image_processing_auto")
    kinds: Any = auto.IMAGE_PROCESSOR_MAPPING_NAMES
    named = str(own.get("image_processor_type") or own.get("feature_extractor_type") or "")
    named = named.removesuffix("Fast").removesuffix("Pil").replace("FeatureExtractor", "ImageProcessor") + "Pil"
    if named not in {one for each in kinds.values() for one in each.values()}:
        named = kinds[config.model_type]["pil"]
    return auto.get_image_processor_class_from_name(named).from_dict(own)


def _class(settings: Mapping[str, dict[str, Any]], config: Any) -> Any:
    auto: Any = _auto("processing_auto")
    known = set(auto.PROCESSOR_MAPPING_NAMES.values())
    named = settings[_PROCESSOR].get("processor_class") or settings[_PICTURES].get("processor_class")
    usual: str = auto.PROCESSOR_MAPPING_NAMES[config.model_type]
    return getattr(transformers(), named if isinstance(named, str) and named in known else usual)


def _auto(module: str) -> Any:
    transformers()
    return __import__(f"transformers.models.auto.{module}", fromlist=[module])


def telling(kind: type[Any]) -> type[Any]:
    """Return a processor's class that needs no video processor and tells what it does, for `prepared`."""
    module = sys.modules[kind.__module__]
    for name in _OF_VIDEOS:
        if getattr(module, name, True) is None:
            setattr(module, name, _no_videos)

    class Telling(kind):
        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            return argument and super().check_argument_for_proper_class(argument_name, argument)

        def replace_image_token(self, image_inputs: Any, image_idx: int, **kwargs: Any) -> str:
            told = _TOLD.get()
            if told is not None:
                told["pictures"].append((dict(image_inputs), image_idx))  # some are taken out later
            return super().replace_image_token(image_inputs, image_idx, **kwargs)

        def get_text_with_replacements(self, *args: Any, **kwargs: Any) -> Any:
            text, offsets = super().get_text_with_replacements(*args, **kwargs)
            told = _TOLD.get()
            if told is not None:
                told |= {"text": text, "offsets": offsets}
            return text, offsets

    return Telling


def _no_videos(*args: object) -> NoReturn:
    raise NotImplementedError("no videos are read here")
