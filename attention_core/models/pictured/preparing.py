"""A text and its pictures as the inputs of a model, and what stands at each position."""

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.errors import InvalidInput
from attention_core.learned.given import Given, Picture
from attention_core.learned.positions import Line, PatchGrid
from attention_core.models.cutting import Cutter
from attention_core.models.folder_files import ModelFiles
from attention_core.models.picture_processor import unusable
from attention_core.models.pictured import chat
from attention_core.models.pictured.places import Misplaced, Shown, coordinates_picture, grids, stretches
from attention_core.models.pictured.processor import Told, made_processor, prepared, telling, template_of
from attention_core.text import readable

MOST_PICTURES: Final = 4
MOST_POSITIONS: Final = 1024
"""Of a text and its pictures together. A model that has no smaller picture to offer is refused beyond."""
_AIMED: Final = 2**29
"""Bytes of scores and weights of all layers that pictures are made smaller for, if the processor can."""
_HALVINGS: Final = 6
_KEPT: Final = 16
"""Sizes of pictures of which is kept what the processor makes of them."""
_BROKEN: Final = (TypeError, ValueError, AttributeError, KeyError, IndexError, RuntimeError, NotImplementedError)
"""What a processor raises of what it cannot prepare."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """The inputs of a model, its ids among them, and the line of positions that they stand for."""

    inputs: dict[str, Tensor]
    line: Line


@dataclass(frozen=True, eq=False)
class _Sample:
    """What an image processor makes of a picture of coordinates, and how many positions one of its size takes."""

    made: Mapping[str, Any]
    positions: int


@dataclass(frozen=True, eq=False)
class Preparing:
    """What prepares the inputs of one model.

    around    what its chat template puts around a text, by the number of pictures; empty without a template
    """

    name: str
    processor: Any
    cutter: Cutter
    config: Any
    around: Mapping[int, chat.Around]
    _samples: OrderedDict[Any, Any] = field(default_factory=OrderedDict, repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def prepare(self, given: Given, most: int, aimed: int) -> Prepared:
        """Return the inputs for a text and at least one picture.

        Parameters
        ----------
        given
            The text and the pictures. A text that says itself where its pictures stand has a placeholder for each.
        most
            The most tokens of the text.
        aimed
            The most positions if the processor can make its pictures smaller; else those that it needs.

        Raises `InvalidInput`: `not_a_text`, `text_too_long`; `pictures_count` for too many; `pictures_in_text` for
        placeholders that are not one for each picture; `pictures_too_long` for more than `MOST_POSITIONS`;
        `model_places` for patches whose places the processor does not say; `model_processor`.
        """
        text, cut = self._first(readable(given.text), most)
        prompt, special = self._prompt(text, len(given.pictures))
        n, settings = self._chosen(len(self.cutter.encoded(prompt, special)[0].ids), given.pictures, aimed)
        if n > MOST_POSITIONS:
            raise InvalidInput(
                "pictures_too_long",
                f"The text and the pictures are {n} positions for the model {self.name}; "
                f"at most {MOST_POSITIONS} are read.",
                value=n,
                limit=MOST_POSITIONS,
            )
        checkpoint()
        pictures = [_image(each.pixels) for each in given.pictures]
        made, told = self._processed(prompt, pictures, settings, special)
        return Prepared(made, self._line(made["input_ids"][0].tolist(), told, special, pictures, settings, cut))

    def positions(self, given: Given, most: int, aimed: int) -> int:
        """Return how many positions a run reads, and some number for one that is refused."""
        text = self.cutter.count(readable(given.text), most, alone=True)
        try:
            prompt, special = self._prompt(self._first(readable(given.text), most)[0], len(given.pictures))
            return self._chosen(len(self.cutter.encoded(prompt, special)[0].ids), given.pictures, aimed)[0]
        except InvalidInput:  # the run says so
            return text

    def _chosen(self, text: int, pictures: Sequence[Picture], aimed: int) -> tuple[int, dict[str, Any]]:
        """Return the number of positions, and the image processor's settings that make the pictures small enough."""
        found: list[tuple[int, dict[str, Any]]] = []
        for settings in self._settings():
            checkpoint()
            sizes = ((each.pixels.shape[0], each.pixels.shape[1]) for each in pictures)
            counts = (self._sample(size, settings).positions for size in sizes)
            found.append((text + sum(counts), settings))
            if found[-1][0] <= aimed:
                break
        return min(found, key=lambda one: one[0])

    def _first(self, text: str, most: int) -> tuple[str, bool]:
        """Return a text's beginning of so many tokens, and True if it goes on."""
        found, places = self.cutter.encoded(text, special=False)
        return (text, False) if len(found.ids) <= most else (text[: places[most - 1][1]], True)

    def _prompt(self, text: str, count: int) -> tuple[str, bool]:
        """Return a text with a placeholder for each picture, and True if the tokenizer adds its own tokens."""
        token = self.processor.image_token
        if count > MOST_PICTURES:
            raise InvalidInput(
                "pictures_count",
                f"At most {MOST_PICTURES} pictures are read; got {count}.",
                value=count,
                limit=MOST_PICTURES,
            )
        placed = text.count(token)
        if placed not in (0, count):
            raise InvalidInput(
                "pictures_in_text",
                f"The text says {placed} times where a picture stands ({token}), and there are {count} pictures.",
                value=placed,
                expected=count,
                token=token,
            )
        before, behind = self.around.get(0 if placed else count, ("" if placed else self._marked * count, ""))
        begins = self.processor.tokenizer.bos_token
        return before + text + behind, not (begins and before.startswith(begins))

    @property
    def _marked(self) -> str:
        """The placeholder of a picture between the marks that its model has around each, if it has some."""
        ids = (getattr(self.config, f"vision_{end}_token_id", None) for end in ("start", "end"))
        begin, end = ("" if one is None else self.processor.tokenizer.convert_ids_to_tokens(one) for one in ids)
        return f"{begin}{self.processor.image_token}{end}"

    def _settings(self) -> list[dict[str, Any]]:
        """Return settings of the image processor, each with smaller pictures than the last; one if it has one size."""
        size = dict(self.processor.image_processor.size or {})
        longest = size.get("longest_edge")
        if not isinstance(longest, int):
            return [{}]
        found: list[dict[str, Any]] = [{}]
        for halving in range(1, _HALVINGS + 1):
            smaller = {name: min(side, longest >> halving) for name, side in size.items() if isinstance(side, int)}
            found.append({"size": smaller})
        return found

    def _processed(
        self, prompt: str, pictures: Sequence[Any], settings: dict[str, Any], special: bool
    ) -> tuple[dict[str, Tensor], Told]:
        try:
            return prepared(self.processor, prompt, pictures, settings, special)
        except _BROKEN:
            raise self.misplaced() from None

    def _line(
        self, ids: list[int], told: Told, special: bool, pictures: Sequence[Any], settings: dict[str, Any], cut: bool
    ) -> Line:
        """Return the positions of a run: the tokens as the text has them, and each patch by row and column."""
        found, places = self.cutter.encoded(told.text, special)
        of_pictures = [place for place, one in enumerate(ids) if one == image_token_id(self.config)]
        within = [
            [place for place in of_pictures if begin <= places[place][0] and places[place][1] <= end]
            for begin, end in told.spans
        ]
        if list(found.ids) != ids or sum(map(len, within)) != len(of_pictures):
            raise self.misplaced()
        tokens = list(found.tokens)
        all_ids = list(ids)
        every: list[PatchGrid] = []
        for number, (places_of, (made, at), picture) in enumerate(zip(within, told.pictures, pictures, strict=True)):
            every += self._grids(number, made, at, places_of, picture, settings)
        for grid in every:
            for place, position in enumerate(grid.positions):
                row, column = divmod(place, grid.columns)
                tokens[position], all_ids[position] = f"{row + 1}·{column + 1}", -1
        line = found.line("text", cut=cut)
        return replace(line, tokens=tuple(tokens), ids=tuple(all_ids), grids=tuple(every))

    def _grids(
        self,
        number: int,
        made: Mapping[str, Any],
        at: int,
        positions: list[int],
        picture: Any,
        settings: dict[str, Any],
    ) -> tuple[PatchGrid, ...]:
        size = picture.height, picture.width
        merge = getattr(self.processor.image_processor, "merge_size", 1)
        try:
            coordinates = self._coordinates(size, settings)
            return grids(Shown(number, made, at, stretches(positions), self.config, int(merge), coordinates, size))
        except (Misplaced, *_BROKEN):
            raise self.misplaced() from None

    def _sample(self, size: tuple[int, int], settings: dict[str, Any]) -> "_Sample":
        """Return what the processor makes of a picture of a size, whatever it shows."""

        def make() -> _Sample:
            told = self._alike(size, settings, coordinates_picture(*size))
            return _Sample(told.pictures[0][0], len(self.cutter.encoded(told.text, special=False)[0].ids))

        return self._kept(("sample", size, repr(settings)), make)

    def _coordinates(self, size: tuple[int, int], settings: dict[str, Any]) -> list[Mapping[str, Any]]:
        """Return what the processor makes of a picture of coordinates, a black and a white one."""

        def make() -> list[Mapping[str, Any]]:
            plain = (torch.full((*size, 3), colour) for colour in (0.0, 255.0))
            first = self._sample(size, settings).made
            return [first, *(self._alike(size, settings, one).pictures[0][0] for one in plain)]

        return self._kept(("coordinates", size, repr(settings)), make)

    def _kept(self, key: Any, make: Callable[[], Any]) -> Any:
        with self._lock:
            found = self._samples.get(key)
        if found is None:
            found = make()
            with self._lock:
                self._samples[key] = found
                while len(self._samples) > _KEPT:
                    self._samples.popitem(last=False)
        return found

    def _alike(self, size: tuple[int, int], settings: dict[str, Any], pixels: Tensor) -> Told:
        try:
            return prepared(self.processor, self.processor.image_token, [_image(pixels)], settings, special=False)[1]
        except _BROKEN:
            rows, columns = size
            raise InvalidInput(
                "picture_shape",
                f"The model {self.name} takes no picture of {columns} × {rows} pixels.",
                value=self.name,
                rows=rows,
                columns=columns,
            ) from None

    def misplaced(self) -> InvalidInput:
        """Return the error for a model whose processor does not say where the patches stand."""
        return InvalidInput(
            "model_places",
            f"The processor of the model {self.name} does not say where the patches of a picture stand.",
            value=self.name,
        )


def preparing(files: ModelFiles, config: Any, tokenizer: Any) -> Preparing:
    """Return what prepares a model's inputs. Raises `InvalidInput`: `model_processor`, and as `ModelFiles`."""
    processor = made_processor(files, config, tokenizer)
    return _preparing(files.name, processor, config, tokenizer, template_of(files))


def preparing_with(name: str, processor: Any, config: Any) -> Preparing:
    """Return what prepares a model's inputs with a processor of transformers, which stays as it is.

    Raises `InvalidInput` (`model_processor`) for one without a tokenizer and a placeholder for pictures.
    """
    if not all(hasattr(processor, one) for one in ("tokenizer", "image_processor", "image_token")):
        raise unusable(name)
    own = copy.copy(processor)
    own.__class__ = telling(type(processor))
    own.tokenizer = copy.deepcopy(processor.tokenizer)
    template = own.chat_template or own.tokenizer.chat_template
    return _preparing(name, own, config, own.tokenizer, template if isinstance(template, str) else None)


def _preparing(name: str, processor: Any, config: Any, tokenizer: Any, template: str | None) -> Preparing:
    variables = {name: str(one) for name, one in tokenizer.special_tokens_map.items() if isinstance(one, str)}
    around = {} if template is None else chat.around(template, variables, processor.image_token, MOST_PICTURES)
    cutter = Cutter(tokenizer)
    if not cutter.tells_places:
        raise unusable(name)
    return Preparing(name, processor, cutter, config, around)


def reads_both(config: Any) -> bool:
    """Return True for the configuration of a model whose text has places for pictures."""
    return image_token_id(config) is not None and config.get_text_config() is not config


def image_token_id(config: Any) -> int | None:
    """Return the id of the token that stands for a patch; None for a model without one."""
    found = getattr(config, "image_token_id", None)
    return found if isinstance(found, int) else getattr(config, "image_token_index", None)


def aimed_positions(layers: int, h: int) -> int:
    """Return how many positions leave scores and weights of all layers within `_AIMED` bytes."""
    return max(64, min(MOST_POSITIONS, int((_AIMED / (8 * layers * h)) ** 0.5)))


def _image(pixels: Tensor) -> Any:
    """Return a picture as processors know it: of an array some guess which of its sides are colours."""
    image: Any = import_module("PIL.Image")  # the processors of transformers need it as well
    return image.fromarray(pixels.round().to(torch.uint8).contiguous().numpy())
