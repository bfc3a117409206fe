"""d_k from 1 to 1024 for scaled, unscaled and additive attention on the same draws (section 3.2.1 and footnote 4).

Other curves are those with normalised queries and keys (QK-norm), with and without 1/√d_k.

A seed's queries, keys and values are those of `compute(AttentionConfig(d_k=…, tie=False, seed=…))` at every d_k. They
are drawn component by component, so that a larger d_k keeps the components of a smaller one. So QKᵀ at one d_k is QKᵀ
at the one before plus the products of the new components. QK-norm divides by another length at each d_k, so its
products are made anew there, of the first d_k components.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, no_type_check

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core import mechanisms
from attention_core.cancellation import checkpoint
from attention_core.config import BOUNDS, AttentionConfig
from attention_core.exact.compared import compared
from attention_core.exact.row_sums import SummedRows, row_sums
from attention_core.inputs import sources
from attention_core.result import moments
from attention_core.studies.score_gradient import at_correct_key, correct_keys, row_medians, score_gradient
from attention_core.threads import computing_with
from attention_core.validation import choice, whole_number

__all__ = ["CURVES", "MEASURES", "WAYS", "SweepConfig", "SweepPoint", "sweep"]

WAYS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "scaled": {"mechanism": "dot_product", "scaling": "sqrt_d_k"},
        "unscaled": {"mechanism": "dot_product", "scaling": "none"},
        "additive": {"mechanism": "additive", "scaling": "none"},
        "qk_norm": {"mechanism": "dot_product", "scaling": "sqrt_d_k", "qk_norm": True},
        "qk_norm_unscaled": {"mechanism": "dot_product", "scaling": "none", "qk_norm": True},
    }
)
"""The settings of each curve, fields of `AttentionConfig`."""
CURVES: Final = ("scaled", "unscaled", "additive")
"""The curves of section 3.2.1, if no others are named."""
MEASURES: Final = ("variance", "entropy", "largest_weight", "jacobian_norm", "gradient", "gradient_norm")
_SPAN_DECADES: Final = ("gradient", "gradient_norm")
# Matrices of 32 × 32 gain little from a second thread. On a busy machine two threads wait for each other and lose much.
_THREADS: Final = 1
_SEEDS: Final = int(BOUNDS["seed"].maximum) + 1


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
@dataclass(frozen=True, kw_only=True)
class SweepConfig:
    """A sweep over `d_ks` with `seeds` seeds from `seed` on, each with `h` heads of `n` queries and keys.

    By default each seed has one head: heads and seeds are equally independent draws, and the band is over seeds.

    Parameters
    ----------
    n
        Number of queries, and of keys.
    h
        Number of heads of each seed.
    seed
        The first seed.
    seeds
        Number of seeds.
    d_ks
        The widths; they are sorted.
    curves
        Names of `WAYS`, each once, in the order of the points at a d_k.

    Raises
    ------
    InvalidInput
        `not_a_number` or `out_of_range`; `unknown_choice` for a curve.
    """

    n: int = 32
    h: int = 1
    seed: int = 0
    seeds: int = 5
    d_ks: tuple[int, ...] = tuple(2**power for power in range(11))
    curves: tuple[str, ...] = CURVES

    def __post_init__(self) -> None:
        for field, minimum, maximum in (("n", 2, None), ("h", 1, None), ("seed", 0, _SEEDS - 1), ("seeds", 1, None)):
            object.__setattr__(self, field, whole_number(field, getattr(self, field), minimum, maximum))
        d_ks = {whole_number("d_k", d_k, 1) for d_k in self.d_ks}
        whole_number("d_ks", len(d_ks), 1)
        object.__setattr__(self, "d_ks", tuple(sorted(d_ks)))
        curves = dict.fromkeys(choice("curve", curve, tuple(WAYS)) for curve in self.curves)
        whole_number("curves", len(curves), 1)
        object.__setattr__(self, "curves", tuple(curves))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The widths, along which the curves run."""
        return self.d_ks

    def every_seed(self) -> tuple[int, ...]:
        """Return the seeds in order; 0 follows the largest possible seed."""
        return tuple((self.seed + i) % _SEEDS for i in range(self.seeds))

    def attention(self, curve: str, seed: int, d_k: int) -> AttentionConfig:
        """Return the config of one curve at one d_k and seed, for `compute`."""
        settings = WAYS[choice("curve", curve, self.curves)]
        return AttentionConfig(n=self.n, h=self.h, d_k=d_k, tie=False, seed=seed, **settings)


@dataclass(frozen=True, eq=False)
class SweepPoint:
    """One curve at one d_k, with one number for each seed.

    Attributes
    ----------
    variance
        The variance of the scores before the softmax over all cells of a head; by footnote 4 d_k if unscaled.
    entropy
        The mean over rows, in nats; at most ln n.
    largest_weight
        The mean over rows.
    jacobian_norm
        The mean over rows of ‖diag(p) − p pᵀ‖_F.
    gradient
        The median over rows of |dL/ds| at the correct key (`score_gradient`).
    gradient_norm
        The median over rows of ‖dL/ds‖ over all keys of the row.
    """

    curve: str
    d_k: int
    variance: Float[Tensor, " seeds"]
    entropy: Float[Tensor, " seeds"]
    largest_weight: Float[Tensor, " seeds"]
    jacobian_norm: Float[Tensor, " seeds"]
    gradient: Float[Tensor, " seeds"]
    gradient_norm: Float[Tensor, " seeds"]

    @property
    def size(self) -> int:
        """The place on the axis: d_k."""
        return self.d_k

    def per_seed(self, measure: str) -> Float[Tensor, " seeds"]:
        return getattr(self, choice("measure", measure, MEASURES))

    def spread(self, measure: str) -> tuple[float, float, float]:
        """Return (middle, least, greatest) over the seeds.

        The middle is the mean, or the median for gradients, which differ by powers of ten from seed to seed.
        """
        values = self.per_seed(measure)
        middle = torch.quantile(values, 0.5) if measure in _SPAN_DECADES else values.mean()
        return middle.item(), values.min().item(), values.max().item()


def sweep(config: SweepConfig) -> Generator[SweepPoint, None, None]:
    """Yield every point of every curve, the smallest d_k first. Close the generator to stop.

    It runs on the CPU, which is faster at n = 32, and takes 4 · seeds · h · n · (3 d_k + n) bytes, with no further term
    that grows with n².

    Parameters
    ----------
    config
        The seeds and the widths.

    Yields
    ------
    SweepPoint
        One curve at one d_k, with one number for each seed.
    """
    widest = [config.attention(config.curves[0], seed, config.d_ks[-1]) for seed in config.every_seed()]
    Q, K, V = (torch.stack([sources.per_head(one, None, name) for one in widest]) for name in "QKV")  # seeds h n d_k
    correct = torch.stack([correct_keys(one.seed, config.h, config.n) for one in widest])  # seeds h n
    products = torch.zeros(config.seeds, config.h, config.n, config.n)
    gram, before = torch.zeros_like(products), 0
    for d_k in config.d_ks:
        new, before = slice(before, d_k), d_k
        checkpoint()
        with computing_with(_THREADS):
            products += Q[..., new] @ K[..., new].mT
            gram += V[..., new] @ V[..., new].mT
        for curve in config.curves:
            own = config.attention(curve, config.seed, d_k)
            with computing_with(_THREADS):  # for each point, since the caller may switch threads between two
                if mechanisms.of(own).products and not own.qk_norm:
                    scores = products * own.factor
                else:
                    scores = _scores(config, curve, Q[..., :d_k], K[..., :d_k])
                point = _measured(curve, d_k, scores, gram / d_k, correct)
            yield point


def _scores(
    config: SweepConfig, curve: str, Q: Float[Tensor, "seeds h n d_k"], K: Float[Tensor, "seeds h n d_k"]
) -> Float[Tensor, "seeds h n n"]:
    """Compute scores seed by seed. One seed's parameters take 8 · h · d_k² bytes, so they are drawn at each d_k."""
    scores = []
    for seed, Q_s, K_s in zip(config.every_seed(), Q, K, strict=True):
        own = config.attention(curve, seed, Q.shape[-1])
        mechanism = mechanisms.of(own)
        Q_s, K_s = compared(own, Q_s), compared(own, K_s)
        scores.append(mechanism.scores(Q_s, K_s, mechanism.parameters(own, 1)) * own.factor)
    return torch.stack(scores)


def _measured(
    curve: str,
    d_k: int,
    scores: Float[Tensor, "seeds h n n"],
    gram: Float[Tensor, "seeds h n n"],
    correct: Tensor,
) -> SweepPoint:
    checkpoint()
    rows = SummedRows(row_sums(scores), torch.tensor(scores.shape[-1]), torch.float64)
    _, variance = moments.measured_moments(scores.flatten(0, 1), None)  # seeds · h
    checkpoint()
    gradient = score_gradient(scores, gram, correct)
    return SweepPoint(
        curve=curve,
        d_k=d_k,
        variance=variance.double().view(scores.shape[:2]).mean(-1),
        entropy=rows.entropy.mean((-2, -1)),
        largest_weight=rows.top.mean((-2, -1)),
        jacobian_norm=rows.jacobian_norm.mean((-2, -1)),
        gradient=row_medians(at_correct_key(gradient, correct)),
        gradient_norm=row_medians(gradient.norm(dim=-1)),
    )
