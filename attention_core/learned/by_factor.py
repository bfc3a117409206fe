"""The log-probability of a text against the factor of its scores, × the one that the model was trained with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from attention_core.cancellation import checkpoint
from attention_core.changes import Change, Factor
from attention_core.learned.given import Given
from attention_core.learned.says import Said, SayingModel

__all__ = ["TIMES", "FactorCurve", "factor_curve", "factor_everywhere"]

TIMES: Final = tuple(float(one) for one in 10 ** (np.arange(-12, 13) / 12))
"""× 0.1 to × 10, evenly on a logarithmic axis, the trained factor among them."""


@dataclass(frozen=True, eq=False)
class FactorCurve:
    """ln p of a text, in nats, at each × the trained factor."""

    times: NDArray[np.float64]
    logs: Float[NDArray[np.float64], " times"]

    @property
    def best(self) -> int:
        """The number of the value at which the text is likeliest."""
        return int(np.argmax(self.logs))


def factor_everywhere(changes: Sequence[Change]) -> Factor | None:
    """Return the factor of all layers and heads among changes, the last one; None without it."""
    found = [one for one in changes if isinstance(one, Factor) and one.layers is None and one.heads is None]
    return found[-1] if found else None


def factor_curve(
    model: SayingModel, given: str | Given, most: int | None = None, changes: Sequence[Change] = ()
) -> FactorCurve | None:
    """Run a model with each of `TIMES` in the place of the factor of all layers and heads; other changes are kept.

    None for a model that does not foretell the text. Raises as `SayingModel.says` does.
    """
    chosen = factor_everywhere(changes)
    others = [one for one in changes if one is not chosen]
    logs = []
    for times in TIMES:
        checkpoint()
        said = model.says(given, most, (*others, Factor(times) if chosen is None else replace(chosen, times=times)))
        if not isinstance(said, Said) or not said.reads_on:
            return None
        logs.append(said.text_log)
    return FactorCurve(np.array(TIMES), np.array(logs))
