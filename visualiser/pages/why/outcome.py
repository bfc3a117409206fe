"""The outcome of curves over d_k or the number of keys: those that fell, and the sentences on them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from attention_core.config import LOG_N_KEYS
from attention_core.studies.lengths import QUERIES, SERIES
from attention_core.studies.sweep import CURVES
from visualiser.figures.swept import Plan, Points, ends, key_lines, spreads
from visualiser.locale.message import Message, message
from visualiser.predictions import Choice


@dataclass(frozen=True)
class Fallen:
    """The curves of `named` that fell, and those that the draws leave undecided.

    An answer names the curves that fell; if `staying`, those that did not.
    """

    fell: tuple[str, ...]
    unsettled: tuple[str, ...]
    named: tuple[str, ...] = CURVES
    staying: bool = False

    @property
    def right(self) -> tuple[str, ...]:
        """The answers that the draws do not refute, first the one that counts no unsettled curve.

        No choice names two curves of three: if just two are to be named, each of them is right.
        """
        clear = tuple(c for c in self.named if c not in (*self.fell, *self.unsettled)) if self.staying else self.fell
        least, most = set(clear), {*clear, *self.unsettled}
        named = {"none": set[str](), **{curve: {curve} for curve in self.named}, "all": set(self.named)}
        return tuple(sorted((c for c, s in named.items() if least <= s <= most), key=lambda c: len(named[c]))) or clear


@dataclass(frozen=True, kw_only=True)
class Falls:
    """The question of which curves fall below a share of where they began, or do not, and its answer from the draws.

    name       its texts are `predict.NAME.…`
    curves     those that may fall
    measure    of every row; its mean over rows is judged
    share      a curve fell if it ends below this share of its mean at the beginning, in every seed
    staying    True if an answer names the curves that did not fall
    first      the place of that beginning; the first one if None
    deviation  the most that the standard deviation of rows of a plan with a mean can be
    rows       the rows of each seed at the end
    reasons    the sentences that say why, from the points
    """

    name: str
    curves: tuple[str, ...]
    measure: str
    share: float
    staying: bool = False
    first: int | None = None
    deviation: Callable[[Any, float], float]
    rows: Callable[[Any], int]
    reasons: Callable[[Plan, Points], list[Message]]

    @property
    def choice(self) -> Choice:
        """The question with its answers: one curve, all, none."""
        return Choice(self.name, (*self.curves, "all", "none"))

    def fallen(self, config: Plan, points: Points) -> Fallen:
        """Judge every curve at its end: from the least seed to the greatest.

        If they lie closer, their mean give or take the deviation of a mean of so many independent rows decides.
        """
        fell, unsettled = [], []
        first = config.sizes[0] if self.first is None else self.first
        for curve in self.curves:
            line = self.share * spreads(points, curve, first, self.measure)[0]
            mean, least, greatest = spreads(points, curve, config.sizes[-1], self.measure)
            loose = self.deviation(config, mean) / math.sqrt(self.rows(config) * config.seeds)
            if max(greatest, mean + loose) < line:
                fell.append(curve)
            elif min(least, mean - loose) <= line:
                unsettled.append(curve)
        return Fallen(tuple(fell), tuple(unsettled), self.curves, self.staying)

    def outcome(self, config: Plan, points: Points) -> list[Message]:
        """Name the curves that fell and why, first what the draws leave open; a verdict has the same sentences."""
        return [*self.left_open(config, self.fallen(config, points)), *self.reasons(config, points)]

    def left_open(self, config: Plan, found: Fallen) -> list[Message]:
        """Name the curves that the draws leave undecided."""
        curves = [message(f"predict.{self.name}.{curve}") for curve in found.unsettled]
        rows = self.rows(config) * config.seeds
        return [message(f"predict.{self.name}.open", curves=curves, rows=rows)] if curves else []


def _of_entropies(config: Any, mean: float) -> float:
    """Return ½ ln n: entropies of rows lie between 0 and ln n."""
    return 0.5 * math.log(config.n)


def _of_weights(config: Any, mean: float) -> float:
    """Return √(m (1 − m)): weights of mean m lie between 0 and 1 (Bhatia and Davis 2000)."""
    return math.sqrt(mean * (1 - mean))


def _because(name: str) -> Callable[[Plan, Points], list[Message]]:
    return lambda config, points: [message(f"predict.{name}.because", **ends(points))]


def _lines(config: Plan, points: Points) -> list[Message]:
    """Say why, then describe each series."""
    return [message("predict.why_fades.because"), *key_lines(config, points)]


MECHANISMS: Final = Falls(
    name="why_falls",
    curves=CURVES,
    measure="entropy",
    share=0.5,
    deviation=_of_entropies,
    rows=lambda config: config.n,
    reasons=_because("why_falls"),
)
QK_NORM: Final = Falls(
    name="why_normed",
    curves=("qk_norm", "qk_norm_unscaled"),
    measure="entropy",
    share=0.5,
    deviation=_of_entropies,
    rows=lambda config: config.n,
    reasons=_because("why_normed"),
)
KEYS: Final = Falls(
    name="why_fades",
    curves=tuple(SERIES),
    measure="largest_weight",
    share=0.1,
    staying=True,
    first=LOG_N_KEYS,
    deviation=_of_weights,
    rows=lambda config: min(config.ns[-1], QUERIES),
    reasons=_lines,
)
