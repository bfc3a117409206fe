"""The engines that compute cells: one after the other in this process, in joblib's processes, or on a Ray cluster.

Each engine yields the rows of a cell once that cell is done, in any order. Only the engine ray imports Ray.
"""

import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, cast

from attention_core.errors import InvalidInput
from attention_core.experiments.grid import Cell, computed
from attention_core.experiments.rows import Row

__all__ = ["ENGINES"]


def _here(cells: Sequence[Cell], jobs: int) -> Iterator[list[Row]]:
    yield from map(computed, cells)


def _joblib(cells: Sequence[Cell], jobs: int) -> Iterator[list[Row]]:
    import joblib  # here, because a page that trains in its own process does not need it

    jobs = min(jobs, len(cells))
    # One cell at a time for each worker: a cell takes seconds, and queued results are lost with the process.
    single: dict[str, Any] = {"batch_size": 1, "pre_dispatch": "n_jobs"}
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", **single)
    yield from cast(Iterator[list[Row]], parallel(joblib.delayed(computed)(cell) for cell in cells))


def _ray(cells: Sequence[Cell], jobs: int) -> Iterator[list[Row]]:
    """Compute on the cluster that RAY_ADDRESS names or that runs on this machine. Without one, Ray starts its own.

    Ray itself finds the token of a cluster on this machine. For another cluster, set it in Ray's own settings.
    """
    try:
        ray = importlib.import_module("ray")
    except ModuleNotFoundError:
        raise InvalidInput(
            "engine_missing",
            "engine ray needs the package ray, which is not installed; the engines joblib and none need nothing more.",
            engine="ray",
        ) from None
    _join(ray, jobs)
    try:
        waiting = [ray.remote(computed).options(num_cpus=1).remote(cell) for cell in cells]
        while waiting:
            finished, waiting = ray.wait(waiting)
            for cell in finished:
                yield ray.get(cell)
    finally:
        ray.shutdown()


def _join(ray: ModuleType, jobs: int) -> None:
    # Workers read our code from the cluster's store, since other machines have no clone. They must have torch.
    package = Path(__file__).resolve().parents[1]
    usual = {"runtime_env": {"py_modules": [str(package)]}, "log_to_driver": False, "logging_level": "error"}
    named = os.environ.get("RAY_ADDRESS")
    try:
        ray.init(address=named or "auto", **usual)
    except ConnectionError:
        if named:
            raise InvalidInput(
                "engine_unreachable",
                f"engine ray found no cluster at RAY_ADDRESS={named} that lets it in; a protected one needs its token.",
                engine="ray",
                value=named,
            ) from None
        ray.init(num_cpus=jobs, include_dashboard=False, **usual)


ENGINES: Mapping[str, Callable[[Sequence[Cell], int], Iterator[list[Row]]]] = MappingProxyType(
    {"joblib": _joblib, "ray": _ray, "none": _here}
)
