"""What the heads of a trained model do over the shipped corpus, and the labels that they get for it.

A label is measured here and not over the text at hand: on one narrow text a head may do what it rarely does elsewhere.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.language import STATED, Document, corpus
from attention_core.language.measures import chance
from attention_core.language.texts import KINDS
from attention_core.language.words import NUMBERED
from attention_core.learned.given import Given, Picture, Sound
from attention_core.learned.head_totals import Totals, totals
from attention_core.learned.mean_outputs import MeanOutputs
from attention_core.learned.measures import HEAD_MEASURES
from attention_core.learned.patch_measures import PATCH_CHANCES, patch_totals
from attention_core.learned.run import DocumentModel, LearnedModel, ModelRun

__all__ = [
    "LABELS",
    "CorpusMeasures",
    "Label",
    "corpus_measures",
    "corpus_texts",
    "labels",
    "measured_documents",
    "picture_measures",
    "sound_measures",
    "text_of",
]

LABELS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "previous_token": 0.5,
        "induction": 0.5,
        "agreement": STATED["agreement_head"],
        "bracket": STATED["bracket_head"],
        "same_token": 0.5,
        "delimiter": 0.5,
        "local": 0.5,
        "sink": 0.5,
        "class_token": 0.5,
        "neighbours": 0.5,
    }
)
"""The measures that can label a head, and the least score over the corpus for it.

Agreement and brackets are read near the query, where a head of the token before reads, too: that alone gives up to .63.
Their labels ask what a model that ships must reach.
"""

_IMPLIED: Final[Mapping[str, str]] = MappingProxyType({"local": "previous_token"})
"""Measures that a head has with another one anyhow: the token before is near."""

_MOST_LABELS: Final = 2

_EACH: Final = 8
"""Documents of each kind that a model reads as texts."""

_KEPT: Final = Path(__file__).parent / "shipped.json"
"""The measures of the models that ship, which their files and the corpus determine."""


@dataclass(frozen=True, eq=False)
class CorpusMeasures:
    """Means over the counted rows of the corpus.

    documents  how many were read
    means      under the names of `HEAD_MEASURES`: over all documents, for some measures over those of one kind
    annotated  further scores of a model that reads the corpus in its own words: `agreement` and `bracket`, as
               `attention_core.language` defines them
    chance     what a head has that reads all keys alike, of the measures that have a chance, `annotated` included
    outputs    for each layer the mean output of each head over all positions, before W_O; None for a layer that hands
               no values over, and empty for a model that has read nothing
    """

    documents: int
    means: Mapping[str, Float[Tensor, "layers h"]]
    annotated: Mapping[str, Float[Tensor, "layers h"]]
    chance: Mapping[str, Float[Tensor, "layers h"]]
    outputs: tuple[Float[Tensor, "_ _"] | None, ...] = ()

    @property
    def scores(self) -> dict[str, Float[Tensor, "layers h"]]:
        """`means` and `annotated` together."""
        return {**self.means, **self.annotated}


class Label(NamedTuple):
    """What a head does, and its score over the corpus."""

    measure: str
    score: float


def corpus_measures(
    model: LearnedModel, each: int = _EACH, progress: Callable[[int, int], object] | None = None
) -> CorpusMeasures:
    """Read the corpus with a model and return what its heads do there.

    A model in whose words the corpus is written reads all of it, once in a process. Any other reads texts. Between two
    documents a caller that left stops the work.

    Parameters
    ----------
    model
        The model.
    each
        Documents of each kind that a model reads as texts, the first ones.
    progress
        Is told how many documents of how many are read.
    """
    if isinstance(model, DocumentModel):
        found = _of_documents(model)
        if progress is not None:
            progress(found.documents, found.documents)
        return found
    return _measured(model, _first(each), lambda document: model.run(text_of(document)), progress)


def picture_measures(
    model: LearnedModel, pictures: Sequence[Picture], progress: Callable[[int, int], object] | None = None
) -> CorpusMeasures:
    """Read pictures with a vision model, each by itself, and return what its heads do there. Arguments as above."""
    sums: Totals | None = None
    even: Totals | None = None
    outputs = MeanOutputs()
    for done, picture in enumerate(pictures, start=1):
        checkpoint()
        run = model.run(Given(pictures=(picture,)))
        outputs.add(run)
        one, alike = patch_totals(run), patch_totals(run, even=True)
        sums, even = (one, alike) if sums is None or even is None else (sums + one, even + alike)
        if progress is not None:
            progress(done, len(pictures))
    if sums is None or even is None:
        raise ValueError("a mean needs at least one picture")
    chances = {name: even.means[name] for name in PATCH_CHANCES}
    return CorpusMeasures(len(pictures), sums.means, {}, chances, outputs.means)


def sound_measures(
    model: LearnedModel, sounds: Sequence[Sound], progress: Callable[[int, int], object] | None = None
) -> CorpusMeasures:
    """Hear sounds with a speech model, which writes what it takes them for, and return what its heads do there."""
    sums: Totals | None = None
    even: Totals | None = None
    outputs = MeanOutputs()
    for done, sound in enumerate(sounds, start=1):
        checkpoint()
        run = model.run(Given(sound=sound))
        outputs.add(run)
        one, alike = (totals(run, model.delimiters, even=uniform) for uniform in (False, True))
        sums, even = (one, alike) if sums is None or even is None else (sums + one, even + alike)
        if progress is not None:
            progress(done, len(sounds))
    if sums is None or even is None:
        raise ValueError("a mean needs at least one sound")
    chances = {name: rows for name, rows in even.means.items() if HEAD_MEASURES[name].chance}
    return CorpusMeasures(len(sounds), sums.means, {}, chances, outputs.means)


def corpus_texts(each: int = _EACH) -> tuple[str, ...]:
    """Return the texts that `corpus_measures` reads with a model that has other words than the corpus."""
    return tuple(map(text_of, _first(each)))


def labels(found: CorpusMeasures) -> tuple[tuple[tuple[Label, ...], ...], ...]:
    """Return the labels of every head of every layer, at most two, the stronger first.

    A head of the previous token is not called local besides, which it is by that alone.
    """
    scores = found.scores
    layers, h = scores["entropy"].shape
    asked = {name: scores[name].tolist() for name in LABELS if name in scores}
    return tuple(
        tuple(_labels({name: rows[layer][head] for name, rows in asked.items()}) for head in range(h))
        for layer in range(layers)
    )


def text_of(document: Document) -> str:
    """Return a document as a text for any model: without the beginning, and `<word 7>` as 7."""
    numbers = {word: str(number) for number, word in enumerate(NUMBERED, start=1)}
    return " ".join(numbers.get(word, word) for word in document.words[1:])


def _labels(scores: Mapping[str, float]) -> tuple[Label, ...]:
    """Return the labels of one head: order of equal scores is that of `LABELS`."""
    passed = {name: score for name, score in scores.items() if score >= LABELS[name]}
    own = [Label(name, score) for name, score in passed.items() if _IMPLIED.get(name) not in passed]
    return tuple(sorted(own, key=lambda label: -label.score)[:_MOST_LABELS])


def _first(each: int) -> list[Document]:
    return [document for kind in KINDS for document in islice(_of_kind(kind), each)]


def _of_kind(kind: str) -> Iterator[Document]:
    return (document for document in corpus() if document.kind == kind)


@cache
def _of_documents(model: DocumentModel) -> CorpusMeasures:
    """Return what is kept of a model that ships, or read its corpus."""
    kept = json.loads(_KEPT.read_text(encoding="utf-8")).get(model.name)
    if kept is None:
        return measured_documents(model)
    tables = (
        {name: torch.tensor(rows, dtype=torch.float64) for name, rows in kept[table].items()}
        for table in ("means", "annotated", "chance")
    )
    outputs = tuple(torch.tensor(rows, dtype=torch.float64) for rows in kept["outputs"])
    return CorpusMeasures(kept["documents"], *tables, outputs=outputs)


def measured_documents(model: DocumentModel) -> CorpusMeasures:
    """Read the corpus with a model in whose words it is written; it takes seconds, so what ships is kept in a file."""
    chosen = corpus()
    found = _measured(model, chosen, model.document, None)
    heads = {name: rows for name, rows in model.evaluation.heads.items() if name not in HEAD_MEASURES}
    annotated = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in heads.items()}
    even = {name: torch.full_like(rows, chance(name, chosen)) for name, rows in annotated.items()}
    return CorpusMeasures(found.documents, found.means, annotated, {**found.chance, **even}, found.outputs)


def written(models: Iterable[DocumentModel]) -> str:
    """Return the file of the measures that are kept."""
    found = {model.name: measured_documents(model) for model in models}
    kept = {
        name: {
            "documents": each.documents,
            **{
                table: {measure: rows.tolist() for measure, rows in getattr(each, table).items()}
                for table in ("means", "annotated", "chance")
            },
            "outputs": [[] if one is None else one.tolist() for one in each.outputs],
        }
        for name, each in found.items()
    }
    return json.dumps(kept) + "\n"


def _measured(
    model: LearnedModel,
    documents: Sequence[Document],
    read: Callable[[Document], ModelRun],
    progress: Callable[[int, int], object] | None,
) -> CorpusMeasures:
    sums: Totals | None = None
    even: Totals | None = None
    outputs = MeanOutputs()
    for done, document in enumerate(documents, start=1):
        checkpoint()
        run = read(document)
        outputs.add(run)
        counting = {name for name, measure in HEAD_MEASURES.items() if measure.kind in (None, document.kind)}
        one, alike = (totals(run, model.delimiters, even=uniform).only(counting) for uniform in (False, True))
        sums, even = (one, alike) if sums is None or even is None else (sums + one, even + alike)
        if progress is not None:
            progress(done, len(documents))
    if sums is None or even is None:
        raise ValueError("a mean needs at least one document")
    chances = {name: rows for name, rows in even.means.items() if HEAD_MEASURES[name].chance}
    return CorpusMeasures(len(documents), sums.means, {}, chances, outputs.means)
