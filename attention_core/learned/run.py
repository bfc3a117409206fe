"""One text read by a trained model, under the same names whatever the model is."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.language import Document, Evaluation

__all__ = ["DocumentModel", "LearnedLayer", "LearnedModel", "ModelRun"]


@runtime_checkable
class LearnedLayer(Protocol):
    """One call of attention, as `CapturedLayer` describes it: scores = cap(Q Kᵀ · scale) + bias + mask."""

    @property
    def name(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def Q(self) -> Float[Tensor, "h n_q d_k"] | None: ...
    @property
    def K(self) -> Float[Tensor, "h_k n_k d_k"] | None: ...
    @property
    def V(self) -> Float[Tensor, "h_k n_k d_v"] | None: ...
    @property
    def scale(self) -> float | None: ...
    @property
    def softcap(self) -> float | None: ...
    @property
    def scores(self) -> Float[Tensor, "h n_q n_k"]: ...
    @property
    def weights(self) -> Float[Tensor, "h n_q n_k"]: ...
    @property
    def sink(self) -> Float[Tensor, "h n_q"] | None: ...
    @property
    def sink_score(self) -> Float[Tensor, "h n_q"] | None: ...
    @property
    def allowed(self) -> Bool[Tensor, "h n_q n_k"]: ...


@dataclass(frozen=True, eq=False)
class ModelRun:
    """What a model made of one text.

    tokens  as the text has them, sub-words with their blanks, what the model puts before the text included
    ids     their numbers in the model's vocabulary
    layers  every layer's attention, in order
    cut     True if the text goes on after the last token
    """

    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    layers: tuple[LearnedLayer, ...]
    cut: bool


@runtime_checkable
class LearnedModel(Protocol):
    """A trained model that reads texts.

    name         in links
    layers       calls of attention in a run
    h            heads of a layer, the most of all
    d_k          width of one head's queries and keys, the most of all
    most_tokens  of a text
    delimiters   ids of tokens that part a text: marks, line ends, what stands before and after it
    pairs        components of q and k that turn together with the position (rotary); empty without
    positional   layers, from 1, whose queries and keys hold the position alone, whatever the text is
    parameters   numbers of the model
    """

    @property
    def name(self) -> str: ...
    @property
    def layers(self) -> int: ...
    @property
    def h(self) -> int: ...
    @property
    def d_k(self) -> int: ...
    @property
    def most_tokens(self) -> int: ...
    @property
    def delimiters(self) -> frozenset[int]: ...
    @property
    def pairs(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def positional(self) -> frozenset[int]: ...
    @property
    def parameters(self) -> int: ...

    def multiply_adds(self, n: int) -> int:
        """Return those of the matrix products of a run over `n` tokens, attention's included."""
        ...

    def run(self, text: str, most: int | None = None) -> ModelRun:
        """Read a text, at most `most` tokens of it. Raises `InvalidInput` as `read` of `attention_core.language`."""
        ...


@runtime_checkable
class DocumentModel(LearnedModel, Protocol):
    """A model in whose own words the corpus is written.

    evaluation  its scores over the whole corpus, whose documents say where agreement and brackets are
    """

    @property
    def evaluation(self) -> Evaluation: ...

    def document(self, document: Document) -> ModelRun:
        """Read a document of the corpus, word by word."""
        ...
