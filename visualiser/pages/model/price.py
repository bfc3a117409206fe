"""Costs of the Model page's answers: the model's run, and what the page makes of it."""

from dataclasses import replace

from attention_core import AttentionConfig
from visualiser import models
from visualiser.pages.model import change_questions, changes, other_maps, without_heads
from visualiser.pages.model.reach import cost_of, read_sizes
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live.page_request import PageRequest


def frame(request: PageRequest) -> Cost:
    """Return the cost of a run of the model over the text, its small maps and its measures."""
    state = request.reading.state
    changed = str(state.own["changes"]), str(state.own["against"])
    cost = run_cost(state.config, request.upload, *changed)
    sizes = read_sizes(state.config, request.upload)
    if sizes is None:
        return cost
    cost += change_questions.price(state, request.upload)
    if state.own["key_figure"] == "writes":
        cost += Cost(*models.writing_work(state.config.model, sizes))
    cost += other_maps.price(state, sizes)
    beside, runs = without_heads.price(state.config, state.own, request.upload), changes.runs(*changed)
    if not beside.seconds:
        return cost
    peak = runs * models.work(sizes).kept + beside.memory  # they are over before the page draws
    return replace(cost + beside, memory=max(cost.memory, peak))


def run_cost(config: AttentionConfig, own: bytes = b"", written: str = "", against: str = "") -> Cost:
    """Price a run of a model with all that the page makes of it; one that is refused is next to nothing.

    With the changes of a link the model runs again, and so it does with those of A; the runs stay there.
    """
    found = read_sizes(config, own)
    if found is None:
        return SMALL
    return cost_of(config.model, found, changes.runs(written, against), 1 + bool(written) + bool(against))
