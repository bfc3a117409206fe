"""Where the numbers of Anatomy's sentences come from: sizes, and the walked query's weights."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from visualiser.locale import number
from visualiser.locale.message import Message, message
from visualiser.pages.anatomy.facts import Facts
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.table import Why, from_table


def _control(kind: str) -> Why[Facts]:
    return lambda known, sentence: Reason(kind, message("reason.made.control", name=kind))


def _n(known: Facts, sentence: Message) -> Reason:
    text = known.config.source == "text"
    return Reason("n", message("reason.made.text") if text else message("reason.made.control", name="n"))


def _width(known: Facts, sentence: Message) -> Reason:
    config = known.config
    if not config.tie:
        return Reason("d_k", message("reason.made.control", name="d_k"))
    key = "least" if config.d_model < config.h else "floored" if config.d_model % config.h else "whole"
    value = max(1, config.d_model // config.h)
    return Reason("d_k", message(f"reason.made.width.{key}", d_model=config.d_model, h=config.h, value=value))


def _together(known: Facts, sentence: Message) -> Reason:
    config = known.config
    value = config.h * config.d_k
    return Reason("concatenation", message("reason.made.product", a=config.h, b=config.d_k, value=value))


def _quotient(known: Facts, sentence: Message) -> Reason:
    config = known.config
    value = number(config.d_model / config.h, digits=5)
    return Reason("d_k", message("reason.made.quotient", d_model=config.d_model, h=config.h, value=value))


def _factor(known: Facts, sentence: Message) -> Reason:
    config = known.config
    if config.log_n:
        base, value = replace(config, log_n=False).factor, config.factor
        made = consistent_digits(value, lambda base, growth: base * growth + 0.0, base=base, growth=config.growth)
        return Reason("factor", message("reason.made.grown_factor", value=value, **made))
    return _base(known, sentence)


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
    under = consistent_digits(known.weight, lambda sum: 1 / sum, sum=1 / known.weight)
    return Reason("largest_weight", message("reason.made.largest_row", value=known.weight, **under))


def _maximum(known: Facts, sentence: Message) -> Reason:
    return Reason("score", message("reason.made.largest_score", count=len(known.seen), value=known.maximum))


def _count(known: Facts, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.best", seen=len(known.seen), weight=known.weight))


def _hidden(known: Facts, sentence: Message) -> Reason:
    n, seen = known.config.n, len(known.seen)
    return Reason("keys", message("reason.made.hidden", n=n, seen=seen, value=n - seen))


_SIZES: Final[Mapping[str, Why[Facts]]] = {
    "n": _n,
    "d_model": _control("d_model"),
    "h": _control("h"),
    "d_k": _width,
    "d_v": _width,
    "width": _together,
    "exact": _quotient,
    "factor": _factor,
    "base": _base,
    "growth": _growth,
    "square": _square,
    "root": _root,
    "length": _length,
    "maximum": _maximum,
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
    "anatomy.largest_even": _SIZES,
    "anatomy.largest_shared": _SIZES,
    "anatomy.largest_many": _SIZES,
    "predict.anatomy_largest.because": _SIZES,
}


def reasons(known: Facts) -> How:
    """Return where the facts of the sentences about one state of the walk come from."""
    return from_table(TABLE, known)
