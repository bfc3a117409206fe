"""How many tokens of a text the page reads with a model: as many as fit where it runs."""

from bisect import bisect_left
from dataclasses import replace
from typing import Final
from weakref import WeakKeyDictionary

from attention_core import AttentionConfig
from attention_core.learned import HEAD_MEASURES, LearnedModel, SayingModel
from visualiser import models
from visualiser.models.run_work import Sizes, Work, sizes_of
from visualiser.pages.model import MOST_TOKENS
from visualiser.server import settings
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, Cost, after_run
from visualiser.server.admission.entry import admission, enough_memory

SERVED_TOKENS: Final = 128
"""Where visitors are strangers, and on any machine at least."""

_FOUND: Final[WeakKeyDictionary[LearnedModel, tuple[int, int]]] = WeakKeyDictionary()
"""The bytes of one computation, and the tokens that fit into them, of each model that is loaded."""

_SUMS: Final = 2 * sum(measure.chance for measure in HEAD_MEASURES.values())
"""Products with each weight: it and the mask are summed over the keys of each measure."""


def most_tokens(name: str) -> int:
    """Return the most tokens that the page reads with a model: up to `MOST_TOKENS` where its owner is served.

    There it is what leaves room for a run as the model is and another as a change has it.
    """
    model = models.known(name)
    if model is None or not settings.is_own() or models.is_fixed(name) or model.most_tokens <= SERVED_TOKENS:
        return SERVED_TOKENS
    room = admission().compute.total
    if (found := _FOUND.get(model)) is None or found[0] != room:  # a frame asks several times
        longer = range(SERVED_TOKENS + 1, min(MOST_TOKENS, model.most_tokens) + 1)
        most = SERVED_TOKENS + bisect_left(longer, True, key=lambda n: _changed_once(name, n).memory > room)
        found = _FOUND[model] = room, most
    return found[1]


def memory_for(name: str, n: int) -> int:
    """Return the `HEADLIGHT_MEMORY_MB` with which the page would read so many tokens; 0 if it would in no way."""
    return enough_memory(_changed_once(name, n).memory) if settings.is_own() and n <= MOST_TOKENS else 0


def read_sizes(config: AttentionConfig, own: bytes = b"") -> Sizes | None:
    """Return the sizes of the page's run of a model; None for one that is not loaded."""
    return models.sizes(config, most_tokens(config.model), own)


def cost_of(name: str, sizes: Sizes, runs: int = 1, states: int = 1) -> Cost:
    """Price so many runs of a model, each with what the page makes of it and with what the model says in `states`."""
    cells = sizes.layers * sizes.h * sizes.cells
    cost = after_run(sizes, Cost(6e-3 + 2e-8 * cells, MEBIBYTE + 4 * FLOAT * cells, cells * (sizes.d_k + _SUMS)))
    again, further = models.work(sizes), runs - 1
    cost += Cost(further * again.seconds, further * again.kept, further * again.multiply_adds)
    said = _said(name, sizes.n, again, runs, states)
    peak = runs * again.kept + said.memory  # it is over before the page draws
    return replace(cost + said, memory=max(cost.memory, peak))


def _changed_once(name: str, n: int) -> Cost:
    return cost_of(name, sizes_of(models.find(name), n), runs=2, states=2)


def _said(name: str, n: int, run: Work, runs: int, states: int) -> Cost:
    """Price what a model says as it is, and in its other `states`: as many runs again, and a distribution of each."""
    model = models.known(name)
    if models.is_fixed(name) or not isinstance(model, SayingModel):  # asking a file for its methods would read it
        return Cost(0.0, 0)
    cells = n * model.outcomes
    memory = run.memory + FLOAT * cells * (2 + min(states, runs))
    return Cost(runs * (run.seconds + 2e-8 * cells), memory, runs * model.says_multiply_adds(n))
