"""What the sentences on sizes, results and the largest weight claim, and the claims by their keys."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tests.checker.anatomy_steps import (
    above,
    capped,
    drawn,
    exponentials,
    gates,
    heads,
    hidden_layer,
    lowered,
    masked,
    missing,
    normed,
    normed_zero,
    not_masked,
    not_scaled,
    one_head,
    only_of,
    own_step,
    own_step_normed,
    plain_factor,
    projected,
    scaled_grown,
    scaled_trained,
    sizes,
    sums,
    sunk,
    tanh,
    trained,
    try_mask,
)
from tests.checker.anatomy_truth import Truth, close_to, same
from tests.checker.checking import Claim, near


def _best(truth: Truth, named: Sequence[str], count: int, weight: float) -> Iterator[str]:
    """Hold the keys with the largest weight against the true ones, as closely as float32 tells them apart."""
    yield from close_to("the largest weight", weight, float(truth.weights.max()), truth)
    surely, perhaps = ([truth.name(key) for key in truth.best(off)] for off in (1e-9, 10 * truth.loose))
    if not set(named) <= set(perhaps):
        yield f"the largest weight is on {surely}, not {named}"
    if not len(surely) <= count <= len(perhaps):
        yield f"the largest weight is on {len(surely)} keys, not {count}"


def _largest(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    named = facts.get("keys", [facts["key"]] if "key" in facts else [])
    yield from _best(truth, named, facts.get("count", len(named)), facts["weight"])


def _largest_even(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    yield from same("keys seen", facts["count"], len(truth.keys))
    seen = truth.weights[truth.keys]
    if len(seen) < 2 or np.ptp(seen) > 10 * truth.loose * seen.max():
        yield "the weights differ"
    yield from close_to("the weight", facts["weight"], float(seen.mean()), truth)


def _largest_lost(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if not truth.lost or len(truth.keys) < 2:
        yield f"a weight is {truth.weights.max()}, or there is one key"


def _largest_single(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from close_to("its weight", facts["weight"], float(truth.weights.max()), truth)
    if "key" in facts:
        yield from _only(truth, facts)
    if len(truth.keys) != 1:
        yield "the query sees several keys"


def _largest_only(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _only(truth, facts)
    yield from close_to("its weight", 1.0, float(truth.weights.max()), truth)


def _only(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    yield from same("the keys seen", [truth.name(key) for key in truth.keys], [facts["key"]])


def _result(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """Recompute the step's result for the query."""
    yield from sizes(truth, facts)
    own, row, made = truth.head - 1, truth.row, truth.tensors
    of = {"input": "X", "queries": "Q", "keys": "K", "values": "V"}
    values = made[of.get(truth.step, truth.step)]
    values = values[row] if values.ndim == 2 else values[own, row]
    values = values.ravel()
    finite = values[np.isfinite(values)]
    size = max(1.0, float(abs(finite).max()))
    if "values" in facts:
        stated = [float(value.replace("−", "-").replace("∞", "inf")) for value in _plain(facts["values"]).split(", ")]
        if len(stated) != len(values) or any(
            not (claimed == true or near(claimed, true) or abs(claimed - true) <= 10 * truth.loose * size)
            for claimed, true in zip(stated, values, strict=False)
        ):
            yield f"the values are {values}"
        return
    yield from same("count", facts["count"], len(finite))
    yield from same("masked", facts.get("masked", 0), len(values) - len(finite))
    yield from close_to("the smallest", facts["low"], float(finite.min()), truth, size)
    yield from close_to("the largest", facts["high"], float(finite.max()), truth, size)
    given = "X" in made
    if facts["step"].key.endswith("_normed") is not (truth.config.qk_norm and truth.step in _HIDDEN):
        yield "the step's name tells of other vectors"
    if facts["step"].key.endswith("_drawn") is (given or truth.step not in ("queries", "keys", "values")):
        yield "the step's name tells of a projection"


def _plain(written: str) -> str:
    """Read powers of ten: 1.2×10⁻⁷ is 1.2e-7."""
    return written.replace("×10", "e").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))


def _tied(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    config = truth.config
    if config.d_model != config.h * config.d_k or facts["width"] != facts["d_model"]:
        yield "the heads are not as wide as the model"


def _floored(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if facts["d_model"] // facts["h"] != facts["d_k"] or facts["d_model"] % facts["h"] == 0:
        yield "it is not rounded down"


def _least(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if facts["d_model"] >= facts["h"] or facts["d_k"] != 1:
        yield "it is not the least"


def _untied(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from sizes(truth, facts)
    if truth.config.tie:
        yield "it is tied"


def _purpose(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if truth.config.n > 8 or truth.config.d_k > 8:
        yield "not every number is printed"
    yield from _purpose_large(truth, facts)


def _purpose_large(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    first = "input" if "X" in truth.tensors else "queries"
    if "walk" in truth.hidden or (truth.step, truth.rows) != (first, "one"):
        yield "there is no walk to begin"


def _because(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _best(truth, facts["keys"], len(facts["keys"]), facts["weight"])
    most = float(truth.tensors["masked"][truth.head - 1, truth.row].max())
    yield from close_to("the largest score", facts["score"], most, truth, max(1.0, abs(most)))


def _because_lost(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _because(truth, {**facts, "weight": 0.0})
    if not truth.lost:
        yield f"a weight is {truth.weights.max()}"


def _because_gates(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _because(truth, facts)
    yield from same("n", facts["n"], truth.config.n)
    gate = 1 / (1 + facts["n"] * math.exp(-facts["score"]))
    yield from close_to("σ of the score", facts["weight"], gate, truth)


def _answered(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    """The answer is the first key that the query sees."""
    first, real = truth.keys[0], int(facts["real"].split()[0])
    right = facts["answer"] == facts["real"]
    for key in (first, real) if right else (real,):
        if key not in truth.best(10 * truth.loose):
            yield "another key has the largest weight"
    if not right and first in truth.best(1e-9):
        yield "the answer was right"


_HIDDEN: Final = ("hidden_q", "hidden_k", "hidden", "tanh")

_OWN: Final = (*_HIDDEN, "scores_additive", "scores_dot_product")


def _numbered(check: Claim[Truth]) -> Claim[Truth]:
    """Hold a sentence that numbers its positions against the one that names them."""

    def named_too(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
        yield from check(
            truth, {**facts, **{name: truth.name(facts[name]) for name in ("query", "key") if name in facts}}
        )

    return named_too


CLAIMS: Final[Mapping[str, Claim[Truth]]] = {
    **{f"anatomy.{rows}.{step}": own_step for rows in ("one", "all") for step in _OWN},
    **{f"anatomy.{rows}.{step}_normed": own_step_normed for rows in ("one", "all") for step in _OWN},
    **{f"anatomy.{rows}.normed_{x}": normed for rows in ("one", "all") for x in "qk"},
    **{f"anatomy.one.normed_{x}_zero": normed_zero for x in "qk"},
    **{f"anatomy.{rows}.scaled_grown": scaled_grown for rows in ("one", "all")},
    **{f"anatomy.{rows}.heads": sizes for rows in ("one", "all")},
    **{
        f"anatomy.{rows}.{step}": projected
        for rows in ("one", "all")
        for step in ("input", "queries", "keys", "values")
    },
    **{f"anatomy.{rows}.{step}": heads for rows in ("one", "all") for step in ("concatenation",)},
    **{f"anatomy.{rows}.concatenation_one": one_head for rows in ("one", "all")},
    **{f"anatomy.{rows}.scaled": plain_factor for rows in ("one", "all")},
    **{f"anatomy.{rows}.tanh{kind}": tanh for rows in ("one", "all") for kind in ("", "_normed")},
    **{f"anatomy.{rows}.capped": capped for rows in ("one", "all")},
    **{f"anatomy.{rows}.weights": only_of("softmax")(sums) for rows in ("one", "all")},
    **{f"anatomy.{rows}.exponentials_sink": only_of("sink")(sunk) for rows in ("one", "all")},
    "anatomy.one.weights_sink": only_of("sink")(missing),
    "anatomy.all.weights_sink": only_of("sink")(missing),
    "anatomy.one.lowered_sigmoid": only_of("sigmoid")(lowered),
    "anatomy.all.lowered_sigmoid": only_of("sigmoid")(lowered),
    "anatomy.one.weights_sigmoid": only_of("sigmoid")(gates),
    "anatomy.all.weights_sigmoid": only_of("sigmoid")(gates),
    **{f"anatomy.{rows}.halved_entmax": only_of("entmax")(sums) for rows in ("one", "all")},
    "anatomy.one.roots_entmax": only_of("entmax")(above),
    "anatomy.all.roots_entmax": only_of("entmax")(sums),
    "anatomy.one.weights_entmax": only_of("entmax")(lambda truth, facts: (*sums(truth, facts), *above(truth, facts))),
    "anatomy.all.weights_entmax": only_of("entmax")(sums),
    **{f"anatomy.{rows}.output": sizes for rows in ("one", "all")},
    **{f"anatomy.largest{kind}": _largest for kind in ("", "_shared", "_many")},
    **{f"anatomy.result{kind}": _result for kind in ("", "_range", "_masked")},
    "anatomy.one.masked": masked,
    "anatomy.all.masked": masked,
    "anatomy.one.exponentials": only_of("softmax")(exponentials),
    "anatomy.all.exponentials": only_of("softmax")(exponentials),
    "anatomy.drawn": drawn,
    "anatomy.hidden_layer": hidden_layer,
    "anatomy.hidden_layer_drawn": lambda truth, facts: hidden_layer(truth, facts, text=False),
    "anatomy.not_scaled": not_scaled,
    "anatomy.not_masked": not_masked,
    "anatomy.try_mask": try_mask,
    **{f"short.anatomy.largest{kind}": _numbered(_largest) for kind in ("", "_many")},
    "short.anatomy.largest_even": _numbered(_largest_even),
    "short.anatomy.largest_lost": _numbered(_largest_lost),
    "short.anatomy.largest_only": _numbered(_largest_only),
    "short.anatomy.largest_single": _numbered(_largest_single),
    "anatomy.largest_even": _largest_even,
    "anatomy.largest_lost": only_of("sink", "sigmoid")(_largest_lost),
    "anatomy.largest_only": only_of("softmax", "entmax")(_largest_only),
    "anatomy.largest_single": only_of("sink", "sigmoid")(_largest_single),
    "anatomy.shapes": projected,
    "anatomy.shapes_drawn": drawn,
    "anatomy.purpose": _purpose,
    "anatomy.purpose_large": _purpose_large,
    "anatomy.widths.tied": _tied,
    "anatomy.widths.one": lambda truth, facts: (*_tied(truth, facts), *one_head(truth, facts)),
    "anatomy.widths.floored": _floored,
    "anatomy.widths.least": _least,
    "anatomy.widths.untied": _untied,
    "anatomy.trained": trained,
    "anatomy.shapes_trained": trained,
    "anatomy.widths.trained": lambda truth, facts: (*trained(truth, facts), *heads(truth, facts)),
    "anatomy.widths.trained_one": lambda truth, facts: (*trained(truth, facts), *one_head(truth, facts)),
    "anatomy.purpose_trained": lambda truth, facts: (*trained(truth, facts), *_purpose(truth, facts)),
    "anatomy.purpose_large_trained": lambda truth, facts: (*trained(truth, facts), *_purpose_large(truth, facts)),
    **{
        f"anatomy.{rows}.scaled_trained{'_times' * times}{'_grown' * grown}": scaled_trained(times, grown)
        for rows in ("one", "all")
        for times in (False, True)
        for grown in (False, True)
    },
    "predict.anatomy_largest.because": only_of("softmax")(_because),
    "predict.anatomy_largest.because_sink": only_of("sink")(_because),
    "predict.anatomy_largest.because_lost": only_of("sink", "sigmoid")(_because_lost),
    "predict.anatomy_largest.because_sigmoid": only_of("sigmoid")(_because_gates),
    "predict.anatomy_largest.because_entmax": only_of("entmax")(_because),
    "predict.right": _answered,
    "predict.differs": _answered,
}
