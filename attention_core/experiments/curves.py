"""An experiment, trained curve by curve: an iterator of snapshots.

It computes only inside `next`. Stop calling it to pause, and close it to cancel.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.device import resolve
from attention_core.exact.softmax import entropy
from attention_core.experiments.heads import HeadsCurve, HeadsExperiment
from attention_core.experiments.heads_model import heads_loss, initial_heads, readings
from attention_core.experiments.measures import divergence, mass_on, mean_maps, projection_gradient_norm, row_gradient
from attention_core.experiments.models import answers, initial, loss
from attention_core.experiments.named import Named, named_batches, named_held_out
from attention_core.experiments.quality import QualityCurve, QualityExperiment
from attention_core.experiments.seed_stack import Parameters, learned
from attention_core.experiments.snapshots import HeadsSnapshot, QualitySnapshot, Snapshot
from attention_core.experiments.tasks import TASKS, Batch, batches, held_out
from attention_core.experiments.training import descent

__all__ = ["train", "train_curve"]

_EXAMPLES = 32  # evaluated at once: additive attention's hidden layer for 512 at d_k = 1024 would take 80 MiB

Experiment = QualityExperiment | HeadsExperiment
Curve = QualityCurve | HeadsCurve


def train(experiment: Experiment, device: str = "cpu") -> Iterator[Snapshot]:
    """Train every curve of the experiment, one after the other, from its step 0 to its last, on a device."""
    for curve in experiment.curves:
        yield from train_curve(experiment, curve, device=device)


def train_curve(
    experiment: Experiment, curve: Curve, seeds: Sequence[int] | None = None, device: str = "cpu"
) -> Iterator[Snapshot]:
    """Train one curve, all its seeds (or those given) as one stack of models.

    A seed's numbers do not depend on other trainings. Models and examples are small: a GPU takes longer than a CPU
    unless many seeds learn together. `device` is a name for `resolve`, whose errors it raises.
    """
    seeds, place = experiment.every_seed if seeds is None else tuple(seeds), resolve(device)
    if isinstance(experiment, HeadsExperiment) and isinstance(curve, HeadsCurve):
        return _train_heads(experiment, curve, seeds, place)
    if isinstance(experiment, QualityExperiment) and isinstance(curve, QualityCurve):
        return _train_quality(experiment, curve, seeds, place)
    raise TypeError(f"{type(curve).__name__} is no curve of {type(experiment).__name__}")


def _train_quality(
    experiment: QualityExperiment, curve: QualityCurve, seeds: tuple[int, ...], place: torch.device
) -> Iterator[QualitySnapshot]:
    task = experiment.task
    parameters = learned(initial(TASKS[task], curve, experiment.initialisation, seeds), place)
    examples = held_out(task, seeds, experiment.evaluation).to(place)
    steps = descent(
        parameters,
        lambda current, batch: loss(current, curve.mechanism, batch.to(place)),
        batches(task, seeds, experiment.batch),
        experiment.learning_rate,
        experiment.steps,
    )
    for step in steps:
        norms = projection_gradient_norm(parameters).cpu()
        yield QualitySnapshot(curve, seeds, step, experiment.steps, *_measured(parameters, curve, examples), norms)


@torch.no_grad()
def _measured(parameters: Parameters, curve: QualityCurve, examples: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return accuracy, entropy and the two medians of the score gradient, one value of each per seed."""
    found = []
    for part in examples.parts(_EXAMPLES):
        checkpoint()
        result = answers(parameters, curve.mechanism, part)
        gradient = row_gradient(result.weights, result.contributions, result.logits, part.values, part.target)
        at_correct = gradient.gather(-1, part.correct.unsqueeze(-1)).abs().squeeze(-1)
        rows = (result.logits.argmax(-1) == part.target, entropy(result.weights), at_correct, gradient.norm(dim=-1))
        found.append([row.float().flatten(1) for row in rows])
    right, entropies, at_correct, norms = (torch.cat(rows, 1).cpu() for rows in zip(*found, strict=True))
    return right.mean(1), entropies.mean(1), at_correct.median(1).values, norms.median(1).values


def _train_heads(
    experiment: HeadsExperiment, curve: HeadsCurve, seeds: tuple[int, ...], place: torch.device
) -> Iterator[HeadsSnapshot]:
    drawn = (seeds, experiment.m, experiment.classes)
    parameters = learned(initial_heads(experiment, seeds), place)
    examples = named_held_out(*drawn, experiment.evaluation).to(place)
    steps = descent(
        parameters,
        lambda current, batch: heads_loss(current, curve, batch.to(place)),
        named_batches(*drawn, experiment.batch),
        experiment.learning_rate,
        experiment.steps,
    )
    start = None
    for step in steps:
        accuracy, all_right, apart, mass, maps = _read(parameters, curve, examples)
        start = apart if start is None else start
        yield HeadsSnapshot(curve, seeds, step, experiment.steps, accuracy, all_right, apart, start, mass, maps)


@torch.no_grad()
def _read(parameters: Parameters, curve: HeadsCurve, examples: Named) -> tuple[Tensor, ...]:
    """Return accuracy, all right, divergence, mass and maps, averaged over the examples of each seed."""
    checkpoint()
    result = readings(parameters, curve, examples)
    checkpoint()
    right = (result.logits.argmax(-1) == examples.target).float()  # S B m
    found = (
        right.mean((1, 2)),
        right.prod(-1).mean(1),
        divergence(result.weights).mean(1),
        mass_on(result.weights, examples.named).mean(1),
        mean_maps(result.weights, examples.named, examples.values.shape[-1]),
    )
    return tuple(one.cpu() for one in found)
