"""Experiment 3, a small language model and its twin of one layer: trained, scored over the shipped corpus, written.

Every seed is one model of two layers and one of a single layer, which read the same texts. The seed that ships is the
one whose model has the highest minimum of its stated scores (`attention_core.language.STATED`); the lower seed of two
equal ones.
"""

import platform
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, no_type_check

import torch

from attention_core.config import BOUNDS as CORE_BOUNDS
from attention_core.config import Bound
from attention_core.experiments.recipe import bounded
from attention_core.experiments.results_file import ResultsFile
from attention_core.experiments.rows import Row
from attention_core.language.corpus_file import corpus
from attention_core.language.evaluation import Evaluation, evaluate
from attention_core.language.files import SHIPPED, load, written
from attention_core.language.measures import MEASURES
from attention_core.language.model import CONTEXT, D_MODEL, HEADS, LanguageModel, Parameters
from attention_core.language.texts import PLACES
from attention_core.language.training import MIXTURE, VERBS, descent
from attention_core.threads import computing_with
from attention_core.validation import real_number

__all__ = ["LANGUAGE_BOUNDS", "LanguageExperiment", "chosen"]

LANGUAGE_BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {
        "learning_rate": Bound(1e-5, 0.1, 6e-3, step=1e-5),
        "steps": Bound(1, 10_000, 2000),
        "seeds": Bound(1, 20, 1),
        "seed": CORE_BOUNDS["seed"],
    }
)

_SETTINGS = ("layers", "seed", "learning_rate", "steps")
_COLUMNS = (
    *_SETTINGS,
    *PLACES,
    *(f"{name}_head" for name in MEASURES),
    "least",
    "seconds",
    "torch",
    "python",
    "processor",
)


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
@dataclass(frozen=True, kw_only=True)
class LanguageExperiment:
    """The settings of a training; `seeds` models and their twins start from the seeds `seed`, `seed` + 1, ….

    Raises `InvalidInput`: `not_a_number`, `out_of_range`.
    """

    learning_rate: float = LANGUAGE_BOUNDS["learning_rate"].default
    steps: int = int(LANGUAGE_BOUNDS["steps"].default)
    seeds: int = int(LANGUAGE_BOUNDS["seeds"].default)
    seed: int = int(LANGUAGE_BOUNDS["seed"].default)

    def __post_init__(self) -> None:
        bound = LANGUAGE_BOUNDS["learning_rate"]
        self._set("learning_rate", real_number("learning_rate", self.learning_rate, bound.minimum, bound.maximum))
        for field in ("steps", "seeds", "seed"):
            self._set(field, bounded(field, getattr(self, field), LANGUAGE_BOUNDS[field]))

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)  # the only way to set a field of a frozen dataclass

    @property
    def every_seed(self) -> tuple[int, ...]:
        """The seed of each model."""
        return tuple(range(self.seed, self.seed + self.seeds))

    def recipe(self, layers: int) -> dict[str, int | float]:
        """Return what a file says of its training, but for the seed."""
        return {
            "layers": layers,
            "learning_rate": self.learning_rate,
            "steps": self.steps,
            "d_model": D_MODEL,
            "h": HEADS,
            "context": CONTEXT,
            **MIXTURE,
            "verbs": VERBS,
        }


def run(experiment: LanguageExperiment, folder: Path, say: Callable[[str], None]) -> None:
    """Train what the folder lacks, then put the chosen seed's two files into it.

    The folder holds `results.csv`, a row for each model, and a file for each model. A killed run goes on where it
    stopped.
    """
    folder.mkdir(parents=True, exist_ok=True)
    results = ResultsFile(folder / "results.csv", _COLUMNS)
    for seed in experiment.every_seed:
        for layers, name in SHIPPED.items():
            path = folder / f"seed-{seed}-{name}"
            if path.exists() and _row_of(results.rows(), experiment, layers, seed):
                continue
            start = time.process_time()
            parameters, evaluation = trained(experiment, layers, seed)
            path.write_bytes(written(parameters, experiment.recipe(layers), seed, evaluation))
            row = _row(experiment, layers, seed, evaluation, time.process_time() - start)
            results.add([row])
            say(" ".join(f"{column}={row[column]}" for column in _COLUMNS[:-3]))
    rows = [_row_of(results.rows(), experiment, 2, seed) for seed in experiment.every_seed]
    best = chosen([row for row in rows if row])
    for name in SHIPPED.values():
        (folder / name).write_bytes((folder / f"seed-{best}-{name}").read_bytes())
    reached = load(folder / SHIPPED[2]).evaluation.reached
    say(f"seed {best} is chosen; it {'reaches' if reached else 'does not reach'} the stated scores")


def trained(experiment: LanguageExperiment, layers: int, seed: int) -> tuple[Parameters, Evaluation]:
    """Train one model on one thread, so that any number of cores gives the same numbers, and score it."""
    with computing_with(1):
        *_, (_, _, parameters) = descent(seed, layers, experiment.steps, experiment.learning_rate)
        found = {name: value.detach() for name, value in parameters.items()}
        return found, evaluate(LanguageModel(found), corpus())


def chosen(rows: Iterable[Mapping[str, str]]) -> int:
    """Return the seed of the row with the highest minimum of its stated scores; the lower seed of two equal ones."""
    return min((-float(row["least"]), int(row["seed"])) for row in rows)[1]


def _row_of(
    rows: Iterable[Mapping[str, str]], experiment: LanguageExperiment, layers: int, seed: int
) -> Mapping[str, str] | None:
    wanted = _settings(experiment, layers, seed)
    return next((row for row in rows if all(row[name] == value for name, value in wanted.items())), None)


def _settings(experiment: LanguageExperiment, layers: int, seed: int) -> Row:
    own = {"layers": layers, "seed": seed, **{name: getattr(experiment, name) for name in ("learning_rate", "steps")}}
    return {name: str(own[name]) for name in _SETTINGS}


def _row(experiment: LanguageExperiment, layers: int, seed: int, found: Evaluation, seconds: float) -> Row:
    best = {name: found.best(name) for name in MEASURES}
    return {
        **_settings(experiment, layers, seed),
        **{kind: f"{found.accuracy[kind]:.4f}" for kind in PLACES},
        **{f"{name}_head": f"{score:.4f} L{layer}H{head}" for name, (layer, head, score) in best.items()},
        "least": f"{min(found.stated.values()):.4f}",
        "seconds": f"{seconds:.1f}",
        "torch": torch.__version__,
        "python": platform.python_version(),
        "processor": torch.backends.cpu.get_cpu_capability(),
    }
