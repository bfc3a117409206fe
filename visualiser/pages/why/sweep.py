"""The sweep over d_k in words and numbers: its table, its sentence, and the entropies that fell."""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from attention_core import SweepConfig, SweepPoint
from attention_core.studies.sweep import CURVES, MEASURES
from visualiser.locale import text
from visualiser.tables import Column, Table

_FALL: Final = 0.1
"""An entropy has fallen if it lost more than this share of its ceiling from the smallest d_k to the largest."""


def falling(config: SweepConfig, points: Sequence[SweepPoint]) -> tuple[str, ...]:
    """Return the right answers to "which entropy falls": curves, "all" or "none"."""
    least = _FALL * math.log(config.n)
    fell = tuple(which for which in CURVES if _entropy(points, which, 0) - _entropy(points, which, -1) > least)
    return ("all",) if len(fell) == len(CURVES) else fell or ("none",)


def ends(points: Sequence[SweepPoint]) -> dict[str, Any]:
    """Return every curve's entropy at the smallest and at the largest d_k, as `NAME_from` and `NAME_to`."""
    found = {f"{which}_from": _entropy(points, which, 0) for which in CURVES}
    return found | {f"{which}_to": _entropy(points, which, -1) for which in CURVES}


def table(config: SweepConfig, points: Sequence[SweepPoint], lang: str) -> Table:
    """List for each d_k and mechanism each measure's middle, least and greatest over the seeds."""
    columns = [
        Column("d_k", np.array([point.d_k for point in points])),
        Column(text(lang, "table.mechanism"), [text(lang, f"figure.sweep.{point.curve}") for point in points]),
    ]
    for measure in MEASURES:
        name = text(lang, f"table.sweep.{measure}")
        spreads = np.array([point.spread(measure) for point in points])
        headings = (name, *(f"{name}, {text(lang, f'table.{end}')}" for end in ("least", "greatest")))
        columns += [Column(heading, spreads[:, i]) for i, heading in enumerate(headings)]
    caption = text(lang, "table.sweep.caption", n=config.n, seed=config.seed, seeds=config.seeds)
    return Table(caption, columns)


def summary(config: SweepConfig, points: Sequence[SweepPoint], lang: str) -> str:
    """Describe the entropies and the gradient from one end of the axis to the other."""
    of = {(point.curve, point.d_k): point for point in points}
    low, high = config.d_ks[0], config.d_ks[-1]
    first, last = of["unscaled", low], of["unscaled", high]
    said = [
        text(
            lang, "why.sweep.entropy", low=low, high=high, seeds=config.seeds, ceiling=math.log(config.n),
            **ends(points),
        ),
        text(
            lang, "why.sweep.gradient", high=high,
            unscaled_from=first.spread("gradient")[0], unscaled_to=last.spread("gradient")[0],
            scaled_to=of["scaled", high].spread("gradient")[0],
            additive_to=of["additive", high].spread("gradient")[0],
        ),
        text(lang, "why.sweep.where"),
    ]  # fmt: skip
    return " ".join(said)


def _entropy(points: Sequence[SweepPoint], which: str, place: int) -> float:
    return [point for point in points if point.curve == which][place].spread("entropy")[0]
