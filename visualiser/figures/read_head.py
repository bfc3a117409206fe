"""One head of a trained model over one text, beside all its heads: what the figures of the Model page draw."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core.cached import cached_property
from attention_core.learned import HEAD_MEASURES, LearnedLayer, ModelRun, Why, why
from visualiser.drawing.labels import label
from visualiser.locale import text
from visualiser.locale.message import Message
from visualiser.reasons import of_learned


@dataclass(frozen=True, eq=False)
class ReadHead:
    """A text as a model read it, the chosen head, query and key, and what all heads do.

    layer, head  from 1; the head of a layer
    row, key     from 0
    measures     of each head: layers × h, over the text or over the corpus
    labels       for each head with one, what it does over the corpus and its scores, by (layer, head) from 1
    axes         the two measures of the scatter
    pairs        components that turn together with the position
    counts       how many rows of this text each of `measures` is a mean of, layers × h; None for those over the corpus
    """

    run: ModelRun
    layer: int
    head: int
    row: int
    key: int
    measures: Mapping[str, Tensor]
    labels: Mapping[tuple[int, int], Sequence[tuple[str, float]]]
    axes: tuple[str, str]
    pairs: tuple[tuple[int, int], ...] = ()
    counts: Mapping[str, Tensor] | None = None

    @property
    def corpus(self) -> bool:
        """True if `measures` are those over the corpus."""
        return self.counts is None

    @property
    def attention(self) -> LearnedLayer:
        """The chosen layer."""
        return self.run.layers[self.layer - 1]

    @property
    def name(self) -> str:
        """The chosen head as it is called everywhere: layer and head, "2.1"."""
        return head_name(self.layer, self.head)

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """The weights of the head, n_q × n_k."""
        return self.attention.weights[self.head - 1].float().numpy()

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """True where the query may read the key, n_q × n_k."""
        return self.attention.allowed[self.head - 1].numpy()

    @cached_property
    def scores(self) -> NDArray[np.float32]:
        """The scores that the softmax receives, NaN where the mask forbids, n_q × n_k."""
        return np.where(self.allowed, self.attention.scores[self.head - 1].float().numpy(), np.nan)

    @cached_property
    def sink(self) -> NDArray[np.float32] | None:
        """The weight of the head's learned sink in each row, n_q; None without one."""
        return None if self.attention.sink is None else self.attention.sink[self.head - 1].float().numpy()

    @cached_property
    def entropy(self) -> NDArray[np.float64]:
        """The entropy of each row over its keys and its sink, in nats, n_q."""
        p = self.weights.astype(np.float64)
        p = p if self.sink is None else np.concatenate([p, self.sink[:, None]], -1)
        return -(p * np.log(np.where(p > 0, p, 1.0))).sum(-1)

    @cached_property
    def ceiling(self) -> NDArray[np.float64]:
        """The largest entropy that each row can have: ln of the outcomes that the mask leaves, n_q."""
        return np.log(np.maximum(1, self.allowed.sum(-1) + (self.sink is not None)))

    @cached_property
    def why(self) -> Why | None:
        """The score of the chosen query and key as a sum; None for a layer that has no queries and keys to give."""
        layer = self.attention
        return None if layer.Q is None else why(layer, self.head, self.row, self.key, self.pairs)

    @property
    def heads(self) -> list[tuple[int, int]]:
        """Every head as (layer, head), from 1."""
        return [(at + 1, head + 1) for at, each in enumerate(self.run.layers) for head in range(len(each.weights))]

    def measured(self, measure: str, layer: int, head: int) -> float:
        """Return a measure of one head."""
        return float(self.measures[measure][layer - 1, head - 1])

    def made(self, measure: str, layer: int, head: int) -> Message:
        """Return the arithmetic of a measure of one head."""
        rows = None if self.counts is None else float(self.counts[measure][layer - 1, head - 1])
        return of_learned.measure(measure, self.measured(measure, layer, head), rows)

    @property
    def cells(self) -> int:
        """How many scores of the head the mask leaves."""
        return int(np.isfinite(self.scores).sum())

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokens as names: without the blanks around a word, which the text itself shows."""
        return tuple(token.strip() or token for token in self.run.tokens)

    def token(self, position: int) -> str:
        """Return a token with its position as a label of a drawing, its markup escaped."""
        return f"{position} “{label(self.tokens[position])}”"

    def said(self, position: int) -> str:
        """Return the same for a sentence, in which nothing is markup."""
        return unescape(self.token(position))


def head_name(layer: int, head: int) -> str:
    """Return a head's name, such as "2.1"."""
    return f"{layer}.{head}"


def measure_name(lang: str, measure: str) -> str:
    """Return the name of a measure, with its unit if it has one."""
    if measure not in HEAD_MEASURES:
        return text(lang, f"measure.{measure}")
    unit = HEAD_MEASURES[measure].unit
    named = text(lang, f"measure.{measure}")
    return (
        named
        if unit in ("share", "ratio")
        else text(lang, "measure.in", measure=named, unit=text(lang, f"measure.unit.{unit}"))
    )


def named(lang: str, labels: Sequence[tuple[str, float]]) -> str:
    """Return what a head does over the corpus in words, such as "induction 0.91"; empty for one without a label."""
    return " · ".join(
        text(lang, "model.label", measure=text(lang, f"measure.{name}"), score=f"{score:.2f}") for name, score in labels
    )


def moments(shown: ReadHead) -> tuple[float, float]:
    """Return mean and variance of the scores that the mask leaves."""
    values = shown.scores[np.isfinite(shown.scores)].astype(np.float64)
    return (float(values.mean()), float(values.var())) if len(values) else (math.nan, math.nan)
