"""What a trained model makes of what it reads, under the same names whatever the model is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.changes import Change
from attention_core.language import Document, Evaluation
from attention_core.learned.given import Given
from attention_core.learned.positions import Line

__all__ = ["DocumentModel", "LearnedLayer", "LearnedModel", "LongModel", "ModelRun", "TokenModel"]


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
    def unnormalised(self) -> frozenset[int]: ...
    @property
    def allowed(self) -> Bool[Tensor, "h n_q n_k"]: ...


@dataclass(frozen=True, eq=False)
class ModelRun:
    """What a model made of what it read.

    lines    the sequences of positions that its layers attend from and to: one of a text, two of a translation
    layers   every layer's attention, in order
    between  for each layer the numbers of the lines of its queries and of its keys
    windows  for each layer that attends in windows, each by itself, the position in its line of each place of each
             window, −1 for filling; its tensors have the windows as their first axis. None for any other layer
    """

    lines: tuple[Line, ...]
    layers: tuple[LearnedLayer, ...]
    between: tuple[tuple[int, int], ...]
    windows: tuple[Int[Tensor, "_ _"] | None, ...] = ()

    def __post_init__(self) -> None:
        if len(self.between) != len(self.layers):
            raise ValueError("each layer has a line of queries and one of keys")
        object.__setattr__(self, "windows", self.windows or (None,) * len(self.layers))

    @classmethod
    def of_text(
        cls, tokens: tuple[str, ...], ids: tuple[int, ...], layers: tuple[LearnedLayer, ...], cut: bool
    ) -> "ModelRun":
        """Return the run of a model whose layers all attend from a text to the same text."""
        return cls((Line("text", tokens, ids, cut=cut),), layers, ((0, 0),) * len(layers))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the first line."""
        return self.lines[0].tokens

    @property
    def ids(self) -> tuple[int, ...]:
        """Their numbers in the model's vocabulary."""
        return self.lines[0].ids

    @property
    def cut(self) -> bool:
        """True if a text goes on after its last token."""
        return any(line.cut for line in self.lines)

    @property
    def text_cut(self) -> bool:
        """True if the text that is read first goes on after its last token; a written target may go on as well."""
        return self.lines[0].cut and self.lines[0].is_text

    @property
    def parts(self) -> tuple[tuple[str, int, int], ...]:
        """Encoder, decoder and cross-attention of a run with two lines: name, first layer from 1, and how many.

        Empty for a run whose layers all attend from a line to itself, or from the last tokens of one to all of it.
        """
        if not any(map(self.crosses, range(1, 1 + len(self.layers)))):
            return ()
        found: list[tuple[str, int, int]] = []
        for number, ends in enumerate(self.between, 1):
            name = "cross" if self.crosses(number) else "decoder" if ends[0] else "encoder"
            if found and found[-1][0] == name:
                found[-1] = (name, found[-1][1], found[-1][2] + 1)
            else:
                found.append((name, number, 1))
        return tuple(found)

    def crosses(self, layer: int) -> bool:
        """Return True if a layer, from 1, attends to another sequence. A step with a cache reads its own."""
        queries, keys = self.between[layer - 1]
        return queries != keys and self.layers[layer - 1].kind == "cross"

    def part(self, layer: int) -> tuple[str, int] | None:
        """Return the part of a layer and its number there, from 1; None for a run without parts."""
        return next(
            ((name, layer - first + 1) for name, first, count in self.parts if first <= layer < first + count), None
        )

    def queries(self, layer: int) -> Line:
        """Return the line that a layer, from 1, attends from."""
        return self.lines[self.between[layer - 1][0]]

    def keys(self, layer: int) -> Line:
        """Return the line that a layer, from 1, attends to."""
        return self.lines[self.between[layer - 1][1]]


@runtime_checkable
class ModelFacts(Protocol):
    """What is known of a trained model before it reads.

    takes        what it reads, of `INPUTS`
    layers       calls of attention in a run
    h            heads of a layer, the most of all
    d_k          width of one head's queries and keys, the most of all; 0 if no layer gives queries
    most_tokens  of a text
    delimiters   ids of tokens that part a text: marks, line ends, what stands before and after it
    pairs        components of q and k that turn together with the position (rotary), of the first layer in which some
                 do; empty without
    positional   layers, from 1, whose queries and keys hold the position alone, whatever the text is
    """

    @property
    def takes(self) -> frozenset[str]: ...
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

    def positions(self, given: Given) -> int:
        """Return how many positions a run reads, or a few more, without running the model."""
        ...

    def multiply_adds(self, n: int) -> int:
        """Return those of the matrix products of a run over `n` positions, attention's included."""
        ...


@runtime_checkable
class LearnedModel(ModelFacts, Protocol):
    """A trained model: its name in links, the numbers that it learned, and its runs."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> int: ...

    def run(self, given: str | Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Read a text alone or what is given, at most `most` tokens of each text, with the model as changed.

        Layers of changes are those of the run, from 0. Raises `InvalidInput` as `read` of `attention_core.language`
        of a text, and as `attention_core.models.capture` of changes.
        """
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


@runtime_checkable
class TokenModel(LearnedModel, Protocol):
    """A model that also reads tokens by their numbers.

    vocabulary  ids of the tokens of which a text may consist, special ones left out; empty for a model that reads no
                text by itself
    """

    @property
    def vocabulary(self) -> Sequence[int]: ...

    def run_tokens(self, ids: Sequence[int]) -> ModelRun:
        """Read tokens of the vocabulary as `run` reads a text, between the tokens that stand around every text."""
        ...


@runtime_checkable
class LongModel(LearnedModel, Protocol):
    """A model that also reads texts of which no n × n matrix is made.

    context      tokens of the longest such text
    token_bytes  of the widest tensor that it makes of one token, attention's own apart
    square       bytes of a pair of tokens in the largest n × n tensor that it makes by itself; 0 for none
    """

    @property
    def context(self) -> int: ...
    @property
    def token_bytes(self) -> int: ...
    @property
    def square(self) -> float: ...

    def tokens(self, text: str, most: int | None = None) -> int:
        """Return how many tokens of a text are read, of at most `most`."""
        ...
