"""What a number format makes of the state, and what it loses against float32, in sentences."""

from typing import Any

import torch

from attention_core import AttentionResult
from attention_core.exact.formats import format_of, largest_exponent
from visualiser.drawing.format_marks import loss
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
    if found.broken:
        sentences.append(message("insight.format.broken", broken=found.broken, rows=found.rows))
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
        sentences.append(message(f"insight.format.{key}", **counts, **tiny, cells=found.cells))
    if found.broken < found.rows:
        apart = {name: getattr(found, name) for name in ("weight", "weight_mean", "output", "output_mean")}
        key = "insight.format.cost_sound" if found.broken else "insight.format.cost"
        sentences.append(message(key, **apart, total=found.total_error))
    if found.bytes < found.reference_bytes:
        sentences.append(message("insight.format.bytes", bytes=found.bytes, wide=found.reference_bytes))
    return sentences
