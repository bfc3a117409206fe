"""The reader of a picture: the body of a vision model, or the vision tower of a model that has one beside a text's."""

import copy
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.cancellation import checkpoint
from attention_core.changes import Change
from attention_core.errors import InvalidInput
from attention_core.learned.given import Given, Picture
from attention_core.learned.positions import Line, PatchGrid
from attention_core.learned.run import ModelRun
from attention_core.models.captured import CapturedLayer
from attention_core.models.capturing import capture
from attention_core.models.counting import MultiplyAdds
from attention_core.models.folder_files import Sized
from attention_core.models.patch_probe import NoPatches, Patches, Probed, as_body, entering, probed
from attention_core.models.picture_processor import Box, PictureProcessor, Placed, made_processor
from attention_core.models.readers.reader import Asking, Loaded, refused, require_finite, widths
from attention_core.models.saying import Asked, asked_classes, class_count

_SQUARE: Final = 448
"""The side of the picture that measures a model, as that of the shipped pictures."""
_MOST_CELLS: Final = 2**25
"""Of one product while a model is measured: more scores than any layer of a picture of 1,024 patches has."""
_AT_ONCE: Final = 2**26
"""Weights of the layers that are kept at once while a model is measured."""
_KEPT: Final = 8  # sizes of tensors whose patches are remembered
_NAMES: Final = (("cls|class", "CLS"), ("dist", "DIST"), ("reg", "REG"))
"""How special positions are called, by what the model calls their parameters."""


@runtime_checkable
class Processor(Protocol):
    """What makes a tensor of a picture, as `PictureProcessor` does."""

    def tensor(self, picture: Picture) -> Tensor: ...
    def placed(self, rows: int, columns: int) -> Placed: ...


@dataclass(frozen=True, eq=False)
class OwnPixels:
    """In place of a processor: the tensor that a model was given, whatever picture stands for it."""

    pixels: Float[Tensor, "1 3 height width"]

    def tensor(self, picture: Picture) -> Tensor:
        """Return the tensor."""
        return self.pixels

    def placed(self, rows: int, columns: int) -> Placed:
        """Return that it shows the whole picture."""
        return Placed(self.pixels.shape[2], self.pixels.shape[3], (0.0, 0.0, 1.0, 1.0))


@dataclass(frozen=True, eq=False)
class PictureReader(Asking):
    """Beside what `Reader` says:

    body       the part of the model that reads a picture
    attending  the modules of each call of attention
    special    names of the positions that are no patches, in order
    products   multiply-adds of a run over `most_tokens` positions
    """

    loaded: Loaded
    body: Any
    processor: Processor
    attending: tuple[nn.Module, ...]
    special: tuple[str, ...]
    h: int
    d_k: int
    most_tokens: int
    products: int
    takes: frozenset[str] = frozenset({"pictures"})
    delimiters: frozenset[int] = frozenset()
    pairs: tuple[tuple[int, int], ...] = ()
    positional: frozenset[int] = frozenset()
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _probed: OrderedDict[tuple[int, int], Probed] = field(default_factory=OrderedDict)

    @property
    def layers(self) -> int:
        return len(self.attending)

    def positions(self, given: Given) -> int:
        """Return as many as the square that measured the model had, or more in proportion for another shape."""
        if not given.pictures:
            return self.most_tokens
        (rows, columns, _), square = given.pictures[0].pixels.shape, self.processor.placed(_SQUARE, _SQUARE)
        placed = self.processor.placed(rows, columns)
        return -(-self.most_tokens * placed.height * placed.width // (square.height * square.width))

    def multiply_adds(self, n: int) -> int:
        return int(self.products * max(1.0, n / self.most_tokens) ** 2)

    def run(self, given: Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Read the first picture.

        Raises `InvalidInput`: `picture_missing` without a picture; `picture_narrow`; `model_no_pictures` for one of a
        size that the model does not take.
        """
        if not given.pictures:
            raise InvalidInput("picture_missing", f"The model {self.loaded.name} reads a picture, and none is given.")
        picture = given.pictures[0]
        pixels = self.processor.tensor(picture)
        box = self.processor.placed(*picture.pixels.shape[:2]).box
        checkpoint()
        with refused(_no_pictures(self.loaded.name)):
            found = self._patches(pixels.shape[-2], pixels.shape[-1])
            checkpoint()
            layers = capture(self.body, changes=changes, pixel_values=as_body(self.body, pixels)).layers
        require_finite(self.loaded, layers)
        return _read(found, layers, self.special, box)

    @property
    def outcomes(self) -> int:
        return class_count(self.loaded.model)

    def asked(self, given: Given, most: int | None = None, at: int | None = None) -> Asked | None:
        if not given.pictures or not class_count(self.loaded.model):
            return None
        pixels = self.processor.tensor(given.pictures[0])
        return asked_classes(self.loaded.model, {"pixel_values": as_body(self.body, pixels)})

    def _patches(self, height: int, width: int) -> Probed:
        """Return the patches of each call, probed once for tensors of one size."""
        with self._lock:
            if (height, width) in self._probed:
                self._probed.move_to_end((height, width))
                return self._probed[height, width]
        found = _probed(self.loaded.name, self.body, self.attending, height, width)
        with self._lock:
            self._probed[height, width] = found
            while len(self._probed) > _KEPT:
                self._probed.popitem(last=False)
        return found


@dataclass(frozen=True, eq=False)
class _Opened:
    processor: Processor

    def __call__(self, loaded: Loaded) -> PictureReader:
        name, processor = loaded.name, self.processor
        with refused(_no_pictures(name)):
            body = _body(loaded)
            draw = torch.Generator().manual_seed(0)
            square = torch.randint(256, (_SQUARE, _SQUARE, 3), generator=draw, dtype=torch.uint8)
            pixels = processor.tensor(Picture("", square))
            checkpoint()
            with MultiplyAdds(most=_MOST_CELLS) as counted:
                calls = capture(body, layers=(), pixel_values=as_body(body, pixels)).names
            attending = tuple(body.get_submodule(call.rpartition("#")[0]) for call in calls)
            found = _probed(name, body, attending, pixels.shape[-2], pixels.shape[-1])
            h, d_k = _measured(loaded, body, pixels, found)
            special = _special(body, attending, pixels, found.calls[0])
        return PictureReader(loaded, body, processor, attending, special, h, d_k, _positions(found, h), counted.total)


def opened(root: Path, found: Sized) -> _Opened:
    """Read the settings of pictures. Raises `InvalidInput` as `made_processor` does."""
    return _Opened(made_processor(root, found))


def of_processor(name: str, processor: Any) -> _Opened:
    """Open with an image processor of transformers, or with one of several kinds of input that has such a one."""
    return _Opened(PictureProcessor(name, getattr(processor, "image_processor", processor)))


def of_pixels(pixels: Float[Tensor, "1 3 height width"]) -> _Opened:
    """Open with the tensor that the model is given."""
    return _Opened(OwnPixels(pixels))


class _Passed(nn.Module):
    """In place of a module that pools what the last layer made: it hands that on."""

    def forward(self, hidden: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return hidden


def _body(loaded: Loaded) -> Any:
    """Return the part of a model that reads a picture, without a pooling that attends in one step.

    Such a pooling lets one learned query read all patches after the last layer, and keeps no weights.
    """
    whole = loaded.model
    parts = (getattr(whole, "vision_model", None), whole.base_model, whole)
    body = next((one for one in parts if one is not None and "pixel_values" in signature(one.forward).parameters), None)
    if body is None:
        raise _no_pictures(loaded.name)
    pools = [
        name
        for name, child in body.named_children()
        if any(isinstance(one, nn.MultiheadAttention) for one in child.modules())
    ]
    body = copy.copy(body)  # the model itself keeps its pooling
    body._modules = {**body._modules, **{name: _Passed() for name in pools}}
    return body


def _measured(loaded: Loaded, body: Any, pixels: Tensor, found: Probed) -> tuple[int, int]:
    """Return the most heads and the widest queries; a few layers at a time, as many as need not much memory."""
    cells = max(one.at.shape[0] * one.at.shape[1] ** 2 for one in found.calls)
    each = max(1, _AT_ONCE // (32 * cells))
    most = 0, 0
    for first in range(0, len(found.calls), each):
        checkpoint()
        chosen = range(first, min(first + each, len(found.calls)))
        layers = capture(body, layers=chosen, pixel_values=as_body(body, pixels)).layers
        for layer in layers:
            if layer.weights.shape[-2:] != (found.calls[layer.index].at.shape[1],) * 2:
                raise _no_pictures(loaded.name)
        require_finite(loaded, layers)
        here = widths(layers)
        most = max(most[0], here[0]), max(most[1], here[1])
    return most


def _positions(found: Probed, h: int) -> int:
    """Return the positions of a run; of one that attends in windows as many as need the same memory in one sequence."""
    if all(one.at.shape[0] == 1 for one in found.calls):
        return max(one.at.shape[1] for one in found.calls)
    cells = sum(one.at.shape[0] * one.at.shape[1] ** 2 for one in found.calls) / len(found.calls)
    places = sum(one.at.numel() for one in found.calls) / len(found.calls) / h
    return int(max(cells**0.5, places)) + 1


def _probed(name: str, body: Any, attending: Sequence[nn.Module], height: int, width: int) -> Probed:
    try:
        found = probed(body, attending, height, width)
    except NoPatches:
        raise _no_pictures(name) from None
    for one in found.calls:
        whole = one.at[0]
        first = int((whole >= 0).int().argmax())
        if one.at.shape[0] == 1 and not torch.equal(whole[first:], torch.arange(len(whole) - first)):
            raise _no_pictures(name)  # special positions between or behind the patches, or another order
    return found


def _special(body: Any, attending: Sequence[nn.Module], pixels: Tensor, first: Patches) -> tuple[str, ...]:
    """Name the positions of the first call that are no patches by the parameters that change them alone."""
    number = 0 if first.at.shape[0] > 1 else int((first.at[0] < 0).sum())
    names = [f"[{place + 1}]" for place in range(number)]
    if not number:
        return ()
    plain = entering(body, attending, pixels, 1)[0]
    for parameter, values in body.named_parameters():
        if values.shape[-1] != plain.shape[-1] or not 1 <= values.numel() // plain.shape[-1] <= number:
            continue
        if re.search(r"\.\d+\.", parameter):  # of one of many layers
            continue
        kept = values.detach().clone()
        try:
            other = torch.randn(kept.shape, generator=torch.Generator().manual_seed(7919))
            values.data.copy_(kept + other.to(kept))
            changed = ((entering(body, attending, pixels, 1)[0] - plain).abs().amax(-1) > 1e-5)[0]
        finally:
            values.data.copy_(kept)
        places = changed.nonzero().flatten().tolist()
        if places and max(places) < number:
            called = parameter.rpartition(".")[2]
            stem = next((short for known, short in _NAMES if re.search(known, called)), called.upper())
            for order, place in enumerate(places, start=1):
                names[place] = f"[{stem}{order}]" if len(places) > 1 else f"[{stem}]"
    return tuple(names)


def _read(found: Probed, layers: Sequence[CapturedLayer], special: tuple[str, ...], box: Box) -> ModelRun:
    """Return the run: a line for each grid of patches, and the windows of layers that attend in such."""
    covered = _covered(box, found.covered)
    lines, between, windows = dict[tuple[int, int, int], Line](), [], []
    for call in found.calls:
        alone = call.at.shape[0] == 1
        own = int((call.at < 0).sum()) if alone else 0
        key = call.rows, call.columns, own
        if key not in lines:
            lines[key] = _line(call.rows, call.columns, special if own == len(special) else _numbered(own), covered)
        number = list(lines).index(key)
        between.append((number, number))
        windows.append(None if alone else call.at)
    return ModelRun(tuple(lines.values()), tuple(layers), tuple(between), tuple(windows))


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"[{place + 1}]" for place in range(count))


def _line(rows: int, columns: int, special: tuple[str, ...], box: Box) -> Line:
    patches = (f"{row + 1}·{column + 1}" for row in range(rows) for column in range(columns))
    tokens = (*special, *patches)
    return Line("picture", tokens, (-1,) * len(tokens), (PatchGrid(0, len(special), rows, columns, box),))


def _covered(box: Box, shares: tuple[float, float]) -> Box:
    """Return the part of the picture that the patches cover: that of the tensor, less or more what they leave out."""
    left, top, right, bottom = box
    return left, top, left + shares[0] * (right - left), top + shares[1] * (bottom - top)


def _no_pictures(name: str) -> InvalidInput:
    return InvalidInput("model_no_pictures", f"The model {name} reads no picture patch by patch.", value=name)
