"""What the page Model claims of what a model says, before and after changes, held to the truth."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from attention_core import changes as core
from attention_core.language import WORDS
from tests.checker import learned, model_changed
from tests.checker.checking import Claim
from tests.checker.learned import Numbers
from tests.checker.model_changed import Running
from tests.checker.model_truth import State, called, differing
from visualiser.locale.message import Message

LEAST: Final = 5e-4
"""A share of weight, or nats, below which three digits show nothing."""
TIMES: Final = 10 ** (np.arange(-12, 13) / 12)
_NEAR: Final = 1e-5


def words(said: str) -> list[int]:
    """Return the words that have a name."""
    return [at for at, word in enumerate(WORDS) if called(word) == said]


def probabilities(state: State) -> tuple[Numbers, Numbers]:
    """Return those of every word at the chosen query, before and now."""
    return np.exp(state.before.logs[state.row]), np.exp(state.now.logs[state.row])


def divergence(state: State) -> float:
    """Return KL(before ‖ now) at the chosen query."""
    p, _ = probabilities(state)
    return float((p * (state.before.logs[state.row] - state.now.logs[state.row])).sum())


def _about(state: State, about: Message) -> Iterator[str]:
    if about.key != "says.about.next" or about.facts["place"] != state.token(state.row):
        yield f"it is said after {state.token(state.row)}"


def _largest(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _about(state, facts["about"])
    now = probabilities(state)[1]
    yield from differing(facts, now=float(now.max()))
    if not any(now[at] >= now.max() - _NEAR for at in words(facts["name"])):
        yield f"the largest is {WORDS[int(now.argmax())]}"


def _changed(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check the word whose probability has changed most, of all words."""
    yield from _about(state, facts["about"])
    before, now = probabilities(state)
    apart = np.abs(now - before)
    named = [at for at in words(facts["name"]) if apart[at] >= apart.max() - _NEAR]
    if not named:
        yield f"what changed most is {WORDS[int(apart.argmax())]}, by {apart.max()}"
    for at in named:
        yield from differing(facts, before=float(before[at]), now=float(now[at]))
    if "kl" in facts:
        yield from differing(facts, kl=divergence(state))


def _text(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    true = {"before": state.before.text_log, "now": state.now.text_log}
    yield from differing(facts, **{name: true[name] for name in true if name in facts})


def _entropies(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    before, now = state.before.entropies(state.now), state.now.entropies(state.before)
    apart = np.abs(now - before)
    at = facts["layer"] - 1
    if not apart[at] >= np.nanmax(apart) - _NEAR:
        yield f"the entropies changed by {apart}"
    yield from differing(facts, before=float(before[at]), now=float(now[at]))


def shares(state: State) -> dict[tuple[int, int], float]:
    """Return how far heads moved on which no change acts itself, or all if one acts on each."""
    found = model_changed.moved(state.before, state.now)
    own = model_changed.touched(state.changes, len(state.layers))
    all_own = len(own) == learned.HEADS * len(state.layers)
    return {at: share for at, share in found.items() if all_own or at not in own}


def _moved(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    found = shares(state)
    layer, head = map(int, facts["head"].split("."))
    share = found.get((layer, head), math.nan)
    yield from differing(facts, share=share)
    if not share >= max(found.values()) - _NEAR:
        yield f"the heads moved by {found}"


def _moved_own(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _moved(state, facts)
    if len(model_changed.touched(state.changes, len(state.layers))) == learned.HEADS * len(state.layers):
        yield "every head has a change of its own"


def _moved_any(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _moved(state, facts)
    if len(model_changed.touched(state.changes, len(state.layers))) < learned.HEADS * len(state.layers):
        yield "a head has no change of its own"


def _unmoved(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    most = max(shares(state).values(), default=0.0)
    if most > LEAST + _NEAR:
        yield f"a head moved by {most}"


def _count(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, count=len(state.changes))


def _muted(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name)
    if not state.muted:
        yield "the head has weights"


def _decided(kind: str) -> Claim[State]:
    """Return the claim that a change of this kind decides for the chosen head."""

    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from differing(facts, head=state.name)
        here = [one for one in state.changes if type(one).__name__ in ("Mute", "Uniform", "Replace", "Mean")]
        last = next((one for one in reversed(here) if f"{one.layer + 1}.{one.head + 1}" == state.name), None)
        if type(last).__name__ != kind:
            yield f"{last} decides"
        elif "other" in facts:
            yield from differing(facts, other=f"{last.by_layer + 1}.{last.by_head + 1}")

    return claim


def _way_back(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, head=state.name)
    if not any(f"{one.layer + 1}.{one.head + 1}" == state.name for one in state.changes if hasattr(one, "layer")):
        yield "no change acts on the head alone"


def _no_shares(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if any(
        len(one.loose | other.loose) < one.weights.shape[0]
        for one, other in zip(state.layers, state.before.layers, strict=True)
    ):
        yield "a layer has a head whose weights add up to 1"


def _numbered(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["name"].replace("␣", " ") != f"<word {facts['number']}>":
        yield "another word has that number"


def _costliest(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    assert state.costs is not None
    layer, head = (int(part) - 1 for part in facts["head"].split("."))
    yield from differing(facts, log=state.now.text_log, nats=float(state.costs[layer, head]))
    if not state.costs[layer, head] >= state.costs.max() - 1e-4:
        yield f"the costs are {state.costs}"


def _costless(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.costs is None or state.costs.max() > LEAST + 1e-4:
        yield f"the costs are {state.costs}"


def curve(state: State) -> Numbers:
    """Return ln p of the text with each of `TIMES` in the place of the factor of all heads."""
    everywhere = [at for at, one in enumerate(state.changes) if _is_factor_of_all(one)]
    found = []
    for times in TIMES:
        changes = [*state.changes]
        changes[everywhere[-1]] = core.Factor(float(times))
        found.append(model_changed.running(state.model, state.now.ids, tuple(changes)).text_log)
    return np.array(found)


def _is_factor_of_all(one: Any) -> bool:
    return isinstance(one, core.Factor) and one.layers is None and one.heads is None


def _best(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    logs = curve(state)
    at = int(np.argmin(np.abs(TIMES - facts["times"])))
    yield from differing(facts, times=float(TIMES[at]))
    if not logs[at] >= logs.max() - max(1e-4, 1e-5 * abs(logs.max())):
        yield f"the text is likeliest at {TIMES[int(logs.argmax())]}"
    if "log" in facts:
        yield from differing(facts, log=float(logs[at]))


def written(state: State) -> Numbers:
    """Return the logits that the chosen head writes for each key, less their mean: n × words."""
    parameters, d_v = learned.file(state.model), state.chosen.V.shape[-1]
    rows = parameters[f"W_O/{state.layer}"][(state.head - 1) * d_v : state.head * d_v]
    states = state.chosen.V[state.head - 1] @ rows
    logits = (states - states.mean(-1, keepdims=True)) @ parameters["U"]
    return logits - logits.mean(-1, keepdims=True)


def _writes(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    found = [[*_writes_of_key(each, facts)] for each in state.with_each_key()]
    yield from () if [] in found else found[0]


def _writes_of_key(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    logits, own = written(state)[state.key], state.now.ids[state.key]
    yield from differing(facts, head=state.name, key=state.token(state.key), added=float(logits.max()))
    names, rank = words(facts["name"]) if "name" in facts else [own], facts.get("rank", 1)
    if not any(logits[at] >= logits.max() - _NEAR for at in names):
        yield f"{WORDS[int(logits.argmax())]} is written most"
    if not (logits > logits[own] + _NEAR).sum() < rank <= (logits >= logits[own] - _NEAR).sum():
        yield f"{(logits > logits[own]).sum()} words are written more than the key's own"


def copying(state: State) -> list[float]:
    """Return the shares of keys whose own token is among the five written most, as ties allow it."""
    logits = written(state)
    own = logits[np.arange(state.n), list(state.now.ids)][:, None]
    return [float(((logits > own + off).sum(-1) < 5).mean()) for off in (-_NEAR, _NEAR)]


def _copies(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    low, high = copying(state)
    if not low - _NEAR <= facts["copying"] <= high + _NEAR:
        yield f"the share is {high}"


def with_more(state: State, *more: Any) -> Running:
    """Return the run with further changes."""
    return model_changed.running(state.model, state.now.ids, (*state.changes, *more))


def without(state: State, layer: int, head: int) -> Running:
    """Return the run without a head, from 1."""
    changes = model_changed.without(state.changes, layer, head)
    return model_changed.running(state.model, state.now.ids, changes)


def _because_mute(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _about(state, facts["where"])
    now = probabilities(state)[1]
    likeliest = [at for at in words(facts["name"]) if now[at] >= now.max() - _NEAR]
    after = np.exp(without(state, state.layer, state.head).logs[state.row])
    yield from differing(facts, head=state.name)
    if not likeliest:
        yield f"the likeliest is {WORDS[int(now.argmax())]}"
    for at in likeliest:
        yield from differing(facts, before=float(now[at]), now=float(after[at]))


def all_costs(state: State) -> dict[str, float]:
    """Return what each head that is not muted costs the text."""
    return {
        f"{layer}.{head}": state.now.text_log - without(state, layer, head).text_log
        for layer in range(1, len(state.layers) + 1)
        for head in range(1, learned.HEADS + 1)
        if state.layers[layer - 1].weights[head - 1].any() or head - 1 not in state.layers[layer - 1].loose
    }


def _because_copies(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    costs = all_costs(state)
    before = state.now.text_log
    yield from differing(facts, before=before, now=before - costs[facts["head"]])
    if costs[facts["head"]] < max(costs.values()) - 1e-4:
        yield f"the costs are {costs}"


def _because_factor(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    doubled = with_more(state, core.Factor(2.0))
    yield from differing(
        facts, before=state.now.text_log, now=doubled.text_log, entropy=float(state.now.entropies()[-1]),
        entropy_now=float(doubled.entropies()[-1]),
    )  # fmt: skip


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "model.changed": _count,
    "model.muted": _muted,
    "table.layer_entropies.none": _no_shares,
    "model.uniform": _decided("Uniform"),
    "model.replace": _decided("Replace"),
    "model.mean": _decided("Mean"),
    "model.way_back": _way_back,
    "says.changed": _changed,
    "says.moved": _moved_own,
    "says.moved_any": _moved_any,
    "says.unmoved": _unmoved,
    "says.numbered": _numbered,
    "table.model_says.summary": _largest,
    "table.model_says.changed": _changed,
    "brief.model_says.text": _text,
    "brief.model_says.changed": _text,
    "table.layer_entropies.summary": _entropies,
    "table.moved_heads.summary": _moved,
    "table.moved_heads.none": _unmoved,
    "table.factor_curve.summary": _best,
    "brief.factor_curve": _best,
    "muting.most": _costliest,
    "muting.none": _costless,
    "table.head_writes.summary": _writes,
    "table.head_writes.own": _writes,
    "brief.head_writes": _copies,
    "predict.model_mute.because": _because_mute,
    "predict.model_copies.because": _because_copies,
    "predict.model_factor.because": _because_factor,
}
