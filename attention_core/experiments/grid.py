"""The open trainings of an experiment, and the computation of one.

A cell is one curve with all seeds that have no row yet. Cells are computed, written and lost as a whole.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from attention_core.experiments.curves import Curve, Experiment, train_curve
from attention_core.experiments.rows import Row, rows_of, settings_of
from attention_core.threads import computing_with

__all__ = ["open_cells"]


@dataclass(frozen=True)
class Cell:
    """One curve and the seeds to train."""

    experiment: Experiment
    curve: Curve
    seeds: tuple[int, ...]


def open_cells(experiment: Experiment, there: Iterable[Mapping[str, str]]) -> list[Cell]:
    """Return the cells without rows in `there`. A row counts only for the run with exactly its settings."""
    names = tuple(settings_of(experiment, experiment.curves[0], experiment.seed))
    done = {tuple(row[name] for name in names) for row in there}
    cells = []
    for curve in experiment.curves:
        missing = [
            seed
            for seed in experiment.every_seed
            if tuple(settings_of(experiment, curve, seed)[name] for name in names) not in done
        ]
        if missing:
            cells.append(Cell(experiment, curve, tuple(missing)))
    return cells


def computed(cell: Cell) -> list[Row]:
    """Compute the rows of one cell on one thread, so that all engines and numbers of jobs sum in the same order."""
    with computing_with(1):
        *_, last = train_curve(cell.experiment, cell.curve, cell.seeds)
    return rows_of(cell.experiment, last)
