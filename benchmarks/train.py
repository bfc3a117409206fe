"""The time of the Train page's default runs on this machine; `--ship` writes the page's first data.

python -m benchmarks.train [--ship]
"""

import argparse
import json
import time
from datetime import UTC, datetime

import torch

from attention_core.experiments import HeadsExperiment, QualityExperiment, train
from benchmarks.machine import load, processor
from visualiser.pages.train.shipped_results import settings, to_json
from visualiser.shipped import FOLDER

GOALS = {"quality": 12.0, "heads": 25.0}  # seconds, on two cores


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ship", action="store_true")
    asked = arguments.parse_args()
    where = f"{processor()}, torch threads: {torch.get_num_threads()}, torch {torch.__version__}"
    print(f"{where}, load {load()}\n\n| run | seconds | goal |\n| --- | --- | --- |")
    for name, experiment in (("quality", QualityExperiment()), ("heads", HeadsExperiment())):
        start = time.perf_counter()
        shots = list(train(experiment))
        print(f"| {name} | {time.perf_counter() - start:.1f} | {GOALS[name]:.0f} |")
        if not asked.ship:
            continue
        # of the heads keep only the last snapshot: their maps are large
        kept = shots if name == "quality" else [shot for shot in shots if shot.step == shot.steps]
        shipped = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "machine": where,
            "command": "python -m benchmarks.train --ship",
            "settings": settings(experiment),
            "results": to_json(kept),
        }
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"train_{name}.json").write_text(json.dumps(shipped) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
