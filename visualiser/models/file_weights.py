"""A visitor's file of weights of attention, or of a head by HeadVis, as one run, held as long as requests bring it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

import torch

from attention_core import InvalidInput
from attention_core.cached import cached_property
from attention_core.changes import Change
from attention_core.learned import Given, ModelRun
from attention_core.learned.headvis import read_headvis
from attention_core.models import Capture
from visualiser.held import is_name, name_of, title
from visualiser.models.given_weights import NamedWeights, captured, given_weights
from visualiser.models.held import FILES, HeldModel, unmeasured
from visualiser.models.only_run import Named, OnlyRun, only_run
from visualiser.models.passages import passage_layer, passage_layers, passages_run
from visualiser.upload.refusals import refusal
from visualiser.upload.weights import clean_name, is_called_weights, is_headvis, read_weights
from visualiser.upload.weights_kept import (
    KeptPassages,
    KeptWeights,
    canonical_weights,
    kept_weights,
    numbers_of,
    unique_names,
)

TITLE: Final = "weights-file"


@dataclass(frozen=True, eq=False)
class FileRun:
    """The one run of a file in its canonical form: a `LearnedModel`. Its sizes are the header's; numbers come later."""

    name: str
    kept: KeptWeights
    file: bytes
    most: int
    pairs: tuple[tuple[int, int], ...] = ()
    positional: frozenset[int] = frozenset()
    parameters: int = 0
    d_k: int = 0
    takes: frozenset[str] = frozenset()

    @property
    def layers(self) -> int:
        return len(self.kept.layers)

    @property
    def h(self) -> int:
        return max(layer.shape[0] for layer in self.kept.layers)

    @property
    def most_tokens(self) -> int:
        return max(max(layer.shape[1:]) for layer in self.kept.layers)

    @property
    def delimiters(self) -> frozenset[int]:
        return self._only.delimiters

    def positions(self, given: Given) -> int:
        """Return how many the longest sequence has."""
        return self.most_tokens

    def multiply_adds(self, n: int) -> int:
        """Return none: nothing is run."""
        return 0

    def run(self, given: str | Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Return the run. Raises `InvalidInput`: `change_held` for changes, and as `read_file` does of the numbers."""
        return self._only.run(given, most, changes)

    @cached_property
    def _only(self) -> OnlyRun:
        if self.kept.passages is not None:
            return self._passages(self.kept.passages)
        layers = [
            NamedWeights(layer.name, torch.from_numpy(numbers_of(self.file, layer)), layer.kind)
            for layer in self.kept.layers
        ]
        with _of_a_file():
            return only_run(self.name, captured(layers, None), Named(self.kept.tokens or None), self.most)

    def _passages(self, passages: KeptPassages) -> OnlyRun:
        layers = []
        found = zip(self.kept.layers, passages.places, self.kept.tokens, strict=True)
        for number, (layer, (interval, id), tokens) in enumerate(found):
            weights = torch.from_numpy(numbers_of(self.file, layer))
            if not bool(weights.isfinite().all()) or bool((weights < 0).any()):
                raise refusal("weights_file_values", name=layer.name)
            layers.append(passage_layer(number, weights, passages.head, interval, id, tokens))
        return passages_run(self.name, layers)


@dataclass(frozen=True)
class ReadFile:
    """A visitor's file in its one form, the name that links have for it, and the names of layers that are left out.

    passages  how many passages a head's file of HeadVis has, those included that are too many for a page; None for
              another file
    """

    file: bytes
    name: str
    run: ModelRun
    left_out: tuple[str, ...] = ()
    passages: int | None = None


def is_file(name: str) -> bool:
    """Return True for the name of a visitor's file, whether it is here or not."""
    return is_name(name) and title(name) == TITLE


def read_file(name: str, body: bytes, most: int) -> ReadFile:
    """Return the file `name` as it is kept, of at most `most` tokens.

    Raises `InvalidInput` as `read_weights` does; `weights_file_batch` for several sequences, `weights_file_tokens` for
    other numbers of tokens, `weights_file_values`, `weights_file_shape` and `weights_file_none` for what cannot be
    weights. Of a head's file of HeadVis as `read_headvis` does, and `headvis_none` if no passage is short enough.
    """
    if is_headvis(name):
        return _read_headvis(name, body, most)
    found = read_weights(name, body, most)
    (first, one), *others = found.arrays.items()
    of_layers = one.ndim == 5 or (one.ndim == 4 and len(one) > 1)
    alone = not others and (of_layers or not is_called_weights(first))
    with _of_a_file():
        weights = given_weights(one if alone else found.arrays, None)
    if weights is None:
        raise refusal("weights_file_none", came=", ".join(map(clean_name, [*found.arrays][:6])))
    names = unique_names([clean_name(layer.name) for layer in weights.capture.layers])
    layers = [replace(layer, name=each) for each, layer in zip(names, weights.capture.layers, strict=True)]
    got = Capture(None, tuple(layers), tuple(layer.name for layer in layers))
    with _of_a_file():
        only = only_run("", got, Named(found.tokens or None), most)
    run = only.the_run
    file = canonical_weights([(layer.name, layer.kind, layer.weights.numpy()) for layer in run.layers], found.tokens)
    return ReadFile(file, name_of(TITLE, file), run, only.left_out)


def _read_headvis(name: str, body: bytes, most: int) -> ReadFile:
    head = read_headvis(body, name)
    layers = passage_layers(head, most)
    passages = KeptPassages(layers[0].head, tuple((one.interval, one.id) for one in layers))
    file = canonical_weights(
        [(one.name, one.kind, one.weights.numpy()) for one in layers], [one.tokens for one in layers], passages
    )
    return ReadFile(file, name_of(TITLE, file), passages_run("", layers).the_run, passages=len(head.sequences))


def taken_up(file: bytes, most: int) -> HeldModel | None:
    """Hold a file in its canonical form, as long as the caller keeps what is returned; None for any other file."""
    kept = kept_weights(file, most)
    if kept is None:
        return None
    name = name_of(TITLE, file)
    found = FILES.get(name)
    if found is None:
        run = FileRun(name, kept, file, most)
        found = FILES.setdefault(name, HeldModel(run, unmeasured(run), fixed=True))
    return found


@contextmanager
def _of_a_file() -> Iterator[None]:
    """Say in words of a file what a notebook is told in words of `show`."""
    try:
        yield
    except InvalidInput as problem:
        told = problem.details
        match problem.code:
            case "notebook_batch":
                raise refusal("weights_file_batch", name=told["name"], count=told["count"]) from problem
            case "notebook_tokens":
                raise refusal("weights_file_tokens", expected=told["expected"], came=told["came"]) from problem
            case "weights_numbers":
                raise refusal("weights_file_values", name=told["name"]) from problem
            case "weights_shape":
                raise refusal("weights_file_shape", name=told["name"], came=told["came"]) from problem
        raise
