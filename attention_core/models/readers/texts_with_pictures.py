"""The reader of a text with pictures: the decoder of a vision-language model, whose tower of vision is not shown.

The whole model prepares what its decoder gets, the embeddings of patches included, until the decoder is called; that
call is captured. So a decoder's masks, positions and whatever else its family hands it are the model's own.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from attention_core.cancellation import checkpoint
from attention_core.changes import Change
from attention_core.learned.given import Given, Picture
from attention_core.learned.positions import Line
from attention_core.learned.run import ModelRun
from attention_core.learned.says import Says
from attention_core.models.captured import Capture, CapturedLayer
from attention_core.models.capturing import capture
from attention_core.models.counting import MultiplyAdds
from attention_core.models.folder_files import ModelFiles, Sized
from attention_core.models.long_reach import run_inputs
from attention_core.models.made import config_of, made_tokenizer
from attention_core.models.pictured.answering import MOST_WRITTEN, behind, written
from attention_core.models.pictured.decoding import decoder_call, known
from attention_core.models.pictured.preparing import (
    Preparing,
    aimed_positions,
    image_token_id,
    preparing,
    preparing_with,
    reads_both,
)
from attention_core.models.pictured.processor import has_settings, processor_kind
from attention_core.models.readers import texts
from attention_core.models.readers.reader import Loaded, refused, require_finite
from attention_core.models.rotary import Pairs
from attention_core.models.saying import Asked, said_next, softly_capped, word_count

_SAMPLE: Final = 64
"""Pixels of a side of the picture that a model is measured with."""
_KEPT: Final = 32
"""Answers that are kept: each question about the same picture would have it written anew."""
_WAIT: Final = 0.05
"""Seconds between two looks of a run that waits for another."""


@dataclass(frozen=True, eq=False)
class PicturedReader:
    """Beside what `Reader` says:

    text       the reader of a text alone
    decoder    the part of the model whose attention is shown
    of_patch   multiply-adds for each position of a picture before the decoder
    """

    text: texts.TextReader
    decoder: nn.Module
    preparing: Preparing
    of_patch: int
    takes: frozenset[str] = frozenset({"text", "pictures", "target"})
    _lock: Any = field(default_factory=threading.Lock, repr=False)
    _answers: OrderedDict[str, tuple[int, ...]] = field(default_factory=OrderedDict, repr=False)

    @property
    def layers(self) -> int:
        return self.text.layers

    @property
    def h(self) -> int:
        return self.text.h

    @property
    def d_k(self) -> int:
        return self.text.d_k

    @property
    def most_tokens(self) -> int:
        return self.text.most_tokens

    @property
    def delimiters(self) -> frozenset[int]:
        return self.text.delimiters

    @property
    def pairs(self) -> Pairs:
        return self.text.pairs

    @property
    def positional(self) -> frozenset[int]:
        return self.text.positional

    @property
    def _aimed(self) -> int:
        return aimed_positions(self.layers, self.h)

    def positions(self, given: Given) -> int:
        if not given.pictures:
            return self.text.positions(given)
        return MOST_WRITTEN + self.preparing.positions(given, self.most_tokens, self._aimed)

    def multiply_adds(self, n: int) -> int:
        return self.text.multiply_adds(n) + MOST_WRITTEN * self.text.multiply_adds(1) + n * self.of_patch

    def run(self, given: Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Raise `InvalidInput` as `TextReader.run` does of a text alone, and as `Preparing.prepare` of pictures."""
        if not given.pictures:
            with self._alone():
                return self.text.run(given, most, attention=partial(self.layers_of, changes=changes))
        with self._alone():
            line, inputs = self._pictured(given, most)
            layers = self.layers_of(inputs, changes)
        require_finite(self.text.loaded, layers)
        return ModelRun((line,), layers, ((0, 0),) * len(layers))

    @property
    def vocabulary(self) -> tuple[int, ...]:
        return self.text.vocabulary

    def run_tokens(self, ids: Sequence[int]) -> ModelRun:
        """Read tokens of a text alone as `TokenModel.run_tokens` does."""
        with self._alone():
            return self.text.run_tokens(ids, partial(self.layers_of, changes=()))

    def _pictured(self, given: Given, most: int | None) -> tuple[Line, dict[str, Tensor]]:
        """Return the positions of pictures, text and answer, and the inputs of a run over them."""
        most = self.most_tokens if most is None else max(1, min(most, self.most_tokens))
        prepared = self.preparing.prepare(given, most, self._aimed)
        inputs, line = known(self.text.body, prepared.inputs), prepared.line
        with refused(self.preparing.misplaced()):
            answer = self._answer(given, most, inputs)
        said = self.preparing.cutter.of_ids(answer)
        told = {
            "tokens": (*line.tokens, *said.tokens),
            "ids": (*line.ids, *said.ids),
            "forms": (*line.forms, *said.forms),
            "stands": (*line.stands, *("" for _ in said.ids)),
        }
        return replace(line, **told), behind(inputs, answer)

    @property
    def outcomes(self) -> int:
        return word_count(self.text.loaded.model)

    def says(
        self, given: Given, most: int | None = None, changes: Sequence[Change] = (), at: int | None = None
    ) -> Says | None:
        """Say as `SayingModel.says` does: the token after each position of the decoder."""
        if not self.outcomes:
            return None
        with self._alone():
            if given.pictures:
                line, inputs = self._pictured(given, most)
                ids = line.ids
            else:
                ids = self.text.cut(given.text, self.most_tokens if most is None else min(most, self.most_tokens)).ids
                inputs = run_inputs(self.text.body, ids)
            states = self._captured(inputs, changes, layers=()).output[0]
            with torch.no_grad():
                logits = softly_capped(self.text.loaded.model, states)
        return said_next(logits[0], self.text.cutter, ids)

    def asked(self, given: Given, most: int | None = None, at: int | None = None) -> Asked | None:
        return None  # places of some decoders have another first axis

    def decoder_given(self, inputs: Mapping[str, Tensor]) -> dict[str, Any]:
        """Return what the model hands to its decoder: the embeddings of all positions, masks and places."""
        found = decoder_call(self.text.body, self.decoder, inputs)
        if found is None:
            raise self.preparing.misplaced()
        return found

    def layers_of(self, inputs: Mapping[str, Tensor], changes: Sequence[Change] = ()) -> tuple[CapturedLayer, ...]:
        """Return the attention of the decoder in a run over a model's inputs.

        Raises `InvalidInput`: `model_places` if the model makes more or fewer patches than there are places for them.
        """
        return self._captured(inputs, changes).layers

    def _captured(
        self, inputs: Mapping[str, Tensor], changes: Sequence[Change], layers: Collection[int] | None = None
    ) -> Capture:
        with refused(self.preparing.misplaced()):
            given = self.decoder_given(inputs)
        checkpoint()
        return capture(self.decoder, layers=layers, changes=changes, **given)

    def _answer(self, given: Given, most: int, inputs: Mapping[str, Tensor]) -> tuple[int, ...]:
        """Return what the model has written: what is given, or what it writes, which is kept."""
        cutter = self.preparing.cutter
        if given.target:
            ids = cutter.encoded(given.target, special=False)[0].ids
            return tuple(one for one in ids if one not in self.never)[:MOST_WRITTEN]
        key = _key(given, most)
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = written(self.text.loaded.model, inputs, self._ends, self.never)
            while len(self._answers) > _KEPT:
                self._answers.popitem(last=False)
        return found

    @property
    def _ends(self) -> frozenset[int]:
        """The tokens that end an answer."""
        config = self.preparing.config
        found = (
            self.preparing.processor.tokenizer.eos_token_id,
            getattr(config, "eos_token_id", None),
            getattr(config.get_text_config(), "eos_token_id", None),
        )
        each = (one if isinstance(one, (list, tuple)) else [one] for one in found)
        return frozenset(number for numbers in each for number in numbers if isinstance(number, int))

    @property
    def never(self) -> frozenset[int]:
        """The tokens that stand for a picture or a video, which an answer has no place for."""
        config = self.preparing.config
        found = (image_token_id(config), getattr(config, "video_token_id", None))
        return frozenset(one for one in found if isinstance(one, int))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Have the model alone: some keep marks of a run in attributes, which threads share."""
        while not self._lock.acquire(timeout=_WAIT):
            checkpoint()
        try:
            yield
        finally:
            self._lock.release()


@dataclass(frozen=True, eq=False)
class _Opened:
    """`ours` is False for a model of the caller's, of which nothing is switched."""

    preparing: Preparing
    ours: bool = True

    def __call__(self, loaded: Loaded) -> PicturedReader:
        text = texts.Opened(self.preparing.cutter)(loaded)
        decoder = text.body.get_decoder()
        if not isinstance(decoder, nn.Module) or decoder is text.body or not _path(text.body, decoder):
            raise self.preparing.misplaced()
        if self.ours:
            _fuse(text.body, decoder)
        reader = PicturedReader(text, decoder, self.preparing, 0)
        checkpoint()
        inputs = self._sample(reader)
        with MultiplyAdds() as counted, refused(self.preparing.misplaced()):
            reader.decoder_given(inputs)
        patches = int((inputs["input_ids"] == image_token_id(self.preparing.config)).sum())
        reader = replace(reader, of_patch=counted.total // max(1, patches))
        layers = reader.layers_of(inputs)
        require_finite(loaded, layers)
        if len(layers) != text.layers:
            raise self.preparing.misplaced()
        return reader

    def _sample(self, reader: PicturedReader) -> dict[str, Tensor]:
        """Return the inputs of a short text with a picture."""
        pixels = torch.arange(3 * _SAMPLE**2).remainder(251).reshape(_SAMPLE, _SAMPLE, 3).to(torch.uint8)
        given = Given("a the 1 2", pictures=(Picture("", pixels),))
        return known(reader.text.body, self.preparing.prepare(given, reader.most_tokens, reader._aimed).inputs)


def reads(config: Any, files: ModelFiles) -> bool:
    """Return True for a model that reads a text with pictures, and has settings to prepare them."""
    return reads_both(config) and processor_kind(config) is not None and has_settings(files)


def opened(root: Path, found: Sized) -> _Opened:
    """Read the tokenizer and the processor's settings.

    Raises `InvalidInput`: `model_tokenizer`, `model_processor`, `model_code`, and as `ModelFiles` does.
    """
    return _Opened(preparing(ModelFiles(root, found.name), config_of(found), made_tokenizer(root, found)))


def of_processor(name: str, processor: Any, config: Any) -> _Opened:
    """Open with a processor of transformers. Raises `InvalidInput` (`model_processor`)."""
    return _Opened(preparing_with(name, processor, config), ours=False)


def _fuse(body: nn.Module, decoder: nn.Module) -> None:
    """Switch what comes before the decoder to fused attention: nobody looks at its weights, which need much memory."""
    shown = set(decoder.modules())
    others: list[Any] = [one for one in body.modules() if one is not body and one not in shown]
    for one in others:
        if hasattr(one, "set_attn_implementation"):
            try:
                one.set_attn_implementation("sdpa")
            except (ValueError, ImportError):
                continue  # it stays eager


def _path(body: nn.Module, decoder: nn.Module) -> str:
    return next((name for name, module in body.named_modules() if module is decoder), "")


def _key(given: Given, most: int) -> str:
    found = sha256(f"{most} {given.text}".encode())
    for picture in given.pictures:
        found.update(repr(tuple(picture.pixels.shape)).encode())
        found.update(picture.pixels.contiguous().numpy().tobytes())
    return found.hexdigest()
