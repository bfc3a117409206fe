"""The curves of Why √d_k: points at random or real ones, what they say of an answer, and real ones computed anew."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from attention_core import AttentionConfig, LengthPoint, LengthsConfig, SweepConfig, SweepPoint, draw_inputs
from attention_core.studies.sweep import CURVES
from tests.checker.checking import near
from tests.checker.softmax_rows import Numbers, Rows

KINDS: Final = ("falls", "stays", "straddles", "zero", "ceiling", "anything")
QK_NORM: Final = ("unscaled", "scaled", "qk_norm", "qk_norm_unscaled")
LENGTHS: Final = ("softmax", "log_n", "sink")
KEYS: Final = (32, 4096)
PLACES: Final = {"first": 2, "from": 32, "to": 4096}


@dataclass(frozen=True)
class Asked:
    """A question as its texts put it: which of these curves falls below a share of its beginning, or keeps it."""

    name: str
    curves: tuple[str, ...]
    share: float
    keeps: bool = False

    @property
    def answers(self) -> tuple[str, ...]:
        return (*self.curves, "all", "none")


ASKED: Final[Mapping[str, Asked]] = {
    "mechanisms": Asked("why_falls", CURVES, 0.5),
    "qk_norm": Asked("why_normed", ("qk_norm", "qk_norm_unscaled"), 0.5),
    "keys": Asked("why_fades", LENGTHS, 0.1, keeps=True),
}


@dataclass(frozen=True)
class Curves:
    """The study of a state, its points, and the values of every seed at the ends, by curve and measure."""

    asked: Asked
    plan: Any
    points: Sequence[Any]
    real: bool

    def ends(self, curve: str, measure: str) -> tuple[Numbers, Numbers]:
        """Return the values of all seeds where the question begins, and at the end."""
        found = [point for point in self.points if point.curve == curve]
        begins = [point for point in found if getattr(point, "n", None) == KEYS[0]] or found
        return getattr(begins[0], measure).numpy(), getattr(found[-1], measure).numpy()

    def at(self, curve: str, measure: str, place: str) -> Numbers:
        """Return the values of all seeds at a place that the sentences on keys name."""
        found = [point for point in self.points if (point.curve, point.n) == (curve, PLACES[place])]
        return getattr(found[0], measure).numpy()

    @property
    def rows(self) -> int:
        """The rows of each seed at the end."""
        return 256 if isinstance(self.plan, LengthsConfig) else self.plan.n

    def settled(self, curve: str) -> bool | None:
        """Return True for a curve that fell, False for one that stayed, None for one that the draws leave open.

        Entropies of rows lie between 0 and ln n and deviate by at most half of that; weights of mean m lie between 0
        and 1 and deviate by at most √(m (1 − m)).
        """
        of_weights = isinstance(self.plan, LengthsConfig)
        first, last = self.ends(curve, "largest_weight" if of_weights else "entropy")
        mean, line = last.mean(), self.asked.share * first.mean()
        deviation = math.sqrt(mean * (1 - mean)) if of_weights else 0.5 * math.log(self.plan.n)
        loose = deviation / math.sqrt(self.rows * self.plan.seeds)
        if max(last.max(), mean + loose) < line:
            return True
        return False if min(last.min(), mean - loose) > line else None

    def refuted(self, answer: str) -> bool:
        """Return True if the draws speak against an answer: a curve that it names did not do so, or another did."""
        curves = set(self.asked.curves)
        named = {"all": curves, "none": set[str]()}.get(answer, {answer})
        meant = {curve for curve in curves if self.settled(curve) is (not self.asked.keeps)}
        others = {curve for curve in curves if self.settled(curve) is self.asked.keeps}
        if len(meant) == 2 < len(curves) and not curves - meant - others:
            return answer not in meant  # two curves: no choice names both, so each of them is right
        return bool(named & others or meant - named)

    @property
    def possible(self) -> bool:
        """True if some choice names what came; two curves of three have no choice of their own."""
        return any(not self.refuted(answer) for answer in self.asked.answers)


def curves_of(asked: Asked, plan: Any, drawn: str, run: Any) -> Curves:
    """Return points at random from `KIND.….SEED`, or those of a real study of few sizes."""
    *kinds, seed = drawn.split(".")
    if seed == "real":
        if isinstance(plan, LengthsConfig):
            few: Any = LengthsConfig(d_k=plan.d_k, seed=plan.seed, seeds=plan.seeds, ns=(2, *KEYS))
        else:
            few = SweepConfig(n=plan.n, seed=plan.seed, seeds=plan.seeds, d_ks=(1, 16, 256), curves=plan.curves)
        return Curves(asked, few, list(run(few)), True)
    make: Any = _lengths if isinstance(plan, LengthsConfig) else _widths
    if isinstance(plan, LengthsConfig):
        plan = LengthsConfig(d_k=plan.d_k, seed=plan.seed, seeds=plan.seeds, ns=tuple(PLACES.values()))
    return Curves(asked, plan, list(make(plan, kinds, np.random.default_rng(int(seed)), asked.share)), False)


def _last(kind: str, first: Numbers, share: float, ceiling: float, draws: np.random.Generator) -> Numbers:
    seeds = len(first)
    return {
        "falls": first.mean() * draws.uniform(0, 0.4 * share, seeds),
        "stays": np.minimum(ceiling, first * draws.uniform(0.8, 1.5, seeds)),
        "straddles": first.mean() * draws.uniform(0.6 * share, 1.4 * share, seeds),
        "zero": np.zeros(seeds),
        "ceiling": np.full(seeds, ceiling),
        "anything": ceiling * draws.uniform(0, 1, seeds),
    }[kind]


def _widths(plan: SweepConfig, kinds: list[str], draws: np.random.Generator, share: float) -> Iterator[SweepPoint]:
    ceiling = math.log(plan.n)
    first = {curve: ceiling * draws.uniform(0.2, 1, plan.seeds) for curve in plan.curves}
    for d_k in (plan.d_ks[0], plan.d_ks[-1]):
        for curve, kind in zip(plan.curves, kinds, strict=False):
            last = _last(kind, first[curve], share, ceiling, draws)
            entropy = torch.from_numpy(first[curve] if d_k == plan.d_ks[0] else last)
            others = (torch.from_numpy(10 ** draws.uniform(-30, 0, plan.seeds)) for _ in range(5))
            variance, largest, norm, gradient, gradient_norm = others
            yield SweepPoint(curve, d_k, variance, entropy, largest, norm, gradient, gradient_norm)


def _lengths(plan: LengthsConfig, kinds: list[str], draws: np.random.Generator, share: float) -> Iterator[LengthPoint]:
    first = {curve: draws.uniform(0.05, 1, plan.seeds) for curve in LENGTHS}
    for n in plan.ns:
        for curve, kind in zip(LENGTHS, kinds, strict=False):
            largest = _last(kind, first[curve], share, 1.0, draws) if n == KEYS[1] else first[curve]
            others = (torch.from_numpy(draws.uniform(0, 1, plan.seeds)) for _ in range(2))
            yield LengthPoint(curve, n, torch.from_numpy(largest), *others)


def wrong_points(curves: Curves) -> Iterator[str]:
    """Compute real points anew in float64 from the draws, and yield those that are not so."""
    for point in curves.points if curves.real else ():
        for i, seed in enumerate(curves.plan.every_seed()):
            if isinstance(point, LengthPoint):
                true = _of_length(curves.plan, point, seed)
            elif point.curve != "additive":
                true = _of_width(curves.plan, point, seed)
            else:
                continue
            for name, value in true.items():
                came = float(getattr(point, name)[i])
                if not (near(came, value, 4) or abs(came - value) < 1e-6):
                    yield f"{point.curve} at {point.size}, seed {seed}: {name} is {value!r}, not {came!r}"


def _of_length(plan: LengthsConfig, point: LengthPoint, seed: int) -> dict[str, float]:
    drawn = draw_inputs(AttentionConfig(n=plan.ns[-1], h=1, d_k=plan.d_k, tie=False, seed=seed))
    n = point.n
    Q, K = drawn.Q.double().numpy()[:, : min(n, 256)], drawn.K.double().numpy()[:, :n]
    growth = {"log_n": math.log(n) / math.log(32)}.get(point.curve, 1.0)
    scores = Q @ K.transpose(0, 2, 1) / math.sqrt(plan.d_k) * growth
    sinks = int(point.curve == "sink")  # a sink is one more key, of score 0, that takes no part in the largest weight
    rows = Rows(
        np.concatenate([scores, np.zeros((*scores.shape[:2], sinks))], -1), np.ones((len(scores[0]), n + sinks), bool)
    )
    return {
        "largest_weight": rows.weights[..., :n].max(-1).mean(),
        "entropy_share": rows.entropy.mean() / math.log(n + sinks),
        "sink_weight": rows.weights[..., n:].sum(-1).mean(),
    }


def _of_width(plan: SweepConfig, point: SweepPoint, seed: int) -> dict[str, float]:
    drawn = draw_inputs(AttentionConfig(n=plan.n, h=1, d_k=plan.d_ks[-1], tie=False, seed=seed))
    Q, K = (vectors.double().numpy()[..., : point.d_k] for vectors in (drawn.Q, drawn.K))
    if point.curve.startswith("qk_norm"):
        Q, K = (vectors / np.sqrt((vectors**2).mean(-1, keepdims=True)) for vectors in (Q, K))
    scores = Q @ K.transpose(0, 2, 1) * (1.0 if point.curve.endswith("unscaled") else point.d_k**-0.5)
    rows = Rows(scores, np.ones(scores.shape[1:], bool))
    return {
        "variance": scores.var(), "entropy": rows.entropy.mean(), "largest_weight": rows.largest.mean(),
        "jacobian_norm": rows.norm.mean(),
    }  # fmt: skip
