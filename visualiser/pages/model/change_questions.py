"""The Model page's questions about changes: what a muted head takes away, which head costs most, what a factor does.

Each is answered by runs of the changed model, which are made only when it is posed.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Final

from attention_core import InvalidInput
from attention_core.changes import Factor, Mute
from attention_core.learned import LABELS, Outcome, Said
from visualiser import models
from visualiser.figures import saying
from visualiser.figures.read_head import head_name
from visualiser.pages.model.posing import Facts, Posing, some
from visualiser.pages.model.reach import most_tokens, read_sizes
from visualiser.predictions import is_question_requested
from visualiser.server.admission.cost import Cost
from visualiser.state.rules import ANY
from visualiser.state.share import State

RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "stays": (0.5, math.inf), "half": (0.1, 0.5), "tenth": (0.0, 0.1),
}  # fmt: skip
"""The choices of what a muted head leaves of a probability, as shares of it."""
_NEAR: Final = 0.02
"""A share this near the end of a range, relative to it, belongs to both."""
_LEAST: Final = 0.1
"""A probability below which nobody asks what becomes of it."""
_EQUAL: Final = 0.05
"""Nats by which costs, or log-probabilities, differ that count as equal."""
_SECONDS: Final = 0.5
"""Seconds of all runs above which nobody asks which head costs most."""
_TIMES: Final = 2.0


def mute_fits(posing: Posing) -> bool:
    """Return True if the chosen head is not muted, and the model is sure enough of a word at the chosen query."""
    shown = posing.shown
    return (
        posing.said is not None
        and not shown.is_muted(shown.layer, shown.head)
        and _likeliest(posing, posing.said)[2] >= _LEAST
    )


def mute(posing: Posing) -> Facts | None:
    """Ask what becomes of the likeliest word at the chosen query without the chosen head."""
    shown, said = posing.shown, posing.said
    if said is None:
        return None
    row, word, before = _likeliest(posing, said)
    without = _says(posing, Mute(shown.layer - 1, shown.head - 1))
    if without is None:
        return None
    now = math.exp(float(without.logs[row, word]))
    left = now / before
    met = [name for name, (low, high) in RANGES.items() if low * (1 - _NEAR) <= left <= high * (1 + _NEAR)]
    held = [name for name in met if RANGES[name][0] <= left < RANGES[name][1]]
    outcome = Outcome(word, said.name(word), before, now)
    facts = {"head": shown.called, "name": saying.said_name(outcome), "where": saying.about(shown)}
    return Facts(
        asked=facts,
        about=_about(posing, "model_mute", shown.name, shown.row),
        rights=[*held, *(name for name in met if name not in held)],
        because={**facts, "before": before, "now": now},
        change=posing.changed(f"mute@{shown.name}"),
    )


def cost_fits(posing: Posing) -> bool:
    """Return True if the text has a log-probability, and all runs without one head are made in little time."""
    said = posing.said
    if said is None or said.kind != "next" or math.isnan(said.text_log) or len(posing.shown.heads) < 2:
        return False
    return cost_of_heads(posing.state, posing.own).seconds <= _SECONDS


def cost(posing: Posing) -> Facts | None:
    """Ask which head, muted alone, costs the text most."""
    shown, state = posing.shown, posing.state
    open_ones = [at for at in shown.heads if not shown.is_muted(*at)]
    heads = [(layer - 1, head - 1) for layer, head in shown.heads]
    found = models.costs(state.config, most_tokens(state.config.model), posing.own, heads, posing.changes, now=True)
    if len(open_ones) < 2 or found is None or not found.of_text:
        return None
    nats = dict(zip(shown.heads, found.nats.tolist(), strict=True))
    first, *others = sorted(open_ones, key=lambda at: (-nats[at], at))
    offered = some(first, [*(at for at in _known(posing) if at in open_ones), *others])
    rights = [at for at in (first, *others) if at in offered and nats[at] >= nats[first] - _EQUAL]
    before = posing.said.text_log if posing.said else math.nan
    return Facts(
        labels={head_name(*at): head_name(*at) for at in offered},
        about=_about(posing, "model_copies"),
        rights=[head_name(*at) for at in rights],
        because={"head": head_name(*first), "before": before, "now": before - nats[first]},
        change=posing.changed(f"mute@{head_name(*first)}"),
    )


def factor_fits(posing: Posing) -> bool:
    """Return True for a model without changes that foretells the text, and whose queries a factor reaches."""
    said = posing.said
    return (
        said is not None
        and said.kind == "next"
        and not math.isnan(said.text_log)
        and not posing.changes
        and all(layer.Q is not None for layer in posing.shown.run.layers)
    )


def factor(posing: Posing) -> Facts | None:
    """Ask if the text becomes likelier with twice the factor; the entropy of the last layer says what that does."""
    state, shown = posing.state, posing.shown
    change = Factor(_TIMES)
    said, after = posing.said, _says(posing, change)
    if said is None or after is None:
        return None
    try:
        run = models.run(state.config, most_tokens(state.config.model), posing.own, (change,))
    except InvalidInput:
        return None
    before, now = said.text_log, after.text_log
    if abs(now - before) < _EQUAL:
        return None
    entropies = saying.layer_entropies(shown.run)[-1], saying.layer_entropies(run)[-1]
    return Facts(
        about=_about(posing, "model_factor"),
        rights=["likelier" if now > before else "less"],
        because={
            "before": before,
            "now": now,
            "entropy": float(entropies[0]),
            "entropy_now": float(entropies[1]),
        },
        change=posing.changed("factor:2"),
    )


def price(state: State, own: bytes) -> Cost:
    """Return the cost of the runs that answer the question of a link; nothing without one."""
    if not is_question_requested(state):
        return Cost(0.0, 0)
    one, heads = _runs(state, own, 2), cost_of_heads(state, own)
    if state.own["question"] not in (ANY, "model_copies") or not one.seconds < heads.seconds <= _SECONDS:
        return one
    return heads


def cost_of_heads(state: State, own: bytes) -> Cost:
    """Return the cost of a run without each head."""
    sizes = read_sizes(state.config, own)
    return Cost(0.0, 0) if sizes is None else _runs(state, own, sizes.layers * sizes.h)


def _runs(state: State, own: bytes, count: int) -> Cost:
    sizes = read_sizes(state.config, own)
    if sizes is None:
        return Cost(0.0, 0)
    one = models.work(sizes)
    return Cost(count * one.seconds, one.memory, count * one.multiply_adds)


def _likeliest(posing: Posing, said: Said) -> tuple[int, int, float]:
    """Return the row of the chosen query, its likeliest word and that word's probability."""
    row = saying.row_of(posing.shown, said)
    word = int(said.logs[row].argmax())
    return row, word, math.exp(float(said.logs[row, word]))


def _says(posing: Posing, change: Mute | Factor) -> Said | None:
    """Return what the model says with one change more; None if it cannot act."""
    config = posing.state.config
    most = most_tokens(config.model)
    try:
        found = models.says(config, most, posing.own, (*posing.changes, change), posing.place)
    except InvalidInput:
        return None
    return found[1] if found is not None and isinstance(found[1], Said) else None


def _known(posing: Posing) -> Iterator[tuple[int, int]]:
    """Yield the heads that are best at something over the corpus: of them somebody may think."""
    for name in LABELS:
        if name in posing.corpus:
            scores = posing.corpus[name]
            yield max(posing.shown.heads, key=lambda at: _score(float(scores[at[0] - 1, at[1] - 1])))


def _score(found: float) -> float:
    return -math.inf if math.isnan(found) else found


def _about(posing: Posing, *more: object) -> str:
    config = posing.state.config
    return repr((*more, config.model, config.text, posing.state.own["changes"]))
