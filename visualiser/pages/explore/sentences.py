"""One to three sentences that tell a student what to look for in the present result.

Each sentence follows from the result's numbers alone, by these thresholds:
  saturated       the mean over rows of the largest weight is at least 0.9
  partly          at least a quarter of the rows give one key more than 0.9
  nearly uniform  the mean entropy is at least 95 % of the mean ceiling; "few" keys if the norm is still above 0.25
  in between      everything else
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from attention_core import BOUNDS, AttentionResult
from attention_core.config import SCALED
from attention_core.exact import mask_choices
from visualiser.figures.boxes import mean_ceiling, mean_over_rows
from visualiser.figures.saturation import pooled_moments
from visualiser.locale import exact, text
from visualiser.state.view import View

SATURATED: Final = 0.9
MANY_ROWS: Final = 0.25
UNIFORM: Final = 0.95
SMALL_NORM: Final = 0.25
WIDE: Final = 4.0
"""Unscaled scores of a larger variance call for 1/√d_k: one standard deviation is then a factor e² in weight."""


@dataclass(frozen=True)
class Measures:
    """Means over heads and the rows that have a key, as in the captions.

    `chosen` is the mean largest weight, and `one` the share above SATURATED, of the rows with two keys or more: a row
    with one key has weight 1 whatever its score, and counting it would call a causal mask saturation.
    """

    largest: float
    chosen: float
    entropy: float
    effective: float
    norm: float
    trace: float
    ceiling: float
    one: float
    variance: float


def measure(result: AttentionResult) -> Measures | None:
    """Return the numbers for the sentences; None if no row has a choice between keys."""
    choosing = result.ceiling > 0
    if not choosing.any():
        return None

    def mean(name: str) -> float:
        return float(mean_over_rows(result, name).mean())

    return Measures(
        largest=mean("largest_weight"),
        entropy=mean("entropy"),
        effective=mean("effective_keys"),
        norm=mean("jacobian_norm"),
        trace=mean("jacobian_trace"),
        ceiling=mean_ceiling(result),
        chosen=float(result.largest_weight[:, choosing].mean()),
        one=float((result.largest_weight[:, choosing] > SATURATED).float().mean()),
        variance=pooled_moments(result)[1],
    )


def insight(result: AttentionResult, view: View | None = None) -> list[str]:
    """Describe the locked row, else the scores; then the softmax, with advice; then the mask or the text."""
    view = view or View()
    lang = view.lang
    measures = measure(result)
    if measures is None:
        some = result.mask is None or bool(result.mask.any())
        return [text(lang, "insight.one_key" if some else "insight.no_key")]
    row = view.locked(result.weights.shape[1])
    first = (
        _scores(result, measures, lang)
        if row is None
        else _row(result, view.single(result.weights.shape[0]), row, lang)
    )
    state = _state(measures)
    second = _softmax(result, measures, state, lang)
    zero = [text(lang, "insight.zero")] if result.config.factor == 0 else []
    third = _special(result, lang)
    return [first, second, *zero, *([] if third is None else [third])]


def _state(measures: Measures) -> str:
    if measures.chosen >= SATURATED:
        return "saturated"
    if measures.entropy >= UNIFORM * measures.ceiling:
        return "uniform" if measures.norm <= SMALL_NORM else "uniform_few"
    return "partly" if measures.one >= MANY_ROWS else "between"


def _scores(result: AttentionResult, measures: Measures, lang: str) -> str:
    config = result.config
    deviation = math.sqrt(measures.variance)
    if result.predicted_variance is None:
        return text(lang, f"insight.scores.{config.mechanism}", measured=measures.variance, deviation=deviation)
    return text(
        lang,
        "insight.variance",
        measured=measures.variance,
        deviation=deviation,
        predicted=exact(result.predicted_variance),
        d_k=config.d_k,
    )


def _softmax(result: AttentionResult, measures: Measures, state: str, lang: str) -> str:
    return text(
        lang,
        f"insight.{state}",
        largest=measures.largest,
        entropy=measures.entropy,
        effective=measures.effective,
        norm=measures.norm,
        trace=measures.trace,
        ceiling=measures.ceiling,
        share=100 * measures.one,
        keys=round(math.exp(float(result.ceiling.max()))),
    )


@dataclass(frozen=True)
class Suggestion:
    """The next thing to try: its name in the texts, and the parameters that it sets."""

    name: str
    change: dict[str, Any]

    def said(self, lang: str) -> str:
        """Return the words of its button, with the value that it sets."""
        return text(lang, f"insight.try.{self.name}", **self.change)


def suggestion(result: AttentionResult) -> Suggestion | None:
    """Return the change whose effect the present state makes visible; None if there is none."""
    config, measures = result.config, measure(result)
    if measures is None or config.factor == 0:
        return None
    if not SCALED[config.mechanism]:
        unscaled = {"mechanism": "dot_product", "scaling": "none"}
        return Suggestion("compare_unscaled", {"pin": True, **unscaled}) if config.d_k >= 16 else None
    state = _state(measures)
    if config.scaling == "none":
        if measures.variance > WIDE:
            return Suggestion("scale", {"scaling": "sqrt_d_k"})
        wider = min(int(BOUNDS["d_k"].maximum), 8 * config.d_k)
        free = config.source != "upload" and wider > config.d_k
        return Suggestion("d_k", {"d_k": wider, "tie": False}) if free else None
    if config.scaling == "d_k" and state.startswith("uniform"):
        return Suggestion("too_small", {"scaling": "sqrt_d_k"})
    if config.scaling == "sqrt_d_k" and state == "between" and result.predicted_variance is not None:
        return Suggestion("unscale", {"scaling": "none"})
    return None


def _special(result: AttentionResult, lang: str) -> str | None:
    """Describe the effect of the mask or, without one, of repeated tokens."""
    config, highest = result.config, float(result.ceiling.max())
    if not mask_choices.of(config).everything:
        return text(lang, f"insight.mask.{config.mask}", keys=round(math.exp(highest)), ceiling=highest)
    if config.source == "text" and result.tokens is not None:
        token, count = Counter(result.tokens).most_common(1)[0]
        if count > 1:
            key = "insight.repeated_positions" if config.positions else "insight.repeated"
            return text(lang, key, token=token, count=count)
    return None


def _row(result: AttentionResult, head: int, row: int, lang: str) -> str:
    if result.mask is not None and not bool(result.mask[row].any()):
        return text(lang, "insight.row_masked", query=row)
    weights = result.weights[head - 1, row]
    key = int(weights.argmax())
    return text(
        lang,
        "insight.row",
        query=_position(result, row),
        head=head,
        key=_position(result, key),
        weight=float(weights[key]),
        entropy=float(result.entropy[head - 1, row]),
        effective=float(result.effective_keys[head - 1, row]),
    )


def _position(result: AttentionResult, position: int) -> str:
    """Return a position, with its token if it has one: 3 “cat”. Plain text, as typed: the page escapes it."""
    return str(position) if result.tokens is None else f"{position} “{result.tokens[position]}”"
