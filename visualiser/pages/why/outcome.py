"""The outcome of the sweep over d_k: the entropies that fell, and the sentences on them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from attention_core import SweepConfig, SweepPoint
from attention_core.studies.sweep import CURVES
from visualiser.figures.swept import ends
from visualiser.locale.message import Message, message

CHOICES: Final = (*CURVES, "all", "none")
"""The answers to "which entropy falls towards 0?"."""

_TOWARDS: Final = 0.5
"""An entropy falls towards 0 if it ends below this share of its mean at the smallest d_k, in every seed."""


@dataclass(frozen=True)
class Fallen:
    """The curves whose entropy fell towards 0, and those that the draws leave undecided."""

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
    """Name the entropies that fell and why, first what the draws leave open; a verdict has the same sentences."""
    return [*left_open(config, fallen(config, points)), message("predict.why_falls.because", **ends(points))]


def left_open(config: SweepConfig, found: Fallen) -> list[Message]:
    """Name the curves that the draws leave undecided."""
    curves = [message(f"predict.why_falls.{curve}") for curve in found.unsettled]
    return [message("predict.why_falls.open", curves=curves, rows=config.n * config.seeds)] if curves else []
