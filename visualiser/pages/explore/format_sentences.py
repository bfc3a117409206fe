"""What a number format makes of the state, and what it loses against float32, in sentences."""

from typing import Any

import torch

from attention_core import AttentionConfig, AttentionResult, normalisations
from attention_core.exact.formats import format_of, largest_exponent, largest_square, overflows
from visualiser.drawing.format_marks import loss
from visualiser.drawing.weighed import weighed, worded
from visualiser.locale.message import Message, message


def format_sentences(result: AttentionResult) -> list[Message]:
    """Return sentences on overflow, underflow and the difference from float32; none for float32 less the maximum."""
    found, config = loss(result), result.config
    if found is None:
        return []
    format, limits = config.dtype, torch.finfo(format_of(config.dtype))
    sentences = []
    if found.infinite_scores:
        scores = {"count": found.infinite_scores, "cells": found.cells}
        sentences.append(message("insight.format.scores", **scores, format=format))
    if found.infinite:
        overflow = {"count": found.infinite, "overflowed": found.overflowed_rows, "rows": found.rows}
        sentences.append(message("insight.format.overflow", **overflow, format=format, limit=largest_exponent(format)))
    if _sink_overflows(config):
        sentences.append(message("insight.format.sink", sink=config.sink, limit=largest_exponent(format)))
    if found.broken:
        sentences.append(message(worded(config, "insight.format.broken"), broken=found.broken, rows=found.rows))
        sentences += _threshold(config) if not found.infinite_scores else []
    small = {"lost": found.lost, "subnormal": found.subnormal}
    if any(small.values()):
        key = next((name for name, count in small.items() if count == found.lost + found.subnormal), "both")
        counts: dict[str, Any] = {name: count for name, count in small.items() if count}
        if found.lost:
            causes = {"divided": found.divided, "underflowed": found.lost - found.divided}
            counts["causes"] = [
                message(f"insight.format.{name}", count=count) for name, count in causes.items() if count
            ]
        tiny = {} if key == "lost" else {"tiny": limits.tiny, "format": format}
        sentences.append(message(worded(config, f"insight.format.{key}"), **counts, **tiny, cells=found.cells))
    if found.broken < found.rows:
        apart = {name: getattr(found, name) for name in ("weight", "weight_mean", "output", "output_mean")}
        key = "insight.format.cost_sound" if found.broken else "insight.format.cost"
        total = {"total": found.total_error} if weighed(config).spread else {}
        sentences.append(message(worded(config, key), **apart, **total))
    if found.bytes < found.reference_bytes:
        sentences.append(message("insight.format.bytes", bytes=found.bytes, wide=found.reference_bytes))
    return sentences


def _sink_overflows(config: AttentionConfig) -> bool:
    """Return True if a sink's own exponential is ∞, which makes its weight ∞/∞ in every row."""
    sunk = "sink_weight" in normalisations.of(config).statistics
    return sunk and not config.subtract_max and overflows(config.sink, config.dtype)


def _threshold(config: AttentionConfig) -> list[Message]:
    """Say why rows whose weights have a threshold do not add up to 1."""
    if "support" not in normalisations.of(config).statistics:
        return []
    if config.subtract_max:
        return [message("insight.format.threshold_rounded", format=config.dtype)]
    return [message("insight.format.threshold", format=config.dtype, square_limit=2 * largest_square(config.dtype))]
