"""One d_k on the Why √d_k page: each mechanism's result, and the sentences above the figures."""

import math
from dataclasses import replace

from attention_core import AttentionConfig, AttentionResult, compute
from attention_core.studies.sweep import CURVES, WAYS
from visualiser.figures.point import OWN, Results, means
from visualiser.gpu import page_device
from visualiser.locale.message import Message, message


def results(config: AttentionConfig) -> dict[str, AttentionResult]:
    """Return scaled, unscaled and additive results and, if the page's factor is another one, its own."""
    found = {name: compute(replace(config, **WAYS[name]), device=page_device()) for name in CURVES}
    if config.factor not in (1.0, 1 / math.sqrt(config.d_k)):
        found[OWN] = compute(config, device=page_device())
    return found


def insight(config: AttentionConfig, found: Results) -> list[Message]:
    """Describe what scaling does to the largest weight, then describe the point, mechanism by mechanism."""
    deviation, ceiling = math.sqrt(float(found["unscaled"].score_variance)), math.log(config.n)
    largest = {name: float(found[name].largest_weight.mean()) for name in ("unscaled", "scaled")}
    return [
        message("short.why.scaling", **largest),
        message("why.unscaled", d_k=config.d_k, deviation=deviation, ceiling=ceiling, **means(found["unscaled"])),
        message("why.scaled", factor=1 / math.sqrt(config.d_k), **means(found["scaled"])),
        message("why.additive", **means(found["additive"])),
    ]
