"""What models after the paper do, beside what was measured of it: the second table of docs/claims.md.

    python -m benchmarks.later

Numbers are of the shipped training or of small ones that this command repeats, as in `benchmarks.statements`.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from attention_core.experiments import QualityExperiment
from benchmarks.statements import QUALITY, Statement, accuracies, band, table, trained

HERE: Final = "`python -m benchmarks.later`"
NORMED: Final = "qk_norm_unscaled"
WAYS: Final = ("scaled", "unscaled", NORMED)


def positions() -> str:
    return "reverse: " + "; ".join(f"at d_k {d_k} {accuracies(d_k, WAYS)}" for d_k in (4, 64, 1024))


def pairs() -> str:
    return "recall: " + _trained("recall", (4, 64, 1024))


def noisy() -> str:
    return "noisy key: " + _trained("noisy", (4, 64))


def _trained(task: str, sizes: Sequence[int]) -> str:
    found = {d_k: trained(QualityExperiment(task=task, mechanism=WAYS, d_k=(d_k,), seeds=3)) for d_k in sizes}
    return "; ".join(
        f"at d_k {d_k} " + ", ".join(f"{way} {band(values)}" for way, values in of_size.items())
        for d_k, of_size in found.items()
    )


def small_start() -> str:
    start = QualityExperiment(mechanism=(NORMED,), d_k=(256,), seeds=3, initialisation="small_projections")
    slow, usual = (trained(replace(start, learning_rate=rate))[NORMED] for rate in (1e-3, 3e-3))
    return (
        f"reverse, {NORMED} at d_k 256 with W_Q, W_K × d_k^(−1/4) at the start: {band(slow)} at a learning rate of "
        f"0.001, {band(usual)} at 0.003"
    )


LATER: Final = (
    Statement(
        "queries and keys divided by their root mean square need no factor (Gemma 4, which learns gains; here there "
        "are none)",
        positions,
        QUALITY,
        "does not hold here: d_k · cos θ starts with variance d_k, as unscaled products do, and fails as they do",
    ),
    Statement("", pairs, HERE, "does not hold here either: less is learned as d_k grows"),
    Statement("", noisy, HERE, "holds on this task: QK-norm learns most, at d_k 4 by far"),
    Statement(
        "", small_start, HERE, "a smaller start does not mend it, as it mends unscaled products: the norm undoes it"
    ),
)


if __name__ == "__main__":
    print(*table("models since then say", LATER), sep="\n")
    print(f"\n{time.process_time():.0f} s of processor time")
