"""Estimated against measured time: stated seconds ÷ seconds of CPU, for work drawn at random, by kind.

    python -m benchmarks.estimates [--each 12] [--seed 1] [kind …]

It uses one torch thread. Each piece of work runs once beforehand, so that work done only once per process does not
count. Work of less than `_SHORTEST` seconds is left out, because its ratio says nothing.
"""

import argparse
import statistics
import time
from random import Random

import torch

from benchmarks.machine import described, load
from benchmarks.works import KINDS

_SHORTEST = 1e-3


def main() -> None:
    """Print a line for each kind."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--each", type=int, default=12)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("kinds", nargs="*", help=", ".join(KINDS))
    asked = arguments.parse_args()
    torch.set_num_threads(1)
    torch.optim.Adam([torch.zeros(1)])  # the first one loads torch's compiler, once in a process
    print(*described(), f"drawn     {asked.each} of each kind, seed {asked.seed}", sep="\n")
    print(f"\n{'kind':20} stated ÷ measured seconds of CPU: least · middle · most | longest measured, s | of how many")
    for kind in asked.kinds or KINDS:
        random = Random(f"{asked.seed} {kind}")
        pairs = [_measured(kind, Random(random.random())) for _ in range(asked.each)]
        ratios = [stated / seconds for stated, seconds in pairs if seconds >= _SHORTEST]
        longest = max(seconds for _, seconds in pairs)
        row = f"{min(ratios):.2f} · {statistics.median(ratios):.2f} · {max(ratios):.2f}" if ratios else "all below 1 ms"
        print(f"{kind:20} {row:24} | {longest:.3f} | {len(ratios)}", flush=True)
    print(f"\nload      {load()} at the end")


def _measured(kind: str, random: Random) -> tuple[float, float]:
    """Return the stated and the measured seconds."""
    work = KINDS[kind](random)
    work.done()
    began = time.process_time()
    work.done()
    return work.cost.seconds, time.process_time() - began


if __name__ == "__main__":
    main()
