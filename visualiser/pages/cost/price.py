"""Cost of the Cost page's measurements."""

from typing import Final

from attention_core import CostConfig
from attention_core.studies.contenders import CONTENDERS
from visualiser.server import settings
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, Cost

MEASURED: Final = min(2**29, settings.memory() // 6)
"""The most bytes for the tensors of one measured call, on the page and in the API."""


def measurement_cost(config: CostConfig) -> Cost:
    """Price every contender within its own bound, at its largest size, and the counts of the theory."""
    most = 0.0
    for size in config.sizes:
        n, d_k = config.shape(size)
        held = (one.bytes(n, d_k, backward) for one in CONTENDERS.values() for backward in (False, True))
        drawn = FLOAT * max(d_k**2, n * d_k)  # while the last operand is drawn
        running = max([drawn, *(1.05 * bytes_ for bytes_ in held if bytes_ <= config.bytes)])
        most = max(most, 1.1 * FLOAT * (3 * n * d_k + 2 * d_k**2) + running)
    return Cost(config.total, int(2 * MEBIBYTE + most))
