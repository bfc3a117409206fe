"""The sweep over d_k in words and numbers: its table, its sentences, and the entropies that fell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from attention_core import SweepConfig, SweepPoint
from attention_core.studies.sweep import CURVES, MEASURES
from visualiser.locale import text
from visualiser.locale.message import Message, message
from visualiser.pages.why.cells import seeds
from visualiser.tables import Column, Table

CHOICES: Final = (*CURVES, "all", "none")
"""The answers to "which entropy falls towards 0?"."""

_TOWARDS: Final = 0.5
"""An entropy falls towards 0 if it ends below this share of its mean at the smallest d_k, in every seed."""


_KINDS: Final = {"variance": "score_variance", "gradient": "score_gradient", "gradient_norm": "score_gradient_norm"}
"""The measures that are quantities of another name."""


@dataclass(frozen=True)
class Fallen:
    """The curves whose entropy fell towards 0, and those of which the draws do not settle it."""

    fell: tuple[str, ...]
    unsettled: tuple[str, ...]

    @property
    def right(self) -> tuple[str, ...]:
        """The answers that the draws do not refute, first the one that counts no unsettled curve.

        No choice names two curves: if just two fell, each of them is right.
        """
        least, most = set(self.fell), {*self.fell, *self.unsettled}
        named = {"none": set[str](), **{curve: {curve} for curve in CURVES}, "all": set(CURVES)}
        return (
            tuple(sorted((c for c, s in named.items() if least <= s <= most), key=lambda c: len(named[c]))) or self.fell
        )


def fallen(config: SweepConfig, points: Sequence[SweepPoint]) -> Fallen:
    """Judge every curve by its entropy at the largest d_k: from the least seed to the greatest.

    If they lie closer, their mean give or take ½ ln n / √(n · seeds) decides. Entropies of rows lie between 0 and ln n,
    so their standard deviation is at most ½ ln n, and that of the mean of n · seeds independent ones at most this.
    """
    loose = 0.5 * math.log(config.n) / math.sqrt(config.n * config.seeds)
    fell, unsettled = [], []
    for curve in CURVES:
        first, *_, last = (point.spread("entropy") for point in points if point.curve == curve)
        line, (mean, least, greatest) = _TOWARDS * first[0], last
        if max(greatest, mean + loose) < line:
            fell.append(curve)
        elif min(least, mean - loose) <= line:
            unsettled.append(curve)
    return Fallen(tuple(fell), tuple(unsettled))


def outcome(config: SweepConfig, points: Sequence[SweepPoint]) -> list[Message]:
    """Say which entropies fell and why, first what the draws leave open; a verdict says the same."""
    return [*left_open(config, fallen(config, points)), message("predict.why_falls.because", **ends(points))]


def left_open(config: SweepConfig, found: Fallen) -> list[Message]:
    """Name the curves of which the draws do not settle if they fell."""
    curves = [message(f"predict.why_falls.{curve}") for curve in found.unsettled]
    return [message("predict.why_falls.open", curves=curves, rows=config.n * config.seeds)] if curves else []


def ends(points: Sequence[SweepPoint]) -> dict[str, Any]:
    """Return every curve's entropy at the smallest and at the largest d_k, as `NAME_from` and `NAME_to`."""
    found = {f"{which}_from": _entropy(points, which, 0) for which in CURVES}
    return found | {f"{which}_to": _entropy(points, which, -1) for which in CURVES}


def table(config: SweepConfig, points: Sequence[SweepPoint], lang: str) -> Table:
    """List for each d_k and mechanism each measure's middle, least and greatest over the seeds."""
    columns = [
        Column(
            "d_k", np.array([point.d_k for point in points]), kind="size", made=lambda _: message("reason.made.plan")
        ),
        Column(text(lang, "table.mechanism"), [text(lang, f"figure.sweep.{point.curve}") for point in points]),
    ]
    for measure in MEASURES:
        name = text(lang, f"table.sweep.{measure}")
        spreads = np.array([point.spread(measure) for point in points])
        headings = (name, *(f"{name}, {text(lang, f'table.{end}')}" for end in ("least", "greatest")))
        kind = _KINDS.get(measure, measure)
        columns += [
            Column(heading, spreads[:, i], kind=kind, made=seeds(points, measure, kind, i))
            for i, heading in enumerate(headings)
        ]
    caption = text(lang, "table.sweep.caption", n=config.n, seed=config.seed, seeds=config.seeds)
    return Table(caption, columns)


def summary(config: SweepConfig, points: Sequence[SweepPoint]) -> list[Message]:
    """Describe the entropies and the gradient from one end of the axis to the other."""
    of = {(point.curve, point.d_k): point.spread("gradient")[0] for point in points}
    low, high = config.d_ks[0], config.d_ks[-1]
    gradients = {f"{curve}_to": of[curve, high] for curve in CURVES}
    return [
        message(
            "why.sweep.entropy", low=low, high=high, seeds=config.seeds, ceiling=math.log(config.n), **ends(points)
        ),
        message("why.sweep.gradient", high=high, unscaled_from=of["unscaled", low], **gradients),
        message("why.sweep.where"),
    ]


def _entropy(points: Sequence[SweepPoint], which: str, place: int) -> float:
    return [point for point in points if point.curve == which][place].spread("entropy")[0]
