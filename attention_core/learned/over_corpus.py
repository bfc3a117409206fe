"""What the heads of a trained model do over the shipped corpus, and the labels that they get for it.

A label is measured here and not over the text at hand: on one narrow text a head may do what it rarely does elsewhere.
"""

import json
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.cancellation import checkpoint
from attention_core.inputs.random_streams import stream
from attention_core.language import Document, corpus
from attention_core.language.measures import chance, counted
from attention_core.language.texts import KINDS
from attention_core.language.words import NUMBERED
from attention_core.learned.given import Given, Picture, Sound
from attention_core.learned.head_totals import Totals, totals
from attention_core.learned.mean_outputs import MeanOutputs
from attention_core.learned.measures import HEAD_MEASURES
from attention_core.learned.patch_measures import PATCH_CHANCES, patch_totals
from attention_core.learned.run import DocumentModel, LearnedModel, ModelRun, TokenModel

__all__ = [
    "CHANCES",
    "LABELS",
    "CorpusMeasures",
    "CorpusSums",
    "Label",
    "Score",
    "corpus_measures",
    "corpus_texts",
    "labels",
    "measured_documents",
    "measures_over",
    "picture_measures",
    "score_of",
    "sound_measures",
    "text_of",
    "token_lists",
]

LABELS: Final = (
    *("previous_token", "own_token", "next_token", "induction", "agreement", "bracket", "same_token"),
    *("delimiter", "local", "sink", "class_token", "neighbours"),
)
"""The measures that can label a head."""

_IMPLIED: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "local": frozenset({"previous_token", "next_token"}),
        "agreement": frozenset({"previous_token"}),
    }
)
"""Measures that a head has with another label anyhow: the token before is near, and near a verb its subject may be."""

_EACH: Final = 8
"""Documents of each kind that a model reads as texts."""

_LIST: Final = 62
"""Tokens of a list of random tokens that is said again and again."""

_AROUND: Final = 4
"""Tokens that may stand around every text."""

_PERIODS: Final = (8, 31)
"""The fewest and the most of them in a round: two rounds at least, and no head can go by the distance alone."""

CHANCES: Final = tuple(name for name, measure in HEAD_MEASURES.items() if measure.chance)

_TABLES: Final = ("means", "annotated", "chance", "rows")

_KEPT: Final = Path(__file__).parent / "shipped.json"
"""The measures of the models that ship, which their files and the corpus determine."""


@dataclass(frozen=True, eq=False)
class CorpusMeasures:
    """Means over the counted rows of the corpus.

    documents  how many were read
    means      under the names of `HEAD_MEASURES`: over all documents, for induction over lists of random tokens said
               again and again, from the second round on
    annotated  further scores of a model that reads the corpus in its own words: `agreement` and `bracket`, as
               `attention_core.language` defines them
    chance     what a head has that reads all keys alike, of the measures that have a chance, `annotated` included
    outputs    for each layer the mean output of each head over all positions, before W_O; None for a layer that hands
               no values over, and empty for a model that has read nothing
    rows       how many rows each score is a mean of, `annotated` included; that of the entropy is all rows
    """

    documents: int
    means: Mapping[str, Float[Tensor, "layers h"]]
    annotated: Mapping[str, Float[Tensor, "layers h"]]
    chance: Mapping[str, Float[Tensor, "layers h"]]
    outputs: tuple[Float[Tensor, "_ _"] | None, ...] = ()
    rows: Mapping[str, Float[Tensor, "layers h"]] = field(default_factory=dict)

    @cached_property
    def scores(self) -> dict[str, Float[Tensor, "layers h"]]:
        """`means` and `annotated` together."""
        return {**self.means, **self.annotated}

    def score(self, measure: str, layer: int, head: int) -> "Score":
        """Return a measure of one head, layer and head from 1, with the rows behind it."""
        return score_of(self.scores, self.rows, self.chance, measure, (layer - 1, head - 1))

    @cached_property
    def labels(self) -> "tuple[tuple[tuple[Label, ...], ...], ...]":
        """All labels of every head of every layer, as `labels` says."""
        layers, h = self.scores["entropy"].shape
        some = torch.zeros(layers, h, dtype=torch.bool)
        for name in LABELS:
            if name in self.scores and name in self.chance:
                some |= self.scores[name].double() >= (1 + self.chance[name].double()) / 2
        return tuple(
            tuple(_labels(self, layer, head) if one else () for head, one in enumerate(heads, 1))
            for layer, heads in enumerate(some.tolist(), 1)
        )


class Score(NamedTuple):
    """A measure of one head, and what it has to be read with.

    value   the mean over the rows that count, NaN without one
    chance  what a head has over the same rows that reads all its keys alike; NaN for a measure without a chance
    rows    how many rows count
    of      how many rows there are
    """

    value: float
    chance: float
    rows: int
    of: int

    @property
    def everywhere(self) -> bool:
        """True if every row counts, so that a share is one of all the head's weight."""
        return 0 < self.rows == self.of

    @property
    def is_label(self) -> bool:
        """True if it labels a head: it is at least halfway from its chance to 1."""
        return self.value >= (1 + self.chance) / 2


def score_of(
    scores: Mapping[str, Float[Tensor, "layers h"]],
    rows: Mapping[str, Float[Tensor, "layers h"]],
    chance: Mapping[str, Float[Tensor, "layers h"]],
    measure: str,
    at: tuple[int, int],
) -> Score:
    """Return a measure of one head, layer and head from 0, from those of all; what is not there is NaN, or 0 rows."""
    value, even = (float(one[measure][at]) if measure in one else math.nan for one in (scores, chance))
    counts = (int(rows[name][at]) if name in rows else 0 for name in (measure, "entropy"))
    return Score(value, even, *counts)


class Label(NamedTuple):
    """What a head does, and its score over the corpus."""

    measure: str
    score: float


def corpus_measures(
    model: LearnedModel, each: int = _EACH, progress: Callable[[int, int], object] | None = None
) -> CorpusMeasures:
    """Read the corpus with a model and return what its heads do there.

    A model in whose words the corpus is written reads all of it, once in a process. Any other reads texts, and lists of
    its own tokens; of one that reads none by their numbers nobody knows the induction. Between two documents a caller
    that left stops the work.

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
    return _of_texts(model, each, progress)


def picture_measures(
    model: LearnedModel, pictures: Sequence[Picture], progress: Callable[[int, int], object] | None = None
) -> CorpusMeasures:
    """Read pictures with a vision model, each by itself, and return what its heads do there. Arguments as above."""
    sums = CorpusSums()
    for done, picture in enumerate(pictures, start=1):
        checkpoint()
        run = model.run(Given(pictures=(picture,)))
        sums.outputs.add(run)
        sums.add(patch_totals(run), patch_totals(run, even=True))
        if progress is not None:
            progress(done, len(pictures))
    return sums.measures(len(pictures), PATCH_CHANCES)


def sound_measures(
    model: LearnedModel, sounds: Sequence[Sound], progress: Callable[[int, int], object] | None = None
) -> CorpusMeasures:
    """Hear sounds with a speech model, which writes what it takes them for, and return what its heads do there."""
    sums = CorpusSums()
    for done, sound in enumerate(sounds, start=1):
        checkpoint()
        sums.read(model.run(Given(sound=sound)), model.delimiters)
        if progress is not None:
            progress(done, len(sounds))
    return sums.measures(len(sounds), CHANCES)


class CorpusSums:
    """What is summed up while documents are read."""

    def __init__(self) -> None:
        self.outputs = MeanOutputs()
        self._totals: tuple[Totals, Totals] | None = None

    def read(self, run: ModelRun, delimiters: frozenset[int]) -> Totals:
        """Add a run: all measures but those that are taken over one kind of document. Return what was added."""
        self.outputs.add(run)
        return self._add(run, delimiters, measures_over(None))

    def read_list(self, run: ModelRun, told: Container[int], delimiters: frozenset[int]) -> None:
        """Add a run over a list that is said again and again; `told` are its positions with a next token in it."""
        self.read(run, delimiters)
        [line] = run.lines
        ids = tuple(number if place in told else -1 for place, number in enumerate(line.ids))
        self._add(replace(run, lines=(replace(line, ids=ids),)), delimiters, measures_over("repeats"))

    def _add(self, run: ModelRun, delimiters: frozenset[int], names: Container[str]) -> Totals:
        sums, even = (totals(run, delimiters, even=uniform).only(names) for uniform in (False, True))
        self.add(sums, even)
        return sums

    def add(self, sums: Totals, even: Totals) -> None:
        """Add sums, and those of heads that read all keys alike."""
        before = self._totals
        self._totals = (sums, even) if before is None else (before[0] + sums, before[1] + even)

    def measures(self, documents: int, chances: Iterable[str]) -> CorpusMeasures:
        """Return the means. Raises `ValueError` if nothing was read."""
        if self._totals is None:
            raise ValueError("a mean needs at least one document")
        sums, even = self._totals
        of_even = even.means
        chance = {name: of_even[name] for name in chances}
        return CorpusMeasures(documents, sums.means, {}, chance, self.outputs.means, sums.row_counts)


def measures_over(kind: str | None) -> frozenset[str]:
    """Return the names of the measures that are taken over one kind of document, or over all for None."""
    return frozenset(name for name, measure in HEAD_MEASURES.items() if measure.kind == kind)


def corpus_texts(each: int = _EACH) -> tuple[str, ...]:
    """Return the texts that `corpus_measures` reads with a model that has other words than the corpus.

    A model that reads tokens by their numbers has `token_lists` in the place of the repeats, which are no longer.
    """
    return tuple(map(text_of, _first(each)))


def token_lists(vocabulary: Sequence[int], count: int, length: int = _LIST) -> tuple[tuple[int, ...], ...]:
    """Return lists of random tokens, all different, each said again and again: where induction is measured.

    Nothing but what followed a random token before can tell what follows it (Olsson et al. 2022). They are the model's
    own tokens: of a word that it cuts into pieces, these may recur by chance.
    """
    found = []
    for number in range(count):
        generator = stream(0, f"lists/{number}")
        period = min(int(torch.randint(_PERIODS[0], _PERIODS[1] + 1, (), generator=generator)), length // 2)
        chosen = torch.randperm(len(vocabulary), generator=generator)[:period].tolist()
        found.append(tuple(vocabulary[chosen[place % len(chosen)]] for place in range(length)))
    return tuple(found)


def labels(found: CorpusMeasures) -> tuple[tuple[tuple[Label, ...], ...], ...]:
    """Return all labels of every head of every layer, the strongest first.

    A score labels a head if it is at least halfway from its chance over the corpus to 1. What a head has by another
    label anyhow is none: a head of the token before is not called local besides.
    """
    return found.labels


def text_of(document: Document) -> str:
    """Return a document as a text for any model: without the beginning, and `<word 7>` as 7."""
    numbers = {word: str(number) for number, word in enumerate(NUMBERED, start=1)}
    return " ".join(numbers.get(word, word) for word in document.words[1:])


def _labels(found: CorpusMeasures, layer: int, head: int) -> tuple[Label, ...]:
    """Return the labels of one head: order of equal scores is that of `LABELS`."""
    scores = {name: found.score(name, layer, head) for name in LABELS}
    passed = [name for name, score in scores.items() if score.is_label]
    own = [Label(name, scores[name].value) for name in passed if not _IMPLIED.get(name, frozenset()) & {*passed}]
    return tuple(sorted(own, key=lambda label: -label.score))


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
    tables = {
        table: {name: torch.tensor(rows, dtype=torch.float64) for name, rows in kept[table].items()}
        for table in _TABLES
    }
    outputs = tuple(torch.tensor(rows, dtype=torch.float64) for rows in kept["outputs"])
    return CorpusMeasures(kept["documents"], outputs=outputs, **tables)


def measured_documents(model: DocumentModel) -> CorpusMeasures:
    """Read the corpus with a model in whose words it is written; it takes seconds, so what ships is kept in a file.

    Where the documents say which rows count, the scores are those of the model's evaluation.
    """
    chosen, sums = corpus(), CorpusSums()
    for document in chosen:
        checkpoint()
        sums.read(model.document(document), model.delimiters)
    found, every = sums.measures(len(chosen), CHANCES), measures_over(None)
    heads = {name: rows for name, rows in model.evaluation.heads.items() if name not in every}
    stated = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in heads.items()}
    return replace(
        found,
        means={name: stated.get(name, rows) for name, rows in found.means.items()},
        annotated={name: rows for name, rows in stated.items() if name not in HEAD_MEASURES},
        chance={**found.chance, **{name: torch.full_like(rows, chance(name, chosen)) for name, rows in stated.items()}},
        rows={**found.rows, **{name: torch.full_like(rows, counted(name, chosen)) for name, rows in stated.items()}},
    )


def written(models: Iterable[DocumentModel]) -> str:
    """Return the file of the measures that are kept."""
    found = {model.name: measured_documents(model) for model in models}
    kept = {
        name: {
            "documents": each.documents,
            **{table: {measure: rows.tolist() for measure, rows in getattr(each, table).items()} for table in _TABLES},
            "outputs": [[] if one is None else one.tolist() for one in each.outputs],
        }
        for name, each in found.items()
    }
    return json.dumps(kept) + "\n"


def _of_texts(model: LearnedModel, each: int, progress: Callable[[int, int], object] | None) -> CorpusMeasures:
    """Return what heads do over texts, and over lists of the model's own tokens if it reads these."""
    chosen, sums = _first(each), CorpusSums()
    vocabulary = model.vocabulary if isinstance(model, TokenModel) else ()
    length = min(_LIST, model.most_tokens - _AROUND)
    lists = iter(token_lists(vocabulary, each, length) if len(vocabulary) > 1 and length > _AROUND else ())
    for done, document in enumerate(chosen, start=1):
        checkpoint()
        ids = next(lists, None) if document.kind == "repeats" else None
        if ids is None or not isinstance(model, TokenModel):
            sums.read(model.run(text_of(document)), model.delimiters)
        else:
            run = model.run_tokens(ids)
            first = run.ids.index(ids[0])
            sums.read_list(run, range(first, first + len(ids) - 1), model.delimiters)
        if progress is not None:
            progress(done, len(chosen))
    return sums.measures(len(chosen), CHANCES)
