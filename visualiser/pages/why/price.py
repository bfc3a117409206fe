"""Costs of the Why page's answers."""

from visualiser.server.admission import page_cost
from visualiser.server.admission.cost import Cost
from visualiser.server.live.asking import Ask


def point(ask: Ask) -> Cost:
    """Return the cost of one d_k of the Why page."""
    config = ask.reading.state.config
    return page_cost.why_point(config.n, config.d_k)


def curves(ask: Ask) -> Cost:
    """Return the cost of the sweep."""
    state = ask.reading.state
    return page_cost.why_curves(state.config.n, int(state.own["seeds"]))
