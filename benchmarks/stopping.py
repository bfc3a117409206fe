"""The longest time that work goes on after its caller left: the longest gap between two of its checkpoints.

    python benchmarks/stopping.py [part of a name …]

It measures CPU seconds of the computing thread, with one torch thread, for the heaviest states that a page allows. Each
runs until it ends, for at most `_LONGEST` seconds.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import torch
from machine import load, processor

sys.path.append(str(Path(__file__).parent.parent))  # the clone, for any working directory

from attention_core import (
    AttentionConfig,
    Cancelled,
    CostConfig,
    SweepConfig,
    attention_statistics,
    compute,
    layers,
    measure_costs,
    softmax_accuracies,
    stopping,
    sweep,
    temperature,
    walk,
)
from attention_core.blocks.pooled_tiles import pooled_tile
from attention_core.experiments.curves import train
from attention_core.experiments.heads import HeadsExperiment
from attention_core.experiments.quality import QualityExperiment
from visualiser.export import cells_csv, npz, rows_csv
from visualiser.maps.kept import BINS, Kept
from visualiser.pages.explore import take_away
from visualiser.pages.map import files
from visualiser.server.live.asking import Ask
from visualiser.upload import read_upload

_LONGEST = 90.0
_TEXT = " ".join(f"word{i}" for i in range(512))


class Gaps:
    """The times of the work's checkpoints."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self) -> bool:
        self.times.append(time.thread_time())
        return self.times[-1] - self.times[0] > _LONGEST

    def __enter__(self) -> "Gaps":
        self()
        return self

    def __exit__(self, *_: object) -> None:
        self()

    @property
    def longest(self) -> float:
        return max(later - earlier for earlier, later in pairwise(self.times))


def everything(config: AttentionConfig) -> None:
    """Compute a result and everything that pages read from it."""
    result = compute(config, device="cpu")
    for name in ("entropy", "largest_weight", "jacobian_norm", "score_variance", "V", "output", "projection"):
        getattr(result, name)


def _attention(mechanism: str, source: str, mask: str = "none", dtype: str = "float32") -> Callable[[], None]:
    config = AttentionConfig(
        n=512, h=16, d_k=1024, d_model=1024, tie=False, text=_TEXT,
        mechanism=mechanism, source=source, mask=mask, dtype=dtype,
    )  # fmt: skip
    return lambda: everything(config)


def _tiles(level: int) -> Callable[[], None]:
    Q, K = (torch.randn(16384, 256, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2))

    def work() -> None:
        cell, lse = 2**level, torch.zeros(16384)
        span = slice(0, min(16384, 256 * cell))
        pooled_tile(Q, K, span, span, lse, cell)

    return work


def _statistics(causal: bool) -> Callable[[], None]:
    Q = torch.randn(2, 16384, 256, generator=torch.Generator().manual_seed(0))
    return lambda: void(attention_statistics(Q, Q, causal=causal, overview=256, histogram=64))


def _anatomy(mechanism: str) -> Callable[[], None]:
    config = AttentionConfig(
        n=64, h=16, d_model=512, mechanism=mechanism, source="text", text=" ".join(_TEXT.split()[:64])
    )  # fmt: skip
    return lambda: void(walk(layers(config, 4)[-1], 63, 16))


def _why() -> None:
    result = compute(AttentionConfig(n=512, h=16, d_k=1024, tie=False, scaling="none"), device="cpu")
    temperature(result)
    softmax_accuracies(result.masked)


def _export(kind: Callable[..., object]) -> Callable[[], None]:
    result = compute(AttentionConfig(n=512, h=16, d_k=64, tie=False, mask="causal"), device="cpu")
    return lambda: void(kind(result))


def _taken_away(kind: str) -> Callable[[], None]:
    """Return the making of a file from the figures."""
    query = "n=512&h=16&d_k=64&tie=false&mask=causal"
    ask = Ask(query, None, frozenset(), b"", "en", "light", 0, "", {"figure": "heat-maps"}, "explore")
    return lambda: void(take_away.KINDS[kind].content(ask))


def _map_file(kind: Callable[[Kept], bytes]) -> Callable[[], None]:
    """Return the writing of a kept map of 16 heads."""
    Q = torch.randn(16, 4096, 8, generator=torch.Generator().manual_seed(0))
    kept = Kept(AttentionConfig(h=16, d_k=8, tie=False), Q, Q, None, attention_statistics(Q, Q, overview=BINS))
    return lambda: void(kind(kept))


def _upload() -> Callable[[], None]:
    """Return the reading of a CSV file of 8 MB."""
    rows = torch.randn(3, 4, 512, 256, generator=torch.Generator().manual_seed(0)).tolist()
    lines = ["tensor,head,position," + ",".join(map(str, range(256)))]
    for name, heads in zip("QKV", rows, strict=True):
        for head, vectors in enumerate(heads):
            lines += [f"{name},{head},{i}," + ",".join(f"{x:.3g}" for x in v) for i, v in enumerate(vectors)]
    body = "\n".join(lines).encode()
    return lambda: void(read_upload("a.csv", body))


def void(value: object) -> None:
    """Read a generator to its end."""
    if isinstance(value, Iterator):
        for _ in value:
            pass


WORK: Mapping[str, Callable[[], Callable[[], None]]] = MappingProxyType(
    {
        **{
            f"n=512 h=16 d_k=1024 {mechanism} {source} {mask}": (
                lambda m=mechanism, s=source, k=mask: _attention(m, s, k)
            )
            for mechanism, source, mask in (
                ("dot_product", "gaussian", "none"),
                ("dot_product", "structured", "causal"),
                ("dot_product", "text", "window"),
                ("additive", "gaussian", "none"),
            )
        },
        "temperature, formats n=512 h=16": lambda: _why,
        "sweep n=128 seeds=10": lambda: lambda: void(sweep(SweepConfig(n=128, seeds=10))),
        "tile level 7 n=16384 d_k=256": lambda: _tiles(7),
        "pass n=16384 h=2 d_k=256": lambda: _statistics(False),
        "causal pass n=16384 h=2 d_k=256": lambda: _statistics(True),
        "anatomy n=64 d_model=512 h=16 layer=4": lambda: _anatomy("dot_product"),
        "additive anatomy n=64 d_model=512 h=16 layer=4": lambda: _anatomy("additive"),
        "cells n=512 h=16": lambda: _export(cells_csv),
        "rows n=512 h=16": lambda: _export(rows_csv),
        "npz n=512 h=16": lambda: _export(npz),
        "html n=512 h=16": lambda: _taken_away("html"),
        "figure n=512 h=16": lambda: _taken_away("figure"),
        "map's csv n=4096 h=16": lambda: _map_file(files.lines),
        "map's npz n=4096 h=16": lambda: _map_file(files.archive),
        "upload csv 512 × 256 × 4": _upload,
        "train d_k=1024": lambda: (
            lambda: void(
                train(QualityExperiment(task="noisy", d_k=(1024,), mechanism=("additive",), seeds=5, steps=20))
            )
        ),
        "train heads": lambda: lambda: void(train(HeadsExperiment(h=(16,), steps=20))),
        "cost n=1024": lambda: lambda: void(measure_costs(CostConfig(sizes=(256, 1024)))),
    }
)


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    print(f"{processor()}, torch {torch.__version__}, load {load()}")
    for name, made in WORK.items():
        if names and not any(part in name for part in names):
            continue
        work, gaps = made(), Gaps()
        with gaps, stopping(gaps), suppress(Cancelled):
            work()
        print(f"{name:48s} {len(gaps.times):7d} checkpoints, longest gap {gaps.longest * 1e3:7.1f} ms, "
              f"{gaps.times[-1] - gaps.times[0]:6.1f} s in all")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
