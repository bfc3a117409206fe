"""A finished training as rows of text, one for each seed, with everything needed to repeat it.

The first columns are the settings, which identify a training. The others are measured, or name versions and processor.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields

import torch

from attention_core.experiments.curves import Curve, Experiment
from attention_core.experiments.quality import QualityExperiment
from attention_core.experiments.snapshots import HeadsSnapshot, Snapshot

__all__ = ["Row"]

Row = dict[str, str]

_QUALITY_MEASURES = ("entropy", "score_gradient", "score_gradient_norm", "projection_gradient")
_HEADS_MEASURES = ("all_right", "start_divergence", "divergence")


def columns(experiment: Experiment) -> tuple[str, ...]:
    """Return the header in the order of the file: settings, accuracy and the other measures, the versions."""
    measures = _QUALITY_MEASURES if isinstance(experiment, QualityExperiment) else (*_HEADS_MEASURES, "mass")
    return (*settings_of(experiment, experiment.curves[0], experiment.seed), "accuracy", *measures, *_versions())


def settings_of(experiment: Experiment, curve: Curve, seed: int) -> Row:
    """Return the settings of a run: mechanism, d_k, seed, learning rate, steps, then the experiment's other fields."""
    own = {"mechanism": "scaled", **asdict(curve), "seed": seed}
    whole = {field.name: getattr(experiment, field.name) for field in fields(experiment)}
    for name in ("seeds", *asdict(curve), "mechanism", "seed"):  # lists and counts of the grid; a run has one of each
        whole.pop(name, None)
    ordered = {**own, "learning_rate": whole.pop("learning_rate"), "steps": whole.pop("steps"), **whole}
    return {name: str(value) for name, value in ordered.items()}


def rows_of(experiment: Experiment, last: Snapshot) -> list[Row]:
    """Return one row for each seed of a curve's last snapshot."""
    return [
        {**settings_of(experiment, last.curve, seed), **_measured(last, i), **_versions()}
        for i, seed in enumerate(last.seeds)
    ]


def _measured(last: Snapshot, i: int) -> Row:
    names: Sequence[str] = _HEADS_MEASURES if isinstance(last, HeadsSnapshot) else _QUALITY_MEASURES
    found: dict[str, float] = {name: getattr(last, name)[i].item() for name in ("accuracy", *names)}
    row = {name: f"{value:.6g}" for name, value in found.items()}
    if isinstance(last, HeadsSnapshot):  # heads separated by ";", named positions by blanks
        row["mass"] = ";".join(" ".join(f"{share:.4f}" for share in head) for head in last.mass[i].tolist())
    return row


def _versions() -> Mapping[str, str]:
    """Return the versions and the processor, because others may round differently."""
    return {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "processor": torch.backends.cpu.get_cpu_capability(),
    }
