"""Exact statistics without the n × n matrix: time and memory as multiples of plain attention's.

    python -m benchmarks.without_matrix [--n 1024 4096 16384] [--seconds 200] [--threads 2]

It uses 8 heads, d_k 64 and float32 on the CPU. Every time is a ratio within this run. The ways take turns, so that
other load affects all of them alike. Each turn's times are divided by the same turn's SDPA, and the median of those
ratios is printed. SDPA is torch's `scaled_dot_product_attention`, which computes no statistic. The dense ways hold two
or three tensors of 4n² bytes per head. Above `DENSE_BYTES` they are left out, and the table says so. A target is only
reported as met or missed: a busy machine is no bug.
"""

import argparse
import math
import platform
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median

import torch

from attention_core import additive_attention_statistics, attention_statistics
from attention_core.config import LOG_N_KEYS
from attention_core.exact.rms_norm import rms_norm
from attention_core.studies.tensor_memory import TensorMemory
from benchmarks.machine import load, memory, processor
from benchmarks.turns import timed

HEADS, D_K = 8, 64
DENSE_BYTES = 2 * 2**30
ADDITIVE_CELLS = HEADS * 1024**2
SDPA, ROWS, EVERYTHING = "SDPA", "statistics", "everything at once"
DENSE, MODULE, ADDITIVE = "dense softmax + entropy", "MultiheadAttention", "additive statistics"
SUNK, GATES, CAPPED, NORMED = (f"statistics, {name}" for name in ("sink", "sigmoid", "softcap", "QK-norm and ln n"))
WAYS = (SDPA, ROWS, SUNK, GATES, CAPPED, NORMED, EVERYTHING, DENSE, MODULE, ADDITIVE)
TIMES = {(ROWS, 4096): 1.4, (EVERYTHING, 4096): 2.5, (ADDITIVE, 1024): 20.0}
MEGABYTES = {(EVERYTHING, 16384): 64}
MOST_TURNS = 15


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, nargs="+", default=[1024, 4096, 16384])
    options.add_argument("--seconds", type=float, default=200, help="for all n together, about")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    print(f"machine   {processor()}, {chosen.threads} threads, {memory()}, {platform.system()} {platform.release()}")
    print(f"versions  Python {platform.python_version()}, torch {torch.__version__}")
    print(f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    print(f"load      {load()}\n", flush=True)
    ratios: dict[tuple[str, int], float] = {}
    beside: dict[tuple[str, int], float] = {}
    seconds: dict[tuple[str, int], float] = {}
    held: dict[tuple[str, int], int] = {}
    for n in chosen.n:
        ways = ways_at(n)
        turns = timed(ways, chosen.seconds / len(chosen.n), MOST_TURNS)
        print(f"n = {n}: {len(turns)} turns, SDPA {1000 * median(turn[SDPA] for turn in turns):.0f} ms", flush=True)
        for way in ways:
            ratios[way, n] = median(turn[way] / turn[SDPA] for turn in turns)
            beside[way, n] = median(turn[way] / turn[ROWS] for turn in turns)
            seconds[way, n] = min(turn[way] for turn in turns)
            held[way, n] = most_held(ways[way])
    table("time as a multiple of SDPA's", chosen.n, lambda at: f"{ratios[at]:.2f} ×" if at in ratios else "–")
    table(
        "time as a multiple of the plain statistics'",
        chosen.n,
        lambda at: f"{beside[at]:.2f} ×" if at in beside else "–",
        (SUNK, GATES, CAPPED, NORMED),
    )
    table("extra memory, results included, MB", chosen.n, lambda at: f"{held[at] / 1e6:.1f}" if at in held else "–")
    print(f"\n–: dense ways above {DENSE_BYTES / 2**30:.0f} GiB and additive ones above n = 1024 are left out;")
    largest = max(chosen.n)
    print(f"   one head-wise n × n tensor takes {4 * HEADS * largest**2 / 1e9:.1f} GB at n = {largest}")
    if len(chosen.n) > 1:
        print("\ngrowth, least squares over these n of the shortest turns and of the memory")
        for way in (ROWS, EVERYTHING):
            time_power = slope([(n, seconds[way, n]) for n in chosen.n])
            print(f"  {way:20} time n^{time_power:.2f}, memory n^{slope([(n, held[way, n]) for n in chosen.n]):.2f}")
    print("\ntargets (two threads, the machine otherwise idle)")
    for at, most in TIMES.items():
        if at in ratios:
            print(verdict(ratios[at] <= most, f"{at[0]}, n = {at[1]}: {ratios[at]:.2f} × SDPA, at most {most}"))
    for at, most in MEGABYTES.items():
        if at in held:
            print(verdict(held[at] <= most * 1e6, f"{at[0]}, n = {at[1]}: {held[at] / 1e6:.0f} MB, at most {most}"))
    print(f"\nload      {load()} at the end")


def ways_at(n: int) -> dict[str, Callable[[], object]]:
    """Return the ways to measure at this length, all with the same Q, K and V."""
    generator = torch.Generator().manual_seed(n)
    Q, K, V = (torch.randn(HEADS, n, D_K, generator=generator) for _ in range(3))
    attention = torch.nn.functional.scaled_dot_product_attention
    grown = math.log(n) / math.log(LOG_N_KEYS) / math.sqrt(D_K)
    ways: dict[str, Callable[[], object]] = {
        SDPA: lambda: attention(Q[None], K[None], V[None]),
        ROWS: lambda: attention_statistics(Q, K),
        SUNK: lambda: attention_statistics(Q, K, sink=0.0),
        GATES: lambda: attention_statistics(Q, K, sigmoid=True),
        CAPPED: lambda: attention_statistics(Q, K, softcap=50.0),
        NORMED: lambda: attention_statistics(rms_norm(Q), rms_norm(K), scale=grown),
        EVERYTHING: lambda: attention_statistics(Q, K, histogram=64, overview=256),
    }
    if 3 * 4 * HEADS * n**2 <= DENSE_BYTES:
        module = torch.nn.MultiheadAttention(HEADS * D_K, HEADS, batch_first=True).eval()
        X = Q.transpose(0, 1).flatten(1)[None]
        ways[DENSE] = lambda: dense(Q, K)
        ways[MODULE] = lambda: module(X, X, X, need_weights=True, average_attn_weights=False)
    if HEADS * n**2 <= ADDITIVE_CELLS:
        W_q, W_k = (torch.randn(D_K, D_K, generator=generator) / math.sqrt(D_K) for _ in range(2))
        w = torch.randn(D_K, generator=generator) / math.sqrt(D_K)
        ways[ADDITIVE] = lambda: additive_attention_statistics(Q, K, W_q, W_k, w)
    return ways


def dense(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    """Compute whole weights and their entropy."""
    weights = (Q @ K.mT / math.sqrt(D_K)).softmax(-1)
    return torch.special.entr(weights).sum(-1)


@torch.no_grad()
def most_held(way: Callable[[], object]) -> int:
    """Return the peak bytes of tensors, as far as torch's operations show them."""
    with TensorMemory() as held:
        way()
    return held.peak


def table(title: str, lengths: list[int], cell: Callable[[tuple[str, int]], str], ways: tuple[str, ...] = WAYS) -> None:
    """Print a Markdown table with one row for each way."""
    print(f"\n{title}\n")
    print("| way | " + " | ".join(f"n = {n}" for n in lengths) + " |")
    print("| --- |" + " ---: |" * len(lengths))
    for way in ways:
        print(f"| {way} | " + " | ".join(cell((way, n)) for n in lengths) + " |")


def slope(points: list[tuple[int, float]]) -> float:
    """Return the exponent of the power law nearest to the points, in logarithms."""
    x, y = ([math.log(point[axis]) for point in points] for axis in (0, 1))
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return products / sum((a - x_mean) ** 2 for a in x)


def verdict(met: bool, sentence: str) -> str:
    """Return a target as met or missed."""
    return f"  {'met   ' if met else 'missed'}  {sentence}"


if __name__ == "__main__":
    main()
