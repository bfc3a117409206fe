"""What is claimed of Explore's widths and of the next step that it offers."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tests.checker.checking import Claim
from tests.checker.explore_truth import LOST, State, factor, off, state_of
from tests.checker.other_rows import OtherRows
from tests.checker.softmax_rows import MadeRows, Numbers
from visualiser.locale.message import Message


def _widths(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Check numbers, and that the widths follow as the sentence writes it."""
    config, (h, n_q, d_k) = state.config, state.Q.shape
    n_k = state.K.shape[1]
    yield from off(facts, d_model=config.d_model, h=h, d_k=d_k, n_q=n_q, n_k=n_k, d_v=d_k)
    for fact in facts.values():
        if isinstance(fact, Message):
            yield from CLAIMS[fact.key](state, fact.facts)
            if "d_k" not in facts and fact.facts["tied"] != d_k:
                yield f"d_k is {d_k}, not what the rule gives"


def _tied(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _widths(state, facts)
    if facts["d_model"] != facts["h"] * facts["tied"]:
        yield "the division leaves a rest"


def _floored(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _widths(state, facts)
    if facts["d_model"] // facts["h"] != facts["tied"] or facts["d_model"] % facts["h"] == 0:
        yield "rounding down gives another width"


def _least(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _widths(state, facts)
    if facts["d_model"] >= facts["h"]:
        yield "a head gets a component without rounding up"


def _changed(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    for change in facts["changes"]:
        name, old, new = (change.facts[name] for name in ("name", "old", "new"))
        before = {"n": 4, "h": 3, "d_model": 512, "d_k": 170}[name]
        if state.upload:
            yield "a file's widths do not change"
        yield from off({"new": new, "old": old}, new=getattr(state.config, name), old=before)


def _try(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Take the step: it must be possible on this page, and change what the softmax does."""
    change = {name: value for name, value in facts.items() if name not in ("of", "pin")}
    if state.upload and change.keys() & {"d_k", "n", "h", "d_model", "tie"}:
        yield "a file brings its own widths"
    asked = dict(re.findall(r"([^&=]+)=([^&]*)", facts["of"])) | {name: str(v).lower() for name, v in change.items()}
    after_link = "&".join(f"{name}={value}" for name, value in asked.items())
    after = state_of(after_link)
    if after.config == state.config:
        yield "the step changes nothing"
    for name, value in change.items():
        if getattr(after.config, name) != value:
            yield f"the page does not allow {name} = {value}"
    if after.rows.scores.shape == state.rows.scores.shape:
        before_it, after_it = (np.nan_to_num(one.rows.weights, nan=9.0) for one in (state, after))
        moved = np.abs(after_it - before_it).sum(-1).max() / 2
        if moved < (1e-4 if "pin" in facts else 1e-3):  # a comparison may show that two are alike
            yield f"no row moves more than {moved} of its weight"


def _too_small(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _try(state, facts)
    if state.mean("entropy") < 0.949 * state.mean_ceiling:
        yield "the factor is not too small"


def _log(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Look at the maps: linear colours must hide nearly all weights, and logarithmic ones show half of them."""
    view = state.view
    if (view.stage, view.colour, facts["colour"]) != ("weights", "linear", "log"):
        yield "the maps have no linear colours of weights"
    if {"controls", "colour"} & set(view.hide):
        yield "the class does not see this control"
    weights, sinks = state.rows.weights[state.heads], np.zeros((1, 1))
    if state.config.normalisation == "sink":
        assert isinstance(state.rows, OtherRows)
        sinks = state.rows.sunk[state.heads]  # all but the quantile reaches up to them, too
    tops = _tops(weights[:, state.rows.allowed], sinks, view.colour_range)
    shares = [(weights / top)[:, state.rows.allowed] for top in tops]
    pale, apart = [(one < 0.1).mean() for one in shares], [(one > 1e-4).mean() for one in shares]
    if max(pale) < 0.949:
        yield f"only {max(pale)} of the weights are pale"
    if max(apart) < 0.499:
        yield f"only {max(apart)} of the weights would be told apart"


def _tops(allowed: Numbers, sinks: Numbers, colour_range: str) -> list[Numbers]:
    """Return the top of the colour scale; both neighbours if the quantile lies where float32 may round either way."""
    if colour_range == "per_head":
        return [np.maximum(allowed.max(1), sinks.max(1))[:, None, None]]
    if colour_range == "full":
        return [np.maximum(allowed.max(), sinks.max())]
    # at most one cell in 200 lies above the quantile; the scale ends at the next of 1, 1.5, 2, 3, 5, 7 × 10^k
    quantile = np.sort(allowed, axis=None)[-1 - allowed.size // 200]
    steps = np.array([step * 10.0**power for power in range(-46, 2) for step in (1, 1.5, 2, 3, 5, 7)])
    near = [min(allowed.max(), steps[steps >= off * quantile][0]) for off in (1 - 1e-4, 1 + 1e-4)]
    return near if quantile > LOST else [allowed.max()]


def _subtract(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _try(state, facts)
    if state.config.subtract_max or not isinstance(state.rows, MadeRows) or state.rows.sound.all():
        yield "nothing is wrong without the subtraction"


def _overflow(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _try(state, facts)
    if not state.config.subtract_max:
        yield "the maximum is not subtracted"
    after = state_of(facts["of"] + "&subtract_max=false")
    if not isinstance(after.rows, MadeRows) or after.rows.sound[:, after.rows.open].all():
        yield "nothing overflows without it"


def _normed(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    for vectors in (state.Q, state.K):
        lengths = np.linalg.norm(vectors, axis=-1)
        blur = 1e-5 if state.config.dtype == "float32" else 1e-2
        apart = np.abs(lengths[lengths > 0] / math.sqrt(vectors.shape[-1]) - 1)
        if not state.config.qk_norm or apart.max(initial=0) > blur:
            yield "a length is neither √d_k nor 0"


def _grown(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    n_k = state.K.shape[1]
    yield from off(facts, n_k=n_k, growth=math.log(n_k) / math.log(32))
    if not state.config.log_n or (
        factor(state.config) == factor(replace(state.config, log_n=False)) != 0 and n_k != 32
    ):
        yield "the factor does not grow"


def _layer(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _widths(state, {name: fact for name, fact in facts.items() if name != "model"})
    yield from off(facts, layer=state.config.layer)
    if facts["model"].key != f"model.name.{state.config.model}":
        yield "another model is named"


def _trained(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """The factor of the model that ships is 1/√d_k, and the control multiplies it."""
    trained = state.Q.shape[-1] ** -0.5
    yield from off(facts, scale=state.config.scale, trained=trained, factor=state.config.scale * trained)


def _no_root(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    yield "the model that ships was trained with 1/√d_k"


def _causal(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    if state.config.source != "model" or not np.array_equal(state.rows.allowed, np.tri(len(state.rows.allowed))):
        yield "the model has no causal mask of its own"


CLAIMS: Final[Mapping[str, Claim[State]]] = {
    "insight.try.compare_unscaled": _try,
    "insight.try.d_k": _try,
    "insight.try.log": _log,
    "insight.try.scale": _try,
    "insight.try.unscale": _try,
    "insight.try.subtract": _subtract,
    "insight.try.overflow": _overflow,
    "insight.try.too_small": _too_small,
    "arithmetic.tied": _widths,
    "arithmetic.whole": _tied,
    "arithmetic.floored": _floored,
    "arithmetic.least": _least,
    "arithmetic.untied": _widths,
    "arithmetic.upload": _widths,
    "arithmetic.model": _layer,
    "arithmetic.model_factor_root": _trained,
    "arithmetic.model_factor": _no_root,
    "arithmetic.model_mask.causal": _causal,
    "arithmetic.shapes": _widths,
    "arithmetic.changed": _changed,
    "arithmetic.normed": _normed,
    "arithmetic.grown": _grown,
}
