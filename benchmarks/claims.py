"""The two trainings behind section 3.2, repeated, beside the values published for these recipes.

    python benchmarks/claims.py [--only reverse recall noisy why ablations heads mlp learned] [--jobs 2]

Every cell is "here (published)", a mean over seeds. The published values below were measured with torch 2.13 on one CPU
thread from other draws. Means agree to about a standard deviation; no digit need be equal. Of QK-norm nothing is
published for these recipes. `learned` measures the model that ships, and trains nothing.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent.parent))  # the clone, for any working directory
from attention_core.experiments import HeadsExperiment, QualityExperiment
from attention_core.experiments.engines import ENGINES
from attention_core.experiments.grid import open_cells
from attention_core.experiments.initialisation import initial_gradients
from attention_core.experiments.rows import Row
from benchmarks.learned import LEARNED
from benchmarks.machine import load, memory, processor
from benchmarks.statements import table

D_K = (4, 16, 64, 256, 1024)
MECHANISMS = ("scaled", "unscaled", "additive", "qk_norm_unscaled")
RATES = (1e-3, 3e-3, 1e-2, 3e-2)
NOTHING = "–"

# Published: accuracy at 3e-3 after 150 steps, ten seeds, and [the mean at the best of RATES].
REVERSE: Mapping[tuple[str, int], str] = {
    ("scaled", 4): ".994 ± .018 [1.00]",
    ("unscaled", 4): ".994 ± .018 [.994]",
    ("additive", 4): ".909 ± .069 [.976]",
    ("scaled", 16): "1.00 ± 0 [1.00]",
    ("unscaled", 16): ".860 ± .079 [.888]",
    ("additive", 16): "1.00 ± 0 [1.00]",
    ("scaled", 64): "1.00 ± 0 [1.00]",
    ("unscaled", 64): ".275 ± .143 [.323]",
    ("additive", 64): "1.00 ± 0 [1.00]",
    ("scaled", 256): "1.00 ± 0 [1.00]",
    ("unscaled", 256): ".105 ± .040 [.116]",
    ("additive", 256): "1.00 ± 0 [1.00]",
    ("scaled", 1024): ".994 ± .018 [.994]",
    ("unscaled", 1024): ".106 ± .049 [.134]",
    ("additive", 1024): ".989 ± .024 [1.00]",
}
REVERSE_TOO_FAST: Mapping[str, str] = {"scaled": ".34", "additive": ".16"}  # published: 3e-2 at d_k 1024
# Published: 300 steps; 3000 steps.
RECALL_UNSCALED: Mapping[int, str] = {4: ".999", 16: ".959", 64: ".807", 256: ".692", 1024: ".638"}
RECALL_LONG: Mapping[int, str] = {64: ".98", 256: ".93"}
# Published: 300 steps.
NOISY: Mapping[tuple[str, int], str] = {
    **{("additive", d_k): ".33" for d_k in (4, 16, 64)},
    ("additive", 256): ".51",
    **{("scaled", d_k): ".99" for d_k in (16, 64, 256, 1024)},
    **{("unscaled", d_k): "nearly scaled" for d_k in (16, 64, 256, 1024)},
}
# Published: median |dL/ds| at the correct key, median ‖dL/ds‖, ‖dL/dW_Q, W_K‖; twenty seeds, reverse.
WHY: Mapping[tuple[str, int], tuple[str, str, str]] = {
    ("unscaled", 4): ("1.1e-2", ".25", ".46"),
    ("unscaled", 64): ("9.5e-7", ".058", "1.28"),
    ("unscaled", 256): ("3.9e-13", "3.8e-3", "1.74"),
    ("unscaled", 1024): ("8.7e-27", "1e-5", "2.40"),
    **{("scaled", d_k): ("~2.3e-2", ".24", "~.15") for d_k in (4, 64, 256, 1024)},
    **{("additive", d_k): ("~3.1e-2", ".22", "~.05") for d_k in (4, 64, 256, 1024)},
}
# Published, all at d_k 256: mechanism, initialisation, learning rate, accuracy.
ABLATIONS = (
    ("unscaled", "standard", 3e-3, ".105"),
    ("unscaled", "small_projections", 1e-3, "1.00"),
    ("unscaled", "small_projections", 1e-2, ".50"),
    ("scaled", "large_projections", 3e-3, ".225"),
    ("additive", "large_w", 3e-3, ".446"),
    ("qk_norm_unscaled", "standard", 3e-3, NOTHING),
    ("qk_norm_unscaled", "small_projections", 1e-3, NOTHING),
    ("qk_norm_unscaled", "small_projections", 1e-2, NOTHING),
)
# Published: m = 4, d_model 48, five seeds: accuracy, all four right, divergence in bits from start to end.
HEADS: Mapping[int, tuple[str, str, str]] = {
    1: (".390 ± .009", ".002", "–"),
    2: (".737 ± .008", ".153", ".34 → .34"),
    3: (".918 ± .072", ".720", ".33 → .67"),
    4: ("1.00 ± 0", "1.00", ".34 → .98"),
    8: ("1.00 ± 0", "1.00", ".32 → .75"),
}
TWO_NAMES: Mapping[int, str] = {1: ".585", 2: "1.00", 4: "1.00"}  # published: m = 2, d_model 32
# Published: the same with a 64-unit MLP behind one head, by the number of classes; two heads and more: 1.00.
MLP: Mapping[int, str] = {8: "1.00", 16: ".979", 32: ".537", 64: ".510"}


def main() -> None:
    """Train the requested parts and print a table for each."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", nargs="+", choices=tuple(PARTS), default=tuple(PARTS))
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = arguments.parse_args()
    print(f"machine   {processor()}, {os.cpu_count()} cores, {memory()}, {platform.system()} {platform.release()}")
    print(f"versions  Python {platform.python_version()}, torch {torch.__version__}")
    print(f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    print(f"load      {load()}")
    print(f"command   python benchmarks/claims.py --only {' '.join(asked.only)} --jobs {asked.jobs}")
    for part in asked.only:
        start = time.perf_counter()
        print(f"\n## {part}\n", flush=True)
        for line in PARTS[part](asked.jobs):
            print(line, flush=True)
        print(f"\n{time.perf_counter() - start:.0f} s, load {load()}", flush=True)


def reverse(jobs: int) -> Iterator[str]:
    """Report accuracy against d_k at 3e-3, and the best of four rates."""
    by_rate = {rate: accuracies(QualityExperiment(seeds=10, learning_rate=rate), jobs) for rate in RATES}
    yield from header("d_k", *MECHANISMS)
    for d_k in D_K:
        cells = []
        for mechanism in MECHANISMS:
            best = max(mean(found[mechanism, d_k]) for found in by_rate.values())
            here = f"{spread(by_rate[3e-3][mechanism, d_k])} [{best:.3f}]"
            cells.append(beside(here, REVERSE.get((mechanism, d_k), NOTHING)))
        yield line(d_k, *cells)
    yield ""
    fast = by_rate[3e-2]
    shown = (f"{name} {beside(f'{mean(fast[name, 1024]):.2f}', value)}" for name, value in REVERSE_TOO_FAST.items())
    yield "at 3e-2 and d_k 1024: " + ", ".join(shown)


def recall(jobs: int) -> Iterator[str]:
    """Report accuracy after 300 steps, and of unscaled after 3000."""
    found = accuracies(QualityExperiment(task="recall"), jobs)
    yield from header("d_k", *MECHANISMS)
    for d_k in D_K:
        published = {"scaled": "≥ .985", "unscaled": RECALL_UNSCALED[d_k], "additive": "≥ .985"}
        yield line(d_k, *(beside(spread(found[name, d_k]), published.get(name, NOTHING)) for name in MECHANISMS))
    yield ""
    long = QualityExperiment(task="recall", mechanism=("unscaled",), d_k=tuple(RECALL_LONG), steps=3000)
    slow = accuracies(long, jobs)
    shown = (f"d_k {d_k} {beside(spread(slow['unscaled', d_k]), value)}" for d_k, value in RECALL_LONG.items())
    yield "unscaled after 3000 steps: " + ", ".join(shown)


def noisy(jobs: int) -> Iterator[str]:
    """Report the counter-example."""
    found = accuracies(QualityExperiment(task="noisy"), jobs)
    yield from header("d_k", *MECHANISMS)
    for d_k in D_K:
        yield line(d_k, *(beside(spread(found[name, d_k]), NOISY.get((name, d_k), NOTHING)) for name in MECHANISMS))


def why(jobs: int) -> Iterator[str]:
    """Report gradients at the initialisation of reverse."""
    experiment = QualityExperiment(d_k=(4, 64, 256, 1024), seeds=20)
    yield from header(
        "d_k", "mechanism", "median abs dL/ds at the correct key", "median norm dL/ds", "norm dL/dW_Q, W_K"
    )
    for each in initial_gradients(experiment):
        curve = each.curve
        found = (each.score_gradient, each.score_gradient_norm, each.projection_gradient)
        published = WHY.get((curve.mechanism, curve.d_k), (NOTHING,) * 3)
        cells = (beside(f"{here:.2g}", there) for here, there in zip(found, published, strict=True))
        yield line(curve.d_k, curve.mechanism, *cells)


def ablations(jobs: int) -> Iterator[str]:
    """Report the initialisations that change the scale of the first scores."""
    yield from header("mechanism", "initialisation", "learning rate", "accuracy at d_k 256")
    for mechanism, initialisation, rate, published in ABLATIONS:
        experiment = QualityExperiment(
            d_k=(256,), mechanism=(mechanism,), seeds=10, initialisation=initialisation, learning_rate=rate
        )
        here = spread(accuracies(experiment, jobs)[mechanism, 256])
        yield line(mechanism, initialisation, f"{rate:g}", beside(here, published))


def heads(jobs: int) -> Iterator[str]:
    """Report one head against several, with four names and with two."""
    yield from header(
        "h", "accuracy", "all four right", "divergence, bits", "mass of each head on the name it reads most"
    )
    for h, rows in by_h(HeadsExperiment(), jobs).items():
        accuracy, all_right, published = HEADS[h]
        apart = " → ".join(f"{mean(numbers(rows, name)):.2f}" for name in ("start_divergence", "divergence"))
        largest = mean([max(map(float, head.split())) for row in rows for head in row["mass"].split(";")])
        yield line(
            h,
            beside(spread(numbers(rows, "accuracy")), accuracy),
            beside(f"{mean(numbers(rows, 'all_right')):.3f}", all_right),
            beside("–" if h == 1 else apart, published),
            beside(f"{largest:.2f}", ".99" if h == 4 else "–"),
        )
    yield ""
    two = by_h(HeadsExperiment(h=tuple(TWO_NAMES), m=2, d_model=32), jobs)
    shown = (f"h {h} {beside(spread(numbers(two[h], 'accuracy')), value)}" for h, value in TWO_NAMES.items())
    yield "two names, d_model 32: " + ", ".join(shown)


def mlp(jobs: int) -> Iterator[str]:
    """Report the accuracy with an MLP behind the heads."""
    yield from header("C", "h = 1", "h = 2")
    experiment = HeadsExperiment(h=(1, 2), m=2, d_model=32, mlp=True)
    for classes, published in MLP.items():
        found = by_h(replace(experiment, classes=classes), jobs)
        one, two = (spread(numbers(found[h], "accuracy")) for h in (1, 2))
        yield line(classes, beside(one, published), beside(two, "1.00"))


def learned(jobs: int) -> Iterator[str]:
    """Report what is said of the model that ships, and why."""
    yield from table("lessons and pages say", LEARNED)


PARTS = {
    "reverse": reverse,
    "recall": recall,
    "noisy": noisy,
    "why": why,
    "ablations": ablations,
    "heads": heads,
    "mlp": mlp,
    "learned": learned,
}


def accuracies(experiment: QualityExperiment, jobs: int) -> dict[tuple[str, int], list[float]]:
    """Return the accuracy of every seed at each mechanism and d_k."""
    found: dict[tuple[str, int], list[float]] = {}
    for row in trained(experiment, jobs):
        found.setdefault((row["mechanism"], int(row["d_k"])), []).append(float(row["accuracy"]))
    return found


def by_h(experiment: HeadsExperiment, jobs: int) -> dict[int, list[Row]]:
    """Return the rows of every seed at each h, in the order of h."""
    found: dict[int, list[Row]] = {h: [] for h in experiment.h}
    for row in trained(experiment, jobs):
        found[int(row["h"])].append(row)
    return found


def trained(experiment: QualityExperiment | HeadsExperiment, jobs: int) -> list[Row]:
    """Train every run of the grid and return its rows."""
    return list(chain.from_iterable(ENGINES["joblib"](open_cells(experiment, []), jobs)))


def numbers(rows: list[Row], name: str) -> list[float]:
    """Return one column."""
    return [float(row[name]) for row in rows]


def mean(values: list[float]) -> float:
    """Return the mean over the seeds."""
    return sum(values) / len(values)


def spread(values: list[float]) -> str:
    """Write mean ± standard deviation over the seeds."""
    return f"{mean(values):.3f} ± {torch.tensor(values).std().item():.3f}"


def beside(here: str, published: str) -> str:
    """Write our value and, in brackets, the published one."""
    return f"{here} ({published})"


def header(*names: str) -> Iterator[str]:
    """Yield the first two lines of a table."""
    yield line(*names)
    yield "| --- " * len(names) + "|"


def line(*cells: object) -> str:
    """Return one line of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    main()
