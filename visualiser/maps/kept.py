"""One map as the server keeps it, and its memory, known before anything is computed."""

from dataclasses import dataclass
from typing import Any, Final

from torch import Tensor

from attention_core import AttentionConfig, AttentionStatistics, Overview, normalisations
from attention_core.blocks.row_statistics import stored
from attention_core.cached import cached_property
from attention_core.learned import Line

BINS: Final = 256
"""The most squares of the overview along each side."""

_TOKEN: Final = 64  # Python's memory for a short string
_PLACE: Final = 8  # the index of a row's largest weight
_HEAD: Final = 2 * 4  # mean and variance of a head's scores


@dataclass(frozen=True)
class Sink:
    """A key with its share of the weight, 0 … 1, by head from 1; only heads in which it is a sink."""

    key: int
    shares: tuple[tuple[int, float], ...]

    @property
    def most(self) -> tuple[int, float]:
        """The head in which it takes most, and the share there."""
        return max(self.shares, key=lambda pair: pair[1])


@dataclass(frozen=True, eq=False)
class Kept:
    """One map: Q and K as given (h × n × d_k), the tokens, the statistics of each row, the overview and the sinks.

    `line` has what a model knows the tokens by; it may go on after the last of them.
    """

    config: AttentionConfig
    Q: Tensor
    K: Tensor
    tokens: tuple[str, ...] | None
    statistics: AttentionStatistics
    sinks: tuple[Sink, ...] = ()
    line: Line | None = None

    @property
    def overview(self) -> Overview:
        """The overview: at most 256 × 256 squares a head."""
        assert self.statistics.overview is not None  # the pass was asked for one
        return self.statistics.overview

    def sinks_of(self, head: int) -> tuple[tuple[int, float], ...]:
        """Return the sinks of a head (from 1), each with its share of the weight, 0 … 1."""
        return tuple((sink.key, share) for sink in self.sinks for at, share in sink.shares if at == head)

    def log_sums(self, head: int, rows: slice | Tensor = slice(None)) -> Tensor | None:
        """Return that of some queries of a head (from 0) where Q is; None if the weights need none."""
        there = "logsumexp" in self.statistics.names
        return self.statistics.logsumexp[head, rows].to(self.Q.device) if there else None

    @cached_property
    def letters(self) -> tuple[int, int]:
        """The characters of all tokens together and of the longest; 0 without tokens."""
        lengths = [len(token) for token in self.tokens or ()]
        return sum(lengths), max(lengths, default=0)

    @property
    def bytes(self) -> int:
        """The memory of its tensors and tokens."""
        tensors: list[Any] = [self.Q, self.K, *self.statistics.rows.values()]
        tensors += [*vars(self.statistics).values(), *vars(self.overview).values()]
        held = sum(t.untyped_storage().nbytes() for t in tensors if isinstance(t, Tensor))
        texts = 1 if self.line is None else 3  # the name, the form and what an unknown one stands for
        return held + texts * _TOKEN * len(self.tokens or ())


def squares_of(n: int) -> int:
    """Return the overview's squares along a side of n tokens."""
    return -(-n // -(-n // BINS))


def expected_bytes(config: AttentionConfig, h: int, n_q: int, n_k: int, d_k: int) -> int:
    """Return the `bytes` of such a map of float32, without its tokens."""
    row = 4 * len(stored(normalisations.part(config, lambda one: one.kind, "here"))) + _PLACE
    bins_q, bins_k = squares_of(n_q), squares_of(n_k)
    overview = 2 * h * bins_q * bins_k * 4 + 8 * (bins_q + 1 + bins_k + 1)
    return h * (n_q + n_k) * d_k * 4 + h * n_q * row + h * _HEAD + overview
