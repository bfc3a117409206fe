"""The scores of a model over documents: how often it is right, and what each of its heads does."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from attention_core.cancellation import checkpoint
from attention_core.language.measures import MEASURES, scores
from attention_core.language.model import LanguageModel
from attention_core.language.texts import PLACES, Document
from attention_core.language.words import IDS

__all__ = ["STATED", "Evaluation", "evaluate"]

STATED: Final[Mapping[str, float]] = MappingProxyType(
    {
        **dict.fromkeys(PLACES, 0.95),
        "previous_token_head": 0.75,
        "induction_head": 0.85,
        "agreement_head": 0.9,
        "bracket_head": 0.75,
        "sink_head": 0.25,
    }
)
"""The least scores of a model that may ship: of its answers, then of its best heads. The seeds 0 to 4 reach them.

No seed has a head for earlier mentions of the same token, so none is stated.
"""


@dataclass(frozen=True)
class Evaluation:
    """Scores over documents.

    accuracy  of each kind of place the share of right answers; NaN without such a place
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
        logits = found.logits.tolist()
        for kind in PLACES:
            for place in document.known(kind):
                row = logits[place.query]
                answer = max(document.choices(place), key=lambda word, row=row: row[IDS[word]])
                right[kind].append(answer == document.words[place.query + 1])
    accuracy = {kind: sum(answers) / len(answers) if answers else math.nan for kind, answers in right.items()}
    heads = {name: tuple(tuple(row) for row in scores(name, read).tolist()) for name in MEASURES}
    return Evaluation(accuracy, heads)
