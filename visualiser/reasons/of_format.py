"""The reasons of numbers about a number format: what it lost, its limits, its bytes."""

import math
from collections.abc import Mapping
from typing import Final

import torch

from visualiser.locale.message import Message, message
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason
from visualiser.reasons.kinds import kind_of
from visualiser.reasons.of_row import keys_of_row
from visualiser.reasons.shown import Shown, Why


def format_kind(kind: str, made: str) -> Why:
    """Return the reason of a number about the format itself."""

    def reason(shown: Shown, sentence: Message) -> Reason:
        h, n_q, n_k = shown.result.weights.shape
        return Reason(
            kind_of(shown.result.config, kind),
            message(f"reason.made.{made}", **({"h": h, "n_q": n_q, "n_k": n_k} if "cells" in made else {})),
        )

    return reason


def format_limit(shown: Shown, sentence: Message) -> Reason:
    """Explain the largest score whose exponential a format has: ln of its largest number."""
    value = float(sentence.facts["limit"])
    largest = torch.finfo(getattr(torch, shown.result.config.dtype)).max
    return Reason(
        "format_limit", message("reason.made.limit", value=value, **consistent_digits(value, _logarithm, most=largest))
    )


def square_limit(shown: Shown, sentence: Message) -> Reason:
    """Explain the largest score whose half has a square that the format has."""
    value = float(sentence.facts["square_limit"])
    largest = torch.finfo(getattr(torch, shown.result.config.dtype)).max
    root = consistent_digits(value, lambda most: 2 * math.sqrt(most), most=largest)
    return Reason("format_square", message("reason.made.square_limit", value=value, **root))


def _sink(shown: Shown, sentence: Message) -> Reason:
    return Reason("sink", message("reason.made.control", name="sink"))


def _logarithm(most: float) -> float:
    return math.log(most)


def format_bytes(name: str) -> Why:
    """Return the reason of the bytes of all weights."""

    def reason(shown: Shown, sentence: Message) -> Reason:
        cells, value = shown.result.weights.numel(), int(sentence.facts[name])
        return Reason("format_bytes", message("reason.made.bytes", cells=cells, each=value // cells, value=value))

    return reason


FORMAT: Final[Mapping[str, Why]] = {
    **{name: format_kind("format_count", "format_cells") for name in ("count", "cells", "lost", "subnormal", "nan")},
    **{name: format_kind("format_row", "format_cells") for name in ("overflowed", "broken", "rows")},
    **{name: format_kind("format_weight", "format_largest") for name in ("weight",)},
    **{name: format_kind("format_output", "format_largest") for name in ("output",)},
    "weight_mean": format_kind("format_weight", "format_mean"),
    "output_mean": format_kind("format_output", "format_mean"),
    "total": format_kind("format_sum", "format_sums"),
    "tiny": format_kind("format_tiny", "format_tiny"),
    "limit": format_limit,
    "square_limit": square_limit,
    "sink": _sink,
    "bytes": format_bytes("bytes"),
    "wide": format_bytes("wide"),
    "keys": keys_of_row,
}
