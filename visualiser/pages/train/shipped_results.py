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

DIGITS: Final = 3
"""The significant digits kept: as many as the page shows."""

_TENSORS: Final[dict[Any, tuple[str, ...]]] = {
    QualitySnapshot: ("accuracy", "entropy", "score_gradient", "score_gradient_norm", "projection_gradient"),
    HeadsSnapshot: ("accuracy", "all_right", "divergence", "start_divergence", "mass", "maps"),
}


def settings(experiment: QualityExperiment | HeadsExperiment) -> dict[str, Any]:
    """Return all settings that decide an outcome, as JSON has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(experiment).items()}


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
