"""The cost of the mechanisms (section 3.2.1) on this machine, as a table; `--ship` writes what the page Cost shows.

python -m benchmarks.cost [--varied d_k] [--ship]
"""

import argparse
import json
from datetime import UTC, datetime

import torch

from attention_core import AttentionConfig, CostPoint, cost_ratio, measure_costs, power_law
from attention_core.studies.contenders import CONTENDERS
from attention_core.studies.cost import PASSES
from attention_core.studies.cost_fit import measured
from benchmarks.machine import load, processor
from visualiser.pages.cost.live import SHIPPED, experiment, settings, to_json
from visualiser.shipped import FOLDER


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--varied", choices=("n", "d_k"), default="n")
    arguments.add_argument("--ship", action="store_true")
    asked = arguments.parse_args()
    # as app.py does for one visitor
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))
    config = experiment(AttentionConfig(n=256), asked.varied)
    where = f"{processor()}, torch threads: {torch.get_num_threads()}, torch {torch.__version__}"
    print(f"{where}, load {load()}")
    points = list(measure_costs(config))
    for passes in PASSES:
        print(f"\n{passes} against {config.varied}\n\n| {config.varied} | " + " | ".join(CONTENDERS) + " |")
        print("| --- " * (len(CONTENDERS) + 1) + "|")
        for size in config.sizes:
            row = {p.contender: p for p in points if p.size == size and p.passes == passes}
            print(f"| {size} | " + " | ".join(cell(row[name], row["fused"]) for name in CONTENDERS) + " |")
        slopes = {name: slope(points, name, passes) for name in CONTENDERS}
        print("| slope | " + " | ".join(slopes.values()) + " |")
    ratio = cost_ratio(points, "additive_chunked", "fused", "forward")
    print(f"\n{ratio}")
    if asked.ship:
        command = f"python -m benchmarks.cost{' --varied d_k' if asked.varied == 'd_k' else ''} --ship"
        shipped = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "machine": where,
            "command": command,
            "settings": settings(config),
            "results": to_json(points),
        }
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{SHIPPED[asked.varied]}.json").write_text(json.dumps(shipped, indent=1) + "\n", encoding="utf-8")


def cell(point: CostPoint, fused: CostPoint) -> str:
    """Write milliseconds for the fused kernel and ratios to it for the others, with memory beside."""
    if point.seconds is None or point.bytes is None:
        return f"not run ({point.skipped})"
    if point is fused or not fused.seconds:
        return f"{1e3 * point.seconds:.3g} ms, {point.bytes / 2**20:.3g} MB"
    return f"{point.seconds / fused.seconds:.3g} ×, {point.bytes / 2**20:.3g} MB"


def slope(points: list[CostPoint], contender: str, passes: str) -> str:
    """Write the fitted power of the size with which time grows."""
    found = measured(points, contender, passes)
    law = power_law([p.size for p in found], [p.seconds or 0.0 for p in found])
    return "–" if law is None else f"{law.slope:.2f} ± {law.error:.2f}"


if __name__ == "__main__":
    main()
