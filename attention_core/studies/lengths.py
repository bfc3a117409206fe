"""The largest weight and the entropy of random rows from 2 to 4,096 keys: softmax, a factor with ln n, and a sink.

A seed's queries and keys are those of the longest sequence. A shorter one has its first keys and queries, so that a
longer row keeps the keys of a shorter one. At most `QUERIES` queries are computed, so no length holds n × n scores.
"""

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, no_type_check

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core import normalisations
from attention_core.cancellation import checkpoint
from attention_core.config import BOUNDS, AttentionConfig
from attention_core.inputs import sources
from attention_core.inputs.tensors import AttentionInputs
from attention_core.result.compute import compute
from attention_core.threads import computing_with
from attention_core.validation import choice, whole_number

__all__ = ["MEASURES", "QUERIES", "SERIES", "LengthPoint", "LengthsConfig", "expected_entropy_share", "lengths"]

SERIES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {"softmax": {}, "log_n": {"log_n": True}, "sink": {"normalisation": "sink", "sink": 0.0}}
)
"""The settings of each series, fields of `AttentionConfig`; all others are its defaults."""
MEASURES: Final = ("largest_weight", "entropy_share")
_SINK: Final = "sink_weight"
_BESIDE: Final[Mapping[str, Callable[[AttentionConfig], float]]] = MappingProxyType(
    {"softmax": lambda config: 0.0, "sink": lambda config: math.exp(config.sink)}
)
"""What stands beside Σ e^s in the denominator, for each normalisation whose expected entropy is known."""
QUERIES: Final = 256
"""The most queries of a length: its first ones. More would narrow a mean over rows that is narrow already."""

_CORRECTED: Final = 0.05
"""The largest first correction to the expected share at which it is returned."""
_FARTHEST: Final = 600.0
"""exp of more leaves the range of float64."""
_THREADS: Final = 1
_SEEDS: Final = int(BOUNDS["seed"].maximum) + 1


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
@dataclass(frozen=True, kw_only=True)
class LengthsConfig:
    """Rows of `ns` keys with `seeds` seeds from `seed` on, each with `h` heads of N(0, 1) queries and keys.

    Parameters
    ----------
    d_k
        The width of a query and of a key.
    h
        Number of heads of each seed.
    seed
        The first seed.
    seeds
        Number of seeds.
    ns
        The numbers of keys, at least 2; they are sorted.

    Raises
    ------
    InvalidInput
        `not_a_number` or `out_of_range`.
    """

    d_k: int = 64
    h: int = 1
    seed: int = 0
    seeds: int = 5
    ns: tuple[int, ...] = tuple(2**power for power in range(1, 13))

    def __post_init__(self) -> None:
        for field, minimum, maximum in (("d_k", 1, None), ("h", 1, None), ("seed", 0, _SEEDS - 1), ("seeds", 1, None)):
            object.__setattr__(self, field, whole_number(field, getattr(self, field), minimum, maximum))
        ns = {whole_number("n", n, 2) for n in self.ns}
        whole_number("ns", len(ns), 1)
        object.__setattr__(self, "ns", tuple(sorted(ns)))

    @property
    def curves(self) -> tuple[str, ...]:
        """The names of the series."""
        return tuple(SERIES)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of keys, along which the curves run."""
        return self.ns

    def every_seed(self) -> tuple[int, ...]:
        """Return the seeds in order; 0 follows the largest possible seed."""
        return tuple((self.seed + i) % _SEEDS for i in range(self.seeds))

    def attention(self, curve: str, seed: int, n: int) -> AttentionConfig:
        """Return the config of one series at one length and seed, for `compute`."""
        settings = SERIES[choice("curve", curve, self.curves)]
        return AttentionConfig(n=n, h=self.h, d_k=self.d_k, tie=False, seed=seed, **settings)


@dataclass(frozen=True, eq=False)
class LengthPoint:
    """One series (`curve`) at one number of keys (`n`), with one number for each seed.

    Attributes
    ----------
    largest_weight
        The mean over rows; 1/n of uniform rows.
    entropy_share
        The mean over rows of the entropy divided by the largest possible one: ln n, or ln(n + 1) with a sink, which is
        one more outcome.
    sink_weight
        The mean over rows of the sink's weight; 0 without a sink. It is told, but is none of `MEASURES`.
    """

    curve: str
    n: int
    largest_weight: Float[Tensor, " seeds"]
    entropy_share: Float[Tensor, " seeds"]
    sink_weight: Float[Tensor, " seeds"]

    @property
    def size(self) -> int:
        """The place on the axis: n."""
        return self.n

    def per_seed(self, measure: str) -> Float[Tensor, " seeds"]:
        """Return a measure of every seed. Raise `InvalidInput` (`unknown_choice`) for another name."""
        return getattr(self, choice("measure", measure, (*MEASURES, _SINK)))

    def spread(self, measure: str) -> tuple[float, float, float]:
        """Return (mean, least, greatest) over the seeds."""
        values = self.per_seed(measure)
        return values.mean().item(), values.min().item(), values.max().item()


def lengths(config: LengthsConfig) -> Generator[LengthPoint, None, None]:
    """Yield every point of every series, the fewest keys first. Close the generator to stop.

    It runs on the CPU and takes 8 · seeds · h · n · d_k bytes for the longest n, and those of 256 · h · n scores.

    Parameters
    ----------
    config
        The seeds and the lengths.

    Yields
    ------
    LengthPoint
        One series at one number of keys, with one number for each seed.
    """
    most = config.ns[-1]
    longest = [config.attention(config.curves[0], seed, most) for seed in config.every_seed()]
    drawn = []
    for one in longest:
        checkpoint()
        Q, K = (sources.per_head(one, None, name) for name in "QK")  # h n d_k
        drawn.append((Q[:, :QUERIES].clone(), K))
    for n in config.ns:
        for curve in config.curves:
            with computing_with(_THREADS):  # for each point, since the caller may switch threads between two
                found = [_measured(config.attention(curve, 0, n), Q[:, :n], K[:, :n]) for Q, K in drawn]
            yield LengthPoint(curve, n, *(torch.stack(values) for values in zip(*found, strict=True)))


def _measured(config: AttentionConfig, Q: Float[Tensor, "h n_q d_k"], K: Float[Tensor, "h n_k d_k"]) -> list[Tensor]:
    checkpoint()
    result = compute(config, AttentionInputs(Q, K, K), device="cpu")
    sunk = _SINK in normalisations.of(config).statistics
    sink_weight = result.statistic(_SINK).double().mean() if sunk else torch.zeros((), dtype=torch.float64)
    return [result.largest_weight.double().mean(), result.entropy.double().mean() / _ceiling(config), sink_weight]


def _ceiling(config: AttentionConfig) -> float:
    """Return the largest entropy of a row of all keys: ln n, or ln(n + 1) with a sink."""
    return normalisations.limits(config, "entropy").most_of(config.n_k or config.n)


def expected_entropy_share(config: AttentionConfig) -> float | None:
    """Return the expected entropy of a row of many Gaussian keys, divided by the largest; None where it is not near.

    Given its query, a row's scores are independent N(0, σ²) with σ² = factor² · |q|². Let Z = Σ e^s. For many keys
    Z → n e^(σ²/2) and Σ p s → σ², so that the entropy ln Z − Σ p s → ln n − σ²/2. The mean of |q|² over queries is
    d_k, so

        H / ln n → (ln n − factor² · d_k / 2) / ln n.

    Few keys lack the large scores of which Z mainly consists. To first order in 1/n that adds
    (e^(σ²) (σ² − ½) + ½) / n, and on average over |q|², a χ² of d_k degrees, with t = factor²

        (t d_k (1 − 2t)^(−d_k/2 − 1) − ½ (1 − 2t)^(−d_k/2) + ½) / n,   infinite for t ≥ ½.

    A sink b is one more outcome: its entropy is ln(e^b + Z) − (Σ e^s s + b e^b) / (e^b + Z), at most ln(n + 1). With
    Z as above, e^b / Z adds e^(b − σ²/2) (1 − b + σ²) / n to first order, and on average

        e^b ((1 − b) (1 + t)^(−d_k/2) + t d_k (1 + t)^(−d_k/2 − 1)) / n.

    The returned share has this term of the sink, divided by ln(n + 1), but not that of few keys. Where the two
    together may exceed 0.05 of the largest entropy, first order is no estimate and None is returned.

    Parameters
    ----------
    config
        Its n, d_k, factor and sink; a dot product of N(0, 1) components, without QK-norm, softcap or mask.

    Returns
    -------
    float | None
        The expected share of ln n, or of ln(n + 1) with a sink.

    Raises
    ------
    InvalidInput
        `unknown_choice` for a normalisation other than a softmax with or without a sink.
    """
    n, d_k, t, b = config.n_k or config.n, config.d_k, config.factor**2, config.sink
    beside = normalisations.chosen(config, _BESIDE, "for the expected entropy of many keys")(config)
    base = 1 - 2 * t
    if base <= 0 or (d_k / 2 + 1) * -math.log(base) > _FARTHEST:
        return None
    few = t * d_k * base ** (-d_k / 2 - 1) - base ** (-d_k / 2) / 2 + 0.5
    level, slope = (1 + t) ** (-d_k / 2), t * d_k * (1 + t) ** (-d_k / 2 - 1)
    ceiling = _ceiling(config)
    if abs(few) + beside * (abs(1 - b) * level + slope) > _CORRECTED * ceiling * n:
        return None
    return (math.log(n) - t * d_k / 2 + beside * ((1 - b) * level + slope) / n) / ceiling
