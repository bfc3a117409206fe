"""The reasons of numbers of a result's scores: their moments, and what footnote 4 predicts."""

import math
from collections.abc import Mapping
from typing import Final

from attention_core import AttentionConfig
from visualiser.drawing.saturation import allowed_scores, pooled_moments
from visualiser.locale import exact
from visualiser.locale.said import Said, say
from visualiser.reasons.digits import holding
from visualiser.reasons.of_sizes import width
from visualiser.reasons.shown import Shown, Why
from visualiser.reasons.told import Reason


def score_mean(shown: Shown, said: Said) -> Reason:
    """Explain the mean of all allowed scores."""
    value, count = pooled_moments(shown.result)[0], allowed_scores(shown.result).numel()
    total = holding(value, lambda sum: sum / max(1, count), sum=value * count)
    return Reason("score_mean", say("reason.made.score_mean", value=value, count=count, **total))


def score_variance(shown: Shown, said: Said) -> Reason:
    """Explain the variance of all allowed scores."""
    average, value = pooled_moments(shown.result)
    count = allowed_scores(shown.result).numel()
    total = holding(value, lambda sum: sum / max(1, count), sum=value * count)
    return Reason("score_variance", say("reason.made.score_variance", value=value, count=count, mean=average, **total))


def score_deviation(shown: Shown, said: Said) -> Reason:
    """Explain the standard deviation of all allowed scores."""
    variance = pooled_moments(shown.result)[1]
    value = variance**0.5
    under = holding(value, _root, variance=variance)
    return Reason("score_deviation", say("reason.made.root", value=value, **under))


def _root(variance: float) -> float:
    return math.sqrt(variance)


def equal_score(shown: Shown, said: Said) -> Reason:
    """Explain the one value of all scores."""
    scores = allowed_scores(shown.result)
    ends = {"least": float(scores.min()), "most": float(scores.max())}
    return Reason("score", say("reason.made.equal", count=scores.numel(), **ends))


def predicted(shown: Shown, said: Said) -> Reason:
    """Explain footnote 4's variance of the scores: d_k times the square of the factor."""
    value = exact(float(said.facts["predicted"]))
    return Reason("predicted_variance", predicted_of(shown.result.config, value))


def predicted_of(config: AttentionConfig, value: float) -> Said:
    """Say footnote 4's variance of the scores."""
    if config.scaling == "custom":
        factor = holding(value, lambda factor: config.d_k * factor**2, factor=config.factor)
        return say("reason.made.predicted.custom", d_k=config.d_k, value=value, **factor)
    return say(f"reason.made.predicted.{config.scaling}", d_k=config.d_k, value=value)


def no_mean(config: AttentionConfig) -> Said:
    """Say footnote 4's mean of the scores: components of q and k have mean 0."""
    return say("reason.made.no_mean", d_k=config.d_k, value=0)


SCORES: Final[Mapping[str, Why]] = {
    "mean": score_mean,
    "measured": score_variance,
    "variance": score_variance,
    "deviation": score_deviation,
    "predicted": predicted,
    "score": equal_score,
    "d_k": width,
}
