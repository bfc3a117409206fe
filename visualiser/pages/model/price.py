"""Costs of the Model page's answers: the model's run, and what the page makes of it."""

from typing import Final

from attention_core import AttentionConfig
from attention_core.learned import HEAD_MEASURES
from visualiser import models
from visualiser.pages.model import MOST_TOKENS
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, SMALL, Cost, after_run
from visualiser.server.live.page_request import PageRequest

_SUMS: Final = 2 * sum(measure.keys is not None for measure in HEAD_MEASURES.values())
"""Products with each weight: it and the mask are summed over the keys of each measure."""


def frame(request: PageRequest) -> Cost:
    """Return the cost of a run of the model over the text, its small maps and its measures."""
    return run_cost(request.reading.state.config)


def run_cost(config: AttentionConfig) -> Cost:
    """Price a run of a model over a text with all that the page makes of it; one that is refused is next to nothing."""
    found = models.sizes(config, MOST_TOKENS)
    if found is None:
        return SMALL
    cells = found.layers * found.h * found.n**2
    return after_run(found, Cost(6e-3 + 2e-8 * cells, MEBIBYTE + 4 * FLOAT * cells, cells * (found.d_k + _SUMS)))
