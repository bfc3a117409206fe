"""Costs of the Model page's answers: the model's run, and what the page makes of it."""

from dataclasses import replace
from typing import Final

from attention_core import AttentionConfig
from attention_core.learned import HEAD_MEASURES, SayingModel
from visualiser import models
from visualiser.models.run_work import Work
from visualiser.pages.model import MOST_TOKENS, change_questions, changes, without_heads
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, SMALL, Cost, after_run
from visualiser.server.live.page_request import PageRequest

_SUMS: Final = 2 * sum(measure.chance for measure in HEAD_MEASURES.values())
"""Products with each weight: it and the mask are summed over the keys of each measure."""


def frame(request: PageRequest) -> Cost:
    """Return the cost of a run of the model over the text, its small maps and its measures."""
    state = request.reading.state
    changed = str(state.own["changes"]), str(state.own["against"])
    cost = run_cost(state.config, request.upload, *changed)
    sizes = models.sizes(state.config, MOST_TOKENS, request.upload)
    if sizes is None:
        return cost
    cost += change_questions.price(state, request.upload)
    if state.own["key_figure"] == "writes":
        cost += Cost(*models.writing_work(state.config.model, sizes))
    beside, runs = without_heads.price(state.config, state.own, request.upload), changes.runs(*changed)
    if not beside.seconds:
        return cost
    peak = runs * models.work(sizes).kept + beside.memory  # they are over before the page draws
    return replace(cost + beside, memory=max(cost.memory, peak))


def run_cost(config: AttentionConfig, own: bytes = b"", written: str = "", against: str = "") -> Cost:
    """Price a run of a model with all that the page makes of it; one that is refused is next to nothing.

    With the changes of a link the model runs again, and so it does with those of A; the runs stay there.
    """
    found = models.sizes(config, MOST_TOKENS, own)
    if found is None:
        return SMALL
    cells = found.layers * found.h * found.cells
    cost = after_run(found, Cost(6e-3 + 2e-8 * cells, MEBIBYTE + 4 * FLOAT * cells, cells * (found.d_k + _SUMS)))
    again, runs = models.work(found), changes.runs(written, against)
    further = runs - 1
    cost += Cost(further * again.seconds, further * again.kept, further * again.multiply_adds)
    said = _said(config.model, found.n, again, runs, 1 + bool(written) + bool(against))
    peak = runs * again.kept + said.memory  # it is over before the page draws
    return replace(cost + said, memory=max(cost.memory, peak))


def _said(name: str, n: int, run: Work, runs: int, states: int) -> Cost:
    """Price what a model says as it is, and in its other `states`: as many runs again, and a distribution of each."""
    model = models.known(name)
    if not isinstance(model, SayingModel):
        return Cost(0.0, 0)
    cells = n * model.outcomes
    memory = run.memory + FLOAT * cells * (2 + min(states, runs))
    return Cost(runs * (run.seconds + 2e-8 * cells), memory, runs * model.says_multiply_adds(n))
