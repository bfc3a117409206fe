"""Costs of the Why page's answers."""

from attention_core import LengthsConfig, SweepConfig, mechanisms
from attention_core.studies.lengths import QUERIES
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, Cost
from visualiser.server.live.page_request import PageRequest


def point(request: PageRequest, further: int = 0) -> Cost:
    """Price one d_k: three mechanisms in one head, 65 factors, three number formats, and `further` settings told of."""
    config = request.reading.state.config
    n, d_k = config.n, config.d_k
    hidden = min(2**20, n**2 * d_k)  # hidden units of additive attention, one block at a time
    memory = MEBIBYTE + 1.1 * FLOAT * (d_k**2 + hidden + 3 * n * d_k) + 150 * n**2
    products = 4 * n**2 * (d_k + 4) + 2 * n * d_k**2
    memory += further * 4 * FLOAT * n**2
    products += further * n**2 * (d_k + 4)
    return Cost(0.02 + 2e-8 * d_k**2 + 3e-6 * n**2 + further * (1e-3 + 4e-7 * n**2), int(memory), products)


def of_widths(config: SweepConfig) -> Cost:
    """Price curves over d_k up to 1024, all seeds as one batch."""
    n, seeds = config.n, config.seeds
    seconds = 0.06 + seeds * (0.024 + 4e-6 * n**2)
    every = [mechanisms.of(config.attention(curve, config.seed, 1)) for curve in config.curves]
    if all(mechanism.products for mechanism in every):
        normed = 2 * 3 * 1024 * n  # float64, one seed after the other
        return Cost(seconds, int(1.6 * MEBIBYTE + 1.04 * FLOAT * (3 * 1024 * seeds * n + normed + 14 * seeds * n**2)))
    # the parameters of additive attention at d_k = 1024
    return Cost(seconds, int(18.2 * MEBIBYTE + 3.7 * FLOAT * 1024 * seeds * n))


def of_lengths(config: LengthsConfig) -> Cost:
    """Price curves over the number of keys: at most 256 rows of each length, one seed after the other."""
    d_k, seeds, most = config.d_k, config.seeds, config.ns[-1]
    rows = min(most, QUERIES)
    drawn = (seeds * (most + rows) + 2 * most) * d_k
    seconds = 0.02 + seeds * len(config.curves) * (0.03 + 1.75e-4 * d_k)
    return Cost(seconds, int(MEBIBYTE + 1.04 * FLOAT * (drawn + 4 * rows * most)))  # a sink stands beside a copy
