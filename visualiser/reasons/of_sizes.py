"""The reasons of a result's sizes: those that controls set, and the width of a head."""

from collections.abc import Mapping
from typing import Final

from attention_core import AttentionConfig, AttentionResult
from visualiser.locale.message import Message, message
from visualiser.reasons.explained import Reason
from visualiser.reasons.shown import Shown, Why


def width(shown: Shown, sentence: Message) -> Reason:
    """Explain the width of a head."""
    return Reason("d_k", width_of(shown.result))


def width_of(result: AttentionResult) -> Message:
    """Explain how wide a head is, and why."""
    config = result.config
    if config.source == "upload":
        return message("reason.made.file")
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


def _tied(config: AttentionConfig) -> Message:
    value = {"d_model": config.d_model, "h": config.h, "value": max(1, config.d_model // config.h)}
    key = "least" if config.d_model < config.h else "floored" if config.d_model % config.h else "whole"
    return message(f"reason.made.width.{key}", **value)


def size(kind: str, control: str) -> Why:
    """Return the reason of a size that a control sets, or the text or file."""

    def reason(shown: Shown, sentence: Message) -> Reason:
        source = shown.result.config.source
        if source == "upload":
            return Reason(kind, message("reason.made.file"))
        if source == "text" and kind == "n":
            return Reason(kind, message("reason.made.text"))
        return Reason(kind, message("reason.made.control", name=control))

    return reason


SIZES: Final[Mapping[str, Why]] = {
    "h": size("h", "h"),
    "n_q": size("n", "n"),
    "n_k": size("n", "n"),
    "growth": growth,
    "d_k": width,
    "d_v": width,
    "d_model": size("d_model", "d_model"),
    "tied": tied_width,
    "exact": quotient,
}
