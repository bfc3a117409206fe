"""One head of a trained model over one text, beside all its heads: what the figures of the Model page draw."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core import InvalidInput
from attention_core.cached import cached_property
from attention_core.changes import Change
from attention_core.learned import (
    HEAD_MEASURES,
    PATCH_MEASURES,
    CorpusMeasures,
    FactorCurve,
    LearnedLayer,
    Line,
    ModelRun,
    Score,
    Why,
    Window,
    Written,
    attention_moved,
    score_of,
    why,
)
from attention_core.models import GivenLayer, PassageLayer
from visualiser.drawing.distributions import ALIKE
from visualiser.drawing.labels import label
from visualiser.figures.before_after import Saying
from visualiser.figures.head_costs import COST, Costs
from visualiser.figures.mapped_cells import ShownMap
from visualiser.figures.patched_heads import PATCH, Patches
from visualiser.figures.sorted_heads import LAYER, WEIGHT, SortedHeads, SortRules, sorted_heads, weights_here
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.reasons import of_learned
from visualiser.tables import Column
from visualiser.tables import token_columns as columns_of


@dataclass(frozen=True, eq=False)
class ReadHead:
    """A text as a model read it, the chosen head, query and key, and what all heads do.

    layer, head  from 1; the head of a layer
    row, key     from 0
    measures     of each head: layers × h, over the text or over the corpus
    labels       for each head with one, what it does over the corpus and its scores, by (layer, head) from 1
    axes         the two measures of the scatter
    pairs        components that turn together with the position
    window       of a layer that attends in windows the chosen query's: `row` and `key` are places in it, and all below
                 speaks of it alone. None for any other layer
    rebuilt      True if a change made the layer's scores anew, so that they are no products of its queries and keys
    counts       how many rows of this text each of `measures` is a mean of, layers × h; None for those over the corpus
    chances      of this text, as `CorpusMeasures.chance` of the corpus
    known        what all heads do over the corpus; None if nobody measured it
    before       the run of the model as it is, or as it is pinned as A, of one that is changed; None or `run` itself
                 without changes
    pinned       True if `before` is A and `run` is B
    says         runs the model once more for what it says before and after; None for one that says nothing
    written      what the chosen head writes for each key, where the page shows it in place of `why`
    rules        which heads are shown, and in which order
    mapped       what the large map shows in place of the weights, if a link asks for it
    reweighted   True if a change gave the head other weights than the softmax of its scores
    decided      for each head the change that decides what it reads or gives, whatever its scores are, by (layer, head)
    touched      the heads whose own weights changes set, by (layer, head) from 1
    costs        what each head costs, or carries of a second text, also one of `measures`; None if it is not shown
    refused      why nothing can be taken from the second text that a link asks for
    curve        ln p of the text against the factor of all heads, with `factor` the present one, × the trained one;
                 None if no change sets it, or the curve takes too long
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
    chances: Mapping[str, Tensor] = field(default_factory=dict)
    known: CorpusMeasures | None = None
    window: Window | None = None
    before: ModelRun | None = None
    says: Callable[[], Saying | None] = lambda: None
    touched: frozenset[tuple[int, int]] = frozenset()
    reweighted: bool = False
    decided: Mapping[tuple[int, int], Change] = field(default_factory=dict)
    costs: Costs | Patches | None = None
    refused: InvalidInput | None = None
    curve: FactorCurve | None = None
    factor: float = 1.0
    rebuilt: bool = False
    pinned: bool = False
    written: Written | None = None
    rules: SortRules = field(default_factory=SortRules)
    mapped: ShownMap | None = None

    @cached_property
    def saying(self) -> Saying | None:
        """What the model says before and after; None for one that says nothing."""
        return self.says()

    @property
    def changed(self) -> bool:
        """True if the model is changed."""
        return self.before is not None and self.before is not self.run

    @cached_property
    def moved(self) -> NDArray[np.float64]:
        """How much of its weight each head reads elsewhere than before, layers × h; NaN as `attention_moved` has it."""
        return attention_moved(self.before or self.run, self.run).numpy()

    @property
    def corpus(self) -> bool:
        """True if `measures` are those over the corpus."""
        return self.counts is None

    @property
    def attention(self) -> LearnedLayer:
        """The chosen layer."""
        return self.run.layers[self.layer - 1] if self.window is None else self.window.layer

    @property
    def name(self) -> str:
        """The chosen head as it is called everywhere: layer and head, "2.1"."""
        return head_name(self.layer, self.head)

    @property
    def called(self) -> str | Message:
        """The chosen head in a sentence: "2.1"; beside a decoder with its part, "5.2 (cross-attention 1)".

        Of a head's file of HeadVis it is the file's head, with the passage: "4.6 (passage 3)".
        """
        if isinstance(self.attention, PassageLayer):
            return message("model.head_of_passage", head=self.attention.head or "?", passage=str(self.layer))
        found = self.run.part(self.layer)
        if found is None:
            return self.name
        part, number = found
        return message("model.head_of_part", head=self.name, part=message(f"model.part.{part}"), number=str(number))

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
        """The scores that the softmax receives, NaN where the mask forbids, n_q × n_k; NaN if they are not known."""
        return of_learned.open_scores(self.attention, self.head - 1)

    @property
    def scored(self) -> bool:
        """True if the scores of the layer are known, and not its weights alone."""
        return not isinstance(self.attention, GivenLayer)

    @cached_property
    def sink(self) -> NDArray[np.float32] | None:
        """The weight of the head's sink in each row, n_q; None without one, also beside heads of the layer with one."""
        layer, head = self.attention, self.head - 1
        if layer.sink is None or not of_learned.has_sink(layer, head):
            return None
        return layer.sink[head].float().numpy()

    @property
    def unnormalised(self) -> bool:
        """True if the head has no weights, or such that need not add up to 1, by a change or as they were given."""
        return self.head - 1 in self.attention.unnormalised

    @property
    def muted(self) -> bool:
        """True if a change took the head's weights away."""
        return self.is_muted(self.layer, self.head)

    def is_muted(self, layer: int, head: int) -> bool:
        """Return True for a head, from 1, whose weights a change took away."""
        return _has_no_weights(self.run, layer, head)

    def was_muted(self, layer: int, head: int) -> bool:
        """Return True for a head, from 1, that had no weights before."""
        return self.before is not None and _has_no_weights(self.before, layer, head)

    @property
    def reads_none(self) -> bool:
        """True if the chosen query gives no key any weight."""
        return not bool(self.weights[self.row].any())

    @cached_property
    def most_read(self) -> tuple[int, int]:
        """The key that the chosen query reads most, the first of those alike, and how many keys have as much weight."""
        row = self.weights[self.row]
        return int(row.argmax()), int((row[self.allowed[self.row]] >= row.max() * (1 - ALIKE)).sum())

    @cached_property
    def entropy(self) -> NDArray[np.float64]:
        """The entropy of each row over its keys and its sink, in nats, n_q.

        NaN for weights that do not add up to 1, and for a row that the mask leaves nothing to read.
        """
        if self.unnormalised:
            return np.full(len(self.weights), math.nan)
        p = self.weights.astype(np.float64)
        p = p if self.sink is None else np.concatenate([p, self.sink[:, None]], -1)
        found = -(p * np.log(np.where(p > 0, p, 1.0))).sum(-1)
        return np.where(self.allowed.any(-1), found, math.nan)

    @cached_property
    def ceiling(self) -> NDArray[np.float64]:
        """The largest entropy that each row can have: ln of the outcomes that the mask leaves, n_q.

        NaN for a row that it leaves nothing to read, as its entropy is.
        """
        most = np.log(np.maximum(1, self.allowed.sum(-1) + (self.sink is not None)))
        return np.where(self.allowed.any(-1), most, math.nan)

    @cached_property
    def why(self) -> Why | None:
        """The score of the chosen query and key as a sum; None for a layer that has no queries and keys to give."""
        layer = self.attention
        return None if layer.Q is None else why(layer, self.head, self.row, self.key, self.pairs)

    @property
    def heads(self) -> list[tuple[int, int]]:
        """Every head as (layer, head), from 1."""
        return [(at + 1, head + 1) for at, each in enumerate(self.run.layers) for head in range(each.weights.shape[-3])]

    @cached_property
    def sorted_heads(self) -> SortedHeads:
        """All heads, and those that are shown in their order."""
        heads, sort = self.heads, self.rules.sort
        values, scores = np.zeros(0), list[Score]()
        if sort == WEIGHT:
            values = weights_here(self.run, self.layer, self.place(self.row), self.place(self.key))
        elif sort != LAYER:
            values = np.array([self.measured(sort, *at) for at in heads])
            scores = [] if sort in (COST, PATCH) else [self.score(sort, *at) for at in heads]
        return sorted_heads(self.rules, heads, values, scores, self.labels)

    def measured(self, measure: str, layer: int, head: int) -> float:
        """Return a measure of one head; NaN for one that such a model does not have."""
        return float(self.measures[measure][layer - 1, head - 1]) if measure in self.measures else math.nan

    def measured_of_all(self, measure: str) -> NDArray[np.float64]:
        """Return the same of every head, in the order of `heads`."""
        layers, heads = np.array(self.heads).T - 1
        return self.measures[measure].double().numpy()[layers, heads]

    def made(self, measure: str, layer: int, head: int) -> Message:
        """Return the arithmetic of a measure of one head."""
        if self.costs is not None and measure == self.costs.name:
            return self.costs.made(self.measured(measure, layer, head))
        return of_learned.measure(measure, self.score(measure, layer, head), self.corpus)

    def score(self, measure: str, layer: int, head: int) -> Score:
        """Return a measure of one head with the rows behind it and its chance, over what `measures` are taken over."""
        if self.counts is None:
            return self.over_corpus(measure, layer, head)
        return score_of(self.measures, self.counts, self.chances, measure, (layer - 1, head - 1))

    def over_corpus(self, measure: str, layer: int, head: int) -> Score:
        """Return the same over the corpus."""
        if self.known is None:
            return Score(math.nan, math.nan, 0, 0)
        return self.known.score(measure, layer, head)

    @property
    def is_measured(self) -> bool:
        """True if the heads are measured over the corpus, so that one without a label is known to have none."""
        return self.known is not None and self.known.documents > 0

    def kind(self, measure: str) -> str:
        """Return the kind of quantity that a measure is."""
        if self.costs is not None and measure == self.costs.name:
            return self.costs.kind
        return of_learned.MEASURES[measure]

    @property
    def cells(self) -> int:
        """How many scores of the head the mask leaves."""
        return int(np.isfinite(self.scores).sum())

    @property
    def queries(self) -> Line | None:
        """The positions that the chosen layer attends from; None if it has others than those that are known."""
        line = self.run.queries(self.layer) if self.window is None else self.window.line
        if line is None:
            return None
        return line if len(line) == self.attention.weights.shape[1] else None

    @property
    def keys(self) -> Line | None:
        """The positions that it attends to; None as for `queries`."""
        line = self.run.keys(self.layer) if self.window is None else self.window.line
        if line is None:
            return None
        return line if len(line) == self.attention.weights.shape[2] else None

    @property
    def reads_itself(self) -> bool:
        """True if queries and keys are the same positions."""
        return self.queries is not None and self.queries is self.keys

    @property
    def of_picture(self) -> bool:
        """True if the chosen layer reads the patches of a picture alone."""
        return self.keys is not None and self.keys.is_picture

    def place(self, position: int) -> int:
        """Return the position in the layer's whole line of a query or key; −1 for the filling of a window."""
        return position if self.window is None or self.window.at is None else int(self.window.at[position])

    def number(self, position: int) -> int | str:
        """Return a query or key as sentences number it: its position, or the name of a patch."""
        return self.said_key(position) if self.of_picture else position

    def query(self, position: int) -> str:
        """Return a query with its position as a label of a drawing, its markup escaped; of a target, and its next."""
        after = "" if self.queries is None else self.queries.after(position)
        name = placed_name(self.queries, position)
        return f"{name} → “{label(after)}”" if after else name

    def named_key(self, position: int) -> str:
        """Return the same of a key."""
        return placed_name(self.keys, position)

    def said_query(self, position: int) -> str:
        """Return a query with its position for a sentence, in which nothing is markup."""
        return unescape(self.query(position))

    def said_key(self, position: int) -> str:
        """Return the same of a key."""
        return unescape(self.named_key(position))


def _has_no_weights(run: ModelRun, layer: int, head: int) -> bool:
    found = run.layers[layer - 1]
    return head - 1 in found.unnormalised and not bool(found.weights[..., head - 1, :, :].any())


def token_columns(lang: str, line: Line | None, positions: Sequence[int]) -> list[Column]:
    """Return what tokens are called, as `visualiser.tables` does; an empty column if they are not known."""
    if line is None:
        return [Column(text(lang, "table.token"), ["" for _ in positions], typed=True)]
    return columns_of(lang, line.tokens, line, positions)


def placed_name(line: Line | None, position: int) -> str:
    """Return a position with its token, if it is known, as a label of a drawing, its markup escaped.

    A moment of a sound and a patch of a picture are their own names.
    """
    if line is None:
        return str(position)
    named = label(line.tokens[position])
    return named if line.is_picture or line.seconds else f"{position} “{named}”"


def head_name(layer: int, head: int) -> str:
    """Return a head's name, such as "2.1"."""
    return f"{layer}.{head}"


def nothing(shown: ReadHead) -> Message:
    """Say that the chosen query gives no key any weight, or that a file has none of it, as a figure's summary."""
    if isinstance(shown.attention, PassageLayer):
        return message("table.head_row.left_out", query=shown.number(shown.row))
    return message("table.head_row.nothing", head=shown.name, query=shown.number(shown.row))


def unit(measure: str) -> str:
    """Return the unit of a measure of heads."""
    known = {**HEAD_MEASURES, **PATCH_MEASURES}.get(measure)
    return "nats" if measure in (COST, PATCH) else "share" if known is None else known.unit


def measure_name(lang: str, measure: str) -> str:
    """Return the name of a measure, with its unit if it has one."""
    found = text(lang, f"measure.{measure}")
    if unit(measure) in ("share", "ratio"):
        return found
    return text(lang, "measure.in", measure=found, unit=text(lang, f"measure.unit.{unit(measure)}"))


def named(lang: str, labels: Sequence[tuple[str, float]]) -> str:
    """Return what a head does over the corpus in words, such as "induction 0.91"; empty for one without a label."""
    return " · ".join(
        text(lang, "model.label", measure=text(lang, f"measure.{name}"), score=f"{score:.2f}") for name, score in labels
    )


def moments(shown: ReadHead) -> tuple[float, float]:
    """Return mean and variance of the scores that the mask leaves."""
    values = shown.scores[np.isfinite(shown.scores)].astype(np.float64)
    return (float(values.mean()), float(values.var())) if len(values) else (math.nan, math.nan)
