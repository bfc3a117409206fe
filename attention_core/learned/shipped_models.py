"""The small language model that ships and its one-layer twin, as `LearnedModel`s."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from attention_core.language import BEGINNING, SHOWN, WORDS, Document, Evaluation, Reading, read, shipped
from attention_core.language.model import D_MODEL, HEADS
from attention_core.learned.run import LearnedModel, ModelRun

__all__ = ["SHIPPED", "shipped_model"]

SHIPPED: Final[Mapping[str, int]] = MappingProxyType({"headlight": 2, "headlight-one-layer": 1})
"""The names of the shipped models, with their layers."""

_MARKS: Final = frozenset(number for number, word in enumerate(WORDS) if not word[0].isalnum() and word[0] != "<")


@dataclass(frozen=True)
class _Shipped:
    name: str
    layers: int
    most_tokens: int = SHOWN
    delimiters: frozenset[int] = _MARKS | {WORDS.index(BEGINNING)}
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def positional(self) -> frozenset[int]:
        return frozenset(range(1, self.layers))  # every layer below the last

    @property
    def parameters(self) -> int:
        return sum(tensor.numel() for tensor in shipped(self.layers).model.parameters.values())

    def multiply_adds(self, n: int) -> int:
        matrices = self.parameters - len(WORDS) * D_MODEL  # of E rows are looked up
        return n * matrices + 2 * self.layers * n**2 * D_MODEL

    @property
    def h(self) -> int:
        return HEADS

    @property
    def d_k(self) -> int:
        return D_MODEL // HEADS

    def run(self, text: str, most: int | None = None) -> ModelRun:
        reading = read(text)
        kept = self.most_tokens if most is None else min(most, self.most_tokens)
        tokens, ids = reading.tokens[:kept], reading.ids[:kept]
        found = shipped(self.layers).model(Reading(tokens, ids, reading.cut))
        return ModelRun(tokens, ids, found.layers, reading.cut or len(reading.ids) > kept)

    @property
    def evaluation(self) -> Evaluation:
        return shipped(self.layers).evaluation

    def document(self, document: Document) -> ModelRun:
        found = shipped(self.layers).model(document.ids)
        return ModelRun(document.words, document.ids, found.layers, cut=False)


def shipped_model(name: str) -> LearnedModel:
    """Return the model of this name in `SHIPPED`; raises `KeyError` for another."""
    return _Shipped(name, SHIPPED[name])
