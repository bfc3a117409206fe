"""The facts about a map that its sentences may use, measured once from what the server keeps of it."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Bool
from torch import Tensor

from visualiser.maps.geometry import keys
from visualiser.maps.kept import Kept, Sink
from visualiser.maps.phrase import Phrase, phrase
from visualiser.maps.sinks import sinks

Equal = Literal["weights", "scores", "words"]


@dataclass(frozen=True)
class Repeated:
    """The commonest token of a text with its count, and what of its places is equal.

    With positions only the words are; under a mask the scores are, but a row has its own keys.
    """

    token: str
    count: int
    equal: Equal


@dataclass(frozen=True)
class Facts:
    """What a map shows. Means run over the queries with keys, and entropies are in nats.

    entropy     by head, its mean
    ceiling     the mean of the queries' ceilings
    most        the greatest of them
    lost        the most that any query's entropy lies below its ceiling
    pooled      True if a square of the overview holds several cells
    """

    n_q: int
    n_k: int
    rows: int
    columns: int
    entropy: tuple[float, ...]
    ceiling: float
    most: float
    lost: float
    sinks: tuple[Sink, ...]
    phrase: Phrase | None
    repeated: Repeated | None

    @property
    def pooled(self) -> bool:
        return (self.rows, self.columns) != (self.n_q, self.n_k)


def facts(kept: Kept) -> Facts:
    """Measure a map."""
    seen = seeing(kept)
    entropy = kept.statistics.entropy[:, seen].double()
    ceiling = kept.statistics.ceiling[:, seen].double()
    rows, columns = kept.overview.mean.shape[1:]
    return Facts(
        n_q=kept.Q.shape[1],
        n_k=kept.K.shape[1],
        rows=rows,
        columns=columns,
        entropy=tuple(entropy.mean(-1).tolist()),
        ceiling=float(ceiling.mean()),
        most=float(ceiling.max()),
        lost=float((ceiling - entropy).max()),
        sinks=sinks(kept, seen),
        phrase=phrase(kept),
        repeated=_repeated(kept),
    )


def seeing(kept: Kept) -> Bool[Tensor, " n_q"]:
    """Return True for each query that may attend to some key; the last one always may."""
    return keys(kept.config, kept.Q.shape[1], kept.K.shape[1]) > 0


def _repeated(kept: Kept) -> Repeated | None:
    if kept.tokens is None:
        return None
    token, count = Counter(kept.tokens).most_common(1)[0]
    if count < 2:
        return None
    n_k = kept.K.shape[1]
    whole = bool((keys(kept.config, kept.Q.shape[1], n_k) == n_k).all())
    return Repeated(token, count, "words" if kept.config.positions else "weights" if whole else "scores")
