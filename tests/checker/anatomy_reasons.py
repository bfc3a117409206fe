"""The arithmetic behind the numbers of Anatomy's sentences, held to the layer in float64."""

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from tests.checker.anatomy_truth import Truth, close_to, own_row, same
from tests.checker.terms import off
from visualiser.locale.message import Message
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import Reason


def reason(truth: Truth, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check sizes, and the sum of exponentials behind the largest weight."""
    key, config = given.made.key, truth.config
    if key.startswith("reason.made.width.") or key == "reason.made.quotient":
        yield from off(given, d_model=config.d_model, h=config.h)
    elif key == "reason.made.product":
        yield from off(given, a=config.h, b=truth.tensors["V"].shape[-1])
    elif key == "reason.made.of_model":
        Q, V = truth.tensors["Q"], truth.tensors["V"]
        true = {"h": len(Q), "d_k": Q.shape[-1], "d_v": V.shape[-1]}
        yield from off(given, value=true.get(name, truth.trained))
        named = given.made.facts["model"], given.made.facts["layer"]
        yield from same("the model", named, (config.model, truth.number))
    elif key in ("reason.made.trained_times", "reason.made.trained_grown"):
        grown = {"growth": truth.growth} if key.endswith("grown") else {}
        yield from off(given, scale=config.scale, trained=truth.trained, **grown)
    elif key in ("reason.made.root_factor", "reason.made.one_over"):
        yield from off(given, d_k=config.d_k)
    elif key == "reason.made.grown_factor":
        yield from off(given, base=truth.base, growth=truth.growth)
    elif key == "reason.made.growth":
        yield from off(given, n_k=config.n)
    elif key in ("reason.made.mean_square", "reason.made.root_of"):
        yield from _square_reason(truth, name, given)
    elif key == "reason.made.largest_row":
        near_it = [sign * truth.loose + 1 / truth.weights.max() for sign in (-10, 0, 10)]
        yield from (
            () if near_it[0] <= parse_number(given.made.facts["sum"]) <= near_it[2] else off(given, sum=near_it[1])
        )
    elif key == "reason.made.hidden":
        yield from off(given, n=config.n)
    elif key in _WEIGHED:
        yield from _weighed_reason(truth, given)
    elif key not in _PLAIN:
        yield f"nobody checks {key}"


def _written(given: Reason, name: str) -> float:
    value = given.made.facts[name]
    return parse_number(value) if isinstance(value, str) else float(value)


def _weighed_reason(truth: Truth, given: Reason) -> Iterator[str]:
    """Check the arithmetic of weights that are no softmax's: of a sink, of gates, of entmax."""
    config, facts = truth.config, given.made.facts
    total, most = float(truth.weights.sum()), float(own_row(truth, "masked").max())
    size = max(1.0, abs(most))
    true: dict[str, tuple[float, float]] = {
        "n": (config.n, 1.0),
        "seen": (len(truth.keys), 1.0),
        "sink": (config.sink, 1.0),
    }
    weight = float(truth.weights.max())
    if given.made.key == "reason.made.underflow" and abs(_written(given, "true") / weight - 1) > 10 * truth.loose:
        yield f"the weight is {weight}"
    true |= {"score": (most, size), "missing": (1 - total, 1.0)}
    if config.normalisation == "sink":
        high = float(own_row(truth, "maximum")[0])
        # what stands under e, and over what: the sink's own, or the largest score's
        own = config.sink if given.made.key == "reason.made.sink_weight" else most
        powers = np.exp(own_row(truth, "masked") - high).sum() + math.exp(config.sink - high)
        true |= {"most": (high, size), "below": (own - high, size), "sum": (float(powers), float(powers))}
        true["score"] = (own if given.made.key == "reason.made.sink_weight" else most, size)
    if config.normalisation == "entmax":
        threshold, halves = float(own_row(truth, "threshold")[0]), own_row(truth, "halved")
        above = halves[halves > threshold]
        spread = float(((above - above.mean()) ** 2).sum())
        true |= {
            "half": (most / 2, size),
            "threshold": (threshold, size),
            "root": (math.sqrt(truth.weights.max()), size),
        }
        if facts.get("count") == len(above):  # else one key lies on the threshold but for rounding
            true |= {"mean": (float(above.mean()), size), "spread": (spread, max(1.0, spread))}
    for name in true.keys() & facts.keys():
        yield from close_to(f"{given.made.key}: {name}", _written(given, name), true[name][0], truth, true[name][1])


_WEIGHED: Final = {
    *("reason.made.sink_weight", "reason.made.weight_sink", "reason.made.rest", "reason.made.larger"),
    *("reason.made.gate", "reason.made.gates", "reason.made.log", "reason.made.even_gates"),
    *("reason.made.root_weight", "reason.made.threshold", "reason.made.underflow"),
}


def _square_reason(truth: Truth, name: str, given: Reason) -> Iterator[str]:
    """Check the sum of squares, and what stands under a root."""
    if name == "length":
        yield from off(given, square=truth.config.d_k)
        return
    vector = truth.tensors["Q" if truth.step == "normed_q" else "K"][truth.head - 1, truth.row]
    true = {"sum": float((vector**2).sum()), "square": float((vector**2).mean())}
    for fact in true.keys() & given.made.facts.keys():
        written = given.made.facts[fact]
        yield from close_to(
            fact, parse_number(written) if isinstance(written, str) else written, true[fact], truth, true[fact]
        )
    if "d_k" in given.made.facts:
        yield from off(given, d_k=truth.config.d_k)


_PLAIN: Final = {
    *("reason.made.control", "reason.made.control_or_model", "reason.made.text"),
    *("reason.made.largest_score", "reason.made.best", "reason.made.support"),
}
