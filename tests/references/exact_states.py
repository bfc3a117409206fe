"""Every normalisation with softcap, QK-norm and log n together, beside mpmath from the tensors on, in random states.

The oracle has 60 digits and no formula of ours: vectors divided by their root mean squares, sums of products, the
factor, tanh, the mask, and weights, statistics and whole Jacobians from their definitions.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

import mpmath
import numpy as np
import torch
from torch import Tensor

from attention_core import AttentionConfig, AttentionInputs, attention_statistics, attention_tile, compute
from attention_core.config import CHOICES
from attention_core.exact import mask_choices
from attention_core.exact.rms_norm import rms_norm
from attention_core.normalisations import NORMALISATIONS
from tests.attention_core.normalisations.oracles import Exact, Real, exact
from tests.references.comparing import UNITS, Compared, worst

DIGITS: Final = 60
SINGLE: Final = UNITS[torch.float32]


def states(count: int, seed: int) -> Iterator[tuple[str, AttentionConfig, AttentionInputs]]:
    """Yield random states of one head: scores from equal to one-hot, vectors whose lengths differ by up to 10⁴."""
    for at in range(count):
        name = f"state {seed}.{at}"
        draws = Random(name)
        n, d_k = draws.choice((1, 2, 3, 5, 7, 11)), draws.choice((1, 2, 5, 13, 64))
        config = AttentionConfig(
            n=n, h=1, d_k=d_k, tie=False, source="upload", scaling=draws.choice(CHOICES["scaling"]),
            scale=draws.choice((0.0, 0.3, 4.0)), mask=draws.choice(CHOICES["mask"]), window=draws.choice((1, 2, 4)),
            normalisation=draws.choice(CHOICES["normalisation"]), sink=draws.choice((-16.0, -2.0, 0.0, 0.7, 5.0, 16.0)),
            softcap=draws.choice((0.0, 0.0, 0.5, 2.0, 30.0, 100.0)), qk_norm=draws.random() < 0.5,
            log_n=draws.random() < 0.5,
        )  # fmt: skip
        generator = torch.Generator().manual_seed(draws.randrange(2**31))
        Q, K, V = (torch.randn(1, n, d_k, generator=generator) for _ in range(3))
        if config.qk_norm:
            Q, K = (vectors * 10 ** (4 * torch.rand(1, n, 1, generator=generator) - 2) for vectors in (Q, K))
        yield name, config, AttentionInputs(Q, K, V)


def exact_rows(config: AttentionConfig, Q: Tensor, K: Tensor) -> tuple[list[Exact], float]:
    """Return every row of one head (n × d_k) with `DIGITS` digits, and the largest scaled score in size."""
    q, k = (_vectors(tensor, config.qk_norm) for tensor in (Q, K))
    d_k, n = len(q[0]), len(k)
    factors = {"none": 1, "d_k": mpmath.mpf(1) / d_k, "custom": config.scale, "sqrt_d_k": 1 / mpmath.sqrt(d_k)}
    factor = factors[config.scaling] * (mpmath.log(n) / mpmath.log(32) if config.log_n else 1)
    cap, rows, largest = config.softcap, [], 0.0
    for i, query in enumerate(q):
        scaled = [factor * mpmath.fdot(query, key) for key in k]
        largest = max(largest, *(float(abs(s)) for s in scaled))
        slopes = [mpmath.sech(s / cap) ** 2 if cap else mpmath.mpf(1) for s in scaled]
        capped = [cap * mpmath.tanh(s / cap) if cap else s for s in scaled]
        masked = [s if _allowed(config, i, j) else -mpmath.inf for j, s in enumerate(capped)]
        rows.append(exact(config.normalisation, masked, slopes, config.sink))
    return rows, largest


def compared_with_exact(count: int, seed: int) -> Iterator[Compared]:
    """Yield the comparisons of each state; entmax has no passes."""
    with mpmath.workdps(DIGITS):
        for name, config, inputs in states(count, seed):
            rows, largest = exact_rows(config, inputs.Q[0], inputs.K[0])
            unit = SINGLE * max(1.0, largest)
            for quantity, (mine, true) in _both(config, inputs, rows).items():
                ours = mine.double().numpy()
                yield Compared(
                    name, f"mpmath, {config.normalisation}", quantity, true.size, None, worst(ours, true, unit)
                )


def _both(
    config: AttentionConfig, inputs: AttentionInputs, rows: list[Exact]
) -> Mapping[str, tuple[Tensor, np.ndarray]]:
    """Return our numbers and the exact ones, of quantities that belong together in one array."""
    weights = _floats([row.p for row in rows])
    statistics = [row.statistics() for row in rows]
    names = list(statistics[0])
    wanted = _floats([[row[name] for name in names] for row in statistics])
    result = compute(config, inputs, device="cpu")
    found = {
        "weights": (result.weights[0], weights),
        "statistics": (torch.stack([result.statistic(name)[0] for name in names], -1), wanted),
        "Jacobian": (
            torch.stack([result.jacobian(1, row) for row in range(len(rows))]),
            _floats([row.jacobian() for row in rows]),
        ),
    }
    if NORMALISATIONS[config.normalisation].passes is None:
        return found
    Q, K = (rms_norm(tensor) if config.qk_norm else tensor for tensor in (inputs.Q, inputs.K))
    how: dict[str, Any] = {
        "scale": result.config.factor,
        "mask": mask_choices.of(config),
        "softcap": config.softcap,
        "sigmoid": config.normalisation == "sigmoid",
    }
    sink = config.sink if config.normalisation == "sink" else None
    passed = attention_statistics(Q, K, sink=sink, block=4, **how)
    every = slice(None)
    tile = attention_tile(Q, K, every, every, None if how["sigmoid"] else passed.logsumexp, **how)
    streamed = torch.stack([passed.statistic(name)[0] for name in names], -1)
    return found | {"weights, streamed": (tile[0], weights), "statistics, streamed": (streamed, wanted)}


def _vectors(tensor: Tensor, normalised: bool) -> list[list[Real]]:
    vectors = [[mpmath.mpf(x) for x in row] for row in tensor.tolist()]
    if not normalised:
        return vectors
    return [[x / mpmath.sqrt(mpmath.fsum(y**2 for y in row) / len(row)) for x in row] for row in vectors]


def _allowed(config: AttentionConfig, i: int, j: int) -> bool:
    return {"none": True, "causal": j <= i, "window": abs(i - j) <= config.window}[config.mask]


def _floats(values: Any) -> np.ndarray:
    return np.array(values, dtype=np.float64)
