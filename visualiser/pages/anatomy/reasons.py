"""Where the numbers of Anatomy's sentences come from: sizes, and the walked query's weights."""

from collections.abc import Mapping
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
    config, value = known.config, float(known.config.factor)
    if config.scaling == "sqrt_d_k":
        return Reason("factor", message("reason.made.root_factor", d_k=config.d_k, value=value))
    if config.scaling == "d_k":
        return Reason("factor", message("reason.made.one_over", d_k=config.d_k, value=value))
    return Reason("factor", message("reason.made.control", name="scaling"))


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
