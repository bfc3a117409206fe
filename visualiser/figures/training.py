"""A training: the subject of its figures, the sentence that they share, and its table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from attention_core.experiments import HeadsExperiment, HeadsSnapshot, QualityExperiment, QualitySnapshot, Snapshot
from visualiser.drawing.seeds import newest
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.state.view import View
from visualiser.tables import Column, Table

Experiment = QualityExperiment | HeadsExperiment


@dataclass(frozen=True)
class Training:
    """An experiment and its snapshots so far."""

    wanted: Experiment
    found: Sequence[Snapshot]

    @property
    def of_quality(self) -> tuple[QualityExperiment, list[QualitySnapshot]]:
        """A quality experiment and its snapshots."""
        assert isinstance(self.wanted, QualityExperiment)
        return self.wanted, of_quality(self.found)

    @property
    def of_heads(self) -> tuple[HeadsExperiment, list[HeadsSnapshot]]:
        """A heads experiment and its snapshots."""
        assert isinstance(self.wanted, HeadsExperiment)
        return self.wanted, of_heads(self.found)

    @property
    def widths(self) -> tuple[int, ...]:
        """The d_k of a quality experiment."""
        return tuple(self.of_quality[0].d_k)

    def quality(self, mechanism: str, d_k: int) -> QualitySnapshot:
        """Return the latest snapshot of a curve."""
        return newest(of_quality(self.found))[mechanism, d_k]

    def heads(self, h: int) -> HeadsSnapshot:
        """Return the latest snapshot of the model with h heads."""
        return newest(of_heads(self.found))[h]


@dataclass(frozen=True)
class Model(Training):
    """The same, and the number of heads of one model of a heads experiment."""

    h: int

    @property
    def shot(self) -> HeadsSnapshot | None:
        """The latest snapshot; None if it has not begun."""
        return next((shot for shot in reversed(of_heads(self.found)) if shot.curve.h == self.h), None)


def sentence(training: Training, shown: Message) -> list[Message]:
    """Return how far the curves are, then the sentence `shown`."""
    wanted, found = training.wanted, training.found
    if not found:
        return [message("train.nothing")]
    latest = _latest(found)
    finished = sum(shot.step == shot.steps for shot in latest)
    counted = {"finished": finished, "curves": len(wanted.curves)}
    learning = len(latest) - finished
    state = (
        message("train.state_learning", learning=learning, **counted) if learning else message("train.state", **counted)
    )
    return [state, shown]


def table(training: Training, view: View) -> Table:
    """List every run: a seed of a curve, its latest values, and every setting needed to repeat it."""
    wanted, found, lang = training.wanted, training.found, view.lang
    runs = [(shot, i) for shot in _latest(found) for i in range(len(shot.seeds))]
    columns: dict[str, list[str] | np.ndarray] = {}
    if isinstance(wanted, HeadsExperiment):
        shots = [(shot, i) for shot, i in runs if isinstance(shot, HeadsSnapshot)]
        columns["h"] = np.array([shot.curve.h for shot, _ in shots], dtype=np.int64)
        columns["d_k"] = np.array([shot.curve.d_k for shot, _ in shots], dtype=np.int64)
        measures = ("accuracy", "all_right", "divergence", "start_divergence")
        settings = {"m": wanted.m, "d_model": wanted.d_model, "classes": wanted.classes, "mlp": wanted.mlp}
    else:
        quality = [(shot, i) for shot, i in runs if isinstance(shot, QualitySnapshot)]
        columns["mechanism"] = [shot.curve.mechanism for shot, _ in quality]
        columns["d_k"] = np.array([shot.curve.d_k for shot, _ in quality], dtype=np.int64)
        measures = ("accuracy", "entropy", "score_gradient", "score_gradient_norm", "projection_gradient")
        settings = {"task": wanted.task, "initialisation": wanted.initialisation}
    columns["seed"] = np.array([shot.seeds[i] for shot, i in runs], dtype=np.int64)
    columns["step"] = np.array([shot.step for shot, _ in runs], dtype=np.int64)
    for measure in measures:
        columns[measure] = np.array([float(getattr(shot, measure)[i]) for shot, i in runs])
    same = {"learning_rate": wanted.learning_rate, "steps": wanted.steps, "batch": wanted.batch, **settings}
    same |= {"evaluation": wanted.evaluation, "torch": torch.__version__}
    for name, value in same.items():
        columns[name] = [str(value)] * len(runs)
    # the columns have the names of the command line, so that both files read alike
    return Table(text(lang, "train.table"), [_column(wanted, name, values) for name, values in columns.items()])


_KINDS: Final = {
    "accuracy": "accuracy",
    "all_right": "all_right",
    "divergence": "divergence",
    "start_divergence": "divergence",
    "entropy": "entropy",
    "score_gradient": "score_gradient",
    "score_gradient_norm": "score_gradient_norm",
    "projection_gradient": "projection_gradient",
}
_SET: Final = ("h", "d_k", "m", "d_model", "classes", "learning_rate", "steps", "batch", "evaluation")


def _column(wanted: Experiment, name: str, values: list[str] | np.ndarray) -> Column:
    """Return a column; its numbers are settings, steps so far, or measured for each seed."""
    if name in _SET:
        return Column(name, values, kind="size", made=lambda _: message("reason.made.plan"))
    if name == "step":
        return Column(name, values, kind="counted", made=lambda _: message("reason.made.steps_so_far"))
    if name == "projection_gradient":
        made = message("reason.made.next_batch", examples=wanted.batch)
    elif name == "start_divergence":
        made = message("reason.made.held_out_before", examples=wanted.evaluation)
    else:
        made = message("reason.made.held_out", examples=wanted.evaluation)
    return Column(name, values, kind=_KINDS[name], made=lambda _: made) if name in _KINDS else Column(name, values)


def of_quality(found: Sequence[Snapshot]) -> list[QualitySnapshot]:
    """Return the snapshots of quality experiments."""
    return [shot for shot in found if isinstance(shot, QualitySnapshot)]


def of_heads(found: Sequence[Snapshot]) -> list[HeadsSnapshot]:
    """Return the snapshots of heads experiments."""
    return [shot for shot in found if isinstance(shot, HeadsSnapshot)]


def _latest(found: Sequence[Snapshot]) -> list[Snapshot]:
    return [*newest(of_quality(found)).values(), *newest(of_heads(found)).values()]
