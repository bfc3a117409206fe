"""Where the numbers of the Why √d_k page's sentences come from: those of one d_k, and those of the sweep."""

from collections.abc import Mapping, Sequence
from typing import Final

from attention_core import AttentionResult, SweepConfig, SweepPoint
from visualiser.locale.message import Message, message
from visualiser.reasons import of_rows, of_seeds
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.of_rows import MEANS
from visualiser.reasons.of_scores import SCORES
from visualiser.reasons.shown import Shown
from visualiser.reasons.table import Why, from_table
from visualiser.state.view import View

Results = Mapping[str, AttentionResult]


def _of(name: str, why: Why[Shown]) -> Why[Results]:
    """Return the same reason for the result of one mechanism."""
    return lambda found, sentence: why(Shown(found[name], View()), sentence)


def _root(found: Results, sentence: Message) -> Reason:
    value = float(sentence.facts["factor"])
    return Reason("factor", message("reason.made.root_factor", d_k=found["scaled"].config.d_k, value=value))


TABLE: Final[Mapping[str, Mapping[str, Why[Results]]]] = {
    f"why.{name}": {
        **{fact: _of(name, why) for fact, why in {**MEANS, **SCORES}.items()},
        "ceiling": _of(name, of_rows.ceiling),
        "factor": _root,
    }
    for name in ("unscaled", "scaled", "additive")
} | {"short.why.scaling": {name: _of(name, MEANS["largest"]) for name in ("unscaled", "scaled")}}


def reasons(found: Results) -> How:
    """Return where the facts of the sentences about one d_k come from."""
    return from_table(TABLE, found)


def _end(curve: str, place: int) -> Why[tuple[SweepConfig, Sequence[SweepPoint]]]:
    def reason(swept: tuple[SweepConfig, Sequence[SweepPoint]], sentence: Message) -> Reason:
        point = [point for point in swept[1] if point.curve == curve][place]
        return of_seeds.mean("entropy", point.entropy.tolist(), point.spread("entropy")[0])

    return reason


def _rows(swept: tuple[SweepConfig, Sequence[SweepPoint]], sentence: Message) -> Reason:
    config, _ = swept
    return Reason("counted", message("reason.made.product", a=config.n, b=config.seeds, value=config.n * config.seeds))


SWEPT: Final[Mapping[str, Mapping[str, Why[tuple[SweepConfig, Sequence[SweepPoint]]]]]] = {
    "predict.why_falls.because": {
        f"{curve}_{end}": _end(curve, place)
        for curve in ("unscaled", "scaled", "additive")
        for end, place in (("from", 0), ("to", -1))
    },
    "predict.why_falls.open": {"rows": _rows},
}


def of_sweep(config: SweepConfig, points: Sequence[SweepPoint]) -> How:
    """Return where the facts of the verdict on the sweep come from."""
    return from_table(SWEPT, (config, points))
