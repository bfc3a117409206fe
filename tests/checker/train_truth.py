"""Outcomes of experiments of the Train page, drawn at random or trained here, and their snapshots as numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import torch

from attention_core.experiments import (
    HeadsExperiment,
    HeadsSnapshot,
    QualityExperiment,
    QualitySnapshot,
    Snapshot,
    train,
)
from tests.checker.checking import near
from visualiser.pages.train import live
from visualiser.pages.train.shipped_results import snapshots_from
from visualiser.shipped import shipped
from visualiser.state import share

Experiment = QualityExperiment | HeadsExperiment

KINDS = ("any", "alike", "perfect", "chance", "apart", "near", "wide", "dead", "even")
UNCLEAR = 0.02
"""The error of one seed's accuracy on 512 examples near ½ (`RECIPE_BOUNDS`)."""


@cache
def trained_here(wanted: Experiment) -> tuple[Snapshot, ...]:
    return tuple(train(wanted))


def state(link: str) -> tuple[Experiment, list[Snapshot]]:
    """Return the experiment of a link and its outcome: the first and the last snapshot of each curve."""
    query, _, source = link.partition("#")
    kind, _, seed = source.partition("-")
    wanted = live.experiment(share.read(query).state)
    if kind == "shipped":
        name = "train_heads" if isinstance(wanted, HeadsExperiment) else "train_quality"
        return wanted, list(snapshots_from(wanted, shipped(name).results))
    if kind == "real":
        tiny: Any = replace(wanted, steps=1, batch=2, evaluation=32, seeds=1)
        if isinstance(tiny, QualityExperiment):
            tiny = replace(tiny, d_k=tuple(min(size, 16) for size in tiny.d_k))
        return tiny, list(trained_here(tiny))
    rng = np.random.default_rng(int(seed))
    return wanted, _heads(wanted, kind, rng) if isinstance(wanted, HeadsExperiment) else _quality(wanted, kind, rng)


def _accuracies(kind: str, seeds: int, rng: np.random.Generator) -> torch.Tensor:
    centre, width = rng.uniform(0.1, 1), 0.05
    if kind == "perfect":
        centre, width = 1.0, 0.0
    if kind == "chance":
        centre, width = 0.125, 0.01
    if kind == "alike":
        width = 0.0
    if kind == "near":  # differences at the thresholds
        centre, width = rng.choice((0.5, 0.52, 0.6, 0.61, 0.9)), 0.01
    if kind == "wide":
        width = 0.5
    return torch.tensor(np.clip(centre + width * rng.uniform(-1, 1, seeds), 0, 1), dtype=torch.float32)


def _quality(wanted: QualityExperiment, kind: str, rng: np.random.Generator) -> list[Snapshot]:
    found: list[Snapshot] = []
    for curve in wanted.curves:
        seeds = len(wanted.every_seed)
        power = 0.0 if kind == "dead" else 10.0 ** rng.choice((-30, -8, -4, -2, 0))
        gradient = torch.tensor(power * rng.uniform(0.1, 1, seeds), dtype=torch.float32)
        projections = torch.tensor(10.0 ** rng.uniform(-2, 1, seeds), dtype=torch.float32)
        for step in (0, wanted.steps):
            accuracy = _accuracies(kind, seeds, rng)
            entropy = torch.tensor(rng.uniform(0, 2, seeds), dtype=torch.float32)
            found.append(
                QualitySnapshot(
                    curve, wanted.every_seed, step, wanted.steps, accuracy, entropy, gradient, gradient, projections
                )
            )
    return found


def _heads(wanted: HeadsExperiment, kind: str, rng: np.random.Generator) -> list[Snapshot]:
    found: list[Snapshot] = []
    for curve in wanted.curves:
        seeds, h, m = len(wanted.every_seed), curve.h, wanted.m
        apart = rng.uniform(0, 1, (2, seeds)) if kind != "even" else np.zeros((2, seeds))
        if h == 1:
            apart[:] = np.nan
        mass = rng.dirichlet([0.1] * 9, (seeds, h))[..., :m] if kind != "even" else np.full((seeds, h, m), 0.125)
        if kind == "perfect":
            mass = np.zeros((seeds, h, m))
            mass[..., 0] = 1.0
        weights, start, now = (torch.tensor(one, dtype=torch.float32) for one in (mass, *apart))
        for step in (0, wanted.steps):
            accuracy = _accuracies(kind, seeds, rng)
            measured = (accuracy, accuracy, now, start, weights, torch.zeros(seeds, h, m, 8, 8))
            found.append(HeadsSnapshot(curve, wanted.every_seed, step, wanted.steps, *measured))
    return found


@dataclass(frozen=True)
class Truth:
    """An experiment and its snapshots, as arrays of float64 over the seeds."""

    wanted: Any
    shots: list[Snapshot]

    @property
    def heads(self) -> bool:
        return isinstance(self.wanted, HeadsExperiment)

    def accuracy(self, name: Any, size: int | None = None) -> np.ndarray:
        """Return the accuracies of a curve's last snapshot."""
        shots: list[Any] = [
            shot
            for shot in self.shots
            if (shot.curve.h == name if self.heads else (shot.curve.mechanism, shot.curve.d_k) == (name, size))  # pyright: ignore[reportAttributeAccessIssue]
        ]
        return shots[-1].accuracy.double().numpy()

    def start(self, name: str, size: int, measure: str) -> float:
        """Return the median over the seeds of a measure before the first step, the lower one of two."""
        (shot,) = [s for s in self.shots if s.step == 0 and (s.curve.mechanism, s.curve.d_k) == (name, size)]  # pyright: ignore[reportAttributeAccessIssue]
        values = sorted(getattr(shot, measure).double().tolist())
        return values[(len(values) - 1) // 2]

    def last(self, h: int) -> HeadsSnapshot:
        return [s for s in self.shots if isinstance(s, HeadsSnapshot) and s.curve.h == h][-1]

    @property
    def ends(self) -> tuple[int, int]:
        return min(self.wanted.d_k), max(self.wanted.d_k)


def truth(link: str) -> Truth:
    """Return the truth of a state."""
    return Truth(*state(link))


STOPS = (0, 1, 3, None)
"""The snapshots after which the captions are read: none, some, all."""

Facts = Mapping[str, Any]


def one_of(*allowed: bool) -> Iterable[str]:
    """Yield that a sentence is of another experiment, unless all is allowed."""
    if not all(allowed):
        yield "this is another experiment"


def last_accuracies(true: Truth) -> dict[str, float]:
    """Return each mechanism's mean accuracy at the largest width."""
    return {name: float(true.accuracy(name, true.ends[1]).mean()) for name in true.wanted.mechanism}


def differing(true: Truth, pairs: Sequence[tuple[float, float]], *allowed: bool) -> Iterable[str]:
    """Check numbers against the true ones, in an experiment of this kind."""
    yield from one_of(*allowed)
    if not all(near(claimed, float(value)) for claimed, value in pairs):
        yield f"other numbers: {pairs}"
