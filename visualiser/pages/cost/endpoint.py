"""The endpoint ``/cost``: the measurement of the Cost page for programs."""

from typing import Any, Final, TypedDict

import gradio as gr

from attention_core import BOUNDS, Bound, CostConfig, CostPoint, InvalidInput, measure_costs
from attention_core.studies.cost import VARIED
from visualiser.gpu import device_name
from visualiser.pages.admitted import Endpoint
from visualiser.pages.cost.live import BYTES, SECONDS
from visualiser.pages.cost.price import measurement_cost
from visualiser.pages.docstrings import Several, allowing
from visualiser.server.admission import cost as server_cost

_LONGEST = 15.0
"""The time after which a call skips the rest, in seconds."""

_MOST_SIZES, _LARGEST = 10, 4096
_SIZES: Final = Bound(1, _LARGEST, 256)


class Cost(TypedDict):
    """One way of computing attention at one size; if `skipped` gives a reason, seconds and bytes are null."""

    contender: str
    passes: str
    n: int
    d_k: int
    operations: int
    seconds: float | None
    bytes: int | None
    skipped: str | None


@allowing(varied=VARIED, sizes=Several(_SIZES, _MOST_SIZES), n=_SIZES, d_k=_SIZES, seed=BOUNDS["seed"])
def cost(varied: str = "n", sizes: list[int] | None = None, n: int = 256, d_k: int = 64, seed: int = 0) -> list[Cost]:
    """Measure time and memory of additive and dot-product attention (section 3.2.1) on the server now.

    Args:
        varied: {varied}, whichever the sizes are of; the other stays
        sizes: {sizes}; 64, 128, 256 and 512 when not given
        n: queries and keys when d_k is varied, {n}
        d_k: width of the head when n is varied, {d_k}
        seed: the seed of the operands, {seed}

    Returns:
        for every size four ways (additive with one tensor, additive in blocks, softmax(QKᵀ)V written out, torch's
        fused kernel), forward and forward + backward: median seconds of a call, most bytes its tensors held,
        operations by theory; a way that would take more than 0.3 s, 512 MiB or a sixth of HEADLIGHT_MEMORY_MB is
        skipped
    """
    return [_described(point) for point in measure_costs(experiment(varied, sizes, n, d_k, seed), device=device_name())]


def experiment(varied: str, sizes: list[int] | None, n: int, d_k: int, seed: int) -> CostConfig:
    """Return the measurement of these settings. Raise `gr.Error` if they are refused."""
    wanted = [64, 128, 256, 512] if sizes is None else sizes
    if len(wanted) > _MOST_SIZES:
        raise gr.Error(f"at most {_MOST_SIZES} sizes are measured, got {len(wanted)}", print_exception=False)
    for name, came in (("sizes", max(wanted, default=0)), ("n", n), ("d_k", d_k)):
        if came > _LARGEST:
            raise gr.Error(f"{name} must be at most {_LARGEST}, got {came}", print_exception=False)
    try:
        return CostConfig(
            varied=varied,
            sizes=tuple(wanted),
            n=n,
            d_k=d_k,
            seed=seed,
            seconds=SECONDS,
            total=_LONGEST,
            bytes=BYTES,
            measuring=0.05,
        )
    except InvalidInput as problem:
        raise gr.Error(str(problem), print_exception=False) from problem


def _described(point: CostPoint) -> Cost:
    return {
        "contender": point.contender,
        "passes": point.passes,
        "n": point.n,
        "d_k": point.d_k,
        "operations": point.operations.total,
        "seconds": point.seconds,
        "bytes": point.bytes,
        "skipped": point.skipped,
    }


def price(given: dict[str, Any]) -> server_cost.Cost:
    """Return the cost of measuring with these settings; refused ones cost next to nothing."""
    try:
        return measurement_cost(experiment(**given))
    except gr.Error:
        return server_cost.SMALL


ENDPOINT: Final = Endpoint("cost", cost, price, "measure_cost", run=True)
