"""What the heads of a model do over real texts: measures, the passages in which each is strongest, and what it joins.

Texts come one after the other and are not kept: of all that was read only sums remain, the passages that some head
needs as one of its strongest, and a sample of passages.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.inputs.random_streams import stream
from attention_core.learned.head_texts.cutting import read_at_once
from attention_core.learned.head_texts.joins import Joined, Joins
from attention_core.learned.measures import HEAD_MEASURES
from attention_core.learned.over_corpus import CHANCES, CorpusMeasures, CorpusSums, measures_over
from attention_core.learned.run import LearnedModel

__all__ = ["BANDS", "FEWEST_ROWS", "STRONGEST", "Passage", "TextReading", "read_texts"]

STRONGEST: Final = 10
"""Passages that are kept of each head and measure."""

FEWEST_ROWS: Final = 5
"""Rows that a passage's score needs: one row of one word is no habit."""

BANDS: Final = 5
"""Into which the sample is divided, each with as many passages."""

_SAMPLE: Final = 100
_FORGET: Final = 64
"""Passages after which those that no head needs are forgotten."""


class Passage(NamedTuple):
    """A passage with what a head's measure is over its rows: the mean, over how many rows."""

    text: str
    score: float
    rows: int


@dataclass(frozen=True, eq=False)
class TextReading:
    """What was read of texts with a model.

    measures  of its heads over all passages, as `corpus_measures` has them; `documents` is the number of passages
    cut       passages of which the model takes only the beginning
    names     the tokens that came, by their numbers in its vocabulary
    """

    measures: CorpusMeasures
    cut: int
    names: Mapping[int, str]
    _best: Float[Tensor, "measures layers h ten"]
    _best_rows: Float[Tensor, "measures layers h ten"]
    _best_of: Int[Tensor, "measures layers h ten"]
    _sampled: Float[Tensor, "passages measures layers h"]
    _sampled_rows: Float[Tensor, "passages measures layers h"]
    _sampled_of: tuple[int, ...]
    _texts: Mapping[int, str]
    _joins: Joins

    def strongest(self, measure: str, layer: int, head: int) -> tuple[Passage, ...]:
        """Return the ten passages in which a measure of a head is largest, over at least `FEWEST_ROWS` rows each.

        Layer and head count from 1. Of equal scores the passage that came first is first. Fewer if there are fewer.
        """
        at = _PLACES[measure], layer - 1, head - 1
        return tuple(
            Passage(self._texts[of], score, int(rows))
            for score, rows, of in zip(
                self._best[at].tolist(), self._best_rows[at].tolist(), self._best_of[at].tolist(), strict=True
            )
            if of >= 0
        )

    @property
    def sampled(self) -> int:
        """How many passages the sample has: all, or a hundred of which each had the same chance to be in it."""
        return len(self._sampled_of)

    @property
    def sample(self) -> dict[int, str]:
        """The passages of the sample by their numbers among all that were read, from 0, in this order."""
        return {of: self._texts[of] for of in self._sampled_of}

    def bands(self, measure: str, layer: int, head: int) -> tuple[tuple[Passage, ...], ...]:
        """Return the sample by a measure of a head, the largest first, in five bands of as many passages.

        Passages with fewer than `FEWEST_ROWS` rows for it are left out. The sizes of two bands differ by at most 1.
        """
        at = _PLACES[measure], layer - 1, head - 1
        found = [
            Passage(self._texts[of], score, int(rows))
            for of, score, rows in zip(
                self._sampled_of,
                self._sampled[(slice(None), *at)].tolist(),
                self._sampled_rows[(slice(None), *at)].tolist(),
                strict=True,
            )
            if rows >= FEWEST_ROWS
        ]
        found.sort(key=lambda passage: -passage.score)
        ends = [len(found) * band // BANDS for band in range(BANDS + 1)]
        return tuple(tuple(found[a:b]) for a, b in pairwise(ends))

    def joined(self, layer: int, head: int, most: int = 20) -> Joined:
        """Return what a head joins, layer and head from 1, with at most so many tokens and pairs."""
        return self._joins.of(layer, head, most)

    @property
    def bytes(self) -> int:
        """About how much it holds."""
        tensors = self._best, self._best_rows, self._best_of, self._sampled, self._sampled_rows
        held = sum(one.numel() * one.element_size() for one in tensors) + 4 * sum(map(len, self._texts.values()))
        return held + self._joins.bytes


_PLACES: Final[Mapping[str, int]] = {name: place for place, name in enumerate(HEAD_MEASURES)}


def read_texts(
    model: LearnedModel, texts: Iterable[str], progress: Callable[[int], object] | None = None
) -> TextReading:
    """Read texts with a model, however many come; one that is too long for it is read in parts (`read_at_once`).

    Induction is asked of lists that repeat themselves (`corpus_measures`), and here of nothing. Between two passages a
    caller that left stops the work.

    Parameters
    ----------
    model
        One that reads texts.
    texts
        One after the other, such as those of `passages`; they may come from a file that is read meanwhile.
    progress
        Is told how many are read.

    Raises
    ------
    InvalidInput
        As `model.run` for a text.
    ValueError
        Without a text.
    """
    kept = _Reading()
    for done, text in enumerate(read_at_once(model, texts), start=1):
        checkpoint()
        kept.add(model, text)
        if progress is not None:
            progress(done)
    return kept.found()


class _Reading:
    """What is kept while texts are read."""

    def __init__(self) -> None:
        self._sums = CorpusSums()
        self._read = self._cut = 0
        self._texts: dict[int, str] = {}
        self._sampled: list[tuple[int, Tensor, Tensor]] = []
        self._generator = stream(0, "passages")
        self._begun: tuple[Tensor, Tensor, Tensor, Joins] | None = None

    def add(self, model: LearnedModel, text: str) -> None:
        run = model.run(text)
        found = self._sums.read(run, model.delimiters).only(measures_over(None))
        rows, scores = found.counts, found.sums / found.counts
        if self._begun is None:
            shape = (*scores.shape, STRONGEST)
            best, numbers = torch.full(shape, -math.inf), torch.full(shape, -1)
            self._begun = best, torch.zeros(shape), numbers, Joins(*scores.shape[1:])
        best, best_rows, best_of, joins = self._begun
        joins.add(run)
        ranked = torch.where(rows >= FEWEST_ROWS, scores, -math.inf).float()
        _take_in(best, best_rows, best_of, ranked, rows.float(), self._read)
        self._sample(scores.float(), rows.float())
        self._texts[self._read] = text
        self._read += 1
        self._cut += run.text_cut
        if self._read % _FORGET == 0:
            self._forget()

    def _sample(self, scores: Tensor, rows: Tensor) -> None:
        """Let each passage so far have the same chance to be in the sample (Vitter 1985, algorithm R)."""
        place = len(self._sampled)
        if place == _SAMPLE:
            place = int(torch.randint(self._read + 1, (), generator=self._generator))
            if place >= _SAMPLE:
                return
            self._sampled[place] = self._read, scores, rows
        else:
            self._sampled.append((self._read, scores, rows))

    def _forget(self) -> None:
        assert self._begun is not None
        needed = {*self._begun[2].unique().tolist(), *(number for number, _, _ in self._sampled)}
        self._texts = {number: text for number, text in self._texts.items() if number in needed}

    def found(self) -> TextReading:
        """Return what was read. Raises `ValueError` if nothing was."""
        measures = self._sums.measures(self._read, [name for name in CHANCES if name in measures_over(None)])
        assert self._begun is not None
        self._forget()
        best, rows, numbers, joins = self._begun
        sampled = sorted(self._sampled, key=lambda one: one[0])
        of, scores, counts = zip(*sampled, strict=True)
        return TextReading(
            measures, self._cut, joins.names, best, rows, numbers, torch.stack(scores), torch.stack(counts), of,
            self._texts, joins,
        )  # fmt: skip


def _take_in(best: Tensor, rows: Tensor, of: Tensor, scores: Tensor, counts: Tensor, number: int) -> None:
    """Put a passage's scores among the largest, in place, where they belong."""
    if not bool((scores > best[..., -1]).any()):
        return
    found = torch.cat([best, scores.unsqueeze(-1)], -1)
    order = found.argsort(dim=-1, descending=True, stable=True)[..., :STRONGEST]  # of equal ones the first stays first
    best.copy_(found.gather(-1, order))
    rows.copy_(torch.cat([rows, counts.unsqueeze(-1)], -1).gather(-1, order))
    numbers = torch.where(scores > -math.inf, number, -1)
    of.copy_(torch.cat([of, numbers.unsqueeze(-1)], -1).gather(-1, order))
