"""What each of the settings after 1/√d_k costs `python -m attention_core.sharded`, as a multiple of the plain run.

    python -m benchmarks.sharded_weights [--n 4096] [--h 8] [--d-k 64] [--rounds 7] [--causal]

One rank with one thread, in this process: files read and checked, blocks computed and written, the result gathered.
The runs take turns. Each is divided by the same turn's plain run, and the median of those ratios is printed: of CPU
seconds, which depend little on other load, and of seconds. *fastest* divides the fastest turns of both, in CPU seconds.
"""

import argparse
import contextlib
import io
import platform
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Final

import torch
from safetensors.torch import save_file

from attention_core.sharded.command_line import parse
from attention_core.sharded.ranks import Ranks
from attention_core.sharded.run import run
from benchmarks.machine import load, memory, processor

PLAIN: Final = "plain"
MOST: Final = 1.1
"""What a setting may cost, as a multiple of the plain run."""

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    PLAIN: (),
    "plain again": (),
    "QK-norm": ("--qk-norm",),
    "ln n": ("--log-n",),
    "sink": ("--normalisation", "sink"),
    "sigmoid": ("--normalisation", "sigmoid"),
    "softcap 50": ("--softcap", "50"),
    "sigmoid, softcap 50": ("--normalisation", "sigmoid", "--softcap", "50"),
    "QK-norm, ln n, sink": ("--qk-norm", "--log-n", "--normalisation", "sink"),
}


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, default=4096)
    options.add_argument("--h", type=int, default=8)
    options.add_argument("--d-k", type=int, default=64)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--causal", action="store_true")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    print(f"machine   {processor()}, 1 thread, {memory()}, {platform.system()} {platform.release()}")
    print(f"versions  Python {platform.python_version()}, torch {torch.__version__}")
    print(f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    print(f"load      {load()}")
    mask = ("--causal",) if chosen.causal else ()
    size = f"{chosen.h} heads, n {chosen.n}, d_k {chosen.d_k}, float32, {'causal' if mask else 'no'} mask"
    print(f"work      {size}, blocks of the default size, {chosen.rounds} rounds\n", flush=True)
    turns = measured(chosen.n, chosen.h, chosen.d_k, mask, chosen.rounds)
    print(f"{'setting':<20} {'CPU s':>7} {'ratio':>7} {'least':>7} {'most':>7} {'fastest':>8} {'seconds':>8}")
    for name in SETTINGS:
        cpu, wall = ([turn[name][clock] / turn[PLAIN][clock] for turn in turns] for clock in (0, 1))
        seconds = median(turn[name][0] for turn in turns)
        verdict = "" if median(cpu) <= MOST else f"  above {MOST}"
        fastest = min(turn[name][0] for turn in turns) / min(turn[PLAIN][0] for turn in turns)
        ratios = f"{median(cpu):6.2f}× {min(cpu):6.2f}× {max(cpu):6.2f}× {fastest:7.2f}× {median(wall):7.2f}×"
        print(f"{name:<20} {seconds:7.2f} {ratios}{verdict}")
    print(f"\nload      {load()} at the end")


def measured(n: int, h: int, d_k: int, mask: tuple[str, ...], rounds: int) -> list[dict[str, tuple[float, float]]]:
    """Return for each turn the CPU seconds and the seconds of every setting. A turn before them warms up."""
    generator = torch.Generator().manual_seed(0)
    turns: list[dict[str, tuple[float, float]]] = []
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "tensors.safetensors"
        save_file({tensor: torch.randn(h, n, d_k, generator=generator) for tensor in "QK"}, file)
        for turn in range(rounds + 1):
            taken = {}
            for index, (setting, arguments) in enumerate(SETTINGS.items()):
                out = Path(name) / f"{turn}-{index}"
                taken[setting] = once([str(file), "--out", str(out), "--device", "cpu", *mask, *arguments])
            turns.append(taken)
    return turns[1:]


def once(command: list[str]) -> tuple[float, float]:
    """Return the CPU seconds and the seconds of one run."""
    silence = io.StringIO()
    with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
        busy, started = time.process_time(), time.perf_counter()
        run(parse(command), Ranks(torch.device("cpu")))
        return time.process_time() - busy, time.perf_counter() - started


if __name__ == "__main__":
    main()
