"""The scores of a model over documents: how often it is right, and what each of its heads does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import torch

from attention_core.cancellation import checkpoint
from attention_core.language.measures import MEASURES, scores
from attention_core.language.model import LanguageModel
from attention_core.language.texts import PLACES, Document
from attention_core.language.words import IDS

__all__ = ["STATED", "Evaluation", "evaluate"]

STATED: Final[Mapping[str, float]] = {
    "repeat": 0.95,
    "pair": 0.95,
    "agreement": 0.95,
    "bracket": 0.95,
    "previous_token": 0.6,
    "induction": 0.8,
    "agreement_head": 0.8,
    "bracket_head": 0.8,
}
"""The least scores of a model that may ship: of its answers, then of its best head. The seeds 0 to 4 reach them."""


@dataclass(frozen=True)
class Evaluation:
    """Scores over documents.

    accuracy  of each kind of place the share of right answers
    heads     of each measure the score of every head, layers × h
    """

    accuracy: Mapping[str, float]
    heads: Mapping[str, tuple[tuple[float, ...], ...]]

    def best(self, measure: str) -> tuple[int, int, float]:
        """Return layer and head, both from 1, and the score of the head that does most of this."""
        found = [
            (score, layer, head)
            for layer, row in enumerate(self.heads[measure], start=1)
            for head, score in enumerate(row, start=1)
        ]
        score, layer, head = max(found)
        return layer, head, score

    @property
    def stated(self) -> dict[str, float]:
        """The scores under the names of `STATED`."""
        return {
            name: self.accuracy[name] if name in self.accuracy else self.best(name.removesuffix("_head"))[2]
            for name in STATED
        }

    @property
    def reached(self) -> bool:
        """True if every score is as large as `STATED` asks."""
        return all(score >= STATED[name] for name, score in self.stated.items())


def evaluate(model: LanguageModel, documents: Sequence[Document]) -> Evaluation:
    """Run the model over every document and score its answers and its heads."""
    right: dict[str, list[bool]] = {kind: [] for kind in PLACES}
    read = []
    for document in documents:
        checkpoint()
        found = model(document.ids)
        read.append((document, [layer.weights for layer in found.layers]))
        for kind in PLACES:
            for place in document.known(kind):
                choices = torch.tensor([IDS[word] for word in document.choices(place)])
                answer = int(choices[found.logits[place.query, choices].argmax()])
                right[kind].append(answer == document.ids[place.query + 1])
    accuracy = {kind: sum(answers) / len(answers) for kind, answers in right.items()}
    heads = {name: tuple(tuple(row) for row in scores(name, read).tolist()) for name in MEASURES}
    return Evaluation(accuracy, heads)
