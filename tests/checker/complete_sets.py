"""What a sentence claims of a complete set before and after a change, held to the set: numpy in float64.

A set is all that the sentence names, never what a figure lists of it. Numbers that are not known are NaN.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tests.checker.checking import near
from tests.checker.learned import Numbers
from visualiser.locale import number

NEAR: Final = 1e-5
"""What float32 leaves of a difference."""


def largest(values: Numbers, named: Sequence[int], claimed: float) -> Iterator[str]:
    """Check which is called the largest of all; `named` are the places that the name may mean."""
    most = float(np.nanmax(values))
    if not any(values[at] >= most - NEAR for at in named):
        yield f"the largest is at {int(np.nanargmax(values))}: {most}"
    if not near(claimed, most) and abs(claimed - most) > NEAR:
        yield f"the largest is {most}"


def changed(before: Numbers, now: Numbers, named: Sequence[int], facts: Mapping[str, Any]) -> Iterator[str]:
    """Check what is called the most changed of all, and that its change is seen."""
    apart = np.abs(now - before)
    most = float(np.nanmax(apart))
    fitting = [at for at in named if apart[at] >= most - NEAR]
    if not fitting:
        yield f"what changed most is at {int(np.nanargmax(apart))}, by {most}"
    for name, values in (("before", before), ("now", now)):
        if not any(_same(facts[name], float(values[at])) for at in fitting):
            yield f"{name} is {[float(values[at]) for at in fitting]}"
    if number(float(facts["before"])) == number(float(facts["now"])):
        yield "no digit shows a change"


def unseen(before: Numbers, now: Numbers, claimed: float, shown: float, least: float = 0.0) -> Iterator[str]:
    """Check a largest change that three digits of what is shown, or the bound `least`, do not show."""
    apart = np.abs(now - before)
    most = float(np.nanmax(apart))
    if claimed <= 0:
        yield "nothing changed"
    if not near(claimed, most) and abs(claimed - most) > NEAR:
        yield f"the largest change is {most}"
    digit = 10 ** (np.floor(np.log10(abs(shown))) - 2) if shown else 0.0
    if most > max(1.01 * digit, least) + NEAR:
        yield f"a change of {most} is seen"
    at = [place for place in range(len(apart)) if apart[place] >= most - NEAR]
    if not least and not any(_same(shown, float(now[place])) for place in at):
        yield f"what changed most is {[float(now[place]) for place in at][:4]} now"


def same(before: Numbers, now: Numbers) -> Iterator[str]:
    """Check that nothing changed, of numbers that are known."""
    apart = np.abs(now - before)
    if not np.isfinite(apart).any():
        yield "nothing is measured"
    elif np.nanmax(apart) > NEAR:
        yield f"something changed by {np.nanmax(apart)}"


def _same(claimed: float, true: float) -> bool:
    return near(claimed, true) or abs(claimed - true) < 10 * NEAR
