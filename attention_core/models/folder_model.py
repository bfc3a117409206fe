"""A model of a folder as a `LearnedModel`: loaded without a name that transformers could look up, then measured.

transformers gets a configuration that was read and checked here, the tensors, and a copy of the small files that say
how its input is made. It gets no path of the folder, so of all that it would look for beside the weights (adapters,
other checkpoints, code, names of kernels) it finds nothing.
"""

import copy
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from attention_core.cancellation import checkpoint
from attention_core.changes import Change, Mute, PatchEach
from attention_core.errors import InvalidInput
from attention_core.learned.copying import HeadWriter, no_words
from attention_core.learned.given import Given
from attention_core.learned.norms_added import unprojected
from attention_core.learned.run import ModelRun
from attention_core.learned.says import Says
from attention_core.models.captured import Capture
from attention_core.models.capturing import require_evaluation
from attention_core.models.cutting import Cut
from attention_core.models.eager import require_model
from attention_core.models.folder_files import Sized, damaged
from attention_core.models.headers import Unusable
from attention_core.models.made import made_model
from attention_core.models.pictured.decoding import captured_decoder
from attention_core.models.pictured.preparing import reads_both
from attention_core.models.readers import (
    Loaded,
    LongReader,
    LongText,
    Reader,
    TokenReader,
    pictures,
    reader_of,
    texts,
    texts_with_pictures,
    translations,
)
from attention_core.models.rotary import Pairs
from attention_core.models.saying import head_size
from attention_core.models.weights import read

_READ, _MADE = 0.9, 0.95  # shares of the progress


@dataclass(frozen=True, eq=False)
class FolderModel:
    """A loaded model, which threads may share. Beside what `LearnedModel` says:

    model       of transformers, whole
    reader      how it reads, measured
    parameters  floats in the model's files
    bytes       of the loaded model's parameters and buffers
    """

    name: str
    model: Any
    reader: Reader
    parameters: int
    bytes: int

    @property
    def takes(self) -> frozenset[str]:
        return self.reader.takes

    @property
    def layers(self) -> int:
        return self.reader.layers

    @property
    def h(self) -> int:
        return self.reader.h

    @property
    def d_k(self) -> int:
        return self.reader.d_k

    @property
    def most_tokens(self) -> int:
        return self.reader.most_tokens

    @property
    def delimiters(self) -> frozenset[int]:
        return self.reader.delimiters

    @property
    def pairs(self) -> Pairs:
        return self.reader.pairs

    @property
    def positional(self) -> frozenset[int]:
        return self.reader.positional

    def positions(self, given: Given) -> int:
        """Return how many positions a run reads, or a few more, without running the model."""
        return self.reader.positions(given)

    @property
    def context(self) -> int:
        """Tokens of the longest text that `read_long` takes; `most_tokens` for a model that reads none row by row."""
        return self.reader.context if isinstance(self.reader, LongReader) else self.most_tokens

    @property
    def token_bytes(self) -> int:
        return self.reader.token_bytes if isinstance(self.reader, LongReader) else 0

    @property
    def square(self) -> float:
        return self.reader.square if isinstance(self.reader, LongReader) else 0.0

    def tokens(self, text: str, most: int | None = None) -> int:
        """Return how many tokens of a text a run reads, or of at most `most`; 0 for a model that counts none."""
        return self.reader.tokens(text, most) if isinstance(self.reader, LongReader) else 0

    def cut(self, text: str, most: int | None = None) -> Cut:
        """Return the tokens that `read_long` reads. Raises `InvalidInput` as it does of a text."""
        return self._long.cut(text, most)

    def read_long(
        self,
        text: str,
        layers: Collection[int] | None = None,
        *,
        tensors: bool = False,
        measured: bool = False,
        most: int | None = None,
        progress: Callable[[float], object] = lambda calls: None,
    ) -> LongText:
        """Read a text of up to `context` tokens and keep no n × n matrix, as `LongReader.read_long` does.

        Raises `InvalidInput` (`model_no_long`) for a model that reads no text row by row.
        """
        return self._long.read_long(text, layers, tensors=tensors, measured=measured, most=most, progress=progress)

    @property
    def _long(self) -> LongReader:
        if not isinstance(self.reader, LongReader):
            raise InvalidInput("model_no_long", f"The model {self.name} reads no long texts.", value=self.name)
        return self.reader

    def multiply_adds(self, n: int) -> int:
        """Return those of a run over `n` positions, as the measured ones foretell."""
        return self.reader.multiply_adds(n)

    def run(self, given: str | Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Read a text alone or what is given, as the model's reader does, and raise as that does."""
        return self.reader.run(given if isinstance(given, Given) else Given(given), most, changes)

    @property
    def vocabulary(self) -> tuple[int, ...]:
        return self.reader.vocabulary if isinstance(self.reader, TokenReader) else ()

    def run_tokens(self, ids: Sequence[int]) -> ModelRun:
        """Read tokens as `TokenModel.run_tokens` does. Raises `InvalidInput` (`model_no_text`) without a vocabulary."""
        if not isinstance(self.reader, TokenReader):
            raise texts.no_text(self.name)
        return self.reader.run_tokens(ids)

    @property
    def outcomes(self) -> int:
        return self.reader.outcomes

    def says_multiply_adds(self, n: int) -> int:
        """Return those of a run, and of the layer of words or classes, which a run may leave out."""
        return self.multiply_adds(n) + n * head_size(self.model)

    def says(
        self,
        given: str | Given,
        most: int | None = None,
        changes: Sequence[Change] = (),
        at: int | None = None,
    ) -> Says | None:
        """Say what the model says, as `SayingModel.says` does; nothing of a layer of words that its files lack."""
        found = self.reader.says(given if isinstance(given, Given) else Given(given), most, changes, at)
        return found if found is not None and found.known else None

    def writer(self, layer: int) -> HeadWriter:
        """Return how a layer's heads write, as `WritingModel.writer` does."""
        if not isinstance(self.reader, texts.TextReader):
            raise no_words(self.name)
        return self.reader.writer(layer)

    def projection(self, layer: int) -> Float[Tensor, "h d_v d_model"]:
        """Return W_O of each head of a layer, as `ProjectingModel.projection` does."""
        if not isinstance(self.reader, texts.TextReader):
            raise unprojected(self.name)
        return self.reader.projection(layer)

    def says_without_each(
        self,
        heads: Sequence[tuple[int, int]],
        given: str | Given,
        most: int | None = None,
        changes: Sequence[Change] = (),
        at: int | None = None,
    ) -> tuple[Says | None, ...]:
        """Say what the model says without each head, as `SayingModel.says_without_each` does."""
        read = given if isinstance(given, Given) else Given(given)
        asked = self.reader.asked(read, most, at)
        if asked is not None:
            return asked.without_each(heads, changes)
        return tuple(self.reader.says(read, most, (*changes, Mute(*head)), at) for head in heads)

    def says_patched(
        self,
        each: PatchEach,
        given: str | Given,
        other: str | Given,
        most: int | None = None,
        changes: Sequence[Change] = (),
    ) -> tuple[Says | None, ...]:
        """Say what the model says with each patch from another text, as `PatchingModel.says_patched` does."""
        texts = [self.reader.asked(one if isinstance(one, Given) else Given(one), most) for one in (given, other)]
        own, from_other = texts
        if own is None or from_other is None:
            return (None,) * len(each.patched)
        return own.patched(each, from_other, changes)


def load(root: Path, found: Sized, progress: Callable[[float], None]) -> FolderModel:
    """Load a model and measure it.

    Layers, heads and widths are those of a first run, and `pairs` of one whose tokens are all the same. A parameter
    that no file holds is NaN in that run: if attention hangs on it, the model is refused.

    Raises
    ------
    InvalidInput
        `transformers_missing`; `model_kind` for a type of model that this transformers does not know; `model_config`
        for a configuration that does not fit the weights; `model_weights` for a file that ends early;
        `model_changed` for files that change meanwhile; `model_incomplete` if attention needs a tensor that no file
        holds; `model_not_finite`; as `capture` does; and as its reader does, such as `model_tokenizer`, or
        `model_no_text` for a model that reads nothing known.
    Cancelled
        If a `stopping` around this call says so.
    """
    try:
        made = _loaded(root, found, progress)
    except InvalidInput:
        found.require_unchanged()  # else a file that vanished would be called damaged
        raise
    found.require_unchanged()
    return made


def _loaded(root: Path, found: Sized, progress: Callable[[float], None]) -> FolderModel:
    opened = reader_of(root, found)
    checkpoint()
    try:
        tensors = read(found.weights, lambda done: progress(_READ * done))
    except (Unusable, OSError):
        raise damaged(found.name, found.weights[0][0].name) from None
    model, incomplete = made_model(found, tensors)
    del tensors
    checkpoint()
    progress(_MADE)
    require_model(model)
    reader = opened(Loaded(found.name, model, incomplete))
    progress(1.0)
    return FolderModel(found.name, model, reader, found.parameters, _bytes(model))


def text_model(model: nn.Module, tokenizer: Any, name: str = "model") -> FolderModel:
    """Return a model of transformers and its tokenizer as a model that reads texts, measured by a few short runs.

    An encoder with a decoder reads a text and a target, which it writes itself if none is given. The model stays the
    caller's, as it is.

    Raises
    ------
    InvalidInput
        `model_training` for a model whose dropout is on; `model_no_text`; `model_not_finite`; and as `capture` does.
    """
    own = copy.deepcopy(tokenizer)
    both = translations.writes(model)
    return _read_by(model, translations.of_tokenizer(name, model, own) if both else texts.of_tokenizer(own), name)


def picture_model(model: nn.Module, processor: Any, name: str = "model") -> FolderModel:
    """Return a vision model of transformers and its image processor as a model that reads pictures.

    A vision-language model, with the processor of both, reads a text with pictures. It stays the caller's, as with
    `text_model`. `processor` may be one of several kinds of input, such as CLIP's.

    Raises
    ------
    InvalidInput
        `model_training`; `model_no_pictures` for a model that reads none patch by patch; `model_processor` for a
        processor whose pictures are no part of the given one; `model_places` if it does not say where the patches of a
        picture stand in a text; `model_not_finite`; and as `capture` does.
    """
    config: Any = model.config
    if reads_both(config):
        return _read_by(model, texts_with_pictures.of_processor(name, processor, config), name)
    return _read_by(model, pictures.of_processor(name, processor), name)


def capture_decoder(model: nn.Module, **inputs: Any) -> Capture:
    """Run a vision-language model and capture its decoder alone: all positions, the patches of pictures among them.

    Raises `InvalidInput` as `capture` does.
    """
    require_model(model)
    require_evaluation(model)
    return captured_decoder(model, inputs)


def reads_text_with_pictures(model: nn.Module) -> bool:
    """Return True for a model of transformers whose text has places for pictures."""
    config: Any = getattr(model, "config", None)
    return config is not None and reads_both(config)


def pixel_model(model: nn.Module, pixels: Float[Tensor, "1 3 height width"], name: str = "model") -> FolderModel:
    """Return a vision model with the one tensor that it is given. Raises `InvalidInput` as `picture_model` does."""
    return _read_by(model, pictures.of_pixels(pixels), name)


def _read_by(model: nn.Module, opened: Callable[[Loaded], Reader], name: str) -> FolderModel:
    require_model(model)
    require_evaluation(model)
    reader = opened(Loaded(name, model, incomplete=False))
    return FolderModel(name, model, reader, sum(one.numel() for one in model.parameters()), _bytes(model))


def _bytes(model: nn.Module) -> int:
    found = {one.data_ptr(): one.nbytes for one in (*model.parameters(), *model.buffers())}
    return sum(found.values())
