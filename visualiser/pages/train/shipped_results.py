"""Shipped trainings: writing and reading their snapshots."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

import torch

from attention_core.experiments import (
    HeadsCurve,
    HeadsExperiment,
    HeadsSnapshot,
    QualityCurve,
    QualityExperiment,
    QualitySnapshot,
    Snapshot,
)
from visualiser.shipped import Shipped

DIGITS: Final = 3
"""The significant digits kept: as many as the page shows."""

_TENSORS: Final[dict[Any, tuple[str, ...]]] = {
    QualitySnapshot: ("accuracy", "entropy", "score_gradient", "score_gradient_norm", "projection_gradient"),
    HeadsSnapshot: ("accuracy", "all_right", "divergence", "start_divergence", "mass", "maps"),
}


def settings(experiment: QualityExperiment | HeadsExperiment) -> dict[str, Any]:
    """Return all settings that decide an outcome, as JSON has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(experiment).items()}


def of_shipped(wanted: QualityExperiment | HeadsExperiment, kept: Shipped) -> list[Snapshot] | None:
    """Return the shipped snapshots of the experiment's curves; None if a curve or a setting is another.

    A curve does not depend on the others, so some curves of a shipped experiment are shipped as well.
    """
    asked, there = settings(wanted), kept.settings
    grid = [name for name, value in asked.items() if isinstance(value, list)]
    if any(asked[name] != there.get(name) for name in asked if name not in grid):
        return None
    if not all(set(asked[name]) <= set(there[name]) for name in grid):
        return None
    curves = [asdict(curve) for curve in wanted.curves]
    return snapshots_from(wanted, [entry for entry in kept.results if entry["curve"] in curves])


def to_json(shots: Iterable[Snapshot]) -> list[dict[str, Any]]:
    """Write snapshots as JSON; NaN becomes null."""
    return [
        {
            "curve": asdict(shot.curve),
            "step": shot.step,
            **{name: _listed(getattr(shot, name).tolist()) for name in _TENSORS[type(shot)]},
        }
        for shot in shots
    ]


def snapshots_from(
    experiment: QualityExperiment | HeadsExperiment, entries: Iterable[dict[str, Any]]
) -> list[Snapshot]:
    """Read snapshots of an experiment as `to_json` wrote them."""
    kinds: tuple[Any, Any] = (HeadsSnapshot, HeadsCurve)
    if isinstance(experiment, QualityExperiment):
        kinds = (QualitySnapshot, QualityCurve)
    made, curve = kinds
    return [
        made(
            curve(**entry["curve"]),
            experiment.every_seed,
            entry["step"],
            experiment.steps,
            **{name: torch.tensor(_numbers(entry[name])) for name in _TENSORS[made]},
        )
        for entry in entries
    ]


def _listed(values: Any) -> Any:
    if isinstance(values, list):
        return [_listed(value) for value in values]
    return None if values != values else float(f"{values:.{DIGITS}g}")


def _numbers(values: Any) -> Any:
    if isinstance(values, list):
        return [_numbers(value) for value in values]
    return float("nan") if values is None else float(values)
