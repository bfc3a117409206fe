"""One d_k on the Why √d_k page: each mechanism's result, and the sentences above the figures."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from attention_core import AttentionConfig, AttentionResult
from attention_core.studies.sweep import CURVES, WAYS
from visualiser.figures.point import OWN, Results, means
from visualiser.gpu import computed
from visualiser.locale.message import Message, message


def results(config: AttentionConfig) -> dict[str, AttentionResult]:
    """Return scaled, unscaled and additive results and, if the page's factor is another one, its own."""
    found = {name: computed(replace(config, **WAYS[name])) for name in CURVES}
    if config.factor not in (1.0, 1 / math.sqrt(config.d_k)):
        found[OWN] = computed(config)
    return found


Here = Callable[[AttentionConfig, Results], list[Message]]
"""Tells of the page's own place on the curves: a short sentence, then what stands behind it."""


def further(config: AttentionConfig, settings: Mapping[str, Mapping[str, Any]]) -> dict[str, AttentionResult]:
    """Return the results of curves that no figure of a point draws, each with these settings."""
    return {name: computed(replace(config, **more)) for name, more in settings.items()}


def _largest(found: Results, *names: str) -> dict[str, float]:
    return {name: float(found[name].largest_weight.mean()) for name in names}


def of_scaling(config: AttentionConfig, found: Results) -> list[Message]:
    """Describe what scaling does to the largest weight."""
    return [message("short.why.scaling", **_largest(found, "unscaled", "scaled"))]


def of_qk_norm(config: AttentionConfig, found: Results) -> list[Message]:
    """Describe what scaling does to the largest weight of normalised queries and keys."""
    return [
        message("short.why.qk_norm", **_largest(found, "qk_norm_unscaled", "qk_norm")),
        message("why.place.qk_norm_unscaled", d_k=config.d_k, **means(found["qk_norm_unscaled"])),
        message("why.place.qk_norm", **means(found["qk_norm"])),
    ]


def of_keys(config: AttentionConfig, found: Results) -> list[Message]:
    """Describe the largest weight over so many keys, then each series there."""
    sunk = found["sink"]
    told = {"largest": float(sunk.largest_weight.mean()), "entropy": float(sunk.entropy.mean())}
    return [
        message("short.why.keys", n=config.n, **_largest(found, "softmax")),
        message("why.place.softmax", n=config.n, **means(found["softmax"])),
        message("why.place.log_n", **means(found["log_n"])),
        message("why.place.sink", **told, sink=float(sunk.statistic("sink_weight").mean())),
    ]


def insight(config: AttentionConfig, found: Results, here: Here = of_scaling) -> list[Message]:
    """Describe the place on the curves, then describe the point, mechanism by mechanism."""
    deviation, ceiling = math.sqrt(float(found["unscaled"].score_variance)), math.log(config.n)
    return [
        *here(config, found),
        message("why.unscaled", d_k=config.d_k, deviation=deviation, ceiling=ceiling, **means(found["unscaled"])),
        message("why.scaled", factor=1 / math.sqrt(config.d_k), **means(found["scaled"])),
        message("why.additive", **means(found["additive"])),
    ]
