"""A model's own image processor: its settings bounded before it is made, and what it cuts out measured, not computed.

transformers gets the settings that its class names, and no path. What a processor does to a picture (resizing by the
shorter side, a crop, padding) it shows on probes: a black picture, a white one, and one whose colours tell the place.
"""

import importlib
import inspect
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from attention_core.errors import Cancelled, InvalidInput
from attention_core.learned.given import Picture
from attention_core.models.eager import transformers
from attention_core.models.folder_files import ModelFiles, Sized, refuse_code
from attention_core.models.made import config_of

_FILES: Final = (("preprocessor_config.json", None), ("processor_config.json", "image_processor"))
_ABOUT_A_CALL: Final = frozenset({"device", "return_tensors", "input_data_format", "data_format", "disable_grouping"})
_EDGE: Final = 1024
"""The longest side that a processor may ask for: larger than that of any model of single pictures."""
_RATIO: Final = 6
"""How many times longer than the other a side may be: a processor may enlarge the shorter one to its size."""
_FACTORS: Final = 64.0  # of brightness: 1/255, means and deviations are all small
_KEPT: Final = 32  # sizes of pictures whose place is remembered

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Placed:
    """What a processor makes of a picture of one size: the size of its tensor, and the part of the picture in it.

    box  left, top, right and bottom of the tensor, as shares of the picture; beyond 0 … 1 where it pads
    """

    height: int
    width: int
    box: Box


class PictureProcessor:
    """An image processor of transformers, which threads may share."""

    def __init__(self, name: str, processor: Any) -> None:
        self._name, self._processor = name, processor
        self._lock, self._places = threading.Lock(), OrderedDict[tuple[int, int], Placed]()

    def tensor(self, picture: Picture) -> Float[Tensor, "1 3 height width"]:
        """Return what the model reads. Raises `InvalidInput`: `picture_narrow`, and `model_processor`."""
        rows, columns, _ = picture.pixels.shape
        if max(rows, columns) > _RATIO * min(rows, columns):
            raise InvalidInput(
                "picture_narrow",
                f"The longer side of a picture may be {_RATIO} times the other at most; this one has "
                f"{columns} × {rows} pixels.",
                limit=_RATIO,
                width=columns,
                height=rows,
            )
        return self._made(picture.pixels.numpy())

    def placed(self, rows: int, columns: int) -> Placed:
        """Return what becomes of a picture of this size. Raises `InvalidInput` (`model_processor`)."""
        with self._lock:
            if (rows, columns) in self._places:
                self._places.move_to_end((rows, columns))
                return self._places[rows, columns]
        found = self._measured(rows, columns)
        with self._lock:
            self._places[rows, columns] = found
            while len(self._places) > _KEPT:
                self._places.popitem(last=False)
        return found

    def _made(self, pixels: NDArray[np.uint8]) -> Tensor:
        try:
            made = self._processor.preprocess(**self._given(pixels), return_tensors="pt")["pixel_values"]
        except (InvalidInput, Cancelled):
            raise
        except Exception:  # the settings of a stranger meet the code of another
            raise unusable(self._name) from None
        if not isinstance(made, Tensor) or made.dim() != 4 or made.shape[:2] != (1, 3) or min(made.shape) < 1:
            raise unusable(self._name)
        return made.float()

    def _given(self, pixels: NDArray[np.uint8]) -> dict[str, Any]:
        """Return a picture as the processor takes it: one that is not told its axes (timm's) gets one of Pillow's."""
        names = inspect.signature(self._processor.preprocess).parameters.values()
        if any(one.name == "input_data_format" or one.kind is one.VAR_KEYWORD for one in names):
            return {"images": [pixels], "input_data_format": "channels_last"}
        image: Any = importlib.import_module("PIL.Image")
        return {"images": [image.fromarray(pixels)]}

    def _measured(self, rows: int, columns: int) -> Placed:
        """Read off three probes which share of the picture each column and row of the tensor shows."""
        across = np.broadcast_to((np.arange(columns) + 0.5) / columns, (rows, columns))
        down = np.broadcast_to(((np.arange(rows) + 0.5) / rows)[:, None], (rows, columns))
        ramp = np.rint(255 * np.stack([across, down, across], -1)).astype(np.uint8)
        black, white, shown = (self._made(pixels)[0] for pixels in (np.zeros_like(ramp), np.full_like(ramp, 255), ramp))
        if not black.shape == white.shape == shown.shape:
            raise unusable(self._name)
        seen = (white - black).abs() > 1e-6
        if not bool(seen.any()):
            raise unusable(self._name)
        shares = torch.where(seen, (shown - black) / torch.where(seen, white - black, 1), torch.nan)
        left, right = self._line(shares[0].nanmean(0))
        top, bottom = self._line(shares[1].nanmean(1))
        return Placed(shown.shape[1], shown.shape[2], (left, top, right, bottom))

    def _line(self, shares: Tensor) -> tuple[float, float]:
        """Return where a side of the tensor begins and ends in the picture: a line through the middle of its shares."""
        places = torch.arange(len(shares)) + 0.5
        seen = ~shares.isnan()
        inner = int(0.1 * int(seen.sum()))  # at an edge, resampling repeats what is there
        x, y = (one[seen].double() for one in (places, shares))
        x, y = x[inner : len(x) - inner], y[inner : len(y) - inner]
        if len(x) < 2:
            raise unusable(self._name)
        slope = float(((x - x.mean()) * (y - y.mean())).sum() / (x - x.mean()).square().sum())
        start = float(y.mean() - slope * x.mean())
        if not slope > 0 or float((start + slope * x - y).abs().max()) > 0.02:
            raise unusable(self._name)  # mirrored, cut into tiles, or otherwise no part of the picture
        return _snapped(start), _snapped(start + slope * len(shares))


def _snapped(share: float) -> float:
    """Return 0 and 1 for what is so but for the 256 steps of the probe's colours."""
    return round(share) + 0.0 if abs(share - round(share)) < 2e-3 else share


def made_processor(root: Path, found: Sized) -> PictureProcessor:
    """Return the image processor that transformers has for a model's settings, the one that needs no torchvision.

    Raises `InvalidInput`: `transformers_missing`, `model_kind`, `model_code`, `model_processor`, and as `ModelFiles`.
    """
    config = config_of(found)
    settings = _settings(ModelFiles(root, found.name))
    kind = _class(config, settings)
    if kind is None:
        raise unusable(found.name)
    known = set(kind.valid_kwargs.__annotations__) - _ABOUT_A_CALL
    kept = {key: one for key, one in settings.items() if key in known}
    if not all(_bounded(key, one) for key, one in kept.items()):
        raise unusable(found.name)
    try:
        processor = kind(**kept)
    except Exception:  # anything may stand in a file of a stranger
        raise unusable(found.name) from None
    return PictureProcessor(found.name, processor)


def unusable(name: str) -> InvalidInput:
    """Return the error for settings of pictures that are missing, or of which no picture can be made."""
    return InvalidInput(
        "model_processor", f"The model {name} does not say in a usable way how it takes a picture.", value=name
    )


def _settings(files: ModelFiles) -> dict[str, Any]:
    """Return the settings of an image processor, by whichever of its two files there is."""
    for file, part in _FILES:
        if files.has(file):
            found = files.json(file)
            refuse_code(files.name, found)
            chosen = found if part is None else found.get(part)
            if isinstance(chosen, dict):
                refuse_code(files.name, chosen)
                return chosen
    raise unusable(files.name)


def _class(config: Any, settings: dict[str, Any]) -> Any:
    """Return the class that the settings name, or that belongs to the configuration; None if neither is known."""
    package = transformers()
    base = importlib.import_module("transformers.image_processing_backends").PilBackend
    named = settings.get("image_processor_type") or settings.get("feature_extractor_type")
    if isinstance(named, str) and named.isidentifier():
        stem = named.removesuffix("Fast").removesuffix("Pil").replace("FeatureExtractor", "ImageProcessor")
        found = getattr(package, f"{stem}Pil", None)
        if isinstance(found, type) and issubclass(found, base):
            return found
    mapping = importlib.import_module("transformers.models.auto.image_processing_auto").IMAGE_PROCESSOR_MAPPING
    found = mapping[type(config)].get("pil") if type(config) in mapping else None
    return found if isinstance(found, type) and issubclass(found, base) else None


def _bounded(key: str, value: object) -> bool:
    """Return True for a setting that asks for no more than a picture: sides up to `_EDGE`, small factors."""
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, (int, float)):
        return 0 <= value <= (_EDGE if "size" in key else _FACTORS)
    if isinstance(value, dict):
        return len(value) <= 8 and all(
            isinstance(part, str) and _bounded(f"{key} {part}", value[part]) for part in value
        )
    if isinstance(value, list):
        return len(value) <= 8 and all(_bounded(key, one) for one in value)
    return isinstance(value, str) and len(value) <= 64
