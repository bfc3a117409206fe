"""Our numbers beside those of others: the worst error of each quantity, in float64 and in float32."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core import additive_attention, attention_statistics, scaled_dot_product_attention
from attention_core.blocks.statistics import additive_attention_statistics
from attention_core.exact.attention import Attention
from tests.references.cases import CASES, Case
from tests.references.others import REFERENCES


@dataclass(frozen=True)
class Compared:
    """One quantity of one case by one reference: the number of comparisons, and our largest errors.

    An error is |ours − theirs| as a multiple of u · max(1, s) · max(1, |theirs|): u is our unit roundoff, s the
    case's largest score, by whose rounding alone a weight changes by the factor e^(u s).
    """

    case: str
    reference: str
    quantity: str
    count: int
    float64: float | None
    float32: float


UNITS = {torch.float64: 2.0**-53, torch.float32: 2.0**-24}


def ours(case: Case, dtype: torch.dtype) -> dict[str, NDArray[np.float64]]:
    """Return our weights and output by the dense way, and the statistics that stream without an n × n matrix."""
    found = dense(case, dtype)
    numbers = {"weights": found.weights, "output": found.output}
    if dtype == torch.float32:
        numbers |= streamed(case, dtype)
    return {name: value.double().numpy() for name, value in numbers.items()}


def compared(cases: Mapping[str, Callable[[], Case]] = CASES) -> Iterator[Compared]:
    """Yield every comparison."""
    for name, make in cases.items():
        case = make()
        size = max(1.0, largest_score(case))
        mine = {dtype: ours(case, dtype) for dtype in UNITS}
        for reference, compute in REFERENCES.items():
            theirs = compute(case)
            for quantity, values in (theirs or {}).items():
                double = mine[torch.float64].get(quantity)
                yield Compared(
                    name,
                    reference,
                    quantity,
                    values.size,
                    None if double is None else worst(double, values, size * UNITS[torch.float64]),
                    worst(mine[torch.float32][quantity], values, size * UNITS[torch.float32]),
                )


def largest_score(case: Case) -> float:
    """Return the largest scaled score in size, masked ones included."""
    return float(dense(case, torch.float64).scaled.abs().max())


def worst(mine: NDArray[np.float64], theirs: NDArray[np.float64], unit: float) -> float:
    """Return the largest error. Raise ValueError if the shapes differ or a number is none."""
    if mine.shape != theirs.shape or not np.isfinite(theirs).all():
        raise ValueError(f"{mine.shape} against {theirs.shape}")
    return float((np.abs(mine - theirs) / np.maximum(1.0, np.abs(theirs))).max() / unit)


def streamed(case: Case, dtype: torch.dtype) -> dict[str, Tensor]:
    """Return the statistics of a case's rows, which stream without an n × n matrix."""
    Q, K = case.Q.to(dtype), case.K.to(dtype)
    if case.hidden:
        hidden = (tensor.to(dtype) for tensor in case.hidden)
        found = additive_attention_statistics(Q, K, *hidden, mask=case.mask)
    else:
        found = attention_statistics(Q, K, scale=case.scale, mask=case.mask)
    return {name: found.statistic(name) for name in ("entropy", "jacobian_norm", "jacobian_trace")}


def dense(case: Case, dtype: torch.dtype) -> Attention:
    """Return a case's attention with its weights in memory."""
    Q, K, V = (tensor.to(dtype) for tensor in (case.Q, case.K, case.V))
    if case.hidden:
        return additive_attention(Q, K, V, *(tensor.to(dtype) for tensor in case.hidden), mask=case.mask)
    return scaled_dot_product_attention(Q, K, V, mask=case.mask, scale=case.scale)
