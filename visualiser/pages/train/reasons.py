"""Where the numbers of the Train page's sentences come from: each summarises one value of every seed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from torch import Tensor

from attention_core.experiments import HeadsExperiment, QualityExperiment, Snapshot
from visualiser.figures.training import Training, of_quality
from visualiser.locale.message import Message, message
from visualiser.reasons import of_seeds
from visualiser.reasons.digits import consistent_digits
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.table import Why, from_table

Experiment = QualityExperiment | HeadsExperiment


def _plan(training: Training, sentence: Message) -> Reason:
    return Reason("size", message("reason.made.plan"))


def _curves(training: Training, sentence: Message) -> Reason:
    wanted = training.wanted
    if isinstance(wanted, HeadsExperiment):
        return Reason("counted", message("reason.made.numbers_of_heads", value=len(wanted.curves)))
    terms = {"a": len(wanted.mechanism), "b": len(wanted.d_k), "value": len(wanted.curves)}
    return Reason("counted", message("reason.made.curves", **terms))


def _mean(kind: str, values: Tensor) -> Reason:
    each = values.double().tolist()
    return of_seeds.mean(kind, each, sum(each) / len(each))


def _mechanism(sentence: Message) -> str:
    return str(sentence.facts["name"].key).rsplit(".", 1)[1]


def _accuracy_at(end: int) -> Why[Training]:
    def reason(training: Training, sentence: Message) -> Reason:
        d_k = sorted(training.widths)[end]
        return _mean("accuracy", training.quality(_mechanism(sentence), d_k).accuracy)

    return reason


def _claimed(mechanism: str) -> Why[Training]:
    return lambda training, sentence: _mean("accuracy", training.quality(mechanism, max(training.widths)).accuracy)


def _edge(mechanism: str, end: str) -> Why[Training]:
    def reason(training: Training, sentence: Message) -> Reason:
        values = training.quality(mechanism, max(training.widths)).accuracy.double().tolist()
        value = min(values) if end == "least" else max(values)
        return Reason("accuracy", message(f"reason.made.end.{end}", value=value, seeds=len(values)))

    return reason


def _of_heads(name: str, kind: str) -> Why[Training]:
    def reason(training: Training, sentence: Message) -> Reason:
        return _mean(kind, getattr(training.heads(sentence.facts["h"]), name))

    return reason


def _alone(training: Training, sentence: Message) -> Reason:
    return _mean("accuracy", training.heads(1).accuracy)


def _most_accuracy(pick: Callable[[Iterable[float]], float]) -> Why[Training]:
    """Return the reason of the least or the greatest of the mechanisms' accuracies at the largest d_k."""

    def reason(training: Training, sentence: Message) -> Reason:
        assert isinstance(training.wanted, QualityExperiment)
        high = max(training.widths)
        curves = [training.quality(name, high).accuracy for name in training.wanted.mechanism]
        means = [float(each.double().mean()) for each in curves]
        return _mean("accuracy", curves[means.index(pick(means))])

    return reason


def _of_so_many(pick: Callable[[Iterable[int]], int]) -> Why[Training]:
    """Return the reason of the accuracy with the fewest or the most heads."""

    def reason(training: Training, sentence: Message) -> Reason:
        assert isinstance(training.wanted, HeadsExperiment)
        return _mean("accuracy", training.heads(pick(training.wanted.h)).accuracy)

    return reason


def _drawn_over(training: Training, sentence: Message) -> Reason:
    return _mean("accuracy", training.heads(int(sentence.facts["x"])).accuracy)


def _your_curve(training: Training, sentence: Message) -> Reason:
    return Reason("accuracy", message("reason.made.drawn_by_you"))


def _mass(training: Training, sentence: Message) -> Reason:
    most = training.heads(sentence.facts["h"]).mass[0].double().amax(-1).tolist()
    value, count = sum(most) / len(most), len(most)
    total = consistent_digits(value, lambda sum: sum / count, sum=sum(most))
    ends = {"least": min(most), "most": max(most)}
    return Reason("named_mass", message("reason.made.heads", value=value, heads=count, **ends, **total))


def _names(training: Training, sentence: Message) -> Reason:
    return Reason("counted", message("reason.made.favourites", heads=sentence.facts["h"]))


def _start(mechanism: str, which: str) -> Why[Training]:
    def reason(training: Training, sentence: Message) -> Reason:
        high = max(training.widths)
        start = next(
            shot
            for shot in of_quality(training.found)
            if shot.step == 0 and (shot.curve.mechanism, shot.curve.d_k) == (mechanism, high)
        )
        values = start.score_gradient if which == "scores" else start.projection_gradient
        kind = "score_gradient" if which == "scores" else "projection_gradient"
        return of_seeds.median(kind, values.double().tolist(), float(values.double().median()))

    return reason


_OUTCOME: Final[Mapping[str, Why[Training]]] = {"low": _plan, "high": _plan, "d_k": _plan, "m": _plan}
_STARTS: Final[Mapping[str, Why[Training]]] = {
    "d_k": _plan,
    **{f"{name}_{which}": _start(name, which) for name in ("unscaled", "scaled") for which in ("scores", "weights")},
}

TABLE: Final[Mapping[str, Mapping[str, Why[Training]]]] = {
    "train.plan.": {
        "curves": _curves,
        **dict.fromkeys(("seeds", "steps", "h", "m", "d_model", "d_k"), _plan),
    },
    "train.outcome": _OUTCOME,
    "train.outcome_one": _OUTCOME,
    "train.heads_outcome": _OUTCOME,
    "predict.train_falls.because": _OUTCOME,
    "predict.train_best.because": _OUTCOME,
    "predict.train_learns.because": _OUTCOME,
    "predict.train_heads.because": _OUTCOME,
    "predict.curve.largest": {"x": _plan, "real": _drawn_over, "drawn": _your_curve},
    "train.curve": {"from": _accuracy_at(0), "to": _accuracy_at(-1)},
    "train.curve_one": {"value": _accuracy_at(0)},
    "short.train.curve": {"value": _accuracy_at(-1)},
    "short.train.one_alone": {"d_k": _plan, "value": _accuracy_at(-1)},
    "short.train.one_grows": {"from": _accuracy_at(0), "to": _accuracy_at(-1)},
    "short.train.several": {"least": _most_accuracy(min), "most": _most_accuracy(max)},
    "short.train.heads_alone": {"h": _plan, "accuracy": _of_heads("accuracy", "accuracy")},
    "short.train.heads_ends": {"few": _of_so_many(min), "many": _of_so_many(max)},
    "short.train.heads_single": {"few": _of_so_many(min), "many": _of_so_many(max)},
    "train.heads_one": {"h": _plan, "accuracy": _of_heads("accuracy", "accuracy")},
    "train.claim_holds": _OUTCOME,
    "train.claim_fails": _OUTCOME,
    "train.claim_alone": {**_OUTCOME, "additive": _claimed("additive"), "unscaled": _claimed("unscaled")},
    "train.claim_open": {
        **_OUTCOME,
        **{f"{name}_{end}": _edge(name, end) for name in ("additive", "unscaled") for end in ("least", "most")},
    },
    "train.norm_other": {"d_k": _plan},
    "train.norm_starts": {
        "d_k": _plan,
        "scores": _start("qk_norm_unscaled", "scores"),
        "weights": _start("qk_norm_unscaled", "weights"),
    },
    "train.starts": _STARTS,
    "train.vanishes": _STARTS,
    "train.heads_divergence": {
        "h": _plan,
        "before": _of_heads("start_divergence", "divergence"),
        "after": _of_heads("divergence", "divergence"),
    },
    "train.heads_divergence_only": {
        "h": _plan,
        "before": _of_heads("start_divergence", "divergence"),
        "after": _of_heads("divergence", "divergence"),
    },
    "train.heads_share": {"h": _plan, "mass": _mass, "names": _names},
    "train.heads_share_one": {"h": _plan, "mass": _mass},
    "train.mlp": {"accuracy": _alone, "m": _plan},
}


def reasons(wanted: Experiment, found: Sequence[Snapshot]) -> How:
    """Return where the facts of the sentences about a training come from."""
    return from_table(TABLE, Training(wanted, found))
