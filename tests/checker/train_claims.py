"""The claims of Train's sentences by their keys, and those of every experiment."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attention_core.experiments import Snapshot
from tests.checker.checking import Claim
from tests.checker.train_heads import (
    divergence,
    divergence_misleads,
    heads_alone,
    heads_ends,
    heads_outcome,
    heads_single,
    mlp,
    mlp_unseen,
    more_values,
    plan_heads,
    share,
    share_one,
)
from tests.checker.train_quality import (
    claim_alone,
    claim_of,
    claim_open,
    gradients,
    norm_alone,
    norm_of,
    norm_starts,
    one_alone,
    one_grows,
    outcome,
    outcome_one,
    plan_quality,
    several_last,
    task_of,
    two_last,
    vanishes,
)
from tests.checker.train_questions import (
    because_heads,
    differs,
    differs_open,
    largest,
    open_question,
    question,
    question_best,
    question_heads,
    question_learns,
    right,
    several,
    trend,
)
from tests.checker.train_truth import STOPS, Facts, Truth


def _nothing(true: Truth, facts: Facts) -> Iterable[str]:
    return ()  # said with no snapshot: `_whole` counts


def _state(true: Truth, facts: Facts) -> Iterable[str]:
    curves = len(true.wanted.curves)
    if facts["curves"] != curves or not 0 <= facts["finished"] <= curves:
        yield "another number of curves"
    if (facts["finished"], facts.get("learning", 0)) not in {_reached(true.shots[:count]) for count in STOPS}:
        yield "so many curves have not come so far"


def _reached(shots: Sequence[Snapshot]) -> tuple[int, int]:
    """Return the number of curves that are trained, and of those still learning."""
    last = {shot.curve: shot for shot in shots}
    ended = sum(shot.step == shot.steps for shot in last.values())
    return ended, len(last) - ended


def _seeds(true: Truth, facts: Facts) -> Iterable[str]:
    if facts["seeds"] != true.wanted.seeds:
        yield "another number of seeds"


def _true(true: Truth, facts: Facts) -> Iterable[str]:
    return ()


CLAIMS: Final[Mapping[str, Claim[Truth]]] = {
    "train.lead.heads": _true,
    "train.lead.quality": _true,
    "train.plan.heads": plan_heads,
    "train.plan.quality": plan_quality,
    **{f"train.plan.{task}": task_of(task) for task in ("reverse", "recall", "noisy")},
    "train.outcome": outcome,
    "train.outcome_one": outcome_one,
    "short.train.several": several_last,
    "short.train.two": two_last,
    "short.train.one_grows": one_grows,
    "short.train.one_alone": one_alone,
    "short.train.heads_ends": heads_ends,
    "short.train.heads_single": heads_single,
    "short.train.heads_alone": heads_alone,
    "train.claim_holds": claim_of(0),
    "train.claim_fails": claim_of(1),
    "train.claim_open": claim_open,
    "train.claim_alone": claim_alone,
    **{f"train.norm_{way}": norm_of(way) for way in ("beats", "beaten", "open")},
    "train.norm_alone": norm_alone,
    "train.norm_starts": norm_starts,
    "train.vanishes": vanishes,
    "train.starts": gradients,
    "train.heads_outcome": heads_outcome,
    "train.heads_share": share,
    "train.heads_share_one": share_one,
    "train.heads_divergence": divergence_misleads,
    "train.heads_divergence_only": divergence,
    "train.mlp": mlp,
    "train.mlp_more_values": more_values,
    "train.mlp_unseen": mlp_unseen,
    "train.nothing": _nothing,
    "train.state": _state,
    "train.state_learning": _state,
    "train.summary.train_accuracy": _seeds,
    **{
        f"train.summary.{name}": _true
        for name in ("train_steps", "train_gradient", "heads_accuracy", "heads_mass", "heads_maps")
    },
    "predict.train_falls.question": question,
    "predict.train_best.question": question_best,
    "predict.train_learns.question": question_learns,
    "predict.train_heads.question": question_heads,
    "predict.right": right,
    "predict.differs": differs,
    "predict.right_open": open_question,
    "predict.differs_open": differs_open,
    "predict.several_right": several,
    "predict.train_falls.because": outcome,
    "predict.train_best.because": outcome_one,
    "predict.train_learns.because": outcome_one,
    "predict.train_heads.because": because_heads,
    "predict.curve.close": _true,
    "predict.curve.apart": _true,
    "predict.curve.same": trend(True),
    "predict.curve.other": trend(False),
    "predict.curve.largest": largest,
}
