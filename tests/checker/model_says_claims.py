"""What the page Model claims of what a model says, before and after changes, held to the truth."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from attention_core import changes as core
from attention_core.language import WORDS
from tests.checker import complete_sets, learned, model_changed
from tests.checker.checking import Claim
from tests.checker.learned import Numbers
from tests.checker.model_changed import Running
from tests.checker.model_truth import State, called, differing, same
from visualiser.locale import number
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
    yield from complete_sets.changed(*probabilities(state), words(facts["name"]), facts)
    yield from differing(facts, kl=divergence(state))


def _unseen(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _about(state, facts["about"])
    yield from complete_sets.unseen(*probabilities(state), facts["apart"], facts["now"])


def _same(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _about(state, facts["about"])
    yield from complete_sets.same(*probabilities(state))


def _text(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    true = {"before": state.before.text_log, "now": state.now.text_log}
    yield from differing(facts, **{name: true[name] for name in true if name in facts})
    if "before" in facts and number(facts["before"]) == number(facts["now"]):
        yield "no digit shows a change"


def _text_unseen(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _text(state, facts)
    if not same(facts["apart"], abs(state.now.text_log - state.before.text_log)):
        yield f"ln p was {state.before.text_log}"


def _text_same(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _text(state, facts)
    yield from differing({"now": facts["now"]}, now=state.before.text_log)


def entropies(state: State) -> tuple[Numbers, Numbers]:
    """Return the mean entropy of each layer before and now, of heads that are measured in both."""
    return state.before.entropies(state.now), state.now.entropies(state.before)


def _entropies(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.changed(*entropies(state), [facts["layer"] - 1], facts)


def _entropies_unseen(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.unseen(*entropies(state), facts["apart"], facts["now"])


def _entropies_same(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.same(*entropies(state))


def _entropies_left_out(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    true = [int(at) + 1 for at in np.flatnonzero(np.isnan(entropies(state)[0]))]
    if [one.facts["layer"] for one in facts["layers"]] != true or len(true) == len(state.layers):
        yield f"the layers {true} are not measured"


def every_own(state: State) -> bool:
    """Return True if each head has a change of its own."""
    return len(state.touched) == learned.HEADS * len(state.layers)


def shares(state: State) -> dict[tuple[int, int], float]:
    """Return how far heads moved on which no change acts itself, or all if one acts on each; NaN if not measured."""
    found = model_changed.moved(state.before, state.now)
    return {at: share for at, share in found.items() if every_own(state) or at not in state.touched}


def _moves(state: State) -> tuple[Numbers, Numbers]:
    found = np.array([*shares(state).values()])
    return np.zeros_like(found), found


def _moved(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    names = [f"{layer}.{head}" for layer, head in shares(state)]
    if facts["head"] not in names:
        yield f"the heads moved by {shares(state)}"
        return
    yield from complete_sets.largest(_moves(state)[1], [names.index(facts["head"])], facts["share"])
    if facts["share"] < LEAST:
        yield "that is not seen"


def _unmoved(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.unseen(*_moves(state), facts["share"], 0.0, LEAST)
    yield from differing(facts, least=LEAST)


def _still(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from complete_sets.same(*_moves(state))


def _of_others(claim: Claim[State], of_all: bool) -> Claim[State]:
    """Return the claim of heads without a change of their own, or of all heads."""

    def claimed(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from claim(state, facts)
        if every_own(state) != of_all:
            yield "every head has a change of its own, or one has none"

    return claimed


def unknown(state: State) -> dict[str, list[tuple[int, int]]]:
    """Return the heads whose move is not measured: those without weights in a state, and those without shares."""
    heads = [at for at, share in shares(state).items() if math.isnan(share)]
    silent = [at for at in heads if any(_is_silent(each, at) for each in (state.before, state.now))]
    return {"says.silent": silent, "says.unmeasured": [at for at in heads if at not in silent]}


def _is_silent(found: Running, at: tuple[int, int]) -> bool:
    layer = found.layers[at[0] - 1]
    return at[1] - 1 in layer.loose and not layer.weights[at[1] - 1].any()


def _not_measured(key: str) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        named: list[tuple[int, int]] = []
        for one in facts["heads"]:
            if one.key == "says.heads_of_layer":
                named += [(one.facts["layer"], head) for head in range(1, learned.HEADS + 1)]
            else:
                layer, head = map(int, one.facts["head"].split("."))
                named.append((layer, head))
        if sorted(named) != sorted(unknown(state)[key]):
            yield f"not measured are {unknown(state)[key]}"

    return claim


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


def _costs(state: State) -> Numbers:
    assert state.costs is not None
    return state.costs.ravel()


def _at(name: str) -> int:
    layer, head = map(int, name.split("."))
    return (layer - 1) * learned.HEADS + head - 1


def _costliest(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, log=state.now.text_log)
    yield from _most_of(_costs(state), facts["head"], facts["nats"])
    if facts["nats"] < LEAST:
        yield "that is not seen"


def _most_of(costs: Numbers, head: str, nats: float) -> Iterator[str]:
    """Check the largest of costs; each is the difference of two sums in float32."""
    if not costs[_at(head)] >= costs.max() - 1e-3:
        yield f"the costs are {costs}"
    if not same(nats, float(costs[_at(head)])) and abs(nats - costs[_at(head)]) > 1e-3:
        yield f"it is {costs[_at(head)]}"


def _costless(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, least=LEAST)
    most = float(np.abs(_costs(state)).max())
    if most > LEAST + 1e-4 or abs(facts["most"] - most) > 1e-4:
        yield f"the costs are {_costs(state)}"


def _gains(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from differing(facts, least=LEAST, log=state.now.text_log)
    yield from _most_of(-_costs(state), facts["head"], facts["gained"])
    if _costs(state).max() > LEAST + 1e-4:
        yield f"the costs are {_costs(state)}"


def _all_alike(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if np.abs(_costs(state)).max() > 1e-4:
        yield f"the costs are {_costs(state)}"


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
        yield from differing(facts, log=float(logs[at]), count=len(TIMES))


def _best_within(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _best(state, facts)
    if any(same(facts["times"], float(end)) for end in (TIMES[0], TIMES[-1])):
        yield "the range ends there"


def _best_at_end(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _best(state, facts)
    if not any(same(facts["times"], float(end)) for end in (TIMES[0], TIMES[-1])):
        yield "the range goes on"


def _flat(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    logs = curve(state)
    low, high = float(logs.min()), float(logs.max())
    yield from differing(facts, log=high, count=len(TIMES))
    if "apart" in facts and not same(facts["apart"], high - low):
        yield f"it changes by {high - low}"
    if high - low > (0.011 * abs(high) if "apart" in facts else 1e-5 * max(1, abs(high))):
        yield f"it is from {low} to {high}"


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


def _pinned(changed: bool) -> Claim[State]:
    def claim(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
        if not state.against or state.is_changed != changed:
            yield f"A has {state.against}, B {state.changes}"

    return claim


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "model.changed": _count,
    "model.pinned": _pinned(changed=True),
    "model.pinned_same": _pinned(changed=False),
    "model.muted": _muted,
    "table.layer_entropies.none": _no_shares,
    "model.uniform": _decided("Uniform"),
    "model.replace": _decided("Replace"),
    "model.mean": _decided("Mean"),
    "model.way_back": _way_back,
    "says.changed": _changed,
    "says.same": _same,
    "says.unseen": _unseen,
    "says.moved": _of_others(_moved, of_all=False),
    "says.moved_any": _of_others(_moved, of_all=True),
    "says.unmoved": _of_others(_unmoved, of_all=False),
    "says.unmoved_any": _of_others(_unmoved, of_all=True),
    "says.still": _of_others(_still, of_all=False),
    "says.still_any": _of_others(_still, of_all=True),
    "says.unmeasured": _not_measured("says.unmeasured"),
    "says.silent": _not_measured("says.silent"),
    "says.numbered": _numbered,
    "table.model_says.summary": _largest,
    "brief.model_says.text": _text,
    "brief.model_says.changed": _text,
    "brief.model_says.unseen": _text_unseen,
    "brief.model_says.same": _text_same,
    "table.layer_entropies.summary": _entropies,
    "table.layer_entropies.unseen": _entropies_unseen,
    "table.layer_entropies.same": _entropies_same,
    "table.layer_entropies.left_out": _entropies_left_out,
    "table.factor_curve.summary": _best_within,
    "table.factor_curve.end": _best_at_end,
    "table.factor_curve.same": _flat,
    "table.factor_curve.unseen": _flat,
    "brief.factor_curve": _best,
    "muting.most": _costliest,
    "muting.none": _costless,
    "muting.gains": _gains,
    "muting.same": _all_alike,
    "table.head_writes.summary": _writes,
    "table.head_writes.own": _writes,
    "brief.head_writes": _copies,
    "predict.model_mute.because": _because_mute,
    "predict.model_copies.because": _because_copies,
    "predict.model_factor.because": _because_factor,
}
