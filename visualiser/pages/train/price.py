"""Cost of the Train page's runs."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attention_core.experiments import HeadsExperiment, QualityExperiment
from attention_core.experiments.heads import POSITIONS
from visualiser.server.admission.cost import MEBIBYTE, Cost

_TASKS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {"reverse": (4.1, 1.2e-3), "recall": (1.1, 3.8e-3), "noisy": (3.5, 1.6e-3)}
)
"""MiB per seed, and per seed and component of its keys: the examples drawn ahead, and one step's tensors."""

_WIDER: Final[Mapping[tuple[str, str], float]] = MappingProxyType({("noisy", "qk_norm_unscaled"): 1.15e-2})
"""The second number of a task and a mechanism if it is another: `noisy` has no tables, so every query and key of a
batch is normalised, in float64."""


def training_cost(experiment: QualityExperiment | HeadsExperiment) -> Cost:
    """Price a training: all seeds of its largest curve as one stack of models. `Recipe` defines its examples."""
    if isinstance(experiment, HeadsExperiment):
        seed = 0.2 + 0.082 * (POSITIONS + experiment.classes) + 0.11 * experiment.m + 0.06 * max(experiment.h)
    else:
        own, each = _TASKS[experiment.task]
        seed = own + max(_WIDER.get((experiment.task, name), each) for name in experiment.mechanism) * max(
            experiment.d_k
        )
    steps = experiment.steps * len(experiment.curves)
    return Cost(0.2 + 3e-4 * steps * (4 + experiment.seeds), int(MEBIBYTE * (0.8 + seed * experiment.seeds)))
