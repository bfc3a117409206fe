"""The sentences and the table of a training: its plan, its outcome, and every run with its settings."""

from collections.abc import Sequence
from typing import Final

from attention_core.experiments import HeadsExperiment, HeadsSnapshot, QualityExperiment, QualitySnapshot, Snapshot
from visualiser.drawing.seeds import newest, spread, spread_by_median
from visualiser.figures.training import of_heads, of_quality
from visualiser.locale.message import Message, message, short
from visualiser.pages.train import RULES
from visualiser.predictions import Band

Experiment = QualityExperiment | HeadsExperiment


UNCLEAR: Final = 0.02
"""The error of one seed's accuracy on 512 examples near ½."""

_VANISHED: Final = 1e-3
"""A gradient vanishes beside another one of which it is at most this share."""

_KEPT: Final = 0.5
"""A gradient does not vanish beside another one of which it is at least this share."""

_FAVOURITE: Final = 0.01
"""The weight by which a head reads its favourite name more than any other."""

_TOLD_APART: Final = 0.01
"""The divergence in bits from which a sentence states that random heads differ."""

_SOLVED: Final = 0.9
"""The accuracy from which a task is too easy to show a difference."""

NORMED: Final = "qk_norm_unscaled"
"""The mechanism that came after the paper: the page compares it with each of the others."""

_MOST_VALUES: Final = max(map(int, RULES.own["classes"].choices))
"""The largest number of values that the page offers."""


def lead(wanted: Experiment) -> Message:
    """Return the question that the experiment answers."""
    return message("train.lead.heads" if isinstance(wanted, HeadsExperiment) else "train.lead.quality")


def plan(wanted: Experiment) -> list[Message]:
    """Describe the plan of a run."""
    counted = {"curves": len(wanted.curves), "seeds": wanted.seeds, "steps": wanted.steps}
    if isinstance(wanted, HeadsExperiment):
        shape = {"h": list(wanted.h), "m": wanted.m, "d_model": wanted.d_model}
        return [lead(wanted), message("train.plan.heads", **shape, **counted)]
    return [
        lead(wanted),
        message(f"train.plan.{wanted.task}"),
        message("train.plan.quality", d_k=list(wanted.d_k), **counted),
    ]


def insight(wanted: Experiment, found: Sequence[Snapshot]) -> list[Message]:
    """Give the gist of the outcome, then all sentences; every curve is trained."""
    if isinstance(wanted, HeadsExperiment):
        first = _short_of_heads(wanted, newest(of_heads(found)))
    else:
        first = _short_of_quality(wanted, accuracy(found))
    return [first, *in_full(wanted, found)]


def in_full(wanted: Experiment, found: Sequence[Snapshot]) -> list[Message]:
    """State what the outcome means for the paper's claim, in its own numbers; every curve is trained."""
    if isinstance(wanted, HeadsExperiment):
        return [lead(wanted), *_heads_insight(wanted, newest(of_heads(found)))]
    accuracies = accuracy(found)
    return [
        lead(wanted),
        outcome(wanted, accuracies, "train.outcome", "train.outcome_one"),
        *_claim(wanted, accuracies),
        *_gradients(wanted, found),
        *_normed(wanted, accuracies),
        *_normed_start(wanted, found),
    ]


def accuracy(found: Sequence[Snapshot]) -> dict[tuple[str, int], Band]:
    """Return the latest accuracy of each mechanism and d_k."""
    last = newest(of_quality(found))
    return {key: Band(*spread(shot.accuracy).tolist()) for key, shot in last.items() if isinstance(key, tuple)}


def outcome(wanted: QualityExperiment, found: dict[tuple[str, int], Band], several: str, one: str) -> Message:
    """State the accuracies at the smallest and the largest d_k by the text `several`, at a single d_k by `one`."""
    low, high = min(wanted.d_k), max(wanted.d_k)
    if low == high:
        alone = [message("train.curve_one", name=label(name), value=found[name, low].mean) for name in wanted.mechanism]
        return message(one, d_k=low, curves=alone)
    curves = [
        message("train.curve", name=label(name), **{"from": found[name, low].mean, "to": found[name, high].mean})
        for name in wanted.mechanism
    ]
    return message(several, low=low, high=high, curves=curves)


def heads_outcome(wanted: HeadsExperiment, found: Sequence[Snapshot], key: str = "train.heads_outcome") -> Message:
    """State the accuracy at each number of heads."""
    last = newest(of_heads(found))
    values = [message("train.heads_one", h=h, accuracy=spread(last[h].accuracy)[0].item()) for h in sorted(wanted.h)]
    return message(key, m=wanted.m, values=values)


def label(mechanism: str) -> Message:
    """Return the name of a mechanism within a sentence."""
    return message(f"predict.train_falls.{mechanism}")


def _claim(wanted: QualityExperiment, found: dict[tuple[str, int], Band]) -> list[Message]:
    """Compare the paper's sentence ("additive attention outperforms … for larger values of d_k") with the seeds."""
    high = max(wanted.d_k)
    if min(wanted.d_k) == high or not {"additive", "unscaled"} <= set(wanted.mechanism):
        return []
    additive, unscaled = found["additive", high], found["unscaled", high]
    if wanted.seeds == 1:
        return [message("train.claim_alone", d_k=high, additive=additive.mean, unscaled=unscaled.mean)]
    if additive.least > unscaled.most + UNCLEAR:
        return [message("train.claim_holds", d_k=high)]
    if unscaled.least > additive.most + UNCLEAR:
        return [message("train.claim_fails", d_k=high)]
    bands = {
        f"{name}_{end}": getattr(seeds, end)
        for name, seeds in (("additive", additive), ("unscaled", unscaled))
        for end in ("least", "most")
    }
    return [message("train.claim_open", d_k=high, **bands)]


def _gradients(wanted: QualityExperiment, found: Sequence[Snapshot]) -> list[Message]:
    """Compare the gradients before the first step at the largest d_k, as the figure draws them."""
    high = max(wanted.d_k)
    if not {"unscaled", "scaled"} <= set(wanted.mechanism):
        return []
    start = _start(found, high)
    sizes = {
        f"{name}_{which}": spread_by_median(getattr(start[name], measure))[0].item()
        for name in ("unscaled", "scaled")
        for which, measure in (("scores", "score_gradient"), ("weights", "projection_gradient"))
    }
    vanishes = sizes["scaled_scores"] > 0 and sizes["unscaled_scores"] <= _VANISHED * sizes["scaled_scores"]
    remains = sizes["unscaled_weights"] >= _KEPT * sizes["scaled_weights"]
    return [message("train.vanishes" if vanishes and remains else "train.starts", d_k=high, **sizes)]


def _start(found: Sequence[Snapshot], d_k: int) -> dict[str, QualitySnapshot]:
    """Return each mechanism's snapshot before the first step."""
    return {shot.curve.mechanism: shot for shot in of_quality(found) if shot.step == 0 and shot.curve.d_k == d_k}


def _normed(wanted: QualityExperiment, found: dict[tuple[str, int], Band]) -> list[Message]:
    """Compare QK-norm without a factor with the other mechanisms at every d_k, by the seeds.

    All seeds of the better one lie above all of the worse one by more than `UNCLEAR`; else the seeds do not tell them
    apart.
    """
    others = [name for name in wanted.mechanism if name != NORMED]
    if NORMED not in wanted.mechanism or not others:
        return []
    if wanted.seeds == 1:
        return [message("train.norm_alone")]
    place = {(name, d_k): _beside(found[NORMED, d_k], found[name, d_k]) for name in others for d_k in wanted.d_k}
    sentences = []
    for key in ("train.norm_beats", "train.norm_beaten", "train.norm_open"):
        widths = {name: sorted(d_k for d_k in wanted.d_k if place[name, d_k] == key) for name in others}
        listed = [message("train.norm_other", name=label(name), d_k=some) for name, some in widths.items() if some]
        if listed:
            sentences.append(message(key, others=listed))
    return sentences


def _beside(one: Band, other: Band) -> str:
    """Return the key of the sentence that compares `one` with `other`."""
    if one.least > other.most + UNCLEAR:
        return "train.norm_beats"
    return "train.norm_beaten" if other.least > one.most + UNCLEAR else "train.norm_open"


def _normed_start(wanted: QualityExperiment, found: Sequence[Snapshot]) -> list[Message]:
    """State the gradients of QK-norm without a factor before the first step at the largest d_k."""
    high = max(wanted.d_k)
    shot = _start(found, high).get(NORMED)
    if shot is None:
        return []
    scores, weights = (spread_by_median(values)[0].item() for values in (shot.score_gradient, shot.projection_gradient))
    return [message("train.norm_starts", d_k=high, scores=scores, weights=weights)]


def _short_of_quality(wanted: QualityExperiment, found: dict[tuple[str, int], Band]) -> Message:
    """Return the gist: the paper's claim if both its mechanisms are there, else the accuracies at the largest d_k."""
    for claim in _claim(wanted, found):
        return short(claim)
    low, high = min(wanted.d_k), max(wanted.d_k)
    last = {name: found[name, high].mean for name in wanted.mechanism}
    if len(last) > 2:
        return message("short.train.several", least=min(last.values()), most=max(last.values()))
    if len(last) == 2:
        curves = [message("short.train.curve", name=label(name), value=value) for name, value in last.items()]
        return message("short.train.two", curves=curves)
    (name,) = last
    if low == high:
        return message("short.train.one_alone", name=label(name), d_k=high, value=last[name])
    return message("short.train.one_grows", name=label(name), **{"from": found[name, low].mean, "to": last[name]})


def _short_of_heads(wanted: HeadsExperiment, last: dict[tuple[str, int] | int, HeadsSnapshot]) -> Message:
    """Return the gist: the accuracies with the fewest and the most heads."""
    fewest, most = min(wanted.h), max(wanted.h)
    few, many = (spread(last[h].accuracy)[0].item() for h in (fewest, most))
    if fewest == most:
        return message("short.train.heads_alone", h=most, accuracy=many)
    return message("short.train.heads_single" if fewest == 1 else "short.train.heads_ends", few=few, many=many)


def _heads_insight(wanted: HeadsExperiment, last: dict[tuple[str, int] | int, HeadsSnapshot]) -> list[Message]:
    sentences = [heads_outcome(wanted, list(last.values()))]
    if wanted.m in last:
        sentences += [*_reading(last[wanted.m], wanted.m), *_apart(last[wanted.m], wanted.m)]
    return [*sentences, *_behind(wanted, last)] if wanted.mlp and wanted.m > 1 else sentences


def _reading(shot: HeadsSnapshot, m: int) -> list[Message]:
    """Name what each of m heads reads most, if each has one such name (first seed)."""
    mass = shot.mass[0].double()
    most = mass.amax(-1).mean().item()
    if m == 1:
        return [message("train.heads_share_one", h=m, mass=most)]
    first, second = mass.topk(2).values.unbind(-1)
    if (first - second).min() < _FAVOURITE:
        return []
    return [message("train.heads_share", h=m, mass=most, names=len(set(mass.argmax(-1).tolist())))]


def _apart(shot: HeadsSnapshot, h: int) -> list[Message]:
    if h < 2:
        return []  # one head differs from none
    before, after = (spread(values)[0].item() for values in (shot.start_divergence, shot.divergence))
    key = "train.heads_divergence" if before >= _TOLD_APART else "train.heads_divergence_only"
    return [message(key, h=h, before=before, after=after)]


def _behind(wanted: HeadsExperiment, last: dict[tuple[str, int] | int, HeadsSnapshot]) -> list[Message]:
    """Describe what an MLP behind a single head makes of its average of several values."""
    if 1 not in last:
        return [message("train.mlp_unseen")]
    alone = spread(last[1].accuracy)[0].item()
    sentences = [message("train.mlp", accuracy=alone, m=wanted.m)]
    if alone >= _SOLVED and wanted.classes < _MOST_VALUES:
        sentences.append(message("train.mlp_more_values"))
    return sentences
