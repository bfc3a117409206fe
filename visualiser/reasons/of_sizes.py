"""The reasons of a result's sizes: those that controls set, and the width of a head."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attention_core import AttentionConfig, AttentionResult
from visualiser.locale.message import Message, message
from visualiser.reasons.explained import Reason
from visualiser.reasons.shown import Shown, Why

_BROUGHT: Final = MappingProxyType({"upload": "reason.made.file", "model": "reason.made.model_size"})
"""The sources with sizes of their own."""

_READ: Final = MappingProxyType({"text": "reason.made.text", "model": "reason.made.model_tokens"})
"""The sources that make tokens of a text."""


def width(shown: Shown, sentence: Message) -> Reason:
    """Explain the width of a head."""
    return Reason("d_k", width_of(shown.result))


def width_of(result: AttentionResult) -> Message:
    """Explain how wide a head is, and why."""
    config = result.config
    if config.source in _BROUGHT:
        return message(_BROUGHT[config.source])
    return _tied(config) if config.tie else message("reason.made.control", name="d_k")


def tied_width(shown: Shown, sentence: Message) -> Reason:
    """Explain the width that a head has if it is tied to d_model and h."""
    return Reason("d_k", _tied(shown.result.config))


def quotient(shown: Shown, sentence: Message) -> Reason:
    """Explain d_model / h before it is rounded down."""
    config = shown.result.config
    value = sentence.facts["exact"]
    return Reason("d_k", message("reason.made.quotient", d_model=config.d_model, h=config.h, value=value))


def growth(shown: Shown, sentence: Message) -> Reason:
    """Explain what the factor is multiplied by if it grows with the keys."""
    return Reason("factor", message("reason.made.growth", n_k=sentence.facts["n_k"], value=sentence.facts["growth"]))


def trained_factor(shown: Shown, sentence: Message) -> Reason:
    """Explain the factor of a trained layer."""
    facts = sentence.facts
    given = {"scale": facts["scale"], "trained": facts["trained"], "value": facts["factor"]}
    return Reason("factor", message("reason.made.model_factor", **given))


def scale(shown: Shown, sentence: Message) -> Reason:
    """Explain what a trained factor is multiplied by."""
    return Reason("factor", message("reason.made.control", name="scale"))


def models_own(kind: str) -> Why:
    """Return the reason of a number that a trained model brings."""
    return lambda shown, sentence: Reason(kind, message("reason.made.model_own"))


def _tied(config: AttentionConfig) -> Message:
    value = {"d_model": config.d_model, "h": config.h, "value": max(1, config.d_model // config.h)}
    key = "least" if config.d_model < config.h else "floored" if config.d_model % config.h else "whole"
    return message(f"reason.made.width.{key}", **value)


def size(kind: str, control: str) -> Why:
    """Return the reason of a size that a control sets, or the text or file."""

    def reason(shown: Shown, sentence: Message) -> Reason:
        source = shown.result.config.source
        if kind == "n" and source in _READ:
            return Reason(kind, message(_READ[source]))
        if source in _BROUGHT:
            return Reason(kind, message(_BROUGHT[source]))
        return Reason(kind, message("reason.made.control", name=control))

    return reason


SIZES: Final[Mapping[str, Why]] = {
    "h": size("h", "h"),
    "n_q": size("n", "n"),
    "n_k": size("n", "n"),
    "growth": growth,
    "factor": trained_factor,
    "scale": scale,
    "trained": models_own("factor"),
    "cap": models_own("capped"),
    "sink": models_own("sink"),
    "window": models_own("keys"),
    "d_k": width,
    "d_v": width,
    "d_model": size("d_model", "d_model"),
    "tied": tied_width,
    "exact": quotient,
}
