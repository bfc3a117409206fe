"""What a reader of any kind is, what it is made from, and what it raises of a model that cannot be read."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from attention_core.changes import Change
from attention_core.errors import InvalidInput
from attention_core.learned.given import Given
from attention_core.learned.run import ModelFacts, ModelRun
from attention_core.learned.says import Says
from attention_core.models.captured import CapturedLayer
from attention_core.models.saying import Asked


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model of transformers with its numbers, in evaluation and eager; `incomplete` if some parameters are NaN."""

    name: str
    model: Any
    incomplete: bool


@runtime_checkable
class Reader(ModelFacts, Protocol):
    """How a loaded model reads one kind of input; what it tells is measured in its first runs."""

    def run(self, given: Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Read what is given, at most `most` tokens of each text.

        Raises `InvalidInput`: what the reader says of its input; `model_not_finite`; and as `capture` does.
        """
        ...

    @property
    def outcomes(self) -> int:
        """Over how many words or classes the model makes a distribution; 0 if it makes none."""
        ...

    def says(
        self, given: Given, most: int | None = None, changes: Sequence[Change] = (), at: int | None = None
    ) -> Says | None:
        """Return what the model says; None for one that lacks the layer for it."""
        ...

    def asked(self, given: Given, most: int | None = None, at: int | None = None) -> Asked | None:
        """Return the whole model with the inputs by which it says a distribution; None if these have no first axis."""
        ...


@runtime_checkable
class TokenReader(Reader, Protocol):
    """A reader of texts that also reads tokens by their numbers, as `TokenModel` says."""

    @property
    def vocabulary(self) -> tuple[int, ...]: ...

    def run_tokens(self, ids: Sequence[int]) -> ModelRun: ...


class Asking:
    """A reader of a model whose distributions are those of `asked`, whatever it reads."""

    def asked(self, given: Given, most: int | None = None, at: int | None = None) -> Asked | None:
        raise NotImplementedError

    def says(
        self, given: Given, most: int | None = None, changes: Sequence[Change] = (), at: int | None = None
    ) -> Says | None:
        """Say as `SayingModel.says` does."""
        asked = self.asked(given, most, at)
        return asked and asked.says(changes)


def widths(layers: Iterable[CapturedLayer]) -> tuple[int, int]:
    """Return the most heads of a layer, and the widest queries; 0 if no layer gives any."""
    found = [(layer.weights.shape[-3], 0 if layer.Q is None else layer.Q.shape[-1]) for layer in layers]
    return max(h for h, _ in found), max(d_k for _, d_k in found)


def require_finite(loaded: Loaded, layers: Iterable[CapturedLayer]) -> None:
    """Raise `InvalidInput`: `model_incomplete` if attention hangs on a missing tensor, or `model_not_finite`."""
    if all(map(_finite, layers)):
        return
    name = loaded.name
    if loaded.incomplete:
        raise InvalidInput(
            "model_incomplete", f"The files of the model {name} lack weights that its attention needs.", value=name
        )
    raise not_finite(name)


def not_finite(name: str) -> InvalidInput:
    """Return the error for a model whose numbers are none."""
    return InvalidInput("model_not_finite", f"The model {name} makes numbers that are not finite.", value=name)


def _finite(layer: CapturedLayer) -> bool:
    return all(bool(one.isfinite().all()) for one in (layer.Q, layer.K, layer.V, layer.weights) if one is not None)


@contextmanager
def refused(refusal: InvalidInput) -> Iterator[None]:
    """Turn what a model raises that cannot run on such an input into a sentence."""
    try:
        yield
    except InvalidInput:
        raise
    except (TypeError, ValueError, AttributeError, KeyError, IndexError, RuntimeError, NotImplementedError):
        raise refusal from None
