"""Costs of the Why page's answers."""

from attention_core import LengthsConfig, SweepConfig
from attention_core.studies.lengths import QUERIES
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, Cost
from visualiser.server.live.page_request import PageRequest


def point(request: PageRequest) -> Cost:
    """Price one d_k: three mechanisms in one head, 65 factors, three number formats."""
    config = request.reading.state.config
    n, d_k = config.n, config.d_k
    hidden = min(2**20, n**2 * d_k)  # hidden units of additive attention, one block at a time
    memory = MEBIBYTE + 1.1 * FLOAT * (d_k**2 + hidden + 3 * n * d_k) + 150 * n**2
    products = 4 * n**2 * (d_k + 4) + 2 * n * d_k**2
    return Cost(0.02 + 2e-8 * d_k**2 + 3e-6 * n**2, int(memory), products)


def of_widths(config: SweepConfig) -> Cost:
    """Price curves over d_k up to 1024, all seeds as one batch."""
    return curves_cost(config.n, config.seeds)


def of_lengths(config: LengthsConfig) -> Cost:
    """Price curves over the number of keys: at most 256 rows of each length, one seed after the other."""
    d_k, seeds, most = config.d_k, config.seeds, config.ns[-1]
    rows = min(most, QUERIES)
    memory = 12 * MEBIBYTE + FLOAT * (seeds * (most + rows) * d_k + most * d_k + 24 * rows * most)
    return Cost(0.02 + seeds * (0.06 + 3.5e-4 * d_k), int(memory))


def curves_cost(n: int, seeds: int) -> Cost:
    """Price the sweep over d_k up to 1024, all seeds as one batch."""
    return Cost(0.06 + seeds * (0.024 + 4e-6 * n**2), int(18.2 * MEBIBYTE + 3.7 * FLOAT * 1024 * seeds * n))
