"""Explore's questions: what a change does to this state, and which head is the most selective.

A question fits the settings of its state, so the question and its price follow from the link alone. The truth is
computed when the visitor reveals it: before and after the change, each at as many seeds as `draws` takes. The interval
of their median ratio decides: an answer is right if the interval does not rule it out.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from attention_core import AttentionConfig, AttentionResult, checkpoint, mechanisms
from attention_core.config import SCALED
from attention_core.exact import mask_choices
from attention_core.exact.formats import is_reference
from visualiser import predictions
from visualiser.drawing.boxes import mean_over_rows
from visualiser.drawing.weighed import is_plain
from visualiser.locale import number
from visualiser.locale.message import Message, message
from visualiser.pages import narrow_head
from visualiser.pages.explore import CHANGES, MEASURES, verdict_reasons
from visualiser.pages.explore.facts import Facts
from visualiser.pages.uses import SOURCES
from visualiser.predictions import Band, Choice
from visualiser.reasons.explained import How
from visualiser.server.live import predicting
from visualiser.state import parameters
from visualiser.state.rules import BROUGHT
from visualiser.state.share import State

DRAWS: Final = 5
"""The least number of seeds of a truth, from the state's own on."""

MOST_DRAWS: Final = 21
"""The greatest number of them."""

ROWS: Final = 640
"""The rows that all seeds have together, if no bound forbids: a state of few rows says little at each seed."""

NEARLY: Final = 0.02
"""The share by which a value may change and count as the same."""

WIDER: Final = 4
"""The multiple of d_k."""

CHANGE: Final = Choice("change", ("doubles", "stays", "halves", predictions.NONE))
"""The question about a change: a smaller rise or fall is none of the three."""

_TIMES: Final = {"halves": (-math.inf, 0.5), "stays": (1 - NEARLY, 1 + NEARLY), "doubles": (2.0, math.inf)}

Compute = Callable[[AttentionConfig], AttentionResult]


@dataclass(frozen=True)
class PosedQuestion:
    """The question that is posed about a state.

    `name` is its name in a link, `following` that of the next one. `change` are the settings that revealing it sets.
    `about` distinguishes it from the questions about other states.
    """

    name: str
    following: str | None
    choice: Choice
    labels: predictions.Labels | None
    facts: Mapping[str, Any]
    change: Mapping[str, Any]
    about: str

    @property
    def of_heads(self) -> bool:
        """True if the panels' numbers by head would answer it."""
        return self.choice is narrow_head.QUESTION

    def part(self, lang: str) -> bytes:
        """Return the part that shows it."""
        return predicting.question_part(
            self.choice, lang, labels=self.labels, about=self.about, following=self.following, **self.facts
        )


def pose_question(state: State, config: AttentionConfig) -> PosedQuestion | None:
    """Return the question to pose about a state; None if it wants none, or none fits.

    `config` has the sizes of the result, which a file decides and not the link.
    """
    found = predictions.choose_question(state, askable(state, config))
    if found is None:
        return None
    name, following = found
    about = repr((name, config))
    if name == narrow_head.QUESTION.name:
        return PosedQuestion(name, following, narrow_head.QUESTION, narrow_head.labels(config.h), {}, {}, about)
    change, measure = name.split("_")
    to = _CHANGES[change](config)
    assert to is not None  # it is askable
    facts = {"change": _described(change, config, to), "measure": message(f"predict.measure.{measure}")}
    return PosedQuestion(name, following, CHANGE, None, facts, to, about)


def askable(state: State, config: AttentionConfig) -> list[str]:
    """Return the questions that fit a state; none about changes beside a pinned A, which may be the result.

    Nor are there any about changes of a trained layer.
    """
    if not is_reference(config):
        return []  # a format that overflows leaves no number to compare
    if not is_plain(config):
        return []  # they are about the softmax
    trained = config.source == "model"  # its factor and its widths are learned, and no control changes them
    changes = [] if state.pinned or trained else [change for change in CHANGES if _CHANGES[change](config)]
    offered = [f"{change}_{measure}" for measure in MEASURES for change in changes]
    return [*offered, narrow_head.QUESTION.name] if config.h > 1 else offered


def changed(posed: PosedQuestion, config: AttentionConfig) -> AttentionConfig:
    """Return the configuration after the change."""
    return replace(config, **posed.change)


def draws(config: AttentionConfig) -> list[AttentionConfig]:
    """Return the configuration at each seed of a truth; what is brought has none unless the mechanism draws."""
    several = min(max(DRAWS, math.ceil(ROWS / (config.n * config.h)) | 1), MOST_DRAWS)  # odd: one is in the middle
    count = 1 if config.source in BROUGHT and not mechanisms.of(config).drawn else several
    seeds = int(parameters.bounds(parameters.EXPLORE)["seed"].maximum) + 1
    return [replace(config, seed=(config.seed + i) % seeds) for i in range(count)]


def judged(
    posed: PosedQuestion, config: AttentionConfig, extra: Mapping[str, Any], compute: Compute
) -> predictions.Verdict | None:
    """Compare the visitor's answer with what `compute` finds; None if there is no answer."""
    if predictions.prediction_of(posed.choice, extra) is None:
        return None
    if posed.of_heads:
        rights, facts, how = _heads(compute(config))
        found = predictions.judged(posed.choice, extra, rights, labels=posed.labels, **facts)
    else:
        times, facts, how = _changes(posed, config, compute)
        rights, likeliest = compared(times), predictions.holder(_TIMES, times.mean)
        because = "because_one" if facts["draws"] == 1 else "because"
        found = predictions.judged(posed.choice, extra, rights, because=because, likeliest=likeliest, **facts)
    if found is None:
        return None
    open_ones = any(isinstance(fact, Message) and fact.key == "predict.range" for fact in facts.values())
    medians = [message("predict.change.medians")] if open_ones else []
    rule = [message("predict.change.rule", share=round(100 * NEARLY))] if "stays" in rights else []
    several = predictions.several_right(posed.choice, rights, posed.labels)
    return replace(found, sentences=[*found.sentences, *medians, *rule, *several], how=how)


def _heads(result: AttentionResult) -> tuple[list[str], dict[str, Any], How]:
    ceiling = Facts(result).ceiling
    rights, facts = narrow_head.truth(mean_over_rows(result, "entropy").tolist(), ceiling)
    return rights, facts, verdict_reasons.of_heads(result, ceiling)


def _changes(posed: PosedQuestion, config: AttentionConfig, compute: Compute) -> tuple[Band, dict[str, Any], How]:
    """Return the ratio after and before a change, the facts of the verdict and where they come from."""
    name = posed.name.split("_")[1]
    measure = _MEASURES[name]
    pairs = []
    for before in draws(config):
        checkpoint()
        pairs.append(tuple(measure(Facts(compute(of))) for of in (before, changed(posed, before))))
    old, new = (predictions.median(values) for values in zip(*pairs, strict=True))
    ratios = [_ratio(*pair) for pair in pairs]
    times = predictions.median(ratios)
    bands = {"before": _median(old), "after": _median(new), "times": _median(times)}
    draws_of = dict(zip(bands, (*zip(*pairs, strict=True), ratios), strict=True))
    facts = {"measure": posed.facts["measure"], **bands, "draws": len(pairs)}
    return times, facts, verdict_reasons.of_change(name, bands, draws_of)


def compared(times: Band) -> list[str]:
    """Return the answers that a change does not rule out after which a measure is so many times what it was.

    It stays if the ratio may be within `NEARLY` of 1.
    """
    return predictions.plausible_ranges(_TIMES, times)


def _ratio(old: float, new: float) -> float:
    if old == 0:
        return 1.0 if new == 0 else math.inf
    return new / old


def _median(band: Band) -> Message:
    """Write a median, and its interval if the ends differ as they are written."""
    ends = {"least": band.least, "most": band.most}
    if number(band.least) == number(band.most):
        return message("predict.exactly", mean=band.mean)
    return message("predict.range", mean=band.mean, **ends)


def _unscaled(config: AttentionConfig) -> dict[str, Any] | None:
    unscaled = replace(config, scaling="none").factor
    return {"scaling": "none"} if SCALED[config.mechanism] and config.factor != unscaled else None


def _scaled(config: AttentionConfig) -> dict[str, Any] | None:
    root = replace(config, scaling="sqrt_d_k").factor
    return {"scaling": "sqrt_d_k"} if SCALED[config.mechanism] and not math.isclose(config.factor, root) else None


def _wider(config: AttentionConfig) -> dict[str, Any] | None:
    d_k = WIDER * config.d_k
    fits = "d_k" in SOURCES[config.source] and d_k <= parameters.bounds(parameters.EXPLORE)["d_k"].maximum
    return {"d_k": d_k, "tie": False} if fits else None


def _twice_the_heads(config: AttentionConfig) -> dict[str, Any] | None:
    h = 2 * config.h
    fits = config.tie and h <= parameters.bounds(parameters.EXPLORE)["h"].maximum and config.d_model % h == 0
    return {"h": h, "d_k": config.d_model // h} if fits and "h" in SOURCES[config.source] else None


def _causal(config: AttentionConfig) -> dict[str, Any] | None:
    return {"mask": "causal"} if mask_choices.of(config).everything else None


_CHANGES: Final[Mapping[str, Callable[[AttentionConfig], dict[str, Any] | None]]] = {
    "unscaled": _unscaled,
    "scaled": _scaled,
    "wider": _wider,
    "heads": _twice_the_heads,
    "causal": _causal,
}
"""The settings of each of `CHANGES`; None if a state cannot make it."""

_MEASURES: Final[Mapping[str, Callable[[Facts], float]]] = {
    "entropy": lambda facts: facts.mean("entropy"),
    "variance": lambda facts: 0.0 if facts.one_score else facts.moments[1],  # rounding has no variance
    "largest": lambda facts: facts.mean("largest_weight"),
    "norm": lambda facts: facts.mean("jacobian_norm"),
}
"""Each of `MEASURES`, as the captions state it."""


def _described(change: str, config: AttentionConfig, to: Mapping[str, Any]) -> Message:
    """Name the setting that is changed, and its values before and after."""
    after = replace(config, **to)
    facts = {
        "unscaled": {"old": config.factor, "new": after.factor},
        "scaled": {"old": config.factor, "new": after.factor},
        "wider": {"old": config.d_k, "new": after.d_k},
        "heads": {"old": config.h, "new": after.h, "d_model": config.d_model, "before": config.d_k, "after": after.d_k},
        "causal": {},
    }
    return message(f"predict.changed.{change}", **facts[change])
