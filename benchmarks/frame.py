"""The server's cost of one slider move: milliseconds of CPU for a frame, beside the computation inside it.

    python -m benchmarks.frame [--n 32 128 512] [--rounds 15]

It uses one thread, 8 heads, d_k alternating between 64 and 65 as in a drag, and a browser that knows every structure.
The columns:

compute     `attention_core.compute`: scores and weights
statistics  the figures' other data: entropies, Jacobians, moments of the scores
colouring   the cells of all heads as bytes, `visualiser.server.live.wire.cells`
light       a whole frame while the slider moves: heat maps and the figures below
full        the same with tables and sentences, once it rests

Below stand whole frames of what came after 1/√d_k, as multiples of the same turn's frame with nothing new chosen.

Each number is a median of rounds that take the columns in turns, so that other load affects all of them alike. CPU time
still grows if others use the same caches. HTTP is not included. A target is reported as met or missed.
"""

import argparse
import json
import struct
import time
from collections.abc import Callable
from statistics import median

import torch

from attention_core import AttentionConfig, AttentionResult, compute
from benchmarks.machine import described, load
from benchmarks.verdicts import verdict
from visualiser.pages.explore.frame import frame
from visualiser.server.live import wire
from visualiser.server.live.page_request import PageRequest

HEADS = 8
SMALL, SMALL_MILLISECONDS = 32, 3.0
LARGE, TIMES = 512, 1.5
COLUMNS = ("compute", "statistics", "colouring", "light", "full")
PLAIN = "nothing new"
SETTINGS = {
    PLAIN: "",
    "QK-norm": "&qk_norm=true",
    "ln n": "&log_n=true",
    "softcap": "&softcap=5",
    "sink": "&normalisation=sink",
    "sigmoid": "&normalisation=sigmoid",
    "entmax": "&normalisation=entmax",
}


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, nargs="+", default=[32, 128, 512])
    options.add_argument("--rounds", type=int, default=15)
    chosen = options.parse_args()
    torch.set_num_threads(1)  # as app.py does on two cores
    print(*described(), sep="\n")
    print(f"\nmilliseconds of CPU, medians of {chosen.rounds} rounds, {HEADS} heads, one thread")
    print(f"{'n':>5}", *(f"{name:>11}" for name in COLUMNS))
    found = {}
    for n in chosen.n:
        found[n] = measured(n, chosen.rounds)
        print(f"{n:5}", *(f"{found[n][name]:11.2f}" for name in COLUMNS), flush=True)
    print("\na frame with one new setting, light / full, as a multiple of one with nothing new")
    print(f"{'n':>5}", *(f"{name:>13}" for name in SETTINGS if name != PLAIN))
    for n in chosen.n:
        light, full = (with_settings(n, chosen.rounds, light=light) for light in (True, False))
        print(f"{n:5}", *(f"{light[name]:6.2f} /{full[name]:5.2f}" for name in light), flush=True)
    print("\ntargets")
    if SMALL in found:
        light = found[SMALL]["light"]
        print(verdict(light <= SMALL_MILLISECONDS, f"n = {SMALL}, light: {light:.2f} ms, at most {SMALL_MILLISECONDS}"))
    if LARGE in found:
        at = found[LARGE]
        times = at["light"] / (at["compute"] + at["colouring"])
        print(verdict(times <= TIMES, f"n = {LARGE}, light: {times:.2f} × compute + colouring, at most {TIMES}"))
        everything = at["light"] / (at["compute"] + at["statistics"] + at["colouring"])
        print(f"          with the statistics counted as computing: {everything:.2f} ×")
    print(f"\nload      {load()} at the end")


def measured(n: int, rounds: int) -> dict[str, float]:
    """Measure milliseconds of CPU of each column."""
    known = hashes(list(frame(ask(n, 64))))
    configs = [AttentionConfig(n=n, h=HEADS, d_k=d_k, tie=False) for d_k in (64, 65)]
    results = [compute(config, device="cpu") for config in configs]
    work: dict[str, Callable[[int], object]] = {
        "compute": lambda turn: compute(configs[turn], device="cpu"),
        "colouring": lambda turn: coloured(results[turn]),
        "light": lambda turn: list(frame(ask(n, 64 + turn, known, light=True))),
        "full": lambda turn: list(frame(ask(n, 64 + turn, known))),
        "computed with statistics": lambda turn: statistics(compute(configs[turn], device="cpu")),
    }
    times = max(2, 1024 // n)
    found: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(rounds + 1):
        for name, function in work.items():
            start = time.process_time()
            for i in range(times):
                function(i % 2)
            if turn:  # the first warms up
                found[name].append((time.process_time() - start) / times * 1000)
    middle = {name: median(values) for name, values in found.items()}
    middle["statistics"] = middle.pop("computed with statistics") - middle["compute"]
    return middle


def with_settings(n: int, rounds: int, **extra: bool) -> dict[str, float]:
    """Measure a frame with each new setting, as a multiple of the same turn's frame without any."""
    known = {name: hashes(list(frame(ask(n, 64, more=more)))) for name, more in SETTINGS.items()}
    times = max(2, 512 // n)
    found: dict[str, list[float]] = {name: [] for name in SETTINGS}
    for turn in range(rounds + 1):
        for name, more in SETTINGS.items():
            start = time.process_time()
            for i in range(times):
                list(frame(ask(n, 64 + i % 2, known[name], more, **extra)))
            if turn:  # the first warms up
                found[name].append(time.process_time() - start)
    plain = found.pop(PLAIN)
    return {name: median(a / b for a, b in zip(values, plain, strict=True)) for name, values in found.items()}


def ask(n: int, d_k: int, known: frozenset[str] = frozenset(), more: str = "", **extra: bool) -> PageRequest:
    """Return the request of a browser in a drag of d_k."""
    query, before = (f"n={n}&h={HEADS}&d_k={width}&tie=false&lang=en{more}" for width in (d_k, 129 - d_k))
    return PageRequest(query, before, known, b"", None, "light", 0, "", extra)


def hashes(answer: list[bytes]) -> frozenset[str]:
    """Return the structures that a browser knows after an answer."""
    found = set()
    for part in answer:
        (length,) = struct.unpack_from("<I", part)
        header = json.loads(part[4 : 4 + length])
        entries = [header.get("labels"), *header.get("drawings", {}).values(), *header.get("tables", {}).values()]
        found |= {entry["hash"] for entry in entries if entry}
    return frozenset(found)


def statistics(result: AttentionResult) -> None:
    """Compute everything that the figures draw besides the cells."""
    _ = result.entropy, result.jacobian_norm, result.jacobian_trace, result.score_mean, result.score_variance


def coloured(result: AttentionResult) -> list[object]:
    """Colour the cells, one byte each, head by head."""
    return [wire.cells(head.numpy(), 0.0, 1.0) for head in result.weights]


if __name__ == "__main__":
    main()
