"""Where the numbers of Anatomy's sentences come from: sizes, and the walked query's weights."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from attention_core import normalisations
from visualiser.locale import number
from visualiser.locale.message import Message, message
from visualiser.pages.anatomy.facts import Facts
from visualiser.pages.anatomy.subject import mixed
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_cell import sunk_weight, weight_of
from visualiser.reasons.table import Why, from_table


def _control(name: str, kind: str = "") -> Why[Facts]:
    return lambda known, sentence: Reason(kind or name, message("reason.made.control", name=name))


def _of_model(known: Facts, value: float) -> Message:
    return message("reason.made.of_model", model=known.config.model, layer=known.config.layer, value=value)


def _heads(known: Facts, sentence: Message) -> Reason:
    if mixed(known.config):
        return Reason("h", message("reason.made.control", name="h"))
    return Reason("h", _of_model(known, known.config.h))


def _set(name: str, kind: str) -> Why[Facts]:
    """Return the reason of a number that a control sets, or a trained layer if that leaves it to it."""

    def reason(known: Facts, sentence: Message) -> Reason:
        if mixed(known.config):
            return Reason(kind, message("reason.made.control", name=name))
        return Reason(kind, message("reason.made.control_or_model", name=name, model=known.config.model))

    return reason


def _n(known: Facts, sentence: Message) -> Reason:
    return Reason("n", message("reason.made.text") if known.tokens else message("reason.made.control", name="n"))


def _width(known: Facts, sentence: Message) -> Reason:
    config = known.config
    if not mixed(config):
        return Reason("d_k", _of_model(known, config.d_k))
    if not config.tie:
        return Reason("d_k", message("reason.made.control", name="d_k"))
    key = "least" if config.d_model < config.h else "floored" if config.d_model % config.h else "whole"
    value = max(1, config.d_model // config.h)
    return Reason("d_k", message(f"reason.made.width.{key}", d_model=config.d_model, h=config.h, value=value))


def _value_width(known: Facts, sentence: Message) -> Reason:
    return _width(known, sentence) if mixed(known.config) else Reason("d_k", _of_model(known, known.d_v))


def _together(known: Facts, sentence: Message) -> Reason:
    h, d_v = known.config.h, known.d_v
    return Reason("concatenation", message("reason.made.product", a=h, b=d_v, value=h * d_v))


def _quotient(known: Facts, sentence: Message) -> Reason:
    config = known.config
    value = number(config.d_model / config.h, digits=5)
    return Reason("d_k", message("reason.made.quotient", d_model=config.d_model, h=config.h, value=value))


def _factor(known: Facts, sentence: Message) -> Reason:
    config = known.config
    if config.trained is not None:
        return _trained_factor(known, sentence)
    if config.log_n:
        base, value = replace(config, log_n=False).factor, config.factor
        made = consistent_digits(value, lambda base, growth: base * growth + 0.0, base=base, growth=config.growth)
        return Reason("factor", message("reason.made.grown_factor", value=value, **made))
    return _base(known, sentence)


def _trained_factor(known: Facts, sentence: Message) -> Reason:
    config = known.config
    if config.scale == 1 and not config.log_n:
        return _trained(known, sentence)
    given = {"scale": config.scale, "trained": config.trained or 0.0}
    if config.log_n:
        key = "reason.made.trained_grown"
        made = consistent_digits(
            config.factor,
            lambda scale, trained, growth: scale * trained * growth + 0.0,
            **given,
            growth=config.growth,
        )
    else:
        key = "reason.made.trained_times"
        made = consistent_digits(config.factor, lambda scale, trained: scale * trained + 0.0, **given)
    return Reason("factor", message(key, value=config.factor, **made))


def _trained(known: Facts, sentence: Message) -> Reason:
    return Reason("factor", _of_model(known, float(known.config.trained or 0.0)))


def _base(known: Facts, sentence: Message) -> Reason:
    config = replace(known.config, log_n=False)
    value = config.factor
    if config.scaling == "sqrt_d_k":
        return Reason("factor", message("reason.made.root_factor", d_k=config.d_k, value=value))
    if config.scaling == "d_k":
        return Reason("factor", message("reason.made.one_over", d_k=config.d_k, value=value))
    return Reason("factor", message("reason.made.control", name="scaling"))


def _growth(known: Facts, sentence: Message) -> Reason:
    return Reason("factor", message("reason.made.growth", n_k=known.config.n, value=known.config.growth))


def _square(known: Facts, sentence: Message) -> Reason:
    config, square = known.config, known.squares[known.step]
    total = consistent_digits(square, lambda sum: sum / config.d_k, sum=square * config.d_k)
    return Reason("mean_square", message("reason.made.mean_square", d_k=config.d_k, value=square, **total))


def _root(known: Facts, sentence: Message) -> Reason:
    square = known.squares[known.step]
    value = math.sqrt(square)
    under = consistent_digits(value, lambda square: math.sqrt(square), square=square)
    return Reason("root_mean_square", message("reason.made.root_of", value=value, **under))


def _length(known: Facts, sentence: Message) -> Reason:
    d_k = known.config.d_k
    return Reason("normed_length", message("reason.made.root_of", square=d_k, value=math.sqrt(d_k)))


def _weight(known: Facts, sentence: Message) -> Reason:
    config = known.config
    if not normalisations.of(config).softmax:
        scores = np.array(known.scores)
        made = weight_of(config, scores, int(scores.argmax()), known.weight)
        return Reason(kind_of(config, "largest_weight"), made)
    under = consistent_digits(known.weight, lambda sum: 1 / sum, sum=1 / known.weight)
    return Reason("largest_weight", message("reason.made.largest_row", value=known.weight, **under))


def _larger(known: Facts, sentence: Message) -> Reason:
    """Explain what is subtracted before an exponential: the largest score, or a sink's that is larger."""
    value = known.kept["maximum"]
    if "sunk" not in known.kept:
        return _maximum(known, sentence)
    given = {"score": known.maximum, "sink": known.config.sink}
    return Reason("larger", message("reason.made.larger", **given, value=value))


def _missing(known: Facts, sentence: Message) -> Reason:
    value = known.kept["missing"]
    return Reason("sink_weight", sunk_weight(known.config, np.array(known.scores), None, value))


def _rest(known: Facts, sentence: Message) -> Reason:
    value = 1.0 - known.kept["missing"]
    given = consistent_digits(value, lambda missing: 1.0 - missing, missing=known.kept["missing"])
    return Reason("kept", message("reason.made.rest", value=value, **given))


def _mass(known: Facts, sentence: Message) -> Reason:
    return Reason("mass", message("reason.made.gates", seen=len(known.seen), value=known.kept["mass"]))


def _log(known: Facts, sentence: Message) -> Reason:
    return Reason("lowered", message("reason.made.log", n=known.config.n, value=math.log(known.config.n)))


def _even(known: Facts, sentence: Message) -> Reason:
    n = known.config.n
    return Reason("mass", message("reason.made.even_gates", n=n, value=n / (n + 1)))


def _support(known: Facts, sentence: Message) -> Reason:
    return Reason("support", message("reason.made.support", value=known.support))


def _threshold(known: Facts, sentence: Message) -> Reason:
    """Write τ as what solves Σ (s/2 − τ)² = 1 over the keys above it: their mean less a root."""
    value = known.kept["threshold"]
    above = [score / 2 for score in known.scores if score / 2 > value]
    mean = sum(above) / len(above)
    spread = sum((half - mean) ** 2 for half in above)
    given = consistent_digits(
        value, lambda mean, spread: mean - math.sqrt((1 - spread) / len(above)) + 0.0, mean=mean, spread=spread
    )
    return Reason("threshold", message("reason.made.threshold", value=value, count=len(above), **given))


def _maximum(known: Facts, sentence: Message) -> Reason:
    return Reason("score", message("reason.made.largest_score", count=len(known.seen), value=known.maximum))


def _count(known: Facts, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.best", seen=len(known.seen), weight=known.weight))


def _seen(known: Facts, sentence: Message) -> Reason:
    n, seen = known.config.n, len(known.seen)
    return Reason("keys", message("reason.made.hidden", n=n, seen=n - seen, value=seen))


def _hidden(known: Facts, sentence: Message) -> Reason:
    n, seen = known.config.n, len(known.seen)
    return Reason("keys", message("reason.made.hidden", n=n, seen=seen, value=n - seen))


_SIZES: Final[Mapping[str, Why[Facts]]] = {
    "n": _n,
    "d_model": _control("d_model"),
    "h": _heads,
    "d_k": _width,
    "d_v": _value_width,
    "width": _together,
    "exact": _quotient,
    "factor": _factor,
    "base": _base,
    "scale": _control("scale", "factor"),
    "trained": _trained,
    "growth": _growth,
    "square": _square,
    "root": _root,
    "length": _length,
    "maximum": _larger,
    "cap": _set("softcap", "capped"),
    "sink": _set("sink", "sink_weight"),
    "missing": _missing,
    "rest": _rest,
    "mass": _mass,
    "log": _log,
    "even": _even,
    "seen": _seen,
    "support": _support,
    "threshold": _threshold,
    "hidden_keys": _hidden,
    "weight": _weight,
    "count": _count,
    "score": _maximum,
}

TABLE: Final[Mapping[str, Mapping[str, Why[Facts]]]] = {
    "anatomy.widths.": _SIZES,
    "anatomy.one.": _SIZES,
    "anatomy.all.": _SIZES,
    "anatomy.largest": _SIZES,
    "anatomy.largest_single": _SIZES,
    "anatomy.largest_even": _SIZES,
    "anatomy.largest_shared": _SIZES,
    "anatomy.largest_many": _SIZES,
    "predict.anatomy_largest.": _SIZES,
}


def reasons(known: Facts) -> How:
    """Return where the facts of the sentences about one state of the walk come from."""
    return from_table(TABLE, known)
