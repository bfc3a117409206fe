"""Costs of the Anatomy page's answers."""

from visualiser.server.admission import page_cost
from visualiser.server.admission.cost import Cost
from visualiser.server.live.asking import Ask


def frame(ask: Ask) -> Cost:
    """Return the cost of one layer."""
    state = ask.reading.state
    return page_cost.anatomy(state.config, int(state.own["layer"]))
