"""The reasons of numbers of a result's scores: their moments, and what footnote 4 predicts."""

import math
from collections.abc import Mapping
from typing import Final

from attention_core import AttentionConfig
from visualiser.drawing.saturation import allowed_scores, pooled_moments
from visualiser.locale import exact
from visualiser.locale.message import Message, message
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import Reason
from visualiser.reasons.of_sizes import width
from visualiser.reasons.shown import Shown, Why


def score_mean(shown: Shown, sentence: Message) -> Reason:
    """Explain the mean of all allowed scores."""
    value, count = pooled_moments(shown.result)[0], allowed_scores(shown.result).numel()
    total = consistent_digits(value, lambda sum: sum / max(1, count), sum=value * count)
    return Reason("score_mean", message("reason.made.score_mean", value=value, count=count, **total))


def score_variance(shown: Shown, sentence: Message) -> Reason:
    """Explain the variance of all allowed scores."""
    average, value = pooled_moments(shown.result)
    count = allowed_scores(shown.result).numel()
    total = consistent_digits(value, lambda sum: sum / max(1, count), sum=value * count)
    return Reason(
        "score_variance", message("reason.made.score_variance", value=value, count=count, mean=average, **total)
    )


def score_deviation(shown: Shown, sentence: Message) -> Reason:
    """Explain the standard deviation of all allowed scores."""
    variance = pooled_moments(shown.result)[1]
    value = variance**0.5
    under = consistent_digits(value, _root, variance=variance)
    return Reason("score_deviation", message("reason.made.root", value=value, **under))


def _root(variance: float) -> float:
    return math.sqrt(variance)


def equal_score(shown: Shown, sentence: Message) -> Reason:
    """Explain the one value of all scores."""
    scores = allowed_scores(shown.result)
    ends = {"least": float(scores.min()), "most": float(scores.max())}
    return Reason("score", message("reason.made.equal", count=scores.numel(), **ends))


def predicted(shown: Shown, sentence: Message) -> Reason:
    """Explain footnote 4's variance of the scores: d_k times the square of the factor."""
    value = exact(float(sentence.facts["predicted"]))
    return Reason("predicted_variance", predicted_of(shown.result.config, value))


def predicted_of(config: AttentionConfig, value: float) -> Message:
    """Write footnote 4's variance of the scores."""
    if config.scaling == "custom" or config.log_n:
        factor = consistent_digits(value, lambda factor: config.d_k * factor**2, factor=config.factor)
        return message("reason.made.predicted.custom", d_k=config.d_k, value=value, **factor)
    return message(f"reason.made.predicted.{config.scaling}", d_k=config.d_k, value=value)


def no_mean(config: AttentionConfig) -> Message:
    """Write footnote 4's mean of the scores: components of q and k have mean 0."""
    return message("reason.made.no_mean", d_k=config.d_k, value=0)


SCORES: Final[Mapping[str, Why]] = {
    "mean": score_mean,
    "measured": score_variance,
    "variance": score_variance,
    "deviation": score_deviation,
    "predicted": predicted,
    "score": equal_score,
    "d_k": width,
}
