"""What each head of a model costs, and the log-probability against the factor: computed once, kept, and priced."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from attention_core import AttentionConfig
from attention_core.changes import Change
from attention_core.learned import (
    FactorCurve,
    HeadCosts,
    SayingModel,
    batch_bytes,
    factor_curve,
    factor_everywhere,
    head_costs,
)
from attention_core.learned.by_factor import TIMES
from visualiser.models.kept import Kept
from visualiser.models.listing import find, known
from visualiser.models.run_work import Sizes, Work, work
from visualiser.models.runs import given, read_by

AT_ONCE: Final = 1.0
"""Seconds above which costs are a run that can be cancelled."""
CURVE_AT_ONCE: Final = 0.3
"""Seconds above which a curve is not computed."""
_MOST: Final = 64
"""Of each that are kept: a number for each head, or for each factor."""

_LOCK: Final = threading.Lock()
_COSTS: Final = Kept[HeadCosts](_MOST)
_CURVES: Final = Kept[FactorCurve](_MOST)
_RUNS: Final = Counter[str]()


def costs(
    config: AttentionConfig,
    most: int,
    own: bytes,
    heads: Sequence[tuple[int, int]],
    changes: Sequence[Change] = (),
    at: int | None = None,
    *,
    now: bool = False,
    progress: Callable[[float], object] | None = None,
) -> HeadCosts | None:
    """Return what each of a run's heads, from 0, costs beside changes; None if that is not there, or nothing is said.

    Those that are not there are computed `now`, or in a run, which asks for progress. `at` is the position of a masked
    word, None for what says nothing of one position alone. Raises as a run does.
    """
    model = find(config.model)
    if not isinstance(model, SayingModel) or not model.outcomes:
        return None
    key = config.model, read_by(model, config, own), most, tuple(changes), at
    found = _COSTS.find(key)
    if found is not None or not (now or progress):
        return found
    found = head_costs(model, given(config, own), most, changes, heads, at, progress or (lambda done: None))
    if found is None:
        return None
    if progress is not None:
        with _LOCK:
            _RUNS[config.model] += 1
    return _COSTS.keep(key, found)


def cost_runs(name: str) -> int:
    """Return how many runs for costs a model has had: an answer before the last one may lack what it has now."""
    return _RUNS[name]


def curve(config: AttentionConfig, most: int, own: bytes, changes: Sequence[Change]) -> FactorCurve | None:
    """Return ln p of the text at each factor of all layers and heads, beside other changes.

    None for a model that does not foretell the text. Raises as a run does.
    """
    model = find(config.model)
    if not isinstance(model, SayingModel) or not model.outcomes:
        return None
    chosen = factor_everywhere(changes)
    others = tuple(None if one is chosen else one for one in changes)  # its place in the list matters
    key = config.model, read_by(model, config, own), most, others
    found = _CURVES.find(key)
    if found is None:
        found = factor_curve(model, given(config, own), most, changes)
    return None if found is None else _CURVES.keep(key, found)


def costs_work(of: Sizes, name: str) -> Work:
    """Return what the costs of all heads take: a run for each, several at a time."""
    return _runs(of, name, of.layers * of.h, 1 + of.layers * of.h)


def curve_work(of: Sizes, name: str) -> Work:
    """Return what a curve takes: a run for each of its factors."""
    return _runs(of, name, 1, len(TIMES))


def _runs(of: Sizes, name: str, at_once: int, count: int) -> Work:
    """Return what runs take of which each says something, `at_once` in a batch if it is small enough."""
    model = known(name)
    if not isinstance(model, SayingModel):
        return Work(0.0, 0, 0, 0)
    one, cells = work(of), of.n * model.outcomes
    memory = max(one.memory, batch_bytes(model, of.n, at_once))
    return Work(count * (one.seconds + 2e-8 * cells), memory, 0, count * model.says_multiply_adds(of.n))
