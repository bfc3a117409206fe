"""A model over a long text, row by row, beside a capture that holds every matrix: time and memory.

    python -m benchmarks.long_texts [--n 512 1024 4096] [--families GPT-2 Llama] [--turns 2]

It needs requirements-models.txt and no network: the models are small and have random weights, in float32 on one core.
Times are the processor's, which other load changes little. The ways take turns, each turn's times are divided by the
same turn's eager forward pass, and the median of those ratios is printed. MB is the most that tensors made in a run
hold at once, its results included. Where a capture would hold more than `MOST_HELD` it is left out.
"""

import argparse
import math
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from statistics import median
from typing import Any

import torch
import transformers as hf

from attention_core.models import capture, long_statistics, prepare
from attention_core.studies.tensor_memory import TensorMemory
from benchmarks.machine import load, memory, processor
from benchmarks.turns import timed

LAYERS, HEADS, WIDTH, VOCABULARY = 4, 4, 256, 1000
MODELS: dict[str, Callable[[int], Any]] = {
    "GPT-2": lambda n: hf.GPT2LMHeadModel._from_config(
        hf.GPT2Config(
            vocab_size=VOCABULARY, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, n_positions=n, bos_token_id=0,
            eos_token_id=0,
        ),
        attn_implementation="eager",
    ),
    "Llama": lambda n: hf.LlamaForCausalLM._from_config(
        hf.LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
            num_key_value_heads=2, intermediate_size=3 * WIDTH, max_position_embeddings=n,
        ),
        attn_implementation="eager",
    ),
}  # fmt: skip
EAGER, CAPTURE, ROWS = "eager", "capture", "statistics"
MEASURES, ONE = "statistics and measures", "one layer's Q, K, V"
WAYS = (EAGER, CAPTURE, ROWS, MEASURES, ONE)
MOST_HELD = 4 * 2**30


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, nargs="+", default=[512, 1024, 4096])
    options.add_argument("--families", nargs="+", choices=list(MODELS), default=list(MODELS))
    options.add_argument("--turns", type=int, default=2, help="the first of them warms up")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    hf.logging.set_verbosity_error()
    packages = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers"))
    print(f"machine   {processor()}, one thread, {memory()}, {platform.system()} {platform.release()}")
    print(f"versions  Python {platform.python_version()}, {packages}")
    print(f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    print(f"load      {load()}\n")
    titles = ["model", "n", "eager, s", *(f"{way}, × eager" for way in WAYS[1:]), *(f"{way}, MB" for way in WAYS)]
    print(f"| {' | '.join(titles)} |")
    print("| --- |" + " ---: |" * (len(titles) - 1), flush=True)
    for family in chosen.families:
        model = MODELS[family](max(chosen.n)).eval()
        prepare(model)
        for n in chosen.n:
            ways = ways_at(model, n)
            turns = timed(ways, math.inf, chosen.turns, time.process_time)
            ratios = {way: median(turn[way] / turn[EAGER] for turn in turns) for way in ways}
            cells = [f"{ratios[way]:.2f}" if way in ratios else "–" for way in WAYS[1:]]
            peaks = [f"{peak(ways[way]) / 1e6:.0f}" if way in ways else "–" for way in WAYS]
            shortest = min(turn[EAGER] for turn in turns)
            print(f"| {family} | {n} | {shortest:.2f} | {' | '.join([*cells, *peaks])} |", flush=True)
    print(f"\nload      {load()} at the end")


def ways_at(model: Any, n: int) -> dict[str, Callable[[], object]]:
    """Return the ways to measure over one text of n tokens."""
    ids = torch.randint(0, VOCABULARY, (1, n), generator=torch.Generator().manual_seed(n))
    ways: dict[str, Callable[[], object]] = {
        EAGER: lambda: forward(model, ids),
        ROWS: lambda: long_statistics(model, input_ids=ids),
        MEASURES: lambda: long_statistics(model, delimiters=frozenset({1, 2}), input_ids=ids),
        ONE: lambda: long_statistics(model, layers=[LAYERS // 2], tensors=[LAYERS // 2], input_ids=ids),
    }
    if 2 * 4 * LAYERS * HEADS * n**2 <= MOST_HELD:
        ways[CAPTURE] = lambda: capture(model, input_ids=ids)
    return ways


@torch.no_grad()
def forward(model: Any, ids: torch.Tensor) -> object:
    return model(input_ids=ids, use_cache=False)


def peak(way: Callable[[], object]) -> int:
    """Return the most bytes of tensors at once, as far as torch's operations show them."""
    with TensorMemory() as held:
        made = way()
    del made
    return held.peak


if __name__ == "__main__":
    main()
