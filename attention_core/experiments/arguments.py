"""The command line as an experiment: each option is one of its fields, or tells where and how to run it."""

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attention_core.config import Bound
from attention_core.experiments.curves import Experiment
from attention_core.experiments.engines import ENGINES
from attention_core.experiments.heads import HEADS_BOUNDS, HeadsExperiment
from attention_core.experiments.language import LANGUAGE_BOUNDS, LanguageExperiment
from attention_core.experiments.quality import QUALITY_BOUNDS, QUALITY_CHOICES, QualityExperiment
from attention_core.experiments.recipe import RECIPE_BOUNDS
from attention_core.validation import whole_number

_ABOUT_THE_RUN = ("what", "out", "engine", "jobs")


@dataclass(frozen=True)
class Arguments:
    """An experiment, and where and how to run it: a grid goes to a file by an engine, language models to a folder."""

    experiment: Experiment | LanguageExperiment
    out: Path
    engine: str
    jobs: int


def read(words: Sequence[str] | None = None) -> Arguments:
    """Read the arguments. Exits with status 2 if argparse cannot; raises `InvalidInput` as an experiment does."""
    given = vars(_parser().parse_args(words))
    what, settings = given["what"], {name: value for name, value in given.items() if name not in _ABOUT_THE_RUN}
    chosen = {name: value for name, value in settings.items() if value is not None}  # the experiment has defaults
    if what == "language":
        return Arguments(LanguageExperiment(**chosen), given["out"], "none", 1)
    experiment = HeadsExperiment(**chosen) if what == "heads" else QualityExperiment(task=what, **chosen)
    jobs = whole_number("jobs", given["jobs"] or os.cpu_count() or 1, 1)
    return Arguments(experiment, given["out"], given["engine"], jobs)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m attention_core.experiments",
        description="Train a grid of small attention models and write one CSV row per run. "
        "Run again to go on where it stopped: finished cells are not computed twice.",
    )
    kinds = parser.add_subparsers(dest="what", required=True)
    for task in QUALITY_CHOICES["task"]:
        kind = kinds.add_parser(task, help=f"quality against d_k on the task {task}")
        _number(kind, "d_k", QUALITY_BOUNDS, several=True)
        kind.add_argument("--mechanisms", dest="mechanism", nargs="+", metavar="MECHANISM", help=_listed("mechanism"))
        kind.add_argument("--init", dest="initialisation", help=_listed("initialisation"))
        _shared(kind, QUALITY_BOUNDS)
    heads = kinds.add_parser("heads", help="one head against several")
    _number(heads, "h", HEADS_BOUNDS, several=True)
    for name in ("m", "d_model", "classes", "mlp_width"):
        _number(heads, name, HEADS_BOUNDS)
    heads.add_argument("--mlp", action="store_const", const=True, help="put an MLP behind the attention")
    _shared(heads, HEADS_BOUNDS)
    language = kinds.add_parser("language", help="a small language model and its twin of one layer")
    for name in LANGUAGE_BOUNDS:
        _number(language, name, LANGUAGE_BOUNDS)
    language.add_argument("--out", type=Path, default=Path("language"), help="the folder of the results (language)")
    return parser


def _shared(kind: argparse.ArgumentParser, bounds: Mapping[str, Bound]) -> None:
    for name in RECIPE_BOUNDS:
        _number(kind, name, bounds)
    kind.add_argument("--out", type=Path, required=True, help="the CSV file; is completed if it is there")
    kind.add_argument("--engine", choices=tuple(ENGINES), default="joblib", help="where to compute (joblib)")
    kind.add_argument("--jobs", type=int, help="processes of joblib, or of a Ray that is started here (all cores)")


def _number(kind: argparse.ArgumentParser, name: str, bounds: Mapping[str, Bound], several: bool = False) -> None:
    bound = bounds[name]
    number = float if isinstance(bound.step, float) else int
    help_text = f"{bound.minimum} to {bound.maximum}"
    kind.add_argument(f"--{name}", type=number, nargs="+" if several else None, metavar=name.upper(), help=help_text)


def _listed(field: str) -> str:
    return ", ".join(QUALITY_CHOICES[field])
