"""The next thing to try, if the present state shows its effect and this visitor can do it here."""

import math
from dataclasses import dataclass, replace
from typing import Any, Final

from attention_core import BOUNDS, AttentionResult, temperature
from attention_core.config import SCALED
from attention_core.exact.formats import largest_exponent
from visualiser.drawing.cells import sunk
from visualiser.drawing.colour import DECADES
from visualiser.drawing.format_marks import infinite_scores
from visualiser.drawing.map_colours import limits
from visualiser.drawing.saturation import allowed_scores
from visualiser.drawing.weighed import is_plain
from visualiser.locale import text
from visualiser.pages.explore.facts import Facts
from visualiser.pages.explore.sentences import state
from visualiser.pages.uses import SOURCES
from visualiser.state.view import View

WIDE: Final = 4.0
"""Unscaled scores of a larger variance call for 1/√d_k: one standard deviation is then a factor e² in weight."""
_FELT: Final = 0.02
"""A factor is felt if it changes the mean entropy by this share of its ceiling."""
_NARROW: Final = 16
"""Unscaled dot products of a smaller d_k differ little from scaled ones."""
_MENDS: Final = ("scale", "too_small")
"""Steps out of a state in which the softmax does not work; the others show something more."""
PALE: Final = 0.1
"""On a linear scale a weight below this share of its top hardly differs from zero."""
NEARLY_ALL: Final = 0.95
DISTINGUISHED: Final = 0.5
"""A logarithmic scale is worth a look if this share of the weights is within its decades."""


@dataclass(frozen=True)
class Suggestion:
    """The next thing to try: its name in the texts, and the parameters that it sets."""

    name: str
    change: dict[str, Any]

    def label(self, lang: str) -> str:
        """Return the words of its button, with the value that it sets."""
        return text(lang, f"insight.try.{self.name}", **self.change)


def suggestion(result: AttentionResult, view: View | None = None) -> Suggestion | None:
    """Return the change whose effect the present state makes visible; None if there is none.

    A control that the link hides from a class is not moved either.
    """
    view = view or View()
    if "controls" in view.hide:
        return None
    first, colours = _suggestion(result), _colours(result, view)
    steps = (first, colours) if first and first.name in _MENDS else (colours, first)
    return next((step for step in steps if step and not step.change.keys() & set(view.hide)), None)


def _suggestion(result: AttentionResult) -> Suggestion | None:
    config, facts = result.config, Facts(result)
    if not is_plain(config):
        return None  # what a factor or a width does is known of a softmax of the scores themselves
    if result.broken is not None:
        unmade = not config.subtract_max and infinite_scores(result) == 0
        return Suggestion("subtract", {"subtract_max": True}) if unmade else None
    if not facts.choosing.any():
        return None
    if config.dtype != "float32" and config.subtract_max and _overflows(result):
        return Suggestion("overflow", {"subtract_max": False})
    # Neither another mechanism nor another width makes keys differ that are the same.
    differ = facts.mean("entropy") < (1 - _FELT / 10) * facts.ceiling
    if not SCALED[config.mechanism]:
        plain = {"mechanism": "dot_product", "scaling": "none"}
        return Suggestion("compare_unscaled", {"pin": True, **plain}) if differ and config.d_k >= _NARROW else None
    if config.source == "model":
        return None  # the factor that it was trained with is right for it
    unscaled, root = (replace(config, scaling=scaling).factor for scaling in ("none", "sqrt_d_k"))
    if config.scaling == "none":
        if facts.moments[1] > WIDE and _has_effect(facts, root):
            return Suggestion("scale", {"scaling": "sqrt_d_k"})
        wider = min(int(BOUNDS["d_k"].maximum), 8 * config.d_k)
        free = "d_k" in SOURCES[config.source] and wider > config.d_k and facts.moments[1] <= WIDE
        return Suggestion("d_k", {"d_k": wider, "tie": False}) if differ and free else None
    called = state(facts)
    if config.scaling == "d_k" and called.startswith("uniform") and _has_effect(facts, root):
        return Suggestion("too_small", {"scaling": "sqrt_d_k"})
    expected = result.predicted_variance is not None and called == "between"
    if config.scaling == "sqrt_d_k" and expected and _has_effect(facts, unscaled):
        return Suggestion("unscale", {"scaling": "none"})
    return None


def _colours(result: AttentionResult, view: View) -> Suggestion | None:
    """Suggest logarithmic colours where linear ones show nearly all weights as zero, and these would not."""
    if view.stage != "weights" or view.colour != "linear":
        return None
    h = len(result.weights)
    weights = result.weights[view.single(h) - 1 : view.single(h)] if len(view.heads(h)) == 1 else result.weights
    top = weights.amax((1, 2), keepdim=True)
    sinks = sunk(result, view.stage)
    if view.colour_range == "quantile":
        top = top.amax().clamp(max=limits(result, view).high)
    elif sinks is not None:
        most = sinks.amax(1)[:, None, None]
        top = top.maximum(most if len(weights) == h else most[view.single(h) - 1])
    if view.colour_range == "full":
        top = top.amax()
    hidden = 0 if result.mask is None else int((~result.mask).sum()) * len(weights)  # masked weights are 0
    allowed = weights.numel() - hidden
    pale = int((weights < PALE * top).sum()) - hidden
    lost = int((weights < 10.0**-DECADES * top).sum()) - hidden
    shows = allowed and pale >= NEARLY_ALL * allowed and allowed - lost >= DISTINGUISHED * allowed
    return Suggestion("log", {"colour": "log"}) if shows else None


def _overflows(result: AttentionResult) -> bool:
    """Return True if exp of some score is infinite in the result's format, unless the maximum is subtracted."""
    largest = float(allowed_scores(result).max())
    return math.isfinite(largest) and largest > largest_exponent(result.config.dtype)


def _has_effect(facts: Facts, factor: float) -> bool:
    """Return True if this factor instead of the present one changes the mean entropy enough to be seen."""
    if factor == facts.result.config.factor:
        return False
    before, after = temperature(facts.result, sorted((factor, facts.result.config.factor))).entropy.mean(-1).tolist()
    return abs(after - before) >= _FELT * facts.ceiling
