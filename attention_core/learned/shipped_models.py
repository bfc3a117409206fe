"""The small language model that ships and its one-layer twin, as `LearnedModel`s."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.changes import Change, PatchEach
from attention_core.language import BEGINNING, SHOWN, WORDS, Document, Evaluation, Reading, read, shipped
from attention_core.language.model import D_MODEL, HEADS
from attention_core.learned.copying import HeadWriter
from attention_core.learned.given import Given, text_of
from attention_core.learned.run import LearnedModel, ModelRun
from attention_core.learned.says import Said, Says
from attention_core.text import beginning
from attention_core.validation import whole_number

__all__ = ["SHIPPED", "shipped_model"]

SHIPPED: Final[Mapping[str, int]] = MappingProxyType({"headlight": 2, "headlight-one-layer": 1})
"""The names of the shipped models, with their layers."""

_MARKS: Final = frozenset(number for number, word in enumerate(WORDS) if not word[0].isalnum() and word[0] != "<")


@dataclass(frozen=True)
class _Shipped:
    name: str
    layers: int
    takes: frozenset[str] = frozenset({"text"})
    most_tokens: int = SHOWN
    delimiters: frozenset[int] = _MARKS | {WORDS.index(BEGINNING)}
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def positional(self) -> frozenset[int]:
        return frozenset(range(1, self.layers))  # every layer below the last

    @property
    def parameters(self) -> int:
        return sum(tensor.numel() for tensor in shipped(self.layers).model.parameters.values())

    def positions(self, given: Given) -> int:
        """Return the words of the text, and the one that begins every text."""
        return 1 + len(beginning(given.text, "words", self.most_tokens))

    def multiply_adds(self, n: int) -> int:
        matrices = self.parameters - len(WORDS) * D_MODEL  # of E rows are looked up
        return n * matrices + 2 * self.layers * n**2 * D_MODEL

    @property
    def h(self) -> int:
        return HEADS

    @property
    def d_k(self) -> int:
        return D_MODEL // HEADS

    def run(self, given: str | Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        reading = read(text_of(given))
        kept = self.most_tokens if most is None else min(most, self.most_tokens)
        tokens, ids = reading.tokens[:kept], reading.ids[:kept]
        found = shipped(self.layers).model(Reading(tokens, ids, reading.cut), changes)
        return ModelRun.of_text(tokens, ids, found.layers, reading.cut or len(reading.ids) > kept)

    @property
    def outcomes(self) -> int:
        return len(WORDS)

    def says_multiply_adds(self, n: int) -> int:
        return self.multiply_adds(n)

    def says(
        self, given: str | Given, most: int | None = None, changes: Sequence[Change] = (), at: int | None = None
    ) -> Says:
        """Return the words after each, as `SayingModel.says` does."""
        reading = read(text_of(given))
        ids = reading.ids[: self.most_tokens if most is None else min(most, self.most_tokens)]
        logits = shipped(self.layers).model(ids, changes).logits
        return Said.of_logits("next", logits, WORDS.__getitem__, range(len(ids)), (*ids[1:], -1))

    def writer(self, layer: int) -> HeadWriter:
        """Return how a layer writes, as `WritingModel.writer` does: the last norm centres and has no gains."""
        U = shipped(self.layers).model.parameters["U"]

        def logits(states: Float[Tensor, "rows d_model"]) -> Float[Tensor, "rows words"]:
            return (states - states.mean(-1, keepdim=True)) @ U

        return HeadWriter(self.projection(layer), logits, WORDS.__getitem__)

    def projection(self, layer: int) -> Float[Tensor, "h d_v d_model"]:
        """Return W_O of each head of a layer, as `ProjectingModel.projection` does."""
        number = whole_number("layer", layer, 1, self.layers)
        return shipped(self.layers).model.parameters[f"W_O/{number}"].unflatten(0, (HEADS, -1))

    def says_without_each(
        self,
        heads: Sequence[tuple[int, int]],
        given: str | Given,
        most: int | None = None,
        changes: Sequence[Change] = (),
        at: int | None = None,
    ) -> tuple[Says, ...]:
        """Return the words after each without each head, in one batch, as `SayingModel.says_without_each` does."""
        reading = read(text_of(given))
        ids = reading.ids[: self.most_tokens if most is None else min(most, self.most_tokens)]
        logits = shipped(self.layers).model.each_muted(torch.tensor(ids), heads, changes)
        return tuple(Said.of_logits("next", one, WORDS.__getitem__, range(len(ids)), (*ids[1:], -1)) for one in logits)

    def says_patched(
        self,
        each: PatchEach,
        given: str | Given,
        other: str | Given,
        most: int | None = None,
        changes: Sequence[Change] = (),
    ) -> tuple[Says, ...]:
        """Return the words after each with each patch from another text, as `PatchingModel.says_patched` does."""
        kept = self.most_tokens if most is None else min(most, self.most_tokens)
        ids, donor = (read(text_of(one)).ids[:kept] for one in (given, other))
        logits = shipped(self.layers).model.each_patched(torch.tensor(ids), torch.tensor(donor), each, changes)
        return tuple(Said.of_logits("next", one, WORDS.__getitem__, range(len(ids)), (*ids[1:], -1)) for one in logits)

    @property
    def evaluation(self) -> Evaluation:
        return shipped(self.layers).evaluation

    def document(self, document: Document) -> ModelRun:
        found = shipped(self.layers).model(document.ids)
        return ModelRun.of_text(document.words, document.ids, found.layers, cut=False)


@cache
def shipped_model(name: str) -> LearnedModel:
    """Return the model of this name in `SHIPPED`; raises `KeyError` for another."""
    return _Shipped(name, SHIPPED[name])
