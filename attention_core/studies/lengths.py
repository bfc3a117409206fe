"""The largest weight and the entropy of random rows from 2 to 4,096 keys: softmax, and a factor that grows with ln n.

A seed's queries and keys are those of the longest sequence. A shorter one has its first keys and queries, so that a
longer row keeps the keys of a shorter one. At most `QUERIES` queries are computed, so no length holds n × n scores.
"""

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, no_type_check

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.config import BOUNDS, AttentionConfig
from attention_core.inputs import sources
from attention_core.inputs.tensors import AttentionInputs
from attention_core.result.compute import compute
from attention_core.threads import computing_with
from attention_core.validation import choice, whole_number

__all__ = ["MEASURES", "QUERIES", "SERIES", "LengthPoint", "LengthsConfig", "expected_entropy_share", "lengths"]

SERIES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType({"softmax": {}, "log_n": {"log_n": True}})
"""The settings of each series, fields of `AttentionConfig`; all others are its defaults."""
MEASURES: Final = ("largest_weight", "entropy_share")
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
        The mean over rows of the entropy divided by ln n.
    """

    curve: str
    n: int
    largest_weight: Float[Tensor, " seeds"]
    entropy_share: Float[Tensor, " seeds"]

    @property
    def size(self) -> int:
        """The place on the axis: n."""
        return self.n

    def per_seed(self, measure: str) -> Float[Tensor, " seeds"]:
        """Return a measure of every seed. Raise `InvalidInput` (`unknown_choice`) for another name."""
        return getattr(self, choice("measure", measure, MEASURES))

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
    return [result.largest_weight.double().mean(), result.entropy.double().mean() / math.log(config.n)]


def expected_entropy_share(config: AttentionConfig) -> float | None:
    """Return the expected entropy of a row of many Gaussian keys, divided by ln n; None where that is not near.

    Given its query, a row's scores are independent N(0, σ²) with σ² = factor² · |q|². Let Z = Σ e^s. For many keys
    Z → n e^(σ²/2) and Σ p s → σ², so that the entropy ln Z − Σ p s → ln n − σ²/2. The mean of |q|² over queries is
    d_k, so

        H / ln n → (ln n − factor² · d_k / 2) / ln n.

    Few keys lack the large scores of which Z mainly consists. To first order in 1/n that adds
    (e^(σ²) (σ² − ½) + ½) / n, and on average over |q|², a χ² of d_k degrees, with t = factor²

        (t d_k (1 − 2t)^(−d_k/2 − 1) − ½ (1 − 2t)^(−d_k/2) + ½) / n,   infinite for t ≥ ½.

    Where this exceeds 0.05 ln n, the first-order value is no estimate and None is returned.

    Parameters
    ----------
    config
        Its n, d_k and factor; a dot product of N(0, 1) components, without QK-norm, mask or another normalisation.

    Returns
    -------
    float | None
        The expected share of ln n.
    """
    n, d_k, t = config.n_k or config.n, config.d_k, config.factor**2
    base = 1 - 2 * t
    if base <= 0 or (d_k / 2 + 1) * -math.log(base) > _FARTHEST:
        return None
    first = t * d_k * base ** (-d_k / 2 - 1) - base ** (-d_k / 2) / 2 + 0.5
    ceiling = math.log(n)
    return (ceiling - t * d_k / 2) / ceiling if abs(first) / n <= _CORRECTED * ceiling else None
