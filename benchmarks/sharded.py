"""The cost of `python -m attention_core.sharded` with one rank and with two, extrapolated to a million tokens.

    python benchmarks/sharded.py [--n 4096 16384] [--h 8] [--d-k 64] [--rounds 3]

Every way is its own process (torchrun for two ranks), so that "command" includes the start. "work" is the time of the
slowest rank on its blocks. "processor" is the CPU seconds of all processes of the command, which do not depend on other
load. The ways take turns, and each number is the median of the rounds.

A million tokens are not measured. Their cells, n² for each head, are extrapolated: hours from the work at the largest
n, and core hours from the growth of the CPU seconds between the two largest n, so that the start of processes drops
out.
"""

import argparse
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import torch
from machine import load, memory, processor
from safetensors.torch import save_file
from server import ROOT, free_port

MILLION = 1_000_000
BLOCK = re.compile(r"rank (\d+) of \d+ \(process \d+\): rows \d+ to \d+, ([0-9.]+) s")


@dataclass(frozen=True)
class Way:
    """A number of ranks and the threads of each."""

    ranks: int
    threads: int

    def __str__(self) -> str:
        return f"{self.ranks} × {self.threads}"


WAYS = (Way(1, 1), Way(2, 1))


@dataclass(frozen=True)
class Took:
    """The seconds of the whole command, of the slowest rank's work, and of CPU for all processes together."""

    command: float
    work: float
    processor: float


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, nargs="+", default=[4096, 16384], help="tokens, ascending")
    options.add_argument("--h", type=int, default=8)
    options.add_argument("--d-k", type=int, default=64)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    print(f"machine   {processor()}, {os.cpu_count()} cores, {memory()}, {platform.system()} {platform.release()}")
    print(f"versions  Python {platform.python_version()}, torch {torch.__version__}")
    print(f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    print(f"load      {load()}")
    size = f"{chosen.h} heads, d_k {chosen.d_k}, float32, no mask"
    print(f"work      {size}, blocks of the default size, {chosen.rounds} rounds\n")
    print("ranks × threads, seconds; ratio: work of one rank with one thread / work")
    print(f"{'n':>6} {'way':>6} {'command':>9} {'work':>9} {'processor':>9} {'ratio':>6} {'ns a cell':>10}", flush=True)
    found = {n: measured(n, chosen.h, chosen.d_k, chosen.rounds) for n in chosen.n}
    for n, ways in found.items():
        for way, took in ways.items():
            ratio, cell = ways[WAYS[0]].work / took.work, took.work / (n * n * chosen.h) * 1e9
            seconds = f"{took.command:9.2f} {took.work:9.2f} {took.processor:9.2f}"
            print(f"{n:6} {way!s:>6} {seconds} {ratio:5.2f}× {cell:10.2f}")
    report_million(found, chosen.h)
    print(f"\nload      {load()} at the end")


def measured(n: int, h: int, d_k: int, rounds: int) -> dict[Way, Took]:
    """Return the median of each way at one n."""
    generator = torch.Generator().manual_seed(0)
    runs: dict[Way, list[Took]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "tensors.safetensors"
        save_file({tensor: torch.randn(h, n, d_k, generator=generator) for tensor in "QK"}, file)
        for turn in range(rounds):
            for way in WAYS:
                runs[way].append(once(way, file, Path(name) / f"{way.ranks}-{way.threads}-{turn}"))
    return {
        way: Took(*(median(getattr(run, name) for run in each) for name in ("command", "work", "processor")))
        for way, each in runs.items()
    }


def once(way: Way, file: Path, out: Path) -> Took:
    """Run once, into a new folder."""
    launcher = [
        *("torch.distributed.run", f"--nproc-per-node={way.ranks}"),
        *("--master-addr=127.0.0.1", f"--master-port={free_port()}", "-m"),
    ]
    arguments = ["attention_core.sharded", str(file), "--out", str(out)]
    busy, started = _processor_seconds(), time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-m", *(launcher if way.ranks > 1 else []), *arguments, "--device", "cpu"],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": str(way.threads)},
        capture_output=True,
        text=True,
    )
    command = time.perf_counter() - started
    if ended.returncode:
        raise RuntimeError(f"the run ended with {ended.returncode}: {ended.stderr}")
    work: dict[str, float] = defaultdict(float)
    for rank, seconds in BLOCK.findall(ended.stderr):
        work[rank] += float(seconds)
    return Took(command, max(work.values()), _processor_seconds() - busy)


def _processor_seconds() -> float:
    """Return the CPU seconds of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def report_million(found: dict[int, dict[Way, Took]], h: int) -> None:
    """Print the largest n extrapolated to 10⁶ by n², and the measured exponent."""
    *smaller, largest = sorted(found)
    print(f"\n{MILLION:,} tokens, {h} heads, no mask: extrapolated by n² from n = {largest:,}, not measured")
    for way, took in found[largest].items():
        line = f"  {way!s:>6}  {took.work * (MILLION / largest) ** 2 / 3600:7.1f} hours"
        if smaller:
            before = found[smaller[-1]][way]
            exponent = math.log(took.work / before.work) / math.log(largest / smaller[-1])
            grown = (took.processor - before.processor) / (largest**2 - smaller[-1] ** 2)
            line += (
                f", {grown * MILLION**2 / 3600:7.1f} core hours; from n = {smaller[-1]:,} work grew as n^{exponent:.2f}"
            )
        print(line)


if __name__ == "__main__":
    main()
