"""The facts about a map that its sentences may use, measured once from what the server keeps of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import normalisations
from attention_core.blocks.row_statistics import statistic
from visualiser.maps.geometry import keys
from visualiser.maps.kept import Kept, Sink
from visualiser.maps.phrase import Phrase, phrase
from visualiser.maps.sinks import sinks

Equal = Literal["weights", "scores", "words", "read"]


@dataclass(frozen=True)
class Repeated:
    """The commonest token of a text with its count, and what of its places is equal.

    With positions only the words are, as in what a model has read; under a mask the scores are, but a row has its own
    keys.
    """

    token: str
    count: int
    equal: Equal


@dataclass(frozen=True)
class Spread:
    """The entropies (nats) of a map, those of a sink included as one more outcome.

    entropy     by head, its mean
    ceiling     the mean of the queries' ceilings
    most        the greatest of them
    lost        the most that any query's entropy lies below its ceiling
    """

    entropy: tuple[float, ...]
    ceiling: float
    most: float
    lost: float


@dataclass(frozen=True)
class Facts:
    """What a map shows. Means run over the queries with keys.

    heads       the number of heads
    spread      None if a query's weights are no distribution
    further     by name and head, the mean of each statistic that a softmax lacks: `sink_weight`, `mass`
    sinks       keys with a large share of a head's weight
    pooled      True if a square of the overview holds several cells
    """

    n_q: int
    n_k: int
    rows: int
    columns: int
    heads: int
    spread: Spread | None
    further: Mapping[str, tuple[float, ...]]
    sinks: tuple[Sink, ...]
    phrase: Phrase | None
    repeated: Repeated | None

    @property
    def pooled(self) -> bool:
        return (self.rows, self.columns) != (self.n_q, self.n_k)


def facts(kept: Kept) -> Facts:
    """Measure a map."""
    seen = seeing(kept)
    there = normalisations.of(kept.config).statistics
    further = [name for name in there if not statistic(name).common]
    rows, columns = kept.overview.mean.shape[1:]
    return Facts(
        n_q=kept.Q.shape[1],
        n_k=kept.K.shape[1],
        rows=rows,
        columns=columns,
        heads=len(kept.Q),
        spread=_spread(kept, seen) if "entropy" in there else None,
        further={name: tuple(of_seeing(kept, name, seen).mean(-1).tolist()) for name in further},
        sinks=sinks(kept, seen) if "entropy" in there else (),
        phrase=phrase(kept),
        repeated=_repeated(kept),
    )


def _spread(kept: Kept, seen: Bool[Tensor, " n_q"]) -> Spread:
    entropy, ceiling = (of_seeing(kept, name, seen) for name in ("entropy", "ceiling"))
    return Spread(
        entropy=tuple(entropy.mean(-1).tolist()),
        ceiling=float(ceiling.mean()),
        most=float(ceiling.max()),
        lost=float((ceiling - entropy).max()),
    )


def of_seeing(kept: Kept, name: str, seen: Bool[Tensor, " n_q"] | None = None) -> Float[Tensor, "h seeing"]:
    """Return a statistic of the queries that see a key (`seen`, if it is known), in float64."""
    return kept.statistics.statistic(name)[:, seeing(kept) if seen is None else seen].double()


def seeing(kept: Kept) -> Bool[Tensor, " n_q"]:
    """Return True for each query that may attend to some key; the last one always may."""
    return keys(kept.config, kept.Q.shape[1], kept.K.shape[1]) > 0


def _repeated(kept: Kept) -> Repeated | None:
    if kept.tokens is None:
        return None
    token, count = Counter(kept.tokens).most_common(1)[0]
    if count < 2:
        return None
    if kept.config.source == "model":
        return Repeated(token, count, "read")
    n_k = kept.K.shape[1]
    whole = bool((keys(kept.config, kept.Q.shape[1], n_k) == n_k).all())
    return Repeated(token, count, "words" if kept.config.positions else "weights" if whole else "scores")
