"""The sentences and the table of a training: its plan, its outcome, and every run with its settings."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from attention_core.experiments import HeadsExperiment, HeadsSnapshot, QualityExperiment, QualitySnapshot, Snapshot
from visualiser.figures.seeds import newest
from visualiser.locale import number, text
from visualiser.tables import Column, Table

Experiment = QualityExperiment | HeadsExperiment


def lead(wanted: Experiment, lang: str) -> str:
    """Ask what the experiment answers."""
    return text(lang, "train.lead.heads" if isinstance(wanted, HeadsExperiment) else "train.lead.quality")


def plan(wanted: Experiment, lang: str) -> list[str]:
    """Describe the plan of a run."""
    counted = {"curves": len(wanted.curves), "seeds": wanted.seeds, "steps": wanted.steps}
    if isinstance(wanted, HeadsExperiment):
        sizes = ", ".join(map(str, wanted.h))
        return [
            lead(wanted, lang),
            text(lang, "train.plan.heads", h=sizes, m=wanted.m, d_model=wanted.d_model, **counted),
        ]
    sizes = ", ".join(map(str, wanted.d_k))
    plans = text(lang, f"train.plan.{wanted.task}"), text(lang, "train.plan.quality", d_k=sizes, **counted)
    return [lead(wanted, lang), *plans]


def insight(wanted: Experiment, found: Sequence[Snapshot], lang: str) -> list[str]:
    """Say what the outcome means for the paper's claim, in its own numbers."""
    if isinstance(wanted, HeadsExperiment):
        heads = [shot for shot in found if isinstance(shot, HeadsSnapshot)]
        return [lead(wanted, lang), *_heads_insight(wanted, heads, lang)]
    quality = [shot for shot in found if isinstance(shot, QualitySnapshot)]
    return [lead(wanted, lang), *_quality_insight(wanted, quality, lang)]


def because(wanted: Experiment, found: Sequence[Snapshot]) -> dict[str, Any]:
    """Return the numbers of the verdict's last sentence."""
    if isinstance(wanted, HeadsExperiment):
        last = newest([shot for shot in found if isinstance(shot, HeadsSnapshot)])
        values = [f"h = {h}: {_mean(last[h])}" for h in sorted(wanted.h)]
    else:
        final = newest([shot for shot in found if isinstance(shot, QualitySnapshot)])
        low, high = min(wanted.d_k), max(wanted.d_k)
        values = [f"{name}: {_mean(final[name, low])} → {_mean(final[name, high])}" for name in wanted.mechanism]
    return {"values": ", ".join(values)}


def table(wanted: Experiment, found: Sequence[Snapshot], lang: str) -> Table:
    """List every run: a seed of a curve, its latest values, and every setting needed to repeat it."""
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
    return Table(text(lang, "train.table"), [Column(name, values) for name, values in columns.items()])


def summaries(wanted: Experiment, found: Sequence[Snapshot], lang: str, figures: Iterable[str]) -> dict[str, str]:
    """Write one sentence on the present content of each figure."""
    if not found:
        return {name: text(lang, "train.nothing") for name in figures}
    finished = sum(shot.step == shot.steps for shot in _latest(found))
    state = text(lang, "train.state", finished=finished, curves=len(wanted.curves))
    keys = {name: f"train.summary.{name}".replace("-", "_") for name in figures}
    return {name: f"{state} {text(lang, key)}" for name, key in keys.items()}


def _latest(found: Sequence[Snapshot]) -> list[Snapshot]:
    last = newest([shot for shot in found if isinstance(shot, QualitySnapshot)])
    heads = newest([shot for shot in found if isinstance(shot, HeadsSnapshot)])
    return [*last.values(), *heads.values()]


def _mean(shot: Snapshot) -> str:
    return number(float(shot.accuracy.mean()))


def _quality_insight(wanted: QualityExperiment, found: Sequence[QualitySnapshot], lang: str) -> list[str]:
    final = newest(found)
    start = {(shot.curve.mechanism, shot.curve.d_k): shot for shot in found if shot.step == 0}
    low, high = min(wanted.d_k), max(wanted.d_k)
    curves = [
        f"{text(lang, f'figure.sweep.{name}')} {_mean(final[name, low])} → {_mean(final[name, high])}"
        for name in wanted.mechanism
    ]
    sentences = [text(lang, "train.outcome", low=low, high=high, curves="; ".join(curves))]
    if {"unscaled", "scaled"} <= set(wanted.mechanism) and ("unscaled", high) in start:
        sizes = {
            f"{name}_{which}": number(float(getattr(start[name, high], measure).median()))
            for name in ("unscaled", "scaled")
            for which, measure in (("scores", "score_gradient"), ("weights", "projection_gradient"))
        }
        sentences.append(text(lang, "train.vanishes", d_k=high, **sizes))
    if wanted.task == "noisy":
        sentences.append(text(lang, "train.counterexample"))
    return sentences


def _heads_insight(wanted: HeadsExperiment, found: Sequence[HeadsSnapshot], lang: str) -> list[str]:
    last = newest(found)
    values = ", ".join(f"h = {h}: {_mean(last[h])}" for h in sorted(wanted.h))
    sentences = [text(lang, "train.heads_outcome", values=values, m=wanted.m)]
    if wanted.m in last:
        shot = last[wanted.m]
        most = float(shot.mass[0].amax(-1).mean())
        names = len(set(shot.mass[0].argmax(-1).tolist()))
        sentences.append(text(lang, "train.heads_share", h=wanted.m, mass=number(most), names=names))
        before, after = (number(float(x.mean())) for x in (shot.start_divergence, shot.divergence))
        sentences.append(text(lang, "train.heads_divergence", h=wanted.m, before=before, after=after))
    if wanted.mlp:
        sentences.append(text(lang, "train.mlp"))
    return sentences
