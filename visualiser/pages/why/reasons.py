"""Where the numbers of the Why √d_k page's sentences come from: those of one d_k, and those of the curves."""

from collections.abc import Mapping
from typing import Final

from attention_core import AttentionResult
from visualiser.figures.swept import KEY_FACTS, Plan, Points, place_of
from visualiser.locale.message import Message, message
from visualiser.pages.why.outcome import KEYS, MECHANISMS, QK_NORM
from visualiser.reasons import of_rows, of_seeds
from visualiser.reasons.explained import How, Reason
from visualiser.reasons.kinds import kind_of
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


def _tokens(found: Results, sentence: Message) -> Reason:
    return Reason("size", message("reason.made.control", name="n"))


SHORT: Final = {"scaling": ("unscaled", "scaled"), "qk_norm": QK_NORM.curves, "keys": ("softmax",)}
"""The largest weights in the short sentence on each comparison."""

TABLE: Final[Mapping[str, Mapping[str, Why[Results]]]] = {
    f"why.{name}": {
        **{fact: _of(name, why) for fact, why in {**MEANS, **SCORES}.items()},
        "ceiling": _of(name, of_rows.ceiling),
        "factor": _root,
    }
    for name in ("unscaled", "scaled", "additive")
} | {
    **{
        f"why.place.{name}": {**{fact: _of(name, why) for fact, why in {**MEANS, **SCORES}.items()}, "n": _tokens}
        for name in (*QK_NORM.curves, *KEYS.curves)
    },
    **{
        f"short.why.{which}": {**{name: _of(name, MEANS["largest"]) for name in names}, "n": _tokens}
        for which, names in SHORT.items()
    },
}


def reasons(found: Results) -> How:
    """Return where the facts of the sentences about one d_k come from."""
    return from_table(TABLE, found)


Told = tuple[Plan, Points]


def _end(measure: str, curve: str, place: int | None) -> Why[Told]:
    """Return the reason of a mean over seeds at a place of a curve: its first if 0, its last if None."""

    def reason(swept: Told, sentence: Message) -> Reason:
        size = place_of(swept[0], place)
        point = next(one for one in swept[1] if (one.curve, one.size) == (curve, size))
        kind = kind_of(swept[0].attention(curve, swept[0].seed, size), measure)
        return of_seeds.mean(kind, point.per_seed(measure).tolist(), point.spread(measure)[0])

    return reason


def _rows(swept: Told, sentence: Message) -> Reason:
    config, rows = swept[0], int(sentence.facts["rows"])
    each = rows // config.seeds
    return Reason("counted", message("reason.made.product", a=each, b=config.seeds, value=rows))


def _plan(swept: Told, sentence: Message) -> Reason:
    return Reason("size", message("reason.made.plan"))


def _from_to(curves: tuple[str, ...]) -> Mapping[str, Why[Told]]:
    ends = (("from", 0), ("to", None))
    return {f"{curve}_{end}": _end("entropy", curve, place) for curve in curves for end, place in ends}


SWEPT: Final[Mapping[str, Mapping[str, Why[Told]]]] = {
    **{f"predict.{asked.name}.open": {"rows": _rows} for asked in (MECHANISMS, QK_NORM, KEYS)},
    "predict.why_falls.because": _from_to(MECHANISMS.curves),
    "predict.why_normed.because": _from_to(("unscaled", "scaled", *QK_NORM.curves)),
    **{
        f"why.keys.{curve}": {
            **dict.fromkeys(("first", "low", "high"), _plan),
            **{name: _end(measure, curve, place) for name, (measure, place) in KEY_FACTS.items()},
        }
        for curve in KEYS.curves
    },
}


def of_sweep(config: Plan, points: Points) -> How:
    """Return where the facts of the sentences on the curves come from."""
    return from_table(SWEPT, (config, points))
